// Settings of compression: what they mean, what is recorded of them.

import { PlacedError, type At } from "../errors.js";
import { dtypeSize } from "./dtype.js";
import { isList, isWhole, type Plain, type PlainMap, shown } from "./plain.js";

/** Settings of compression, all of them. */
export interface Compression {
  readonly codec: string;
  /** From 0 to 9. */
  readonly level: number;
  /** In the order in which they work. */
  readonly filters: readonly string[];
  /** One per filter, from 0 to 255; absent where all are 0. */
  readonly filters_meta?: readonly number[];
}

const CODEC = "LZ4HC";
const MOST_FILTERS = 6;
const EMPTY_SLOT = "NOFILTER";

const defaultLevel = (codec: string): number => (codec === CODEC ? 8 : 5);

/** Settings of the machine, which say nothing about the file. */
const PASSED_OVER: ReadonlySet<string> = new Set(["nthreads", "typesize", "blocksize", "schunk"]);
const SETTINGS: ReadonlySet<string> = new Set(["codec", "clevel", "level", "filters", "filters_meta"]);

const DEFAULT: Compression = { codec: CODEC, level: 8, filters: ["SHUFFLE"] };
const DEFAULT_OF_BYTES: Compression = { codec: CODEC, level: 8, filters: [] };

/** The default for numbers of a dtype: one byte has nothing to shuffle. */
export const defaultCompression = (dtype: string): Compression => (dtypeSize(dtype) === 1 ? DEFAULT_OF_BYTES : DEFAULT);

function settings(codec: string, level: number, filters: readonly string[], meta: readonly number[]): Compression {
  const perFilter = filters.map((_, position) => meta[position] ?? 0);
  const common = { codec, level, filters };
  return perFilter.some((setting) => setting !== 0) ? { ...common, filters_meta: perFilter } : common;
}

const text = (value: Plain | undefined): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: Plain | undefined): number | undefined => (isWhole(value) ? Number(value) : undefined);
const numbers = (value: Plain | undefined): readonly number[] => (isList(value) ? value.map(Number) : []);
const texts = (value: Plain | undefined): readonly string[] | undefined =>
  isList(value) ? value.map((item) => text(item) ?? shown(item)) : undefined;

/** What recorded settings mean, the missing ones filled in; the default where nothing is recorded. */
export function recordedCompression(recorded?: PlainMap): Compression {
  if (recorded === undefined) return DEFAULT;
  const codec = text(recorded.get("codec")) ?? CODEC;
  const level = number(recorded.get("level")) ?? defaultLevel(codec);
  const filters = texts(recorded.get("filters")) ?? DEFAULT.filters;
  return settings(codec, level, filters, numbers(recorded.get("filters_meta")));
}

function checkRange(value: Plain, at: At, most: number): number {
  if (!isWhole(value)) {
    throw new PlacedError("wrong_type", at, `${shown(value)} is no integer; one from 0 to ${most} belongs here`);
  }
  if (value >= 0 && value <= most) return Number(value);
  throw new PlacedError("out_of_range", at, `${value} is not from 0 to ${most}`);
}

function checkedList(value: Plain | undefined, at: At): readonly Plain[] | undefined {
  if (value === undefined || isList(value)) return value;
  throw new PlacedError("wrong_type", at, `${shown(value)} is no list; one per filter belongs here`);
}

function checkedText(value: Plain, at: At): string {
  if (typeof value === "string") return value;
  throw new PlacedError("wrong_type", at, `${shown(value)} is no text; a name belongs here`);
}

function checkNames(given: PlainMap): void {
  const unknown = [...given.keys()].find((name) => !SETTINGS.has(name) && !PASSED_OVER.has(name));
  if (unknown === undefined) return;
  const message = `${unknown} is no setting of compression; those are ${[...SETTINGS].join(", ")}`;
  throw new PlacedError("unknown_name", ["cparams", unknown], message);
}

function checkFilterCount(filters: readonly unknown[]): void {
  if (filters.length <= MOST_FILTERS) return;
  const message = `there are ${filters.length} filters; at most ${MOST_FILTERS} fit`;
  throw new PlacedError("wrong_length", ["cparams", "filters"], message);
}

/** Settings as a caller gives them, by the names of blosc2 or of `storage`. */
function givenCompression(given: PlainMap, dtype: string): Compression {
  const at = (name: string): At => ["cparams", name];
  const codec = checkedText(given.get("codec") ?? CODEC, at("codec"));
  const level = checkRange(given.get("level") ?? given.get("clevel") ?? defaultLevel(codec), at("level"), 9);
  const slots = checkedList(given.get("filters"), at("filters")) ?? defaultCompression(dtype).filters;
  const meta = (checkedList(given.get("filters_meta"), at("filters_meta")) ?? []).map((setting) =>
    checkRange(setting, at("filters_meta"), 255),
  );
  const used = slots
    .map((slot, position) => ({ name: checkedText(slot, at("filters")), setting: meta[position] ?? 0 }))
    .filter(({ name }) => name !== EMPTY_SLOT);
  checkFilterCount(used);
  return settings(
    codec,
    level,
    used.map(({ name }) => name),
    used.map(({ setting }) => setting),
  );
}

const same = (a: Compression, b: Compression): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The compression of an array: what is given, else what is recorded, else the default. A recorded default of another dtype
 * is nobody's choice: the default of this one takes its place.
 * Errors, at `["cparams", name]`: `unknown_name`, `wrong_type`, `out_of_range`, `wrong_length`.
 */
export function resolveCompression(dtype: string, given: PlainMap, recorded?: PlainMap): Compression {
  checkNames(given);
  if ([...given.keys()].some((name) => SETTINGS.has(name))) return givenCompression(given, dtype);
  const meant = recordedCompression(recorded);
  return same(meant, DEFAULT) || same(meant, DEFAULT_OF_BYTES) ? defaultCompression(dtype) : meant;
}
