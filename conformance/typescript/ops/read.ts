import { storeOf } from "../src/documents/index.js";
import type { Warn } from "../src/errors.js";
import { makeGrid } from "../src/grid/index.js";
import * as read from "../src/read/index.js";
import type { NdArray } from "../src/resample/index.js";
import type { Element } from "../values.mjs";
import type { Input, Ops } from "./op.js";
import { ArrayValue, storeBytes } from "./values.js";

const numbers = (values: readonly (number | bigint)[]): readonly number[] => values.map(Number);
const box = ({ begin, end }: Input) => ({ begin: numbers(begin), end: numbers(end) });

function each(value: Input): number | readonly number[] | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? numbers(value) : Number(value);
}

const options = (open: Input = {}): read.OpenOptions => ({
  level: open.level,
  voxelSize: each(open.voxel_size),
  levelMode: open.level_mode,
  onMismatch: open.on_mismatch,
  padding: open.padding,
  method: open.method,
  select: open.select,
  units: open.units,
  baseVoxelSize: each(open.base_voxel_size),
  baseUnits: open.base_units,
  anchor: each(open.anchor),
  strictUnits: open.strict_units,
  separator: open.dimension_separator,
});

const opened = ({ store, path, open }: Input, warn: Warn): read.Volume =>
  read.openVolume(storeOf(storeBytes(store)), path, options(open), warn);

const asked = ({ padding, method, mask, select }: Input): read.ReadAsked => ({ padding, method, mask, select });

const array = ({ dtype, shape, data }: NdArray): ArrayValue =>
  new ArrayValue(dtype, shape, Array.from(data) as Element[]);

const answer = (found: read.ReadAnswer): unknown => ({
  array: array(found.array),
  ...(found.mask === undefined ? {} : { mask: array(found.mask) }),
});

function open(input: Input, warn: Warn): unknown {
  const { voxelSize, sourceVoxelSize, ...grid } = read.volumeGrid(opened(input, warn));
  return { ...grid, voxel_size: voxelSize, source_voxel_size: sourceVoxelSize };
}

function onto(input: Input, warn: Warn): unknown {
  const { grid, begin, end } = input;
  const volume = opened(input, warn);
  const other = makeGrid({
    shape: numbers(grid.shape),
    voxelSize: numbers(grid.voxel_size),
    translation: numbers(grid.translation),
    axes: grid.axes,
    units: grid.units,
  });
  const range = {
    ...(begin === undefined ? {} : { begin: numbers(begin) }),
    ...(end === undefined ? {} : { end: numbers(end) }),
  };
  return answer(read.readOnto(volume, other, { ...asked(input), ...range }));
}

export const ops: Ops = {
  "read.open": open,
  "read.index": (input, warn) => answer(read.readIndex(opened(input, warn), box(input), asked(input))),
  "read.world": (input, warn) => {
    const given = { voxelSize: each(input.voxel_size), anchor: each(input.anchor), strict: input.strict };
    return answer(read.readWorld(opened(input, warn), box(input.box), { ...asked(input), ...given }));
  },
  "read.onto": onto,
};
