// Between world coordinates and voxels: voxel i is centred at translation + i * voxel size, on every axis of its own.

import { defaultAxes, spatialAxes } from "./axes.js";
import { checkAllFinite, checkAllPositive, checkLength, checkRange, checkWhole, entry } from "./checks.js";
import { snap, snappedCeil, TOLERANCE } from "./tolerance.js";

/** A half-open box or range per axis, in C order: world coordinates, or whole numbers where it counts voxels. */
export interface Box {
  readonly begin: readonly number[];
  readonly end: readonly number[];
}

/** Where voxels lie: their size and the centre of voxel 0, one entry per axis in C order, in one unit per axis. */
export interface Placed {
  readonly voxelSize: readonly number[];
  readonly translation: readonly number[];
}

/** What the bounds of a box lie on, on one axis. */
export type Alignment = "corner" | "centre" | "neither";

/** Raises `wrong_length`, `not_finite` or `not_positive` where sizes and translations place no `count` axes. */
export function checkPlaced({ voxelSize, translation }: Placed, count: number): void {
  checkLength(voxelSize, count, ["voxel_size"]);
  checkLength(translation, count, ["translation"]);
  checkAllPositive(voxelSize, ["voxel_size"]);
  checkAllFinite(translation, ["translation"]);
}

/** The lower corner of voxel 0, half a voxel below its centre on every axis. */
export const lowerCorner = ({ voxelSize, translation }: Placed): readonly number[] =>
  translation.map((centre, axis) => centre - entry(voxelSize, axis) / 2);

/** How many voxels above the lower corner a world coordinate lies: sharp far away from 0, too. */
export const aboveCorner = (bound: number, size: number, translation: number): number =>
  (bound - (translation - size / 2)) / size;

function axisRange(begin: number, end: number, size: number, translation: number): [number, number] {
  const first = snappedCeil(aboveCorner(begin, size, translation) - 0.5);
  const extent = snap((end - begin) / size);
  if (Number.isInteger(extent)) return [first, first + extent];
  return [first, snappedCeil(aboveCorner(end, size, translation) - 0.5)];
}

/**
 * The voxels whose centres lie in a world box, not clipped to any array.
 *
 * A box of m voxels, within the tolerance, selects exactly m; its begin says which. Raises `wrong_length`,
 * `not_finite`, `not_positive` and `order`.
 */
export function indexRange(box: Box, placed: Placed): Box {
  checkRange(box.begin, box.end);
  checkPlaced(placed, box.begin.length);
  const { voxelSize, translation } = placed;
  const ranges = box.begin.map((begin, axis) =>
    axisRange(begin, entry(box.end, axis), entry(voxelSize, axis), entry(translation, axis)),
  );
  return { begin: ranges.map(([first]) => first), end: ranges.map(([, stop]) => stop) };
}

/** Whether both bounds of a box lie on voxel corners, both on centres, or neither, per axis; errors as `indexRange`. */
export function alignment(box: Box, placed: Placed): readonly Alignment[] {
  checkRange(box.begin, box.end);
  checkPlaced(placed, box.begin.length);
  return box.begin.map((begin, axis) => {
    const size = entry(placed.voxelSize, axis);
    const corners = [begin, entry(box.end, axis)].map((bound) =>
      aboveCorner(bound, size, entry(placed.translation, axis)),
    );
    const on = (shift: number): boolean =>
      corners.every((corner) => Math.abs(corner + shift - Math.round(corner + shift)) <= TOLERANCE);
    return on(0) ? "corner" : on(0.5) ? "centre" : "neither";
  });
}

/**
 * The centre of voxel 0 from its lower corner: half a voxel more on spatial axes, nothing on others.
 *
 * Axes without names are t, c, z, y, x from the back. Raises `wrong_length`, `not_finite` and `not_positive`.
 */
export function cornerToCentre(
  corner: readonly number[],
  voxelSize: readonly number[],
  axes: readonly string[] = defaultAxes(corner.length),
  types: readonly string[] = [],
): readonly number[] {
  checkLength(voxelSize, corner.length, ["voxel_size"]);
  checkLength(axes, corner.length, ["axes"]);
  checkAllFinite(corner, ["corner"]);
  checkAllPositive(voxelSize, ["voxel_size"]);
  const spatial = spatialAxes(axes, types);
  return corner.map((bound, axis) => (spatial.includes(axis) ? bound + entry(voxelSize, axis) / 2 : bound));
}

/** The world box that a range of voxels covers, corner to corner; errors as `indexRange`, `wrong_type` for a fraction. */
export function boxOfVoxels(range: Box, placed: Placed): Box {
  checkRange(range.begin, range.end);
  checkWhole(range.begin, ["begin"]);
  checkWhole(range.end, ["end"]);
  checkPlaced(placed, range.begin.length);
  const corner = lowerCorner(placed);
  const world = (indices: readonly number[]): readonly number[] =>
    indices.map((index, axis) => entry(corner, axis) + index * entry(placed.voxelSize, axis) + 0);
  return { begin: world(range.begin), end: world(range.end) };
}
