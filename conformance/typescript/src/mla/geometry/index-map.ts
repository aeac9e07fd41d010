// How a stored array came from a source, and back.

import { PlacedError } from "../../errors.js";
import { type MlaArray, stridesOf, walk } from "./elements.js";

/** Axis k of the stored array is axis axes[k] of the source, turned round where flip[k]. */
export interface IndexMap {
  readonly axes: readonly number[];
  readonly flip: readonly boolean[];
}

function checkLength(list: readonly unknown[], name: string, count: number): void {
  if (list.length === count) return;
  const message = `${name} has ${list.length} entries, but the array has ${count} axes; an entry per axis belongs here`;
  throw new PlacedError("wrong_length", ["index_map", name], message);
}

function checkMap({ axes, flip }: IndexMap, count: number): void {
  checkLength(axes, "axes", count);
  checkLength(flip, "flip", count);
  if (axes.every((_, axis) => axes.includes(axis))) return;
  const message = `axes are ${axes.join(", ")}; each number from 0 to ${count - 1} belongs here once`;
  throw new PlacedError("wrong_value", ["index_map", "axes"], message);
}

/** The elements of `array` along axes of these sizes and strides, those of a negative stride from the end. */
function viewed<Element>(array: MlaArray<Element>, shape: readonly number[], strides: readonly number[]): MlaArray<Element> {
  const start = shape.reduce((sum, size, axis) => sum - Math.min(strides[axis] ?? 0, 0) * (size - 1), 0);
  const data: Element[] = [];
  walk(shape, strides, start, (offset) => data.push(array.data[offset] as Element));
  return { dtype: array.dtype, shape, data };
}

/**
 * A source array as it is stored. Errors: `wrong_length` at `["index_map", "axes"]` or `["index_map", "flip"]`, `wrong_value`
 * at the former for axes that are no order of the numbers from 0 up.
 */
export function applyIndexMap<Element>(map: IndexMap, source: MlaArray<Element>): MlaArray<Element> {
  checkMap(map, source.shape.length);
  const strides = stridesOf(source.shape);
  const shape = map.axes.map((axis) => source.shape[axis] ?? 0);
  const turned = map.axes.map((axis, k) => (strides[axis] ?? 0) * (map.flip[k] ? -1 : 1));
  return viewed(source, shape, turned);
}

/** A stored array in the index order of its source: the inverse of `applyIndexMap`, with its errors. */
export function invertIndexMap<Element>(map: IndexMap, stored: MlaArray<Element>): MlaArray<Element> {
  checkMap(map, stored.shape.length);
  const strides = stridesOf(stored.shape);
  const places = map.axes.map((_, axis) => map.axes.indexOf(axis));
  const shape = places.map((k) => stored.shape[k] ?? 0);
  const turned = places.map((k) => (strides[k] ?? 0) * (map.flip[k] ? -1 : 1));
  return viewed(stored, shape, turned);
}
