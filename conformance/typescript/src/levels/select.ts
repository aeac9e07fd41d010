// Which level of a pyramid answers a voxel size.

import { type At, PlacedError } from "../errors.js";
import {
  checkAllPositive,
  checkLength,
  checkWord,
  listed,
  named,
  sameSize,
  sameSizes,
  TOLERANCE,
} from "../geometry/index.js";

/** A level by its name, with the voxel size on every spatial axis. */
export interface Level {
  readonly name: string;
  readonly voxelSize: readonly number[];
}

/** The words for choosing a level. */
export const LEVEL_MODES = ["floor", "finer", "exact", "nearest", "resample"] as const;

const product = (sizes: readonly number[]): number => sizes.reduce((whole, size) => whole * size, 1);

/** Below 0 where the first list of sizes is the smaller, entry by entry. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  const axis = a.findIndex((size, position) => size !== b[position]);
  return axis < 0 ? 0 : (a[axis] ?? 0) - (b[axis] ?? 0);
}

/** The finest: of the smallest product, then the smallest list of sizes, then the first listed; undefined of none. */
export function finest<L extends Level>(levels: readonly L[]): L | undefined {
  const finer = (a: Level, b: Level): number =>
    product(a.voxelSize) - product(b.voxelSize) || compareLists(a.voxelSize, b.voxelSize);
  return [...levels].sort(finer)[0];
}

/** The coarsest, by the largest product; of those within the tolerance of it the finest. */
function coarsest<L extends Level>(levels: readonly L[]): L | undefined {
  const largest = Math.max(...levels.map(({ voxelSize }) => product(voxelSize)));
  return finest(levels.filter(({ voxelSize }) => sameSize(product(voxelSize), largest)));
}

function nearest<L extends Level>(levels: readonly L[], asked: readonly number[]): L | undefined {
  const distances = levels.map(({ voxelSize }) =>
    voxelSize.reduce((sum, size, axis) => sum + Math.abs(Math.log(size / (asked[axis] ?? NaN))), 0),
  );
  const least = Math.min(...distances);
  return finest(levels.filter((_, position) => (distances[position] ?? NaN) - least <= TOLERANCE));
}

/** Whether a level is no coarser on any axis, within the tolerance. */
const noCoarser = ({ voxelSize }: Level, asked: readonly number[]): boolean =>
  voxelSize.every((size, axis) => size <= (asked[axis] ?? NaN) || sameSize(size, asked[axis] ?? NaN));

function choose<L extends Level>(levels: readonly L[], asked: readonly number[], mode: string): L | undefined {
  if (mode === "nearest") return nearest(levels, asked);
  const equal = finest(levels.filter(({ voxelSize }) => sameSizes(voxelSize, asked)));
  if (mode === "exact") return equal;
  const below = coarsest(levels.filter((level) => noCoarser(level, asked)));
  if (mode === "resample") return below ?? finest(levels);
  return equal ?? below ?? (mode === "floor" ? levels[0] : undefined);
}

/** Name and sizes of every level, as messages list them. */
export const listedLevels = (levels: readonly Level[]): string =>
  levels.map(({ name, voxelSize }) => `${name} (${listed(voxelSize)})`).join("; ");

/** Raises `wrong_length`, `not_finite` and `not_positive` where levels have no sizes of one number of axes. */
export function checkLevels(levels: readonly Level[]): void {
  const count = levels[0]?.voxelSize.length ?? 0;
  levels.forEach(({ name, voxelSize }, position) => {
    const at: At = ["levels", position, "voxel_size"];
    checkLength(voxelSize, count, at, `${named(at)} of ${name}`);
    checkAllPositive(voxelSize, at);
  });
}

/**
 * The level that answers a voxel size.
 *
 * - exact: the level of that size, within the tolerance.
 * - floor: that level, else the coarsest that is no coarser on any axis, else the first listed.
 * - finer: as floor, without the first listed.
 * - resample: the coarsest that is no coarser on any axis, else the finest.
 * - nearest: the least sum over the axes of |log(level / asked)|.
 *
 * Ties take the finer. Raises `no_level` where none is found, at ["voxel_size"], or at ["levels"] where there are
 * none; `wrong_value` at ["mode"]; and errors of sizes at their lists.
 */
export function selectLevel<L extends Level>(levels: readonly L[], voxelSize: readonly number[], mode = "floor"): L {
  checkWord(mode, LEVEL_MODES, ["mode"]);
  const first = levels[0];
  if (first === undefined)
    throw new PlacedError("no_level", ["levels"], `levels is empty, so none answers (${listed(voxelSize)})`);
  checkLevels(levels);
  checkLength(voxelSize, first.voxelSize.length, ["voxel_size"]);
  checkAllPositive(voxelSize, ["voxel_size"]);
  const found = choose(levels, voxelSize, mode);
  if (found !== undefined) return found;
  const wanted = mode === "exact" ? "has" : "is no coarser than";
  const message = `no level ${wanted} the voxel size (${listed(voxelSize)}); there are ${listedLevels(levels)}`;
  throw new PlacedError("no_level", ["voxel_size"], message);
}
