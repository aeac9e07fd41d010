// Targets made of labels: affinities, and objects without their borders.

import { PlacedError } from "../errors.js";
import type { Voxels } from "./symmetry.js";

/** Labels of axes (z, y, x), elements numbers or bigints. */
export type Labels = Voxels<number | bigint>;

const NEAREST: readonly (readonly number[])[] = [
  [-1, 0, 0],
  [0, -1, 0],
  [0, 0, -1],
];

function checkVolume(labels: Labels): void {
  if (labels.shape.length !== 3) {
    throw new PlacedError(
      "wrong_length",
      ["labels"],
      `labels have ${labels.shape.length} axes; 3 belong there, z, y and x`,
    );
  }
}

/** Calls `visit` with the flat position of each voxel and that of its neighbour, where both lie in the volume. */
function pairs(
  shape: readonly number[],
  offset: readonly number[],
  visit: (voxel: number, other: number) => void,
): void {
  const [, rows, columns] = shape as [number, number, number];
  const [from, to] = [
    shape.map((_, axis) => Math.max(0, -offset[axis]!)),
    shape.map((size, axis) => size - Math.max(0, offset[axis]!)),
  ];
  const distance = (offset[0]! * rows + offset[1]!) * columns + offset[2]!;
  for (let z = from[0]!; z < to[0]!; z += 1) {
    for (let y = from[1]!; y < to[1]!; y += 1) {
      const row = (z * rows + y) * columns;
      for (let x = from[2]!; x < to[2]!; x += 1) visit(row + x, row + x + distance);
    }
  }
}

const background = (label: number | bigint): boolean => label === 0 || label === 0n;

/**
 * Per offset a map of the voxels whose neighbour at that offset is in the same object.
 *
 * @param neighborhood offsets (z, y, x) of any size and sign; the nearest voxels before each where absent
 * @returns float32 of axes (c, z, y, x), a map of 0 and 1 per offset
 * @throws PlacedError `wrong_length` for labels of other axes and for an offset of other than three numbers
 */
export function affinities(labels: Labels, neighborhood: readonly (readonly number[])[] = NEAREST): Voxels<number> {
  checkVolume(labels);
  const { shape, data } = labels;
  const maps = neighborhood.map((offset, position) => {
    if (offset.length !== 3) {
      const text = `an offset has 3 numbers, z, y and x, not ${offset.length}`;
      throw new PlacedError("wrong_length", ["neighborhood", position], text);
    }
    const map = new Float32Array(data.length);
    pairs(shape, offset, (voxel, other) => {
      if (data[voxel] === data[other] && !background(data[voxel]!)) map[voxel] = 1;
    });
    return map;
  });
  return { dtype: "float32", shape: [maps.length, ...shape], data: maps.flatMap((map) => Array.from(map)) };
}

/** One step: what is 0 afterwards beside another label, compared before anything changes. */
function erodeOnce(
  data: readonly (number | bigint)[],
  shape: readonly number[],
  offsets: readonly (readonly number[])[],
): (number | bigint)[] {
  const result = [...data];
  for (const offset of offsets) {
    pairs(shape, offset, (voxel, other) => {
      if (data[voxel] !== data[other]) {
        for (const place of [voxel, other]) result[place] = typeof data[place] === "bigint" ? 0n : 0;
      }
    });
  }
  return result;
}

/**
 * Objects without their borders: in each step a voxel beside another label becomes 0.
 *
 * @param steps how often
 * @param onlyXy whether neighbours along z do not count
 * @returns labels of the same dtype and shape
 * @throws PlacedError `wrong_length` for labels of other axes, `out_of_range` for steps below 0
 */
export function erode(labels: Labels, steps = 1, onlyXy = false): Labels {
  checkVolume(labels);
  if (steps < 0) throw new PlacedError("out_of_range", ["steps"], `there are no ${steps} steps; 0 is the least`);
  const offsets = onlyXy ? NEAREST.slice(1) : NEAREST;
  let data: readonly (number | bigint)[] = Array.from(labels.data);
  for (let step = 0; step < steps; step += 1) {
    const next = erodeOnce(data, labels.shape, offsets);
    if (next.every((label, place) => label === data[place])) break;
    data = next;
  }
  return { dtype: labels.dtype, shape: labels.shape, data };
}
