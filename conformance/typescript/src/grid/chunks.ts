// Chunks and write units, and which of them a box of voxels touches.

import { PlacedError } from "../errors.js";
import { type Box, checkLength, checkRange, checkShape, checkUnit, checkWhole, entry } from "../geometry/index.js";

/** The indices from `begin` to before `end`, in C order: the last axis runs fastest; one of no axes. */
export function indicesIn({ begin, end }: Box): readonly (readonly number[])[] {
  let found: readonly (readonly number[])[] = [[]];
  begin.forEach((from, axis) => {
    const along = Array.from({ length: Math.max(0, entry(end, axis) - from) }, (_, step) => from + step);
    found = found.flatMap((index) => along.map((position) => [...index, position]));
  });
  return found;
}

function checkNoZero(unit: readonly number[], count: number, field: string): void {
  checkLength(unit, count, [field]);
  checkWhole(unit, [field]);
  const wrong = unit.find((size) => size <= 0);
  if (wrong !== undefined)
    throw new PlacedError("not_positive", [field], `${field} holds ${wrong}, but at least 1 voxel belongs there`);
}

/**
 * Raises `missing_field` at ["chunks"] for shards without chunks, `not_integral` at ["shards", axis] for shards that
 * are no whole chunks, `not_positive` at ["chunks"] or ["shards"], and `wrong_length` and `wrong_type` there.
 */
export function checkChunks(shape: readonly number[], chunks?: readonly number[], shards?: readonly number[]): void {
  if (chunks !== undefined) checkNoZero(chunks, shape.length, "chunks");
  if (shards === undefined) return;
  if (chunks === undefined)
    throw new PlacedError("missing_field", ["chunks"], "chunks is missing, but shards are made of chunks");
  checkNoZero(shards, shape.length, "shards");
  const axis = shards.findIndex((shard, position) => shard % entry(chunks, position) !== 0);
  if (axis < 0) return;
  const message = `shards is ${shards[axis]} on axis ${axis}, which is no multiple of the ${chunks[axis]} of chunks`;
  throw new PlacedError("not_integral", ["shards", axis], message);
}

/** How many units cover an array on each axis; errors of the unit are at ["chunk_shape", axis]. */
export function chunkGrid(shape: readonly number[], unit: readonly number[]): readonly number[] {
  checkShape(shape, ["shape"]);
  checkLength(unit, shape.length, ["chunk_shape"]);
  checkUnit(unit, ["chunk_shape"]);
  return shape.map((size, axis) => Math.ceil(size / entry(unit, axis)));
}

/**
 * The indices of the units that a box of voxels touches, in C order; what lies outside the array touches nothing.
 *
 * Raises `wrong_length` at ["begin"] and ["end"], `wrong_type` there, `order` at ["end", axis], and what `chunkGrid`
 * raises.
 */
export function unitsCovering(
  shape: readonly number[],
  unit: readonly number[],
  box: Box,
): readonly (readonly number[])[] {
  checkLength(box.begin, shape.length, ["begin"]);
  checkRange(box.begin, box.end);
  checkWhole(box.begin, ["begin"]);
  checkWhole(box.end, ["end"]);
  chunkGrid(shape, unit);
  const begin = box.begin.map((from) => Math.max(0, from));
  const end = box.end.map((to, axis) => Math.min(to, entry(shape, axis)));
  if (begin.some((from, axis) => from >= entry(end, axis))) return [];
  return indicesIn({
    begin: begin.map((from, axis) => Math.floor(from / entry(unit, axis))),
    end: end.map((to, axis) => Math.ceil(to / entry(unit, axis))),
  });
}
