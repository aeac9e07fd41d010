// Documents of a store: read, and looked into with errors that say where.

import { type At, PlacedError } from "../errors.js";
import { isList, isObject, type Json, type JsonObject, parseJson, shown } from "./json.js";
import type { Store } from "./store.js";

/** Of the platform, in browsers and elsewhere. */
declare const TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };

/** A value of a document and where it stands: the document's key, then keys and positions. */
export interface Found<Value extends Json = Json> {
  readonly value: Value;
  readonly at: At;
}

/** An object of a document. */
export type FoundObject = Found<JsonObject>;

const nameOf = (at: At): string => at.join("/");

/** An error at a value: `<place> is <value>; <rule>`. */
export function wrong(code: string, { value, at }: Found, rule: string): PlacedError {
  return new PlacedError(code, at, `${nameOf(at)} is ${shown(value)}; ${rule}`);
}

/** The text of bytes, or `not_json` where they are not UTF-8. */
function textOf(bytes: Uint8Array, key: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PlacedError("not_json", [key], `${key} is not UTF-8`);
  }
}

/** The document at a key, an object; undefined where there is none, else `not_json` or `wrong_type`. */
export function readDocument(store: Store, key: string): FoundObject | undefined {
  const bytes = store.get(key);
  return bytes && objectOf({ value: parseJson(textOf(bytes, key), [key]), at: [key] });
}

/** Whether something stands at a key that does not even begin as a JSON object, such as a server's page. */
export function isNoDocument(store: Store, key: string): boolean {
  const bytes = store.get(key);
  return bytes !== undefined && bytes.find((byte) => ![0x20, 0x09, 0x0a, 0x0d].includes(byte)) !== 0x7b;
}

/** A list from its end to its beginning. */
export const reversed = <T>(values: readonly T[]): readonly T[] => [...values].reverse();

/** The value as an object, or `wrong_type`. */
export function objectOf(found: Found): FoundObject {
  if (isObject(found.value)) return { value: found.value, at: found.at };
  throw wrong("wrong_type", found, "an object belongs there");
}

/** The value as a list of values, or `wrong_type`. */
export function listOf(found: Found): readonly Found[] {
  if (!isList(found.value)) throw wrong("wrong_type", found, "a list belongs there");
  return found.value.map((value, position) => ({ value, at: [...found.at, position] }));
}

/** The value as a string, or `wrong_type`. */
export function stringOf(found: Found): string {
  if (typeof found.value === "string") return found.value;
  throw wrong("wrong_type", found, "a string belongs there");
}

/** The member of an object; undefined where it is absent or null. */
export function member({ value, at }: FoundObject, key: string): Found | undefined {
  const item = value[key];
  return item === undefined || item === null ? undefined : { value: item, at: [...at, key] };
}

/** The member of an object, or `missing_key` where it is absent or null. */
export function needed(object: FoundObject, key: string): Found {
  const found = member(object, key);
  if (found !== undefined) return found;
  const at = [...object.at, key];
  throw new PlacedError("missing_key", at, `${nameOf(at)} is missing`);
}

/** The value as a number, or `wrong_type`; an integer beyond 2^53 - 1 becomes the nearest double. */
export function numberOf(found: Found): number {
  if (typeof found.value === "number" || typeof found.value === "bigint") return Number(found.value);
  throw wrong("wrong_type", found, "a number belongs there");
}

/** The value as a finite number, or `wrong_type` or `not_finite`. */
export function finiteOf(found: Found): number {
  const value = numberOf(found);
  if (Number.isFinite(value)) return value;
  throw wrong("not_finite", found, "a finite number belongs there");
}

/** The value as a number above zero, or `wrong_type`, `not_finite` or `not_positive`. */
export function positiveOf(found: Found): number {
  const value = finiteOf(found);
  if (value > 0) return value;
  throw wrong("not_positive", found, "a number above zero belongs there");
}

/** The value as a whole number that is not less than `least`: `wrong_type`, `not_integral` or `out_of_range`. */
export function wholeOf(found: Found, least = -Infinity): number {
  const value = finiteOf(found);
  if (!Number.isInteger(value)) throw wrong("not_integral", found, "a whole number belongs there");
  if (value < least) throw wrong("out_of_range", found, `a whole number of at least ${least} belongs there`);
  return value + 0;
}

/** Raises `wrong_length` unless a list has `count` entries. */
export function checkCount(found: Found, length: number, count: number): void {
  if (length !== count) throw wrong("wrong_length", found, `it has ${length} entries, and ${count} belong there`);
}

/** The value as a list of exactly `count` entries, each read by `read`. */
export function exactly<T>(found: Found, count: number, read: (entry: Found) => T): readonly T[] {
  const entries = listOf(found).map(read);
  checkCount(found, entries.length, count);
  return entries;
}
