// A window of an array, from the chunks that it touches.

import type { Store } from "../documents/index.js";
import { type Box, boxShape, entry } from "../geometry/index.js";
import { unitsCovering } from "../grid/index.js";
import type { ArrayRecord } from "../placement/index.js";
import type { Element, NdArray } from "../resample/index.js";
import { type Chunk, readChunk, storedUnit } from "./chunks.js";
import { copyBox, fillBox, stridesOf } from "./copy.js";
import { fillElement } from "./elements.js";

/** A box less a position. */
const below = (box: Box, begin: readonly number[]): Box => ({
  begin: box.begin.map((from, axis) => from - entry(begin, axis)),
  end: box.end.map((to, axis) => to - entry(begin, axis)),
});

/** What a window holds of the object at an index of the grid of stored units. */
function partOf(window: Box, begin: readonly number[], unit: readonly number[]): Box {
  const part = below(window, begin);
  return {
    begin: part.begin.map((from) => Math.max(from, 0)),
    end: part.end.map((to, axis) => Math.min(to, entry(unit, axis))),
  };
}

/** Copies what a chunk holds of a part of its unit; where it ends before the part does, the rest is left. */
function copyPart(chunk: Chunk, part: Box, data: Element[], strides: readonly number[], to: readonly number[]): void {
  const end = part.end.map((bound, axis) => Math.min(bound, entry(chunk.shape, axis)));
  const size = end.map((bound, axis) => Math.max(0, bound - entry(part.begin, axis)));
  copyBox(size, { data: chunk.data, strides: stridesOf(chunk.shape), begin: part.begin }, { data, strides, begin: to });
}

/**
 * The voxels of a window that lies inside an array; absent chunks are the fill value, or 0 where there is none.
 *
 * Raises what `readChunk` raises.
 */
export function readWindow(store: Store, record: ArrayRecord, window: Box): NdArray {
  const { dtype, fillValue } = record;
  const shape = boxShape(window);
  const strides = stridesOf(shape);
  const data: Element[] = [];
  const unit = storedUnit(record);
  for (const index of unitsCovering(record.shape, unit, window)) {
    const begin = index.map((position, axis) => position * entry(unit, axis));
    const part = partOf(window, begin, unit);
    const to = part.begin.map((from, axis) => from + entry(begin, axis) - entry(window.begin, axis));
    const chunk = readChunk(store, record, index, part);
    const whole = chunk?.shape.every((size, axis) => size >= entry(part.end, axis)) ?? false;
    if (!whole) fillBox(boxShape(part), fillElement(fillValue, dtype), { data, strides, begin: to });
    if (chunk !== undefined) copyPart(chunk, part, data, strides, to);
  }
  return { dtype, shape, data };
}
