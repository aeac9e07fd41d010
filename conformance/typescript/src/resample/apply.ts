// Arrays at another voxel size: one pass per axis, and one rounding after all of them.

import { type Element, integerElement, isComplex, isFloat, type NdArray, roundToFloat } from "./elements.js";
import type { Kernel } from "./kernel.js";

const product = (sizes: readonly number[]): number => sizes.reduce((whole, size) => whole * size, 1);

/** How values are added and weighed. */
interface Arithmetic<T> {
  readonly zero: T;
  readonly add: (a: T, b: T) => T;
  readonly weigh: (value: T, weight: bigint, total: bigint) => T;
}

const EXACT: Arithmetic<bigint> = { zero: 0n, add: (a, b) => a + b, weigh: (value, weight) => value * weight };
const SUMMED: Arithmetic<number> = {
  zero: -0,
  add: (a, b) => a + b,
  weigh: (value, weight) => (weight === 1n ? value : value * Number(weight)),
};
const SCALED: Arithmetic<number> = {
  ...SUMMED,
  weigh: (value, weight, total) => value * (Number(weight) / Number(total)),
};

/** One axis of an array in C order replaced by the kernel's rows; `offset` is the source voxel at index 0. */
function pass<T>(
  data: ArrayLike<T>,
  [outer, length, inner]: readonly [number, number, number],
  kernel: Kernel,
  offset: number,
  { zero, add, weigh }: Arithmetic<T>,
): T[] {
  const out: T[] = [];
  for (let block = 0; block < outer; block += 1) {
    for (const { begin, weights, total } of kernel.rows) {
      const start = (block * length + begin - offset) * inner;
      for (let at = start; at < start + inner; at += 1) {
        let sum = zero;
        weights.forEach((weight, k) => (sum = add(sum, weigh(data[at + k * inner] as T, weight, total))));
        out.push(sum);
      }
    }
  }
  return out;
}

/** Every axis in turn; the sums are not yet divided by the weights' totals, unless the arithmetic does so. */
function passes<T>(array: ArrayLike<T>, plan: Plan, arithmetic: Arithmetic<T>): ArrayLike<T> {
  let data = array;
  const shape = [...plan.shape, plan.parts];
  plan.kernels.forEach((kernel, axis) => {
    const length = shape[axis] ?? 0;
    const sizes = [product(shape.slice(0, axis)), length, product(shape.slice(axis + 1))] as const;
    data = pass(data, sizes, kernel, plan.offset[axis] ?? 0, arithmetic);
    shape[axis] = kernel.rows.length;
  });
  return data;
}

/** An array's shape, the parts of an element (2 of a complex one), and what is done along each axis. */
interface Plan {
  readonly shape: readonly number[];
  readonly parts: number;
  readonly kernels: readonly Kernel[];
  readonly offset: readonly number[];
}

/** The product of the weights' totals of every target voxel, in C order, each once per part. */
function totals({ kernels, parts }: Plan): readonly bigint[] {
  let found: readonly bigint[] = [1n];
  for (const { rows } of kernels) found = found.flatMap((whole) => rows.map(({ total }) => whole * total));
  return parts === 1 ? found : found.flatMap((whole) => [whole, whole]);
}

/** The nearest integer to a quotient, half to even; the denominator is positive. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  let whole = numerator / denominator;
  if (whole * denominator > numerator) whole -= 1n;
  const twice = 2n * (numerator - whole * denominator);
  const up = twice > denominator || (twice === denominator && whole % 2n !== 0n);
  return up ? whole + 1n : whole;
}

/** As `rounded`, of integers up to 2^53 in size. */
function roundedNumber(numerator: number, denominator: number): number {
  let whole = Math.floor(numerator / denominator);
  if (whole * denominator > numerator) whole -= 1;
  const rest = numerator - whole * denominator;
  const up = rest > denominator - rest || (rest === denominator - rest && whole % 2 !== 0);
  return (up ? whole + 1 : whole) + 0;
}

/** Whether no sum of integers of a dtype leaves what doubles hold exactly. */
function fitsDoubles(dtype: string, { kernels }: Plan): boolean {
  if (dtype.endsWith("64")) return false;
  const most = kernels.map(({ rows }) => rows.reduce((large, { total }) => (total > large ? total : large), 1n));
  return most.reduce((whole, total) => whole * total, 1n) <= 1n << 20n;
}

function integers(array: NdArray, plan: Plan): readonly Element[] {
  if (fitsDoubles(array.dtype, plan)) {
    const sums = passes(Array.from(array.data, Number), plan, SUMMED);
    const means = totals(plan).map((total, at) => roundedNumber(sums[at] ?? 0, Number(total)));
    return array.dtype === "bool" ? means.map((mean) => mean !== 0) : means;
  }
  const values = Array.from(array.data, (value) => BigInt(value as number | bigint | boolean));
  const sums = passes(values, plan, EXACT);
  return totals(plan).map((total, at) => integerElement(array.dtype, rounded(sums[at] ?? 0n, total)));
}

function floats(array: NdArray, plan: Plan): readonly Element[] {
  const values = Array.from(array.data as ArrayLike<number | readonly [number, number]>).flat() as number[];
  const sums = passes(values, plan, SUMMED);
  const means = totals(plan).map((total, at) => (sums[at] ?? 0) / Number(total));
  if (!means.every(Number.isFinite)) {
    // A sum may overflow where the mean does not.
    const scaled = passes(values, plan, SCALED);
    means.forEach((mean, at) => (means[at] = Number.isFinite(mean) ? mean : (scaled[at] ?? NaN)));
  }
  const found = means.map((mean) => roundToFloat(array.dtype, mean));
  if (plan.parts === 1) return found;
  return Array.from({ length: found.length / 2 }, (_, at) => [found[2 * at] ?? 0, found[2 * at + 1] ?? 0] as const);
}

/** Each target voxel is one source voxel: elements are passed on as they are. */
function picked(array: NdArray, plan: Plan): readonly Element[] {
  const same: Arithmetic<Element> = { zero: 0, add: (_, value) => value, weigh: (value) => value };
  return Array.from(passes(array.data, { ...plan, parts: 1 }, same));
}

/**
 * An array resampled by a kernel per axis; integers (bool as 0 and 1) exactly, rounded once, half to even.
 *
 * `array` begins at source voxel `offset` (0 where absent) and holds at least what the kernels read.
 */
export function applyKernels(array: NdArray, kernels: readonly Kernel[], offset: readonly number[] = []): NdArray {
  const plan = { shape: array.shape, parts: isComplex(array.dtype) ? 2 : 1, kernels, offset };
  const pick = kernels.every(({ rows }) => rows.every(({ weights }) => weights.length === 1));
  const data = (pick ? picked : isFloat(array.dtype) ? floats : integers)(array, plan);
  return { dtype: array.dtype, shape: kernels.map(({ rows }) => rows.length), data };
}
