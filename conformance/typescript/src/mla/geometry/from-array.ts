// How a matrix is written into a space.

import { PlacedError } from "../../errors.js";
import { independentColumns } from "../rank.js";
import type { MlaFromArray, MlaSpaceAxis } from "../records.js";
import { linearPart, translationOf } from "./derive.js";
import type { Rows } from "./linear.js";

/** What a map is made of: names of array axes in array order, axes of the space, and the matrix without its last row. */
export interface MapParts {
  readonly arrayAxes: readonly string[];
  readonly spaceAxes: readonly MlaSpaceAxis[];
  readonly rows: Rows;
}

/** A map as scale and translation where names and order agree and nothing is off the diagonal, else as a matrix. */
export function fromArray({ arrayAxes, spaceAxes, rows }: MapParts): MlaFromArray {
  const clean = rows.map((row) => row.map((value) => value + 0));
  const linear = linearPart(clean);
  const alike = arrayAxes.length === spaceAxes.length && spaceAxes.every(({ name }, row) => name === arrayAxes[row]);
  const diagonal = linear.every((row, r) => row.every((value, c) => value === 0 || r === c));
  if (alike && diagonal) {
    return { array_axes: arrayAxes, scale: linear.map((row, r) => row[r] ?? 0), translation: translationOf(clean) };
  }
  return { array_axes: arrayAxes, matrix: [...clean, [...arrayAxes.map(() => 0), 1]] };
}

/**
 * The rows of a map: column j is column j of direction times spacing[j], one product, and the last column is the origin.
 * Errors: `not_finite` and `wrong_value` at `["spacing"]` where the products are too large, or the columns not independent.
 */
export function mapRows(spacing: readonly number[], direction: Rows, origin: readonly number[]): Rows {
  const linear = direction.map((row) => row.map((value, column) => value * (spacing[column] ?? 1)));
  if (!linear.flat().every(Number.isFinite)) {
    throw new PlacedError("not_finite", ["spacing"], "spacing times direction is no finite number");
  }
  if (!independentColumns(linear)) {
    const message = "spacing times direction has no independent columns: the map is singular";
    throw new PlacedError("wrong_value", ["spacing"], message);
  }
  return linear.map((row, r) => [...row, origin[r] ?? 0]);
}
