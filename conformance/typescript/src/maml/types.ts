// Types and sizes of columns.

const PLAIN = ["int32", "int64", "float32", "float64", "boolean", "string", "date"] as const;

/** Units of times: milli-, micro- and nanoseconds. */
export type Unit = "ms" | "us" | "ns";

/** A type of columns; only times and timestamps have a unit. */
export interface DataType {
  readonly base: (typeof PLAIN)[number] | "time" | "timestamp";
  readonly unit: Unit | null;
  readonly utc: boolean;
}

/** A size: a number, or `auto` where the data decides. */
export type Size = number | "auto";

/** From other words to types. */
export type DataMap = Readonly<Record<string, string>>;

const UNITS: Readonly<Record<string, Unit>> = {
  ms: "ms",
  milli: "ms",
  millis: "ms",
  us: "us",
  micro: "us",
  micros: "us",
  ns: "ns",
  nano: "ns",
  nanos: "ns",
};

/** Words of other languages that stand for one type. */
const WORDS: Readonly<Record<string, string>> = {
  bool: "boolean",
  logical: "boolean",
  i32: "int32",
  i64: "int64",
  integer64: "int64",
  single: "float32",
  f32: "float32",
  double: "float64",
  numeric: "float64",
  f64: "float64",
  str: "string",
  text: "string",
  character: "string",
  utf8: "string",
};

function unitOf(word: string): Unit | undefined {
  return Object.hasOwn(UNITS, word) ? UNITS[word] : undefined;
}

function timeOf(inside: string | undefined): DataType | null {
  const unit = inside === undefined ? "us" : unitOf(inside);
  return unit === undefined ? null : { base: "time", unit, utc: false };
}

function timestampOf(inside: string | undefined): DataType | null {
  const parts = inside === undefined || inside === "" ? [] : inside.split(",").map((part) => part.trim());
  const zones = parts.filter((part) => part === "utc");
  const units = parts.filter((part) => part !== "utc").map(unitOf);
  if (zones.length > 1 || units.length > 1 || units.includes(undefined)) return null;
  return { base: "timestamp", unit: units[0] ?? "us", utc: zones.length === 1 };
}

/**
 * The type that a text names; null where it names none.
 *
 * @param words where given, other words are types too: those that stand for one type everywhere, and those of the map.
 */
export function parseType(text: string, words?: DataMap): DataType | null {
  const found = /^\s*([a-z0-9]+)\s*(?:\[([^[\]]*)\]\s*)?$/.exec(text.toLowerCase());
  const [base, inside] = [found?.[1], found?.[2]?.trim()];
  const plain = PLAIN.find((word) => word === base);
  if (plain !== undefined) return inside === undefined ? { base: plain, unit: null, utc: false } : null;
  if (base === "time") return timeOf(inside);
  if (base === "timestamp") return timestampOf(inside);
  return words === undefined ? null : meantBy(text.trim().toLowerCase(), words);
}

function meantBy(word: string, words: DataMap): DataType | null {
  const own = Object.entries(words).find(([key]) => key.trim().toLowerCase() === word);
  if (own !== undefined) return parseType(own[1]);
  const known = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  return known === undefined ? null : parseType(known);
}

/** The word of a type in full, such as `timestamp[ns,utc]`. */
export function typeWord(type: DataType): string {
  return type.unit === null ? type.base : `${type.base}[${type.unit}${type.utc ? ",utc" : ""}]`;
}

/** Whether columns of a type hold dates, times or timestamps. */
export function isTemporal(type: DataType): boolean {
  return ["date", "time", "timestamp"].includes(type.base);
}

const MOST = 2147483647;

/** The size that a text says, 1 where it is blank; null where it says none. */
export function parseSize(text: string): Size | null {
  const word = text.trim();
  if (word === "") return 1;
  if (word.toLowerCase() === "auto") return "auto";
  if (!/^\+?[0-9]+$/.test(word)) return null;
  const size = Number(word);
  return size >= 1 && size <= MOST ? size : null;
}
