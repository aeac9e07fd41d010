// Where a level of blocks lies, and how large it is.

import { type At, PlacedError } from "../errors.js";
import { Fraction } from "../fraction.js";
import {
  checkAllFinite,
  checkAllPositive,
  checkLength,
  checkShape,
  checkWhole,
  type Each,
  entry,
  perAxis,
  type Placed,
} from "../geometry/index.js";

/** Level voxel j covers source voxels origin + j * factor to origin + (j + 1) * factor - 1; origin 0 where absent. */
export interface LevelOf {
  readonly factors: Each;
  readonly origin?: Each | undefined;
}

function blocks({ factors, origin = 0 }: LevelOf, count: number): readonly (readonly [number, number])[] {
  const sizes = perAxis(factors, count, "factors");
  checkWhole(sizes, ["factors"]);
  checkAllPositive(sizes, ["factors"]);
  const first = perAxis(origin, count, "origin");
  checkWhole(first, ["origin"]);
  return sizes.map((size, axis) => [size, entry(first, axis)]);
}

/**
 * The voxel size and first centre of a level of blocks, computed exactly and rounded once.
 *
 * Raises `not_positive`, `not_finite` and `wrong_length` at the lists, `wrong_type` at ["factors"] and ["origin"],
 * and `not_finite` at the list and position where the result is beyond floats.
 */
export function levelPlacement({ voxelSize, translation }: Placed, level: LevelOf): Placed {
  checkLength(translation, voxelSize.length, ["translation"]);
  checkAllPositive(voxelSize, ["voxel_size"]);
  checkAllFinite(translation, ["translation"]);
  const cuts = blocks(level, voxelSize.length);
  const size = cuts.map(([factor], axis) => Fraction.from(entry(voxelSize, axis)).mul(Fraction.of(factor)));
  const centre = cuts.map(([factor, origin], axis) => {
    const steps = Fraction.of(2n * BigInt(origin) + BigInt(factor) - 1n, 2n);
    return Fraction.from(entry(translation, axis)).add(Fraction.from(entry(voxelSize, axis)).mul(steps));
  });
  const found = { voxelSize: size.map((one) => one.toNumber()), translation: centre.map((one) => one.toNumber()) };
  checkAllFinite(found.voxelSize, ["voxel_size"]);
  checkAllFinite(found.translation, ["translation"]);
  return found;
}

/**
 * How many voxels a level of blocks has: ceil((n - origin) / factor) on each axis.
 *
 * Raises `out_of_range` at ["shape", axis] and, beyond the end, at ["origin", axis]; errors of factors as above.
 */
export function levelShape(shape: readonly number[], level: LevelOf): readonly number[] {
  checkShape(shape, ["shape"]);
  return blocks(level, shape.length).map(([factor, origin], axis) => {
    const n = entry(shape, axis);
    if (origin <= n) return Math.ceil((n - origin) / factor);
    const at: At = ["origin", axis];
    throw new PlacedError("out_of_range", at, `origin is ${origin} on axis ${axis}, beyond its ${n} voxels`);
  });
}
