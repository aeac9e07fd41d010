import { storeOf } from "../src/documents/index.js";
import * as write from "../src/write/index.js";
import { storeBytes } from "./values.js";
import type { Input, Ops } from "./op.js";

const numbers = (values: readonly (number | bigint)[]): readonly number[] => values.map(Number);
const optional = (values: Input): readonly number[] | undefined => (values === undefined ? undefined : numbers(values));
const each = (value: Input): number | readonly number[] => (Array.isArray(value) ? numbers(value) : Number(value));

const placed = ({ voxel_size, translation }: Input) => ({
  voxelSize: numbers(voxel_size),
  translation: numbers(translation),
});

const levelOf = ({ factors, origin }: Input): write.LevelOf => ({
  factors: each(factors),
  origin: origin === undefined ? undefined : each(origin),
});

const wanted = (input: Input): write.ArrayWanted => ({
  ...placed(input),
  shape: numbers(input.shape),
  dtype: input.dtype,
  format: input.format,
  chunks: optional(input.chunks),
  shards: input.shards === null ? null : optional(input.shards),
  axes: input.axes,
  units: input.units,
  axisTypes: input.axis_types,
  fillValue: input.fill_value,
  codecs: input.codecs,
  attributes: input.attrs,
  separator: input.separator,
  encoding: input.encoding,
  order: input.order,
  indexLocation: input.index_location,
});

const placement = ({
  voxelSize,
  translation,
}: {
  voxelSize: readonly number[];
  translation: readonly number[];
}): unknown => ({
  voxel_size: voxelSize,
  translation,
});

export const ops: Ops = {
  "write.multiscales": ({ axes, units, levels, version, axis_types: axisTypes, name, metadata }) =>
    write.multiscales({
      axes,
      axisTypes,
      units,
      levels: levels.map((level: Input) => ({ name: level.name, ...placed(level) })),
      version,
      name,
      metadata,
    }),
  "write.level_placement": (input) => placement(write.levelPlacement(placed(input), levelOf(input))),
  "write.level_shape": (input) => write.levelShape(numbers(input.shape), levelOf(input)),
  "write.array_document": (input) => write.arrayDocuments(wanted(input)),
  "write.differences": ({ store, path, wanted: asked }, warn) =>
    write.arrayDifferences(storeOf(storeBytes(store)), path, wanted(asked), warn),
  "write.merge": (input, warn) => {
    const { store, path, name, axes, units, axis_types: axisTypes, format, group_attrs: groupAttributes } = input;
    const level = { name, axes, units, axisTypes, format, groupAttributes, ...placed(input) };
    return write.mergedGroup(storeOf(storeBytes(store)), path, level, warn);
  },
  "write.plan": ({ shape, unit, begin, end, axes, select, partial }) =>
    write.writeUnits({
      shape: numbers(shape),
      unit: numbers(unit),
      begin: numbers(begin),
      end: numbers(end),
      axes,
      select,
      partial,
    }),
};
