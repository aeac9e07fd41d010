// In what an array that exists is not the one that is wanted.

import type { FillValue, Json, JsonObject, Storage, Store } from "../documents/index.js";
import { isList, isObject } from "../documents/index.js";
import { PlacedError, type Warn } from "../errors.js";
import { entry, sameSize, TOLERANCE } from "../geometry/index.js";
import { type ArrayRecord, readArray } from "../placement/index.js";
import { parseUnit, sameUnit, scaled } from "../units/index.js";
import { type ArrayWanted, type PlannedArray, plannedArray } from "./array.js";
import { sameJson } from "./checks.js";
import { codecsJson, compressorJson } from "./codecs.js";

/** A field that differs, as it is found and as it is wanted. */
export interface Difference {
  readonly field: string;
  readonly found: Json;
  readonly wanted: Json;
}

const WORDS: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
const number = (value: Json): Json =>
  typeof value === "string" && Object.hasOwn(WORDS, value) ? (WORDS[value] ?? NaN) : value;

/** A fill value of a document as numbers. */
const valueOf = (fill: Json): Json => (isList(fill) ? fill.map(number) : number(fill));

/** Whether two fill values are one: NaN is NaN, null is only null. */
function sameFill(a: Json, b: Json): boolean {
  if (isList(a) && isList(b)) return a.every((part, position) => sameFill(part, b[position] ?? null));
  return (Number.isNaN(a) && Number.isNaN(b)) || sameJson(a, b);
}

/** A stored number per axis in the units wanted, where both units are known. */
function inUnits(values: readonly number[], found: ArrayRecord, wanted: PlannedArray): readonly number[] {
  return values.map((value, axis) => {
    const [from, to] = [parseUnit(found.units[axis]), parseUnit(wanted.axes.units[axis])];
    return from && to && from.dimension === to.dimension ? scaled(value, from.factor.div(to.factor)) : value;
  });
}

/** Whether centres agree, relatively or within the tolerance of a voxel. */
const sameCentre = (a: number, b: number, voxel: number): boolean =>
  Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b), voxel);

function placeDifferences(found: ArrayRecord, wanted: PlannedArray): readonly Difference[] {
  const { units } = wanted.axes;
  const { voxelSize, translation } = wanted.placed;
  const sizes = inUnits(found.voxelSize, found, wanted);
  const centres = inUnits(found.translation, found, wanted);
  const same = {
    units: found.units.every((unit, axis) => sameUnit(unit, units[axis])),
    voxel_size: sizes.every((size, axis) => sameSize(size, entry(voxelSize, axis))),
    translation: centres.every((centre, axis) => sameCentre(centre, entry(translation, axis), entry(voxelSize, axis))),
  };
  return [
    ...(same.units ? [] : [{ field: "units", found: found.units, wanted: units }]),
    ...(same.voxel_size ? [] : [{ field: "voxel_size", found: found.voxelSize, wanted: voxelSize }]),
    ...(same.translation ? [] : [{ field: "translation", found: found.translation, wanted: translation }]),
  ];
}

/** How chunks are compressed, keyed and ordered. */
interface Ways {
  readonly codecs: Json;
  readonly separator: string;
  readonly encoding: string;
  readonly order: string;
}

/** Codecs with everything filled in and no byte order, of chunks and of indices. */
function comparable(codecs: Json, dtype: string): Json {
  if (!isList(codecs)) return codecs;
  return quietly(codecs, () => codecsJson(codecs, dtype)).map((codec) => {
    if (!isObject(codec)) return codec;
    if (codec["name"] === "bytes") return { name: "bytes" };
    const configuration = codec["configuration"];
    if (codec["name"] !== "sharding_indexed" || !isObject(configuration)) return codec;
    const { codecs: inner = [], index_codecs: index = [], index_location: location = "end", ...rest } = configuration;
    const settings = {
      ...rest,
      codecs: comparable(inner, dtype),
      index_codecs: comparable(index, "uint64"),
      index_location: location,
    };
    return { name: "sharding_indexed", configuration: settings };
  });
}

/** What is filled in, or what is given where that is not written here. */
function quietly<T extends Json>(codecs: T, fill: () => T): T {
  try {
    return fill();
  } catch (error) {
    if (error instanceof PlacedError) return codecs;
    throw error;
  }
}

function waysOf(storage: Storage): Ways | undefined {
  if (storage.format === "zarr3") {
    return { codecs: storage.codecs, separator: storage.separator, encoding: storage.encoding, order: "C" };
  }
  if (storage.format !== "zarr2") return undefined;
  const { compressor, filters, separator, order } = storage;
  const filled = compressor && quietly<JsonObject | null>(compressor, () => compressorJson(compressor));
  return {
    codecs: filters.length > 0 ? { compressor: filled, filters } : filled,
    separator,
    encoding: "default",
    order,
  };
}

function warnOfWays(found: ArrayRecord, wanted: PlannedArray, warn: Warn): void {
  const ways = found.format === wanted.format ? waysOf(found.storage) : undefined;
  if (ways === undefined) return;
  if (!sameJson(comparable(ways.codecs, wanted.dtype), comparable(wanted.codecs, wanted.dtype))) warn("conflict");
  for (const field of ["separator", "encoding", "order"] as const) if (ways[field] !== wanted[field]) warn("conflict");
}

function fieldDifferences(found: ArrayRecord, wanted: PlannedArray): readonly Difference[] {
  const pairs: readonly (readonly [string, Json, Json])[] = [
    ["format", found.format, wanted.format],
    ["shape", found.shape, wanted.shape],
    ["dtype", found.dtype, wanted.dtype],
    ["chunks", found.chunkShape, wanted.chunks],
    ["shards", found.shardShape, wanted.shards],
  ];
  return pairs
    .filter(([, is, should]) => !sameJson(is, should))
    .map(([field, is, should]) => ({ field, found: is, wanted: should }));
}

function fillDifferences(fill: FillValue, found: ArrayRecord, wanted: PlannedArray): readonly Difference[] {
  const should = valueOf(wanted.fillValue);
  if (found.dtype !== wanted.dtype || sameFill(fill, should)) return [];
  return [{ field: "fill_value", found: fill, wanted: should }];
}

/**
 * Every field in which the array at a path is not the one wanted, in the order of the documents: format, shape, dtype,
 * chunks, shards, fill_value, axes, units, voxel_size, translation. A warning `conflict` for each of codecs, separator,
 * encoding and order that differs within one format.
 *
 * Raises what `readArray` and `arrayDocuments` raise.
 */
export function arrayDifferences(store: Store, path: string, asked: ArrayWanted, warn: Warn): readonly Difference[] {
  const wanted = plannedArray(asked);
  const found = readArray(store, path, {}, () => undefined);
  warnOfWays(found, wanted, warn);
  const facts = [...fieldDifferences(found, wanted), ...fillDifferences(found.fillValue, found, wanted)];
  if (found.shape.length !== wanted.shape.length) return facts;
  const { names } = wanted.axes;
  const renamed = found.axesNamed && !sameJson(found.axes, names);
  const axes = renamed ? [{ field: "axes", found: found.axes, wanted: names }] : [];
  return [...facts, ...axes, ...(found.placedBy === null ? [] : placeDifferences(found, wanted))];
}
