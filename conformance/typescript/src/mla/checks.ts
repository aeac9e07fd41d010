// Checks of plain values, put together from small ones. Each says whether all is right with a value.

import type { At } from "../errors.js";
import type { Findings } from "./findings.js";
import { isList, isMap, isNumber, isWhole, type Plain, shown } from "./plain.js";

/** Looks at a value at a path; what is wrong is added to what was found. */
export type Check = (value: Plain, at: At, found: Findings) => boolean;

/** Every entry is looked at, whatever the others are. */
const every = <T>(items: Iterable<T>, check: (item: T) => boolean): boolean => [...items].map(check).every(Boolean);

const wrongType = (value: Plain, at: At, found: Findings, wanted: string): false =>
  found.problem("wrong_type", at, `${shown(value)} is no ${wanted}; a ${wanted} belongs here`);

export interface TextRule {
  /** Whether the text may be empty. */
  readonly empty?: boolean;
  readonly form?: RegExp;
  /** The form in words. */
  readonly like?: string;
}

/** Text, perhaps of a form. */
export const text =
  ({ empty = false, form, like = "" }: TextRule = {}): Check =>
  (value, at, found) => {
    if (typeof value !== "string") return wrongType(value, at, found, "text");
    if (value === "" && !empty) return found.problem("wrong_value", at, "the text is empty");
    return form === undefined || form.test(value) || found.problem("wrong_value", at, `${shown(value)} is not ${like}`);
  };

/** One of a list of words; a header of a later version may have another one, which is noticed. */
export const word =
  (words: readonly string[]): Check =>
  (value, at, found) => {
    if (!text()(value, at, found)) return false;
    if (words.includes(String(value))) return true;
    const message = `${shown(value)} is none of ${words.join(", ")}`;
    if (!found.later) return found.problem("wrong_value", at, message);
    found.notice("wrong_value", at, `${message}; a later version may have it`);
    return true;
  };

export interface NumberRule {
  readonly whole?: boolean;
  readonly least?: number;
  readonly most?: number;
  readonly nonzero?: boolean;
}

/** A finite number within bounds. */
export const number =
  ({ whole = false, least = -Infinity, most = Infinity, nonzero = false }: NumberRule = {}): Check =>
  (value, at, found) => {
    if (!isNumber(value)) return wrongType(value, at, found, whole ? "whole number" : "number");
    if (typeof value === "number" && !Number.isFinite(value)) {
      return found.problem("not_finite", at, `${value} is not finite`);
    }
    if (whole && !isWhole(value)) return wrongType(value, at, found, "whole number");
    if (whole && Object.is(value, -0)) found.zeros.push(at);
    if (nonzero && Number(value) === 0) return found.problem("out_of_range", at, "0 may not stand here");
    if (value < least) return found.problem("out_of_range", at, `${value} is below ${least}`);
    return value <= most || found.problem("out_of_range", at, `${value} is above ${most}`);
  };

/** A whole number within bounds. */
export const integer = (rule: NumberRule = {}): Check => number({ ...rule, whole: true });

/** A boolean. */
export const boolean: Check = (value, at, found) => typeof value === "boolean" || wrongType(value, at, found, "boolean");

export interface ListRule {
  readonly least?: number;
  readonly most?: number;
  /** How many entries belong there, where that is known. */
  readonly count?: number | undefined;
}

/** A list of so many entries, each of which a check looks at. */
export const list =
  (item: Check, { least = 0, most = Infinity, count }: ListRule = {}): Check =>
  (value, at, found) => {
    if (!isList(value)) return wrongType(value, at, found, "list");
    const right = every(value.entries(), ([position, entry]) => item(entry, [...at, position], found));
    return checkLength(value.length, at, found, { least, most, count }) && right;
  };

function checkLength(length: number, at: At, found: Findings, { least = 0, most = Infinity, count }: ListRule): boolean {
  const wanted = length < least ? `at least ${least} belong` : length > most ? `at most ${most} belong` : undefined;
  if (wanted !== undefined) return found.problem("wrong_length", at, `there are ${length} entries; ${wanted} here`);
  if (count === undefined || length === count) return true;
  return found.problem("wrong_length", at, `there are ${length} entries; ${count} belong here`);
}

/** A map whose keys have a form and whose values a check looks at. */
export const mapOf =
  (item: Check, keys: TextRule = { empty: true }): Check =>
  (value, at, found) => {
    if (!isMap(value)) return wrongType(value, at, found, "map");
    return every(value, ([key, entry]) => {
      const right = text(keys)(key, [...at, key], found);
      return item(entry, [...at, key], found) && right;
    });
  };

/** Anything. */
export const anything: Check = () => true;

/** A map that has the required keys, and perhaps the others; keys that are not named hold anything. */
export const fields =
  (required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check =>
  (value, at, found) => {
    if (!isMap(value)) return wrongType(value, at, found, "map");
    const absent = Object.keys(required).filter((key) => !value.has(key));
    for (const key of absent) found.problem("missing_key", at, `the key ${key} is absent`);
    const right = every(Object.entries({ ...required, ...optional }), ([key, check]) => {
      const entry = value.get(key);
      return entry === undefined || check(entry, [...at, key], found);
    });
    return absent.length === 0 && right;
  };

/** A check, and then another one on the same value, if it passed. */
export const and =
  (first: Check, then: Check): Check =>
  (value, at, found) =>
    first(value, at, found) && then(value, at, found);

/** Names that stand more than once, each once. */
export const repeated = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.filter((name): name is string => name !== undefined && names.indexOf(name) !== names.lastIndexOf(name))),
];

/** Adds `duplicate` at a list, once for each name that stands there more than once. */
export function checkOnce(names: readonly (string | undefined)[], at: At, found: Findings): boolean {
  return every(repeated(names), (name) => found.problem("duplicate", at, `the name ${name} stands there more than once`));
}
