import * as geometry from "../src/geometry/index.js";
import type { Box, Each, Placed } from "../src/geometry/index.js";
import type { Input, Ops } from "./op.js";

const numbers = (values: readonly (number | bigint)[]): readonly number[] => values.map(Number);
const each = (value: Input): Each => (Array.isArray(value) ? numbers(value) : Number(value));
const range = ({ begin, end }: Input): Box => ({ begin: numbers(begin), end: numbers(end) });
const box = ({ begin, end }: Input): Box => geometry.makeBox(numbers(begin), numbers(end));
const placed = ({ voxel_size, translation }: Input): Placed => ({
  voxelSize: numbers(voxel_size),
  translation: numbers(translation),
});

export const ops: Ops = {
  "geometry.snap": ({ value }) => geometry.snap(Number(value)),
  "geometry.index_range": (input) => geometry.indexRange(range(input), placed(input)),
  "geometry.alignment": (input) => geometry.alignment(range(input), placed(input)),
  "geometry.corner_to_centre": ({ corner, voxel_size, axes }) =>
    geometry.cornerToCentre(numbers(corner), numbers(voxel_size), axes),
  "geometry.box.facts": (input) => {
    const whole = box(input.box);
    return { shape: geometry.boxShape(whole), centre: geometry.boxCentre(whole), empty: geometry.isEmpty(whole) };
  },
  "geometry.box.intersect": (input) => geometry.intersect(box(input.box), box(input.other)) ?? null,
  "geometry.box.union": (input) => geometry.union(box(input.box), box(input.other)),
  "geometry.box.contains": (input) =>
    input.point === undefined
      ? geometry.containsBox(box(input.box), box(input.other))
      : geometry.containsPoint(box(input.box), numbers(input.point)),
  "geometry.box.grow": ({ box: whole, before, after }) =>
    geometry.grow(box(whole), each(before), after === undefined ? undefined : each(after)),
  "geometry.box.shift": ({ box: whole, by }) => geometry.shift(box(whole), each(by)),
  "geometry.box.snap": (input) => geometry.snapBox(box(input.box), placed(input), input.mode),
  "geometry.box.from_index": (input) => geometry.boxOfVoxels(range(input), placed(input)),
};
