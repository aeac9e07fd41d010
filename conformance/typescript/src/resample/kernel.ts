// Which source voxels make a target voxel, and with what weights.

import { PlacedError } from "../errors.js";
import { Fraction } from "../fraction.js";
import { checkWord } from "../geometry/index.js";
import type { Target } from "./target.js";

/** The ways to resample. */
export const METHODS = ["nearest", "linear"] as const;

/** A target voxel: the sum of weights[k] * source voxel begin + k, over the total of the weights; none of them is 0. */
export interface Row {
  readonly begin: number;
  readonly weights: readonly bigint[];
  readonly total: bigint;
}

/** What a range of target voxels along one axis is made of. */
export interface Kernel {
  /** The target voxels [first, stop) of the whole grid that hold data. */
  readonly data: readonly [number, number];
  /** The asked target voxels [begin, end) that are answered: those that hold data, or all of them with an edge. */
  readonly begin: number;
  readonly end: number;
  /** A row per answered target voxel. */
  readonly rows: readonly Row[];
}

const HALF = Fraction.of(1n, 2n);
const ONE = [1n];

const isMean = ({ ratio, shift }: Target, method: string): boolean =>
  method === "linear" && ratio.isInteger() && ratio.numerator >= 2n && shift.isInteger();

/** The target voxels that hold data: their centre lies inside it, or for means their block overlaps it. */
function dataRange({ n, ratio, shift }: Target, mean: boolean): readonly [number, number] {
  const below = shift.neg().div(ratio);
  const above = Fraction.of(n).sub(shift).div(ratio);
  const first = mean ? below.floor() : below.sub(HALF).ceil();
  const stop = mean ? above.ceil() : above.sub(HALF).ceil();
  return [Number(first), n === 0 ? Number(first) : Number(stop)];
}

function meanRow({ n, ratio, shift }: Target, target: bigint): Row {
  const from = shift.numerator + target * ratio.numerator;
  const begin = Number(from < 0n ? 0n : from);
  const end = Math.min(Number(from + ratio.numerator), n);
  return { begin, weights: Array.from({ length: end - begin }, () => 1n), total: BigInt(end - begin) };
}

const centre = ({ ratio, shift }: Target, target: bigint): Fraction =>
  Fraction.of(2n * target + 1n, 2n)
    .mul(ratio)
    .add(shift);

const clamped = (index: bigint, n: number): number => Math.min(Math.max(Number(index), 0), n - 1);

const single = (begin: number): Row => ({ begin, weights: ONE, total: 1n });

const nearestRow = (grid: Target, target: bigint): Row => single(clamped(centre(grid, target).floor(), grid.n));

function linearRow(grid: Target, target: bigint): Row {
  const place = centre(grid, target).sub(HALF);
  const below = place.floor();
  const { numerator: upper, denominator: total } = place.sub(Fraction.of(below));
  const [begin, end] = [clamped(below, grid.n), clamped(below + 1n, grid.n)];
  return upper === 0n || begin === end ? single(begin) : { begin, weights: [total - upper, upper], total };
}

const clamp = (value: number, [low, high]: readonly [number, number]): number => Math.min(Math.max(value, low), high);

/**
 * What the target voxels [begin, end) along an axis are made of.
 *
 * nearest is the source voxel that holds the target's centre. linear is the mean of the block where the ratio is a
 * whole number of at least 2 and the shift is whole, else a mix of the source voxels around the centre, the border
 * repeated. With `edge` targets without data repeat the border voxel, for means the last block that holds data.
 * Raises `wrong_value` at ["method"], and `invalid_argument` at ["edge"] where there is no border to repeat.
 */
export function axisKernel(grid: Target, begin: number, end: number, method: string, edge = false): Kernel {
  checkWord(method, METHODS, ["method"]);
  const mean = isMean(grid, method);
  const data = dataRange(grid, mean);
  const first = edge ? begin : clamp(begin, data);
  const stop = Math.max(first, edge ? end : clamp(end, data));
  if (edge && stop > first && grid.n === 0) {
    throw new PlacedError("invalid_argument", ["edge"], "edge repeats the border voxel, but an axis has no voxels");
  }
  const last: readonly [number, number] = [data[0], data[1] - 1];
  const row = mean
    ? (target: number): Row => meanRow(grid, BigInt(clamp(target, last)))
    : (target: number): Row => (method === "nearest" ? nearestRow : linearRow)(grid, BigInt(target));
  return { data, begin: first, end: stop, rows: Array.from({ length: stop - first }, (_, j) => row(first + j)) };
}

/** The source voxels [begin, end) that a kernel reads; empty where it has no row. */
export function sourceRange({ rows }: Kernel): readonly [number, number] {
  if (rows.length === 0) return [0, 0];
  const begin = rows.reduce((least, row) => Math.min(least, row.begin), Infinity);
  return [begin, rows.reduce((most, row) => Math.max(most, row.begin + row.weights.length), -Infinity)];
}
