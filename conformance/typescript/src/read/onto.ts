// Reads onto the voxels of another grid.

import { PlacedError } from "../errors.js";
import { Fraction } from "../fraction.js";
import { aboveCorner, type Box, entry, sameSizes, snappedCeil } from "../geometry/index.js";
import { type Grid, spatialPlaced } from "../grid/index.js";
import { parseUnit, scaled } from "../units/index.js";
import { gridOf, mannerOf, type ReadGrid, readRange, storedGrid } from "./grid.js";
import { checkIndices } from "./index-read.js";
import { onSpatial } from "./sizes.js";
import type { ReadAnswer, ReadAsked, Volume } from "./types.js";

/** How many of the volume's unit one of the grid's is; `unknown_unit` at ["units"]. */
function ratioOf(from: string, to: string, name: string): Fraction {
  if (from === to) return Fraction.of(1);
  const [source, target] = [parseUnit(from || "nanometer"), parseUnit(to || "nanometer")];
  if (source !== undefined && source.dimension === target?.dimension) return source.factor.div(target.factor);
  const message = `the grid is in ${from || "no unit"} on the axis ${name} and the volume in ${to || "no unit"}`;
  throw new PlacedError("unknown_unit", ["units"], `${message}; these cannot be compared`);
}

/** Sizes and lower corner of the other grid on the spatial axes, in the volume's units. */
interface Other {
  readonly sizes: readonly number[];
  readonly corner: readonly number[];
}

function otherOf(volume: Volume, grid: Grid): Other {
  const { record, units } = volume;
  const names = grid.spatial.map((axis) => grid.axes[axis] ?? "");
  const own = record.spatial.map((axis) => record.axes[axis] ?? "");
  if (names.join() !== own.join()) {
    const message = `the grid's spatial axes are ${names.join(", ")}, but those of the volume ${own.join(", ")}`;
    throw new PlacedError("wrong_value", ["grid", "axes"], message);
  }
  const { voxelSize, translation } = spatialPlaced(grid);
  const ratio = names.map((name, position) =>
    ratioOf(grid.units[entry(grid.spatial, position)] ?? "", units[entry(record.spatial, position)] ?? "", name),
  );
  const inUnits = (values: readonly number[]): readonly number[] =>
    values.map((value, position) => scaled(value, ratio[position] ?? Fraction.of(1)));
  const sizes = inUnits(voxelSize);
  return { sizes, corner: inUnits(translation).map((centre, position) => centre - entry(sizes, position) / 2) };
}

/** The voxels of the stored grid from the one that the centre rule gives for a range of the other grid. */
function storedRange(volume: Volume, { sizes, corner }: Other, range: Box): Box {
  const { record, voxelSize, translation } = volume;
  const begin = record.spatial.map((axis, position) => {
    const from = entry(corner, position) + entry(range.begin, position) * entry(sizes, position);
    return snappedCeil(aboveCorner(from, entry(voxelSize, axis), entry(translation, axis)) - 0.5);
  });
  const end = begin.map((first, at) => first + entry(range.end, at) - entry(range.begin, at));
  return { begin, end };
}

/**
 * The voxels [begin, end) of another grid, over its spatial axes; all of that grid where absent. Axes of the volume
 * that are not spatial are kept whole.
 *
 * Raises `wrong_value` at ["grid", "axes"], `unknown_unit` at ["units"], and what `checkIndices`, `mannerOf` and
 * `readWindow` raise.
 */
export function readOnto(volume: Volume, grid: Grid, asked: ReadAsked & Partial<Box>): ReadAnswer {
  const manner = mannerOf(volume, asked);
  const other = otherOf(volume, grid);
  const shape = grid.spatial.map((axis) => entry(grid.shape, axis));
  const range = { begin: asked.begin ?? shape.map(() => 0), end: asked.end ?? shape };
  checkIndices(range, shape.length);
  const { record } = volume;
  const stored = sameSizes(other.sizes, onSpatial(volume.voxelSize, record));
  const over: ReadGrid = stored ? storedGrid(volume) : gridOf(volume, other.sizes, other.corner);
  const spatial = stored ? storedRange(volume, other, range) : range;
  const bounds = record.shape.map((n, axis) => {
    const index = manner.selection.get(axis);
    if (index !== undefined) return [index, index + 1] as const;
    const position = record.spatial.indexOf(axis);
    return position < 0 ? ([0, n] as const) : ([entry(spatial.begin, position), entry(spatial.end, position)] as const);
  });
  return readRange(volume, over, { begin: bounds.map(([begin]) => begin), end: bounds.map(([, end]) => end) }, manner);
}
