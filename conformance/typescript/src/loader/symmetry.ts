// The symmetries of a cube: mirrored axes, then permuted ones.

import { PlacedError } from "../errors.js";

/** An array of any dtype: its elements flat, in C order. */
export interface Voxels<Element = unknown> {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayLike<Element>;
}

/** For each slot of the result the slot that it was, and whether each slot is mirrored before. */
export interface Symmetry {
  readonly perm: readonly number[];
  readonly flips: readonly boolean[];
}

const ORDERS: readonly (readonly number[])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/**
 * Where z, y and x stand in a layout of one letter per axis, counted from the end.
 *
 * @throws PlacedError `wrong_value` where there is none of them, `duplicate` where one stands twice
 */
export function spatialDims(axes: string): number[] {
  const letters = [...axes];
  const found = letters.filter((letter) => "zyx".includes(letter));
  if (found.length === 0) throw new PlacedError("wrong_value", ["axes"], `the layout ${axes} has none of z, y and x`);
  if (new Set(found).size !== found.length) {
    throw new PlacedError("duplicate", ["axes"], `the layout ${axes} has one of z, y and x twice`);
  }
  return letters.flatMap((letter, axis) => ("zyx".includes(letter) ? [axis - letters.length] : []));
}

/** The axes, from 0, that are slots 0, 1 and 2. */
function slotAxes(shape: readonly number[], dims: readonly number[]): number[] {
  const count = shape.length;
  if (count < 3) throw new PlacedError("wrong_length", ["array"], `an array of ${count} axes has no 3 to exchange`);
  const wrong = (code: string, text: string): never => {
    throw new PlacedError(code, ["spatial_dims"], text);
  };
  if (dims.length !== 3) wrong("wrong_length", `${dims.length} axes are given as slots; 3 belong there`);
  const axes = dims.map((dim) => {
    if (dim < -count || dim >= count) wrong("out_of_range", `an array of ${count} axes has no axis ${dim}`);
    return dim < 0 ? dim + count : dim;
  });
  if (new Set(axes).size !== 3) wrong("duplicate", `one axis stands twice in ${dims.join(", ")}`);
  return axes;
}

function checkSymmetry({ perm, flips }: Symmetry): void {
  if ([...perm].sort().join() !== "0,1,2") {
    throw new PlacedError("wrong_value", ["perm"], `${perm.join(", ")} is no order of 0, 1 and 2`);
  }
  if (flips.length !== 3) {
    throw new PlacedError("wrong_length", ["flips"], `${flips.length} entries; 3 belong there, one per slot`);
  }
}

/** The step of each axis in a flat array in C order. */
function steps(shape: readonly number[]): number[] {
  const result = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis -= 1) result[axis] = result[axis + 1]! * shape[axis + 1]!;
  return result;
}

/** A gathered copy: element (i0, i1, …) is the one at start + sum of i times the step of its axis. */
function gather<Element>(
  data: ArrayLike<Element>,
  shape: readonly number[],
  step: readonly number[],
  start: number,
): Element[] {
  let places = [start];
  shape.forEach((size, axis) => {
    places = places.flatMap((place) => Array.from({ length: size }, (_, i) => place + i * step[axis]!));
  });
  return places.map((place) => data[place]!);
}

/**
 * A symmetry of a cube, applied to three axes of an array of one size each; other axes, dtype and values stay.
 *
 * @param dims the axes that are slots 0, 1 and 2; negative ones are counted from the end
 * @throws PlacedError about the array, the slots or the symmetry
 */
export function rot90<Element>(
  array: Voxels<Element>,
  symmetry: Symmetry,
  dims: readonly number[] = [-3, -2, -1],
): Voxels<Element> {
  const { shape, data, dtype } = array;
  const axes = slotAxes(shape, dims);
  checkSymmetry(symmetry);
  const sizes = axes.map((axis) => shape[axis]!);
  if (sizes.some((size) => size !== sizes[0])) {
    throw new PlacedError("wrong_value", ["array"], `three axes of one size are rotated, not of ${sizes.join(", ")}`);
  }
  const plain = steps(shape);
  const step = [...plain];
  let start = 0;
  symmetry.perm.forEach((old, slot) => {
    const mirrored = symmetry.flips[old]!;
    const along = plain[axes[old]!]!;
    step[axes[slot]!] = mirrored ? -along : along;
    if (mirrored) start += Math.max(sizes[0]! - 1, 0) * along;
  });
  return { dtype, shape, data: gather(data, shape, step, start) };
}

/**
 * A symmetry of a cube, drawn.
 *
 * @param numbers four numbers of [0, 1): the first chooses the order, the others the mirrors of slots 0, 1 and 2
 * @param fixed the slot that is exchanged with no other one
 * @throws PlacedError `out_of_range` for a fixed slot that there is not
 */
export function drawSymmetry(numbers: readonly number[], fixed?: number): Symmetry {
  const [first = 0, ...mirrors] = numbers;
  const flips = mirrors.slice(0, 3).map((number) => number < 0.5);
  if (fixed === undefined) return { perm: ORDERS[Math.floor(first * 6)]!, flips };
  if (![0, 1, 2].includes(fixed)) {
    throw new PlacedError("out_of_range", ["fixed_axis"], `there is no slot ${fixed}; slots are 0 to 2`);
  }
  const exchanged = first < 0.5 ? [0, 1, 2].map((slot) => (slot === fixed ? slot : 3 - fixed - slot)) : [0, 1, 2];
  return { perm: exchanged, flips };
}
