// A grid: an array's facts without a store.

import { PlacedError } from "../errors.js";
import {
  type Box,
  boxOfVoxels,
  checkAllFinite,
  checkAllPositive,
  checkLength,
  checkNames,
  checkRange,
  checkShape,
  defaultAxes,
  entry,
  indexRange,
  listed,
  lowerCorner,
  type Placed,
  sameSize,
  spatialAxes,
  typeByName,
} from "../geometry/index.js";
import { targetAxis } from "../resample/index.js";
import { checkChunks } from "./chunks.js";
import { axisUnits, type UnitsGiven } from "./units.js";

/** Facts of a grid as they are given; lists are in C order. */
export interface GridFacts {
  readonly shape: readonly number[];
  /** Over the spatial axes, or over every axis; others have 1. */
  readonly voxelSize: readonly number[];
  /** The centre of voxel 0, over the spatial axes or over every axis; others have 0. */
  readonly translation: readonly number[];
  /** t, c, z, y, x from the back where absent. */
  readonly axes?: readonly string[] | undefined;
  /** By name where absent. */
  readonly axisTypes?: readonly string[] | undefined;
  /** nanometer on spatial axes where absent. */
  readonly units?: UnitsGiven | undefined;
  /** The read chunk in voxels, of a sharded array the inner one. */
  readonly chunks?: readonly number[] | undefined;
  readonly shards?: readonly number[] | undefined;
}

/** A grid; every list has an entry per axis, in C order. */
export interface Grid extends Placed {
  readonly shape: readonly number[];
  readonly axes: readonly string[];
  readonly axisTypes: readonly string[];
  /** The positions of the spatial axes. */
  readonly spatial: readonly number[];
  /** OME names, "" for none. */
  readonly units: readonly string[];
  readonly chunks: readonly number[] | undefined;
  readonly shards: readonly number[] | undefined;
}

/** The entries on some axes of a list over every axis. */
export const onAxes = <T>(values: readonly T[], axes: readonly number[]): readonly T[] =>
  values.filter((_, axis) => axes.includes(axis));

/** A list over the spatial axes, or over every axis, as one over every axis; `wrong_length` for any other. */
export function onEveryAxis(
  values: readonly number[],
  { count, spatial, field }: { readonly count: number; readonly spatial: readonly number[]; readonly field: string },
  others: (axis: number) => number,
): readonly number[] {
  if (values.length === count) return values;
  checkLength(values, spatial.length, [field]);
  return Array.from({ length: count }, (_, axis) => {
    const position = spatial.indexOf(axis);
    return position < 0 ? others(axis) : entry(values, position);
  });
}

/**
 * A grid of these facts.
 *
 * Raises `wrong_length`, `not_finite`, `not_positive`, `out_of_range` and `wrong_type` at the lists, `duplicate` at
 * ["axes"], `unknown_unit` and `wrong_value` at ["units"] or ["units", kind], and what `checkChunks` raises.
 */
export function makeGrid(facts: GridFacts): Grid {
  const { shape, chunks, shards } = facts;
  checkShape(shape, ["shape"]);
  const count = shape.length;
  const axes = facts.axes ?? defaultAxes(count);
  checkLength(axes, count, ["axes"]);
  checkNames(axes);
  const axisTypes = facts.axisTypes ?? axes.map(typeByName);
  checkLength(axisTypes, count, ["axis_types"]);
  const spatial = spatialAxes(axes, axisTypes);
  checkAllPositive(facts.voxelSize, ["voxel_size"]);
  checkAllFinite(facts.translation, ["translation"]);
  const voxelSize = onEveryAxis(facts.voxelSize, { count, spatial, field: "voxel_size" }, () => 1);
  const translation = onEveryAxis(facts.translation, { count, spatial, field: "translation" }, () => 0);
  const units = axisUnits(facts.units === undefined ? "nanometer" : facts.units, { axes, axisTypes, spatial });
  checkChunks(shape, chunks, shards);
  return { shape, axes, axisTypes, spatial, units, voxelSize, translation, chunks, shards };
}

