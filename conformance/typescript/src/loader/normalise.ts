// The values of a sample: rounded to float32, scaled to a range, standardised.

import { PlacedError } from "../errors.js";
import type { Voxels } from "./symmetry.js";

/** Elements of an image. */
export type Value = number | bigint | boolean;

/** What is done to values; all of it may be left out. */
export interface Normalisation {
  /** Whether values are scaled at all; they are where absent. */
  readonly normalize?: boolean;
  /** Bounds that become 0 and 1, both or none. */
  readonly low?: number;
  readonly high?: number;
  /** Whether the sample is standardised afterwards. */
  readonly patchNormalize?: boolean;
  /** The position of the scale whose statistics hold for all; 0 where absent. */
  readonly coarsest?: number;
}

const { fround } = Math;

/** The float32 nearest an integer, half to even, rounded once. */
function nearest(value: bigint): number {
  const size = value < 0n ? -value : value;
  const extra = size.toString(2).length - 30;
  if (extra <= 0) return fround(Number(value));
  // 30 bits of the integer and one that says whether anything is left of it round as all of them do.
  const shift = BigInt(extra);
  const sticky = (size >> shift) * 2n + ((size >> shift) << shift === size ? 0n : 1n);
  return fround(Number(value < 0n ? -sticky : sticky)) * 2 ** (extra - 1);
}

function float32(value: Value): number {
  return typeof value === "bigint" ? nearest(value) : fround(Number(value));
}

/** The largest integer of a dtype as float32; undefined for what is no integer. */
function largest(dtype: string): number | undefined {
  const found = /^(u?)int(8|16|32|64)$/.exec(dtype);
  if (found === null) return undefined;
  const bits = BigInt(found[2]!) - (found[1] === "u" ? 0n : 1n);
  return nearest((1n << bits) - 1n);
}

/** From a float32 value to the scaled one. */
function scaling(dtype: string, how: Normalisation): (value: number) => number {
  if (how.normalize === false) return (value) => value;
  if (how.low !== undefined && how.high !== undefined) {
    const [low, high] = [fround(how.low), fround(how.high)];
    const range = fround(how.high - how.low);
    return (value) => fround(fround(Math.min(Math.max(value, low), high) - low) / range);
  }
  const most = largest(dtype);
  return most === undefined ? (value) => value : (value) => fround(value / most);
}

/** Mean and standard deviation of all that is not NaN, in float64. */
function statistics(values: readonly number[]): [mean: number, deviation: number] {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = known.length > 1 ? Math.sqrt(squares / (known.length - 1)) : 0;
  return Number.isFinite(mean) ? [mean, Math.max(deviation, 1e-8)] : [NaN, NaN];
}

/**
 * The voxels of one sample, scaled and standardised.
 *
 * @param scales arrays, one per scale, all of one dtype: integers, floats or booleans
 * @returns float32 arrays of the same shapes
 * @throws PlacedError `unsupported` for a complex dtype
 */
export function normalise(scales: readonly Voxels<Value>[], how: Normalisation = {}): Voxels<number>[] {
  const scaled = scales.map(({ dtype, shape, data }, position) => {
    if (dtype.startsWith("complex")) {
      throw new PlacedError(
        "unsupported",
        ["scales", position],
        `images are integers, floats or booleans, not ${dtype}`,
      );
    }
    const scale = scaling(dtype, how);
    return { dtype: "float32", shape, data: Array.from(data, (value) => scale(float32(value))) };
  });
  const coarsest = scaled[how.coarsest ?? 0];
  if (how.patchNormalize !== true || coarsest === undefined) return scaled;
  const [mean, deviation] = statistics(coarsest.data).map(fround) as [number, number];
  return scaled.map((one) => ({ ...one, data: one.data.map((value) => fround(fround(value - mean) / deviation)) }));
}
