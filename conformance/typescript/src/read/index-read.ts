// Reads of ranges of stored voxels.

import { PlacedError } from "../errors.js";
import { type Box, checkLength, checkWhole, entry } from "../geometry/index.js";
import { keptAxes, mannerOf, onEveryAxis, readRange, storedGrid } from "./grid.js";
import type { ReadAnswer, ReadAsked, Volume } from "./types.js";

/** Raises `wrong_length` and `wrong_type` at ["begin"] or ["end"], `order` at ["end"], without positions. */
export function checkIndices({ begin, end }: Box, count: number): void {
  for (const [field, values] of [
    ["begin", begin],
    ["end", end],
  ] as const) {
    checkLength(values, count, [field]);
    checkWhole(values, [field]);
  }
  const axis = begin.findIndex((from, position) => entry(end, position) < from);
  if (axis < 0) return;
  throw new PlacedError("order", ["end"], `the end ${end[axis]} lies before the begin ${begin[axis]} on axis ${axis}`);
}

/**
 * The stored voxels [begin, end) over every axis that is not pinned, with padding outside the array.
 *
 * Raises what `checkIndices`, `mannerOf` and `readWindow` raise.
 */
export function readIndex(volume: Volume, box: Box, asked: ReadAsked): ReadAnswer {
  const manner = mannerOf(volume, asked);
  checkIndices(box, keptAxes(volume, manner.selection).length);
  return readRange(volume, storedGrid(volume), onEveryAxis(volume, manner.selection, box), manner);
}
