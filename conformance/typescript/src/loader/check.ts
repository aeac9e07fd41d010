// Values of a configuration, checked one by one: each check gives the value back, normalised, or throws.

import { PlacedError, type At } from "../errors.js";

/** An integer, a bigint beyond 2^53 - 1. */
export type Whole = number | bigint;

/** From what stands at a path to the value that is meant. */
export type Check<Value> = (value: unknown, at: At) => Value;

/** A mapping, its keys in the order in which they stand. */
export type Mapping = Readonly<Record<string, unknown>>;

/** A key of a record; without a default it is required. */
export interface Field<Value> {
  readonly check: Check<Value>;
  readonly absent?: Value;
}

export type Fields<Record> = { readonly [Key in keyof Record]-?: Field<Record[Key]> };

const LEAST = -(2n ** 63n);
export const MOST = 2n ** 63n - 1n;

/** A value as people write it, cut short. */
export function shown(value: unknown): string {
  return spelled(value).slice(0, 200);
}

function spelled(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.slice(0, 20).map(shown).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.keys(value).slice(0, 20).map(shown).join(", ")}}`;
}

/** Throws: what stands at a path, and what is wrong with it. */
export function fail(code: string, at: At, text: string): never {
  const path = at.length === 0 ? "the configuration" : at.join(".");
  throw new PlacedError(code, at, `${path}: ${text}`);
}

export function isMapping(value: unknown): value is Mapping {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export const mapping: Check<Mapping> = (value, at) =>
  isMapping(value) ? value : fail("wrong_type", at, `${shown(value)} is no mapping`);

export const number: Check<Whole> = (value, at) => {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") return fail("wrong_type", at, `${shown(value)} is no number`);
  return Number.isFinite(value) ? value : fail("not_finite", at, `${value} is not finite`);
};

export const size: Check<Whole> = (value, at) => {
  const found = number(value, at);
  return found > 0 ? found : fail("not_positive", at, `${shown(value)} is not above zero`);
};

export const whole: Check<Whole> = (value, at) => {
  const found = number(value, at);
  if (typeof found === "number" && !Number.isInteger(found)) fail("wrong_type", at, `${found} is no whole number`);
  const exact = BigInt(found);
  if (exact < LEAST || exact > MOST) fail("out_of_range", at, `${exact} is not within ${LEAST} to ${MOST}`);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
};

/** A whole number of `least` or more. */
export const atLeast =
  (least: number, code = "out_of_range"): Check<Whole> =>
  (value, at) => {
    const found = whole(value, at);
    return found >= least ? found : fail(code, at, `${found} is less than ${least}`);
  };

export const count = atLeast(0);
export const countFrom1 = atLeast(1, "not_positive");

/** A number between two, both inclusive. */
export const between =
  (least: number, most: number): Check<Whole> =>
  (value, at) => {
    const found = number(value, at);
    return found >= least && found <= most
      ? found
      : fail("out_of_range", at, `${found} is not within ${least} to ${most}`);
  };

export const flag: Check<boolean> = (value, at) =>
  typeof value === "boolean" ? value : fail("wrong_type", at, `${shown(value)} is neither true nor false`);

export const text: Check<string> = (value, at) =>
  typeof value === "string" ? value : fail("wrong_type", at, `${shown(value)} is no text`);

export const name: Check<string> = (value, at) => {
  const found = text(value, at);
  return found.trim() === "" ? fail("wrong_value", at, `${shown(found)} is no name; write more than spaces`) : found;
};

/** A text out of a few. */
export const word =
  <Word extends string>(...words: readonly Word[]): Check<Word> =>
  (value, at) => {
    const found = words.find((one) => one === text(value, at));
    return found ?? fail("wrong_value", at, `${shown(value)} is none of ${words.join(", ")}`);
  };

/** A list of `least` entries or more. */
export const list =
  <Value>(check: Check<Value>, least = 1): Check<readonly Value[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return fail("wrong_type", at, `${shown(value)} is no list`);
    if (value.length < least) return fail("wrong_length", at, `${value.length} entries; there is ${least} at least`);
    return value.map((entry, position) => check(entry, [...at, position]));
  };

/** A list of so many entries. */
export function lengthIs(found: readonly unknown[], length: number, at: At, what = "belong there"): void {
  if (found.length !== length) {
    fail("wrong_length", at, `${shown(found)} has ${found.length} entries; ${length} ${what}`);
  }
}

/** A list of two. */
export const pair =
  <Value>(check: Check<Value>): Check<readonly [Value, Value]> =>
  (value, at) => {
    if (Array.isArray(value)) lengthIs(value, 2, at);
    return list(check, 2)(value, at) as unknown as readonly [Value, Value];
  };

/** What a check allows, or null. */
export const orNull =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value, at) =>
    value === null ? null : check(value, at);

/** Whether two texts differ by one character that is added, left out or another. */
function near(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1 || a === b) return false;
  const place = [...short].findIndex((character, position) => character !== long[position]);
  if (place === -1) return true;
  return long.slice(place + 1) === short.slice(place + (long.length === short.length ? 1 : 0));
}

/** A mapping of known keys. */
export const record =
  <Record extends object>(fields: Fields<Record>): Check<Record> =>
  (value, at) => {
    const found = mapping(value, at);
    const known = Object.keys(fields) as (keyof Record & string)[];
    for (const key of Object.keys(found)) {
      if (known.includes(key as keyof Record & string)) continue;
      const meant = known.find((one) => near(one, key));
      const hint = meant === undefined ? `those there are: ${known.join(", ")}` : `${meant} is meant`;
      fail("unknown_key", [...at, key], `${key} is no key here; ${hint}`);
    }
    const entries = known.map((key) => [key, fieldOf(found, key, fields[key], at)]);
    return Object.fromEntries(entries) as Record;
  };

function fieldOf<Value>(found: Mapping, key: string, { check, ...rest }: Field<Value>, at: At): Value {
  if (Object.hasOwn(found, key)) return check(found[key], [...at, key]);
  return "absent" in rest ? (rest.absent as Value) : fail("missing_key", [...at, key], `the key ${key} is required`);
}
