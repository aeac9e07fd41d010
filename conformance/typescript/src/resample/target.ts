// Where the voxels of another size lie over one source axis, as exact fractions.

import { type At, PlacedError } from "../errors.js";
import { Fraction } from "../fraction.js";
import { checkFinite, checkPositive, TOLERANCE } from "../geometry/index.js";

/** The two grids along an axis, in one unit. */
export interface AxisGrids {
  /** Source voxels. */
  readonly n: number;
  readonly sourceSize: number;
  readonly targetSize: number;
  /** The lower corner of source voxel 0; 0 where absent. */
  readonly corner?: number | undefined;
  /** The lower corner of target voxel 0; that of the source where absent. */
  readonly anchor?: number | undefined;
}

/** One axis of a target grid: target voxel j covers [shift + j * ratio, shift + (j + 1) * ratio) source voxels. */
export interface Target {
  readonly n: number;
  /** Target size over source size. */
  readonly ratio: Fraction;
  /** The anchor in source voxels above the source's corner. */
  readonly shift: Fraction;
  /** The first target voxel that overlaps the data, and one past the last. */
  readonly first: number;
  readonly stop: number;
}

const LARGEST_DENOMINATOR = 1000;
const NOISE = Fraction.of(1n, 1_000_000n);

const decimal = (value: number): Fraction => Fraction.parse(String(value)) ?? Fraction.from(value);

/** The simple fraction that a quotient in floats stands for; undefined where it is near none. */
function simple(quotient: number): Fraction | undefined {
  if (!Number.isFinite(quotient)) return undefined;
  for (let denominator = 1; denominator <= LARGEST_DENOMINATOR; denominator += 1) {
    const scaled = quotient * denominator;
    const whole = Math.round(scaled);
    if (Number.isFinite(whole) && Math.abs(scaled - whole) <= TOLERANCE) return Fraction.of(BigInt(whole), denominator);
  }
  return undefined;
}

function ratioOf(sourceSize: number, targetSize: number): Fraction {
  const [large, small] = targetSize >= sourceSize ? [targetSize, sourceSize] : [sourceSize, targetSize];
  const quotient = simple(large / small) ?? decimal(large).div(decimal(small));
  return targetSize >= sourceSize ? quotient : Fraction.of(1n).div(quotient);
}

const shiftOf = (anchor: number, corner: number, size: number): Fraction =>
  simple((anchor - corner) / size) ?? decimal(anchor).sub(decimal(corner)).div(decimal(size));

/** A fraction, or the whole number within the tolerance of it. */
function absorbed(value: Fraction): Fraction {
  const whole = Fraction.of(value.round());
  return value.sub(whole).abs().compare(NOISE) <= 0 ? whole : value;
}

/**
 * One axis of the target grid over n source voxels.
 *
 * Any data has a target voxel, no data has none. Raises `not_positive` and `not_finite` at the field's name below `at`.
 */
export function targetAxis(grids: AxisGrids, at: At = []): Target {
  const { n, sourceSize, targetSize, corner = 0, anchor = corner } = grids;
  if (!Number.isInteger(n)) throw new PlacedError("wrong_type", [...at, "n"], `n is ${n}, but voxels are counted`);
  if (n < 0) throw new PlacedError("out_of_range", [...at, "n"], `n is ${n}, but a size is at least 0`);
  checkPositive(sourceSize, [...at, "source_size"]);
  checkPositive(targetSize, [...at, "target_size"]);
  checkFinite(corner, [...at, "corner"]);
  checkFinite(anchor, [...at, "anchor"]);
  const ratio = ratioOf(sourceSize, targetSize);
  const shift = shiftOf(anchor, corner, sourceSize);
  const first = Number(absorbed(shift.neg().div(ratio)).floor());
  const stop = Number(absorbed(Fraction.of(n).sub(shift).div(ratio)).ceil());
  return { n, ratio, shift, first, stop: n === 0 ? first : Math.max(stop, first + 1) };
}

/** The target grid of an axis that is not resampled: every voxel is its own target. */
export function sameAxis(n: number): Target {
  return { n, ratio: Fraction.of(1n), shift: Fraction.of(0n), first: 0, stop: n };
}
