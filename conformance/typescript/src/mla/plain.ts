// Plain values of metadata maps: what msgpack holds, with the order of keys kept.

/** A map of plain values, in the order of its keys. */
export type PlainMap = ReadonlyMap<string, Plain>;

/**
 * A plain value. A whole number within ±(2^53 - 1) is a `number`, any other integer a `bigint`; a `number` beyond that is a
 * float.
 */
export type Plain = null | boolean | number | bigint | string | Uint8Array | readonly Plain[] | PlainMap;

/** Whether a value is a map. */
export const isMap = (value: unknown): value is PlainMap => value instanceof Map;

/** Whether a value is a list. */
export const isList = (value: Plain | undefined): value is readonly Plain[] => Array.isArray(value);

/** Whether a value is a number: NaN and infinities are, booleans are not. */
export const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** Whether a value is a whole number, however it is held. */
export const isWhole = (value: unknown): value is number | bigint => typeof value === "bigint" || Number.isInteger(value);

/** A value with every object in it as a map. What is no plain value becomes text. */
export function toPlain(value: unknown): Plain {
  if (value === null || typeof value === "boolean" || typeof value === "string" || isNumber(value)) return value;
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isMap(value)) return new Map([...value].map(([key, item]) => [key, toPlain(item)]));
  if (typeof value === "object") return new Map(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
  return String(value);
}

/** A plain value with every map in it as an object. */
export function fromPlain(value: Plain): unknown {
  if (isMap(value)) return Object.fromEntries([...value].map(([key, item]) => [key, fromPlain(item)]));
  return isList(value) ? value.map(fromPlain) : value;
}

/** A value as people read it: numbers of a list joined by a comma and a space. */
export function shown(value: Plain | undefined): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (isList(value)) return `[${value.map(shown).join(", ")}]`;
  if (isMap(value)) return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}: ${shown(item)}`).join(", ")}}`;
  return String(value);
}

/** The name of an entry of `axes`, by its position where it has none; undefined where it cannot be told. */
export function axisNameOf(axis: Plain, position: number): string | undefined {
  if (!isMap(axis)) return undefined;
  const name = axis.has("name") ? axis.get("name") : `axis_${position}`;
  return typeof name === "string" && name !== "" ? name : undefined;
}
