// Whole arrays, and windows of them, on a target grid.

import { checkLength, checkRange, checkWhole } from "../geometry/index.js";
import { applyKernels } from "./apply.js";
import type { NdArray } from "./elements.js";
import { axisKernel } from "./kernel.js";
import { type AxisGrids, sameAxis, targetAxis } from "./target.js";

/** The grids along an axis, without the count of voxels, which is the array's. */
export type AxisSizes = Omit<AxisGrids, "n">;

/** Which target voxels are asked for, and how they are made; see `axisKernel`. */
export interface Asked {
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly method: string;
  readonly edge?: boolean | undefined;
}

/** The target voxels [first, stop) of the whole grid that hold data, per axis, and the values that were asked for. */
export interface Resampled {
  readonly data: readonly (readonly [number, number])[];
  readonly values: NdArray;
}

/**
 * The target voxels [begin, end) of an array; an axis that is null is not resampled.
 *
 * `values` are the asked ones that hold data, with `edge` all of the asked ones. Raises `wrong_length`, `wrong_type`
 * and `order` at ["begin"] and ["end"], and errors of sizes at ["axes", axis, field].
 */
export function resampleArray(array: NdArray, axes: readonly (AxisSizes | null)[], asked: Asked): Resampled {
  checkLength(axes, array.shape.length, ["axes"]);
  checkLength(asked.begin, array.shape.length, ["begin"]);
  checkRange(asked.begin, asked.end);
  checkWhole(asked.begin, ["begin"]);
  checkWhole(asked.end, ["end"]);
  const kernels = axes.map((sizes, axis) => {
    const n = array.shape[axis] ?? 0;
    const grid = sizes === null ? sameAxis(n) : targetAxis({ ...sizes, n }, ["axes", axis]);
    return axisKernel(grid, asked.begin[axis] ?? 0, asked.end[axis] ?? 0, asked.method, asked.edge);
  });
  return { data: kernels.map(({ data }) => data), values: applyKernels(array, kernels) };
}

/** As `resampleArray`, for an array of one axis; errors of sizes are at the field's name. */
export function resampleAxis(array: NdArray, sizes: AxisSizes, asked: Asked): Resampled {
  checkLength(array.shape, 1, ["array"]);
  targetAxis({ ...sizes, n: array.shape[0] ?? 0 });
  return resampleArray(array, [sizes], asked);
}
