// Boxes of voxels in flat data.

import { entry } from "../geometry/index.js";
import type { Element } from "../resample/index.js";

/** How many elements an array of a shape has. */
export const countOf = (shape: readonly number[]): number => shape.reduce((whole, size) => whole * size, 1);

/** How far apart in flat data in C order neighbours along each axis are. */
export function stridesOf(shape: readonly number[]): readonly number[] {
  const strides: number[] = Array.from({ length: shape.length }, () => 1);
  for (let axis = shape.length - 2; axis >= 0; axis -= 1)
    strides[axis] = (strides[axis + 1] ?? 1) * entry(shape, axis + 1);
  return strides;
}

/** Flat data: its elements, how far apart neighbours along each axis are, and the position of the box's first voxel. */
export interface Placed<T> {
  readonly data: T;
  readonly strides: readonly number[];
  readonly begin: readonly number[];
}

const firstOf = ({ strides, begin }: Placed<unknown>): number =>
  begin.reduce((sum, index, axis) => sum + index * entry(strides, axis), 0);

/** Runs a function on the positions, from and to, of every voxel of a box. */
function eachVoxel(
  size: readonly number[],
  from: Placed<unknown>,
  to: Placed<unknown>,
  visit: (from: number, to: number) => void,
): void {
  const walk = (axis: number, source: number, target: number): void => {
    if (axis === size.length) return visit(source, target);
    for (let step = 0; step < entry(size, axis); step += 1) {
      walk(axis + 1, source + step * entry(from.strides, axis), target + step * entry(to.strides, axis));
    }
  };
  walk(0, firstOf(from), firstOf(to));
}

/** Copies a box of `size` voxels from one place to another. */
export function copyBox(size: readonly number[], from: Placed<ArrayLike<Element>>, to: Placed<Element[]>): void {
  eachVoxel(size, from, to, (source, target) => {
    to.data[target] = from.data[source] as Element;
  });
}

/** Sets every voxel of a box to one value. */
export function fillBox(size: readonly number[], value: Element, to: Placed<Element[]>): void {
  eachVoxel(size, to, to, (_, target) => {
    to.data[target] = value;
  });
}

/** An array in C order from one whose axes are stored in another order: stored axis k is the array's axis order[k]. */
export function untransposed(
  data: readonly Element[],
  shape: readonly number[],
  order: readonly number[],
): readonly Element[] {
  const stored = stridesOf(order.map((axis) => entry(shape, axis)));
  const strides = shape.map((_, axis) => entry(stored, order.indexOf(axis)));
  const begin = shape.map(() => 0);
  const found: Element[] = [];
  copyBox(shape, { data, strides, begin }, { data: found, strides: stridesOf(shape), begin });
  return found;
}
