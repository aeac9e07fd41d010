// Which level of a pyramid a resolution reads, and how many of its voxels a patch covers.

import { Fraction } from "../fraction.js";

/** How the level is chosen where none is fine enough on some axis. */
export type LevelPolicy = "strict" | "relaxed";

/** Voxel sizes that differ by less than this factor count as equal. */
const EQUAL = 1 + 1e-6;

const product = (values: readonly number[]): number => values.reduce((result, value) => result * value, 1);

/** The position whose score is largest; of scores within the tolerance the first. */
function largest(positions: readonly number[], score: (position: number) => number): number {
  return positions.reduce((found, position) => (score(position) > score(found) * EQUAL ? position : found));
}

/** Each entry raised to the least voxel size that any level has on that axis. */
function relaxed(voxels: readonly (readonly number[])[], resolution: readonly number[]): number[] {
  return resolution.map((size, axis) => Math.max(size, Math.min(...voxels.map((voxel) => voxel[axis]!))));
}

/**
 * The position of the finest level, by the product of its voxel size; of equal ones the first listed.
 *
 * @param voxels voxel size of each level, per axis
 */
export function finestLevel(voxels: readonly (readonly number[])[]): number {
  return largest([...voxels.keys()], (position) => 1 / product(voxels[position]!));
}

/**
 * The position of the level that a resolution reads.
 *
 * @param voxels voxel size of each level, as listed, per axis
 * @param resolution the voxel size that is asked for, per axis, in the same unit
 * @param policy whether an axis on which no level is fine enough leads to the finest level
 */
export function levelFor(
  voxels: readonly (readonly number[])[],
  resolution: readonly number[],
  policy: LevelPolicy = "strict",
): number {
  const asked = policy === "relaxed" ? relaxed(voxels, resolution) : resolution;
  const fine = [...voxels.keys()].filter((position) =>
    voxels[position]!.every((size, axis) => size <= asked[axis]! * EQUAL),
  );
  return fine.length === 0 ? finestLevel(voxels) : largest(fine, (position) => product(voxels[position]!));
}

/**
 * How many voxels of size `voxel` a patch of `patch` voxels of size `resolution` covers along one axis: 1 to 2^53.
 */
export function extentSize(patch: number, resolution: number, voxel: number): number {
  const covered = Math.ceil((patch * resolution) / voxel - 1e-6);
  return Math.min(Math.max(covered, 1), 2 ** 53);
}

/** The exact value of a number's shortest decimal spelling. */
const decimal = (value: number): Fraction => Fraction.parse(String(value)) ?? Fraction.from(value);

/**
 * The index of a pinned axis at another level.
 *
 * @param index a whole number, at level 0
 * @param voxel the voxel size along the axis at level 0, and
 * @param levelVoxel at the other level; both are taken as the decimals that they are written as
 */
export function pinnedIndex(index: number | bigint, voxel: number, levelVoxel: number): number {
  const quotient = Fraction.of(index).mul(decimal(voxel)).div(decimal(levelVoxel));
  return Number(quotient.add(Fraction.of(1, 1_000_000_000)).floor());
}
