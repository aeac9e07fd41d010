// Patches: which part of an array they hold, and their values.

import { PlacedError } from "../../errors.js";
import { roundToFloat } from "../../resample/elements.js";
import { holds } from "../dtype.js";
import { isWhole, shown, toPlain } from "../plain.js";
import { countOf, type MlaArray, stridesOf, walk } from "./elements.js";

/** What a patch and an array have in common: [begin, end) in the array, which begins at `into` in the patch. */
export interface PatchBox {
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly into: readonly number[];
}

/** How a patch is read. */
export interface PatchPlan {
  /** Null where nothing of the patch lies inside. */
  readonly box: PatchBox | null;
  /** Whether a voxel of the patch lies outside. */
  readonly pads: boolean;
}

/** Whole numbers, one per axis. Errors: `wrong_type` at the list or an entry, `wrong_length`. */
function wholeNumbers(list: unknown, name: string, count: number): readonly number[] {
  if (!Array.isArray(list)) {
    throw new PlacedError("wrong_type", [name], `${name} is ${shown(toPlain(list))}; a number per axis belongs here`);
  }
  if (list.length !== count) {
    const message = `${name} has ${list.length} numbers, but the array has ${count} axes; one per axis belongs here`;
    throw new PlacedError("wrong_length", [name], message);
  }
  return list.map((value: unknown, axis) => {
    if (isWhole(value)) return Number(value);
    const message = `${name} along axis ${axis} is ${shown(toPlain(value))}; it is a whole number`;
    throw new PlacedError("wrong_type", [name, axis], message);
  });
}

/**
 * How the patch of voxels from `start` to start + size - 1 is read from an array of a shape; a negative start is before it.
 * Errors: `wrong_type` and `wrong_length` at `["start"]` and `["size"]` or an entry, `out_of_range` at `["size", axis]`.
 */
export function planPatch(start: unknown, size: unknown, shape: readonly number[]): PatchPlan {
  const from = wholeNumbers(start, "start", shape.length);
  const sizes = wholeNumbers(size, "size", shape.length);
  const negative = sizes.findIndex((value) => value < 0);
  if (negative >= 0) {
    const message = `the size along axis ${negative} is ${sizes[negative]}; a size is at least 0`;
    throw new PlacedError("out_of_range", ["size", negative], message);
  }
  const stop = from.map((value, axis) => value + (sizes[axis] ?? 0));
  const begin = from.map((value) => Math.max(value, 0));
  const end = stop.map((value, axis) => Math.min(value, shape[axis] ?? 0));
  const outside = from.some((value, axis) => value < 0 || (stop[axis] ?? 0) > (shape[axis] ?? 0));
  const box = begin.every((value, axis) => value < (end[axis] ?? 0));
  return {
    box: box ? { begin, end, into: begin.map((value, axis) => value - (from[axis] ?? 0) + 0) } : null,
    pads: outside && sizes.every((value) => value > 0),
  };
}

/** An element of an array, as such arrays hold it. */
export type PatchElement = number | bigint | boolean | readonly [number, number];

/** What stands outside of the array: `padValue`, else `fill` (`values.fill` of the header), else 0. */
export interface Padding {
  readonly padValue?: number | bigint | boolean | undefined;
  readonly fill?: number | bigint | boolean | undefined;
}

/** A number or boolean as an element of a dtype, floats rounded to it. Error: `not_representable` at `["pad_value"]`. */
function padElement(dtype: string, { padValue, fill }: Padding): PatchElement {
  const value = padValue ?? fill ?? 0;
  if (!holds(dtype, value)) {
    const message = `${dtype} does not hold ${String(value)}; pad with a value that it holds`;
    throw new PlacedError("not_representable", ["pad_value"], message);
  }
  if (dtype === "bool") return Boolean(value);
  if (dtype.startsWith("float")) return roundToFloat(dtype, Number(value));
  if (dtype.startsWith("complex")) return [roundToFloat(dtype, Number(value)), 0];
  return typeof value === "boolean" ? Number(value) : value;
}

/**
 * The values of the patch of voxels from `start` to start + size - 1, padded outside of the array. Errors: those of
 * `planPatch`; `not_representable` at `["pad_value"]` for padding that the dtype does not hold.
 */
export function readPatch(
  array: MlaArray<PatchElement>,
  start: unknown,
  size: unknown,
  padding: Padding,
): MlaArray<PatchElement> {
  const { box } = planPatch(start, size, array.shape);
  const shape = wholeNumbers(size, "size", array.shape.length);
  const data = new Array<PatchElement>(countOf(shape)).fill(padElement(array.dtype, padding));
  if (box === null) return { dtype: array.dtype, shape, data };
  const [strides, targets] = [stridesOf(array.shape), stridesOf(shape)];
  const common = box.end.map((end, axis) => end - (box.begin[axis] ?? 0));
  const first = (at: readonly number[], steps: readonly number[]): number =>
    at.reduce((sum, index, axis) => sum + index * (steps[axis] ?? 0), 0);
  const values: PatchElement[] = [];
  walk(common, strides, first(box.begin, strides), (offset) => values.push(array.data[offset] as PatchElement));
  let next = 0;
  walk(common, targets, first(box.into, targets), (offset) => (data[offset] = values[next++] as PatchElement));
  return { dtype: array.dtype, shape, data };
}
