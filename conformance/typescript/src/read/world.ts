// Reads of world boxes.

import { PlacedError } from "../errors.js";
import { alignment, type Box, checkRange, type Each, entry, indexRange, listed, sameSizes } from "../geometry/index.js";
import { gridOf, keptAxes, mannerOf, type ReadGrid, readRange } from "./grid.js";
import type { Selection } from "./select.js";
import { eachSpatial, onSpatial, sizesAsked } from "./sizes.js";
import type { ReadAnswer, ReadAsked, Volume } from "./types.js";

/** A read of a world box. */
export interface WorldAsked extends ReadAsked {
  /** In place of the volume's size on the spatial axes. */
  readonly voxelSize?: Each | undefined;
  /** A corner of the target grid; the volume's anchor, else the data's corner where absent. */
  readonly anchor?: Each | undefined;
  /** Whether the box must lie on corners or centres; false where absent. */
  readonly strict?: boolean | undefined;
}

/** The grid that a read answers on: that of its own size, else that of the volume's. */
function gridAsked(volume: Volume, { voxelSize, anchor }: WorldAsked): ReadGrid {
  const { record } = volume;
  const corner = anchor === undefined ? volume.anchor : eachSpatial(anchor, record, ["anchor"]);
  if (voxelSize === undefined) return gridOf(volume, volume.target, corner);
  const sizes = sizesAsked(voxelSize, record, ["voxel_size"]);
  const stored = sameSizes(sizes, onSpatial(volume.voxelSize, record));
  return gridOf(volume, stored ? undefined : sizes, corner);
}

/** The axes that a box is over: the spatial ones, or all that are kept; `wrong_length` at ["box"]. */
function axesOf(volume: Volume, selection: Selection, box: Box): readonly number[] {
  const kept = keptAxes(volume, selection);
  const { spatial } = volume.record;
  const count = box.begin.length;
  if (count === spatial.length) return spatial;
  if (count === kept.length) return kept;
  const counts = listed([...new Set([spatial.length, kept.length])]);
  throw new PlacedError(
    "wrong_length",
    ["box"],
    `box has ${count} axes, but ${counts} belong there: the spatial ones, or all`,
  );
}

function checkStrict(box: Box, along: ReadGrid): void {
  const axis = alignment(box, along).indexOf("neither");
  if (axis < 0) return;
  const bounds = `[${box.begin[axis]}, ${box.end[axis]})`;
  const message = `box is ${bounds} on axis ${axis}, which lies neither on voxel corners nor on their centres`;
  throw new PlacedError("not_aligned", ["box", axis], message);
}

/**
 * The voxels whose centres lie in a world box over the spatial axes (others whole) or over every axis that is kept, in
 * the volume's units.
 *
 * Raises errors of the box at ["begin", axis], ["end", axis] and ["box"]; `not_aligned` at ["box", axis]; errors of
 * sizes at ["voxel_size"] and ["anchor"]; what `mannerOf` and `readWindow` raise.
 */
export function readWorld(volume: Volume, box: Box, asked: WorldAsked): ReadAnswer {
  const manner = mannerOf(volume, asked);
  const grid = gridAsked(volume, asked);
  checkRange(box.begin, box.end);
  const over = axesOf(volume, manner.selection, box);
  const along = {
    axes: over.flatMap((axis) => grid.axes[axis] ?? []),
    voxelSize: over.map((axis) => entry(grid.voxelSize, axis)),
    translation: over.map((axis) => entry(grid.translation, axis)),
  };
  if (asked.strict === true) checkStrict(box, along);
  const found = indexRange(box, along);
  const bounds = volume.record.shape.map((n, axis) => {
    const position = over.indexOf(axis);
    const index = manner.selection.get(axis);
    if (index !== undefined) return [index, index + 1] as const;
    return position < 0 ? ([0, n] as const) : ([entry(found.begin, position), entry(found.end, position)] as const);
  });
  const range = { begin: bounds.map(([begin]) => begin), end: bounds.map(([, end]) => end) };
  return readRange(volume, grid, range, manner);
}
