// Conversions between units: exact products, rounded once.

import { PlacedError, type At } from "../errors.js";
import { Fraction } from "../fraction.js";
import { parseUnit, type Dimension, type Unit } from "./table.js";

/** The unit of a text, or `unknown_unit` at `at`. */
export function knownUnit(text: string | null | undefined, at: At = ["units"]): Unit {
  const unit = parseUnit(text);
  if (unit !== undefined) return unit;
  const what = text ? `the unit ${JSON.stringify(text)} is in no table` : "there is no unit";
  throw new PlacedError(
    "unknown_unit",
    at,
    `${what}; a unit of length or time belongs here, such as nanometer or second`,
  );
}

/** The unit of a text, held against a dimension: `unknown_unit`, or `wrong_value` for one of another dimension. */
export function unitOf(text: string, dimension: Dimension, at: At = ["units"]): Unit {
  const unit = knownUnit(text, at);
  if (unit.dimension === dimension) return unit;
  throw new PlacedError(
    "wrong_value",
    at,
    `${JSON.stringify(text)} is a unit of ${unit.dimension}; one of ${dimension} belongs here`,
  );
}

/** How many of the target one of the source is; `wrong_value` where the dimensions differ. */
export function unitRatio(source: Unit, target: Unit, at: At = ["units"]): Fraction {
  if (source.dimension === target.dimension) return source.factor.div(target.factor);
  const [one, other] = [source, target].map(({ abbreviation, dimension }) => `${abbreviation} (${dimension})`);
  throw new PlacedError("wrong_value", at, `${one} and ${other} do not convert into each other`);
}

/** A finite number times an exact ratio, rounded once. */
export function scaled(value: number | bigint, ratio: Fraction): number {
  return Fraction.from(value).mul(ratio).toNumber();
}

/** A value in another unit of the same dimension: the exact product, rounded once; NaN and infinities stay. */
export function convertValue(value: number | bigint, source: string, target: string): number {
  const ratio = unitRatio(knownUnit(source), knownUnit(target));
  return typeof value === "number" && !Number.isFinite(value) ? value : scaled(value, ratio);
}

/** The short form of any known spelling, else `unknown_unit`. */
export const unitAbbreviation = (text: string): string => knownUnit(text).abbreviation;

/** Whether two texts mean one unit: no unit is only no unit, an unknown one only its own spelling. */
export function sameUnit(a: string | null | undefined, b: string | null | undefined): boolean {
  const [one, other] = [a || "", b || ""];
  if (one === other) return true;
  const [left, right] = [parseUnit(one), parseUnit(other)];
  return left !== undefined && left === right;
}
