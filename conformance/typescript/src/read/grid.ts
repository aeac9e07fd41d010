// The grids that reads answer on, and the voxels of a range of one.

import { PlacedError } from "../errors.js";
import { type Box, boxShape, checkWord, entry, type Placed } from "../geometry/index.js";
import {
  applyKernels,
  axisKernel,
  type Element,
  type Kernel,
  METHODS,
  type NdArray,
  sameAxis,
  sourceRange,
  type Target,
  targetAxis,
} from "../resample/index.js";
import { copyBox, countOf, fillBox, stridesOf } from "./copy.js";
import { checkEdge, type Padding, paddingOf } from "./padding.js";
import { type Selection, selectionOf } from "./select.js";
import { cornerOf } from "./sizes.js";
import type { ReadAnswer, ReadAsked, Volume } from "./types.js";
import { readWindow } from "./window.js";

/** A grid over a volume, per axis: the target voxels, and where target 0 is centred. */
export interface ReadGrid extends Placed {
  readonly axes: readonly Target[];
}

/** The target grid along every axis. */
export const targetsOf = ({ axes }: ReadGrid): readonly Target[] => axes;

/** The stored grid of a volume. */
export const storedGrid = ({ record, voxelSize, translation }: Volume): ReadGrid => ({
  axes: record.shape.map(sameAxis),
  voxelSize,
  translation,
});

/** The grid of a size on the spatial axes, with a corner at the anchor, else the data's; the stored grid of none. */
export function gridOf(
  volume: Volume,
  sizes: readonly number[] | undefined,
  anchor: readonly number[] | undefined,
): ReadGrid {
  const stored = storedGrid(volume);
  if (sizes === undefined) return stored;
  const { spatial } = volume.record;
  const corners = cornerOf({ ...volume, spatial });
  const along = stored.axes.map((same, axis) => {
    const position = spatial.indexOf(axis);
    const sourceSize = entry(volume.voxelSize, axis);
    if (position < 0) return { target: same, size: sourceSize, centre: entry(volume.translation, axis) };
    const [size, corner] = [entry(sizes, position), entry(corners, position)];
    const from = anchor === undefined ? corner : entry(anchor, position);
    const target = targetAxis({ n: same.n, sourceSize, targetSize: size, corner, anchor: from });
    return { target, size, centre: from + size / 2 };
  });
  return {
    axes: along.map(({ target }) => target),
    voxelSize: along.map(({ size }) => size),
    translation: along.map(({ centre }) => centre),
  };
}

/** How a read is made, with everything that it was not told filled in by the volume. */
export interface Manner {
  readonly padding: Padding;
  readonly method: string;
  readonly mask: boolean;
  readonly selection: Selection;
}

/** Raises what `selectionOf` and `paddingOf` raise, `invalid_argument` at ["padding"], `wrong_value` at ["method"]. */
export function mannerOf(
  { record, ...volume }: Volume,
  { padding, method = volume.method, mask = false, select = {} }: ReadAsked,
): Manner {
  checkWord(method, METHODS, ["method"]);
  const selection = selectionOf(select, record, volume.selection);
  const found = padding === undefined ? volume.padding : paddingOf(padding, record.dtype);
  checkEdge(found, record.shape);
  return { padding: found, method, mask, selection };
}

/** The axes that an answer has. */
export const keptAxes = ({ record }: Volume, selection: Selection): readonly number[] =>
  record.shape.map((_, axis) => axis).filter((axis) => !selection.has(axis));

/** A range over every axis, from one over the axes that are kept. */
export function onEveryAxis({ record }: Volume, selection: Selection, kept: Box): Box {
  let position = -1;
  const bounds = record.shape.map((_, axis) => {
    const index = selection.get(axis);
    if (index !== undefined) return [index, index + 1] as const;
    position += 1;
    return [entry(kept.begin, position), entry(kept.end, position)] as const;
  });
  return { begin: bounds.map(([begin]) => begin), end: bounds.map(([, end]) => end) };
}

/** What a kernel answers of a range that begins at `begin`, as positions in the range. */
interface Answered {
  readonly begin: readonly number[];
  readonly size: readonly number[];
}

const answered = (kernels: readonly Kernel[], begin: readonly number[]): Answered => ({
  begin: kernels.map((kernel, axis) => kernel.begin - entry(begin, axis)),
  size: kernels.map(({ rows }) => rows.length),
});

/** The values that kernels make of what is stored. */
function valuesOf({ store, record }: Volume, kernels: readonly Kernel[]): NdArray {
  if (kernels.some(({ rows }) => rows.length === 0)) {
    return { dtype: record.dtype, shape: kernels.map(({ rows }) => rows.length), data: [] };
  }
  const ranges = kernels.map(sourceRange);
  const window = { begin: ranges.map(([begin]) => begin), end: ranges.map(([, end]) => end) };
  return applyKernels(readWindow(store, record, window), kernels, window.begin);
}

/** Which voxels of a range hold data. */
function maskOf(kernels: readonly Kernel[], range: Box, shape: readonly number[]): NdArray {
  const full = boxShape(range);
  const begin = kernels.map(({ data }, axis) => Math.max(data[0] - entry(range.begin, axis), 0));
  const end = kernels.map(({ data }, axis) => Math.min(data[1], entry(range.end, axis)) - entry(range.begin, axis));
  const data: Element[] = Array.from({ length: countOf(full) }, () => false);
  const size = end.map((to, axis) => Math.max(0, to - entry(begin, axis)));
  fillBox(size, true, { data, strides: stridesOf(full), begin });
  return { dtype: "bool", shape, data };
}

function kernelsOf({ axes }: ReadGrid, range: Box, { method, padding }: Manner): readonly Kernel[] {
  try {
    return axes.map((target, axis) =>
      axisKernel(target, entry(range.begin, axis), entry(range.end, axis), method, padding.edge),
    );
  } catch (error) {
    if (!(error instanceof PlacedError) || error.at[0] !== "edge") throw error;
    throw new PlacedError(error.code, ["padding"], error.message);
  }
}

/** The voxels of a range over every axis of a grid; pinned axes are left out of the answer. */
export function readRange(volume: Volume, grid: ReadGrid, range: Box, manner: Manner): ReadAnswer {
  const { padding, mask, selection } = manner;
  const kernels = kernelsOf(grid, range, manner);
  const full = boxShape(range);
  const { begin, size } = answered(kernels, range.begin);
  const values = valuesOf(volume, kernels);
  const data: Element[] = padding.edge ? [] : Array.from({ length: countOf(full) }, () => padding.value);
  const from = { data: values.data, strides: stridesOf(size), begin: size.map(() => 0) };
  copyBox(size, from, { data, strides: stridesOf(full), begin });
  const shape = full.filter((_, axis) => !selection.has(axis));
  const array = { dtype: volume.record.dtype, shape, data };
  return mask ? { array, mask: maskOf(kernels, range, shape) } : { array };
}
