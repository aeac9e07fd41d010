// Units of length of the axes of a space, and the way to millimetres.

import { PlacedError } from "../../errors.js";
import { Fraction } from "../../fraction.js";
import { parseUnit, scaled } from "../../units/index.js";
import type { MlaSpace, MlaSpaceAxis } from "../records.js";
import { fillUnit, MLA_UNITS } from "../units.js";
import type { Rows } from "./linear.js";

const MILLIMETRE = Fraction.of(1n, 1000n);

/** How many millimetres a unit of an axis is; undefined where it is no listed length. */
function millimetres({ unit, unit_code: code }: MlaSpaceAxis): Fraction | undefined {
  const name = fillUnit(undefined, fillUnit(unit, code).unit_code).unit;
  if (name === null || !MLA_UNITS.has(name)) return undefined;
  const found = parseUnit(name);
  return found?.dimension === "length" ? found.factor.div(MILLIMETRE) : undefined;
}

/**
 * The rows of a map (one per axis of the space) in millimetres, each number the exact product, rounded once; undefined where
 * no axis has a unit of length. Error: `conflict` at `["spaces", 0, "axes"]` where only some have one.
 */
export function inMillimetres(space: MlaSpace, rows: Rows): Rows | undefined {
  const factors = space.axes.map(millimetres);
  const lengths = factors.filter((factor) => factor !== undefined).length;
  if (lengths === 0) return undefined;
  if (lengths < factors.length) {
    const words = `some axes of the space ${JSON.stringify(space.name)} have a unit of length, and some do not`;
    throw new PlacedError("conflict", ["spaces", 0, "axes"], `${words}; all or none have one`);
  }
  return rows.map((row, r) => row.map((value) => scaled(value, factors[r] ?? MILLIMETRE)));
}
