// Fill values as documents hold them.

import type { Json } from "../documents/index.js";
import { PlacedError } from "../errors.js";
import { roundToFloat } from "../resample/index.js";

/** A fill value as it is given: a number, boolean (1 or 0 of numbers) or word; [real, imaginary]; null for none. */
export type FillWanted = null | boolean | number | bigint | string | readonly (number | bigint | string)[];

/** An element's value that a dtype holds. */
type Held = boolean | number | bigint;

const WORDS: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

const wrong = (value: FillWanted, dtype: string): PlacedError =>
  new PlacedError("not_representable", ["fill_value"], `fill_value is ${String(value)}, which ${dtype} does not hold`);

/** A whole number of an integer dtype; undefined where it does not hold it. */
export function heldInteger(value: number | bigint, dtype: string): number | bigint | undefined {
  const [, unsigned = "", digits = "0"] = /^(u?)int(\d+)$/.exec(dtype) ?? [];
  const bits = BigInt(digits);
  const [low, high] = unsigned === "u" ? [0n, 1n << bits] : [-(1n << (bits - 1n)), 1n << (bits - 1n)];
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  return value >= low && value < high ? (typeof value === "bigint" ? value : value + 0) : undefined;
}

/** A real number of a float dtype: a whole one exactly, another one rounded, but not to infinity. */
export function heldFloat(value: number | bigint, dtype: string): number | undefined {
  const rounded = roundToFloat(dtype, Number(value));
  if (typeof value === "number" && !Number.isFinite(value)) return value;
  const whole = typeof value === "bigint" || Number.isInteger(value);
  return Number.isFinite(rounded) && (!whole || rounded == value) ? rounded : undefined;
}

/** The value as one real element of a dtype; of a complex one as a half of it. */
function held(value: FillWanted, dtype: string): Held | undefined {
  if (dtype === "bool") return typeof value === "boolean" ? value : value == 0 || value == 1 ? value == 1 : undefined;
  const word = typeof value === "string" && Object.hasOwn(WORDS, value) ? WORDS[value] : value;
  const number = typeof word === "boolean" ? Number(word) : word;
  if (typeof number !== "number" && typeof number !== "bigint") return undefined;
  return /^u?int/.test(dtype) ? heldInteger(number, dtype) : heldFloat(number, dtype);
}

const json = (value: Held): Json => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);

/**
 * A fill value as a document holds it: NaN and infinities as words, a complex number as [real, imaginary].
 *
 * Raises `not_representable` at ["fill_value"], and `missing_field` there for null in zarr v3.
 */
export function fillJson(value: FillWanted, dtype: string, format: string): Json {
  if (value === null) {
    if (format === "zarr2") return null;
    throw new PlacedError("missing_field", ["fill_value"], "fill_value is null, but a zarr v3 array has one");
  }
  const complex = dtype.startsWith("complex");
  const parts: readonly FillWanted[] = Array.isArray(value) ? value : complex ? [value, 0] : [value];
  if (parts.length !== (complex ? 2 : 1) || (Array.isArray(value) && !complex)) throw wrong(value, dtype);
  const found = parts.map((part) => {
    const element = held(part, dtype);
    if (element === undefined) throw wrong(value, dtype);
    return json(element);
  });
  return complex ? found : (found[0] ?? null);
}
