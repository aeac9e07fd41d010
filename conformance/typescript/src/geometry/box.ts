// Half-open boxes of world coordinates: a begin and an end per axis, in floats.

import { PlacedError } from "../errors.js";
import { checkAllFinite, checkFinite, checkLength, checkRange, checkWord, entry } from "./checks.js";
import { snap, snappedCeil, snappedFloor } from "./tolerance.js";
import { aboveCorner, type Box, checkPlaced, lowerCorner, type Placed } from "./voxels.js";

/** A box that is one; raises `wrong_length`, `not_finite` and `order`, an end before its begin at ["end", axis]. */
export function makeBox(begin: readonly number[], end: readonly number[]): Box {
  checkRange(begin, end);
  return { begin, end };
}

/** The extent on every axis. */
export const boxShape = ({ begin, end }: Box): readonly number[] => begin.map((from, axis) => entry(end, axis) - from);

/** The middle: begin + shape / 2. */
export const boxCentre = (box: Box): readonly number[] =>
  boxShape(box).map((size, axis) => entry(box.begin, axis) + size / 2);

/** Whether it has no extent on some axis, and so no point. */
export const isEmpty = (box: Box): boolean => boxShape(box).some((size) => size === 0);

function checkAxes(box: Box, other: Box): void {
  checkLength(other.begin, box.begin.length, ["other"]);
}

/** The part that two boxes share; undefined where there is none. Raises `wrong_length` at ["other"]. */
export function intersect(box: Box, other: Box): Box | undefined {
  checkAxes(box, other);
  const begin = box.begin.map((from, axis) => Math.max(from, entry(other.begin, axis)));
  const end = box.end.map((to, axis) => Math.min(to, entry(other.end, axis)));
  return begin.some((from, axis) => from >= entry(end, axis)) ? undefined : { begin, end };
}

/** The smallest box that holds both; an empty one adds nothing. Raises `wrong_length` at ["other"]. */
export function union(box: Box, other: Box): Box {
  checkAxes(box, other);
  if (isEmpty(other)) return box;
  if (isEmpty(box)) return other;
  return {
    begin: box.begin.map((from, axis) => Math.min(from, entry(other.begin, axis))),
    end: box.end.map((to, axis) => Math.max(to, entry(other.end, axis))),
  };
}

/** Whether a point lies in a box. Raises `wrong_length` and `not_finite` at ["point"]. */
export function containsPoint(box: Box, point: readonly number[]): boolean {
  checkLength(point, box.begin.length, ["point"]);
  checkAllFinite(point, ["point"]);
  return point.every((value, axis) => value >= entry(box.begin, axis) && value < entry(box.end, axis));
}

/** Whether a whole box lies in a box, as every empty one does. Raises `wrong_length` at ["other"]. */
export function containsBox(box: Box, other: Box): boolean {
  checkAxes(box, other);
  if (isEmpty(other)) return true;
  return other.begin.every(
    (from, axis) => from >= entry(box.begin, axis) && entry(other.end, axis) <= entry(box.end, axis),
  );
}

/** One number for every axis, or one per axis. */
export type Each = number | readonly number[];

/** A number per axis; raises `wrong_length` and `not_finite` at the field. */
export function perAxis(each: Each, count: number, field: string): readonly number[] {
  if (typeof each === "number") {
    checkFinite(each, [field]);
    return Array.from({ length: count }, () => each);
  }
  checkLength(each, count, [field]);
  checkAllFinite(each, [field]);
  return each;
}

/**
 * A box moved outwards by `before` at its begin and `after` at its end, or inwards where they are negative.
 *
 * Raises `order` at ["end", axis] where nothing would be left of it and less.
 */
export function grow(box: Box, before: Each, after: Each = before): Box {
  const count = box.begin.length;
  const below = perAxis(before, count, "before");
  const above = perAxis(after, count, "after");
  return makeBox(
    box.begin.map((from, axis) => from - entry(below, axis)),
    box.end.map((to, axis) => to + entry(above, axis)),
  );
}

/** A box moved. */
export function shift(box: Box, by: Each): Box {
  const step = perAxis(by, box.begin.length, "by");
  return makeBox(
    box.begin.map((from, axis) => from + entry(step, axis)),
    box.end.map((to, axis) => to + entry(step, axis)),
  );
}

/** How `snapBox` moves bounds: outwards, inwards, or each to the nearest corner. */
export const SNAP_MODES = ["grow", "shrink", "closest"] as const;

const closest = (value: number): number => Math.floor(snap(value) + 0.5);

const ROUNDING: Readonly<Record<string, readonly [(value: number) => number, (value: number) => number]>> = {
  grow: [snappedFloor, snappedCeil],
  shrink: [snappedCeil, snappedFloor],
  closest: [closest, closest],
};

/**
 * A box moved onto voxel corners, which lie at translation + (i - 1/2) * voxel size.
 *
 * A bound within the tolerance of a corner is on it; at a tie the nearest is the upper one; a box that shrinks to
 * nothing is empty at its begin. Raises `invalid_argument` at ["mode"], and what `checkPlaced` raises.
 */
export function snapBox(box: Box, placed: Placed, mode = "grow"): Box {
  checkWord(mode, SNAP_MODES, ["mode"], "invalid_argument");
  checkPlaced(placed, box.begin.length);
  const rounding = ROUNDING[mode];
  if (rounding === undefined) throw new PlacedError("invalid_argument", ["mode"], `mode is ${mode}`);
  const corner = lowerCorner(placed);
  const moved = (bounds: readonly number[], round: (value: number) => number): readonly number[] =>
    bounds.map((bound, axis) => {
      const size = entry(placed.voxelSize, axis);
      return entry(corner, axis) + round(aboveCorner(bound, size, entry(placed.translation, axis))) * size + 0;
    });
  const begin = moved(box.begin, rounding[0]);
  return { begin, end: moved(box.end, rounding[1]).map((to, axis) => Math.max(to, entry(begin, axis))) };
}
