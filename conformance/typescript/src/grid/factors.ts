// How a pyramid is halved, level after level.

import { PlacedError } from "../errors.js";
import { checkAllPositive, checkFinite, checkLength, checkShape, checkWhole, sameSize } from "../geometry/index.js";

/** What a schedule of levels starts from and where it stops; lists are in C order. */
export interface FactorFacts {
  readonly voxelSize: readonly number[];
  /** An axis is halved while its voxel size is at most this times the smallest; 1.5 where absent. */
  readonly ratio?: number | undefined;
  readonly maxLevels?: number | undefined;
  /** No level follows one that is no larger on any axis. */
  readonly stopShape?: readonly number[] | undefined;
  /** The first level, in voxels. */
  readonly shape?: readonly number[] | undefined;
}

function checkFacts({ voxelSize, ratio = 1.5, maxLevels, stopShape, shape }: FactorFacts): void {
  checkAllPositive(voxelSize, ["voxel_size"]);
  checkFinite(ratio, ["ratio"]);
  if (ratio < 1)
    throw new PlacedError("out_of_range", ["ratio"], `ratio is ${ratio}, but the smallest size is within 1`);
  if (maxLevels === undefined && stopShape === undefined) {
    throw new PlacedError("invalid_argument", ["max_levels"], "max_levels or stop_shape says where the levels stop");
  }
  if (stopShape !== undefined && shape === undefined) {
    throw new PlacedError(
      "invalid_argument",
      ["shape"],
      "stop_shape needs shape, which is halved until it is as small",
    );
  }
  for (const [sizes, field] of [
    [shape, "shape"],
    [stopShape, "stop_shape"],
  ] as const) {
    if (sizes === undefined) continue;
    checkLength(sizes, voxelSize.length, [field]);
    checkShape(sizes, [field]);
  }
  if (maxLevels === undefined) return;
  checkFinite(maxLevels, ["max_levels"]);
  checkWhole([maxLevels], ["max_levels"]);
  if (maxLevels < 0)
    throw new PlacedError("out_of_range", ["max_levels"], `max_levels is ${maxLevels}, but it is at least 0`);
}

/** Whether a level is the last: no larger than `stopShape` on any axis, or one voxel. */
function isLast(shape: readonly number[] | undefined, stopShape: readonly number[] | undefined): boolean {
  if (shape === undefined) return false;
  return shape.every((size) => size <= 1) || (stopShape?.every((bound, axis) => (shape[axis] ?? 0) <= bound) ?? false);
}

/**
 * Per level after the first, the factors over the level before it: 2 on every axis whose voxel size is at most
 * `ratio` times the smallest, within the tolerance, else 1.
 *
 * It stops after `maxLevels`, at a level (the first included) that is no larger than `stopShape`, and at one voxel
 * per axis. Raises `invalid_argument` at ["max_levels"] where nothing says when to stop, and at ["shape"] where a
 * `stopShape` has nothing to be compared with; `out_of_range` for a ratio below 1.
 */
export function levelFactors(facts: FactorFacts): readonly (readonly number[])[] {
  checkFacts(facts);
  const { ratio = 1.5, maxLevels = Infinity, stopShape } = facts;
  let [sizes, shape] = [facts.voxelSize, facts.shape];
  const levels: (readonly number[])[] = [];
  while (levels.length < maxLevels && !isLast(shape, stopShape)) {
    const limit = ratio * Math.min(...sizes);
    const factors = sizes.map((size) => (size <= limit || sameSize(size, limit) ? 2 : 1));
    levels.push(factors);
    sizes = sizes.map((size, axis) => size * (factors[axis] ?? 1));
    shape = shape?.map((size, axis) => Math.ceil(size / (factors[axis] ?? 1)));
  }
  return levels;
}