/** What is written at once: the shard, else the chunk; undefined without chunks. */
export const writeShape = ({ chunks, shards }: Grid): readonly number[] | undefined => shards ?? chunks;

/** Size and first centre of voxels on the spatial axes. */
export function spatialPlaced({ voxelSize, translation, spatial }: Grid): Placed {
  return { voxelSize: onAxes(voxelSize, spatial), translation: onAxes(translation, spatial) };
}

/** The lower corner on the spatial axes. */
export const gridCorner = (grid: Grid): readonly number[] => lowerCorner(spatialPlaced(grid));

/** The world box that the grid covers, on the spatial axes, corner to corner. */
export function gridBox(grid: Grid): Box {
  const end = onAxes(grid.shape, grid.spatial);
  return boxOfVoxels({ begin: end.map(() => 0), end }, spatialPlaced(grid));
}

/** One size on every axis, each held against its own: on axes that are not spatial no other is possible. */
function targetSizes(grid: Grid, asked: readonly number[]): readonly number[] {
  checkAllPositive(asked, ["voxel_size"]);
  const place = { count: grid.shape.length, spatial: grid.spatial, field: "voxel_size" };
  const sizes = onEveryAxis(asked, place, (axis) => entry(grid.voxelSize, axis));
  const wrong = sizes.findIndex(
    (size, axis) => !grid.spatial.includes(axis) && !sameSize(size, entry(grid.voxelSize, axis)),
  );
  if (wrong < 0) return sizes;
  const rule = `which is not resampled and has ${grid.voxelSize[wrong]}`;
  const message = `voxel_size is ${sizes[wrong]} on the axis ${grid.axes[wrong]}, ${rule}`;
  throw new PlacedError("wrong_value", ["voxel_size"], message);
}

/**
 * The grid over an array that reading at another voxel size answers on: the array's corner, and as many voxels as
 * overlap the data. Chunks and shards are those of the array.
 *
 * `target` is over the spatial axes, or over every axis with the stored size on the others, else `wrong_value`.
 */
export function targetGrid(grid: Grid, target: readonly number[]): Grid {
  const sizes = targetSizes(grid, target);
  const { spatial } = grid;
  const shape = grid.shape.map((n, axis) =>
    spatial.includes(axis)
      ? targetAxis({ n, sourceSize: entry(grid.voxelSize, axis), targetSize: entry(sizes, axis) }).stop
      : n,
  );
  const corner = lowerCorner(grid);
  const translation = grid.translation.map((centre, axis) =>
    spatial.includes(axis) ? entry(corner, axis) + entry(sizes, axis) / 2 : centre,
  );
  return { ...grid, shape, translation, voxelSize: sizes };
}

/**
 * The voxels whose centres lie in a world box, on every axis, not clipped.
 *
 * A box over the spatial axes takes the others whole; one over every axis selects their samples as points. Raises
 * `wrong_length` at ["box"], and what `indexRange` raises.
 */
export function gridIndexBox(grid: Grid, box: Box): Box {
  checkRange(box.begin, box.end);
  const count = box.begin.length;
  if (count === grid.shape.length) return indexRange(box, grid);
  if (count !== grid.spatial.length) {
    const lengths = listed([...new Set([grid.spatial.length, grid.shape.length])]);
    throw new PlacedError(
      "wrong_length",
      ["box"],
      `box has ${count} axes, but ${lengths} belong there: the spatial ones, or all`,
    );
  }
  const range = indexRange(box, spatialPlaced(grid));
  const whole = (values: readonly number[], others: (axis: number) => number): readonly number[] =>
    onEveryAxis(values, { count: grid.shape.length, spatial: grid.spatial, field: "box" }, others);
  return { begin: whole(range.begin, () => 0), end: whole(range.end, (axis) => entry(grid.shape, axis)) };
}
