// The documents of new arrays.

import { isObject, type Json, type JsonObject } from "../documents/index.js";
import { PlacedError } from "../errors.js";
import { checkLength, checkShape, checkUnit, checkWord, entry, type Placed } from "../geometry/index.js";
import { axesOfArray, type UnitsWanted, type WrittenAxes } from "./axes.js";
import { checkJson, given, placedOn } from "./checks.js";
import { type CodecsWanted, codecsJson, compressorJson } from "./codecs.js";
import { fillJson, type FillWanted } from "./fill.js";

/** A new array: sizes in voxels, C order; the place over the spatial axes or over every axis. */
export interface ArrayWanted extends Placed {
  readonly shape: readonly number[];
  /** A name of zarr v3, such as uint16. */
  readonly dtype: string;
  /** zarr2 or zarr3. */
  readonly format: string;
  /** The read chunk, of a sharded array the inner one; an error where absent. */
  readonly chunks?: readonly number[] | undefined;
  /** Zarr v3 only. */
  readonly shards?: readonly number[] | null | undefined;
  /** t, c, z, y, x from the back where absent. */
  readonly axes?: readonly string[] | undefined;
  /** nanometer where absent. */
  readonly units?: UnitsWanted | undefined;
  /** By name where absent. */
  readonly axisTypes?: readonly string[] | undefined;
  /** 0 where absent. */
  readonly fillValue?: FillWanted | undefined;
  /** zstd where absent. */
  readonly codecs?: CodecsWanted | undefined;
  readonly attributes?: JsonObject | undefined;
  /** `/` where absent; `.` with the encoding v2. */
  readonly separator?: string | undefined;
  /** Zarr v3: default or v2; default where absent. */
  readonly encoding?: string | undefined;
  /** Zarr v2: C or F; C where absent. */
  readonly order?: string | undefined;
  /** Of a shard's index: end or start; end where absent. */
  readonly indexLocation?: string | undefined;
}

/** A new array that was checked: what its documents say, placed on every axis. */
export interface PlannedArray {
  readonly format: "zarr2" | "zarr3";
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly chunks: readonly number[];
  readonly shards: readonly number[] | null;
  readonly axes: WrittenAxes;
  readonly placed: Placed;
  readonly fillValue: Json;
  /** Of zarr v2 the compressor, of zarr v3 all codecs. */
  readonly codecs: Json;
  readonly separator: string;
  readonly encoding: string;
  readonly order: string;
  readonly attributes: JsonObject;
}

const TYPESTRINGS: Readonly<Record<string, string>> = {
  ...{ bool: "|b1", int8: "|i1", int16: "<i2", int32: "<i4", int64: "<i8" },
  ...{ uint8: "|u1", uint16: "<u2", uint32: "<u4", uint64: "<u8" },
  ...{ float16: "<f2", float32: "<f4", float64: "<f8", complex64: "<c8", complex128: "<c16" },
};

/** Data types of numpy that hold no voxels: text, bytes, objects, times, records. */
const OTHER_TYPESTRINGS = /^[|<>=]?[USOMmVa]\d*(\[.*\])?$/;

/** The same of zarr, and narrow floats, by how their names begin. */
const OTHER_NAMES = /^(str|string|bytes|object|datetime|timedelta|bfloat|float8|null_|fixed_|variable_|struct|r\d)/;

function checkDtype(dtype: string): void {
  if (Object.hasOwn(TYPESTRINGS, dtype)) return;
  const known = Object.keys(TYPESTRINGS).join(", ");
  if (OTHER_TYPESTRINGS.test(dtype) || OTHER_NAMES.test(dtype)) {
    throw new PlacedError("unsupported", ["dtype"], `arrays of ${dtype} are not written; the dtypes are ${known}`);
  }
  throw new PlacedError("wrong_type", ["dtype"], `${dtype} is no data type; the dtypes are ${known}`);
}

function checkedShape(shape: readonly number[]): readonly number[] {
  if (shape.length === 0) throw new PlacedError("out_of_range", ["shape"], "shape is empty; an array has an axis");
  checkShape(shape, ["shape"]);
  return shape;
}

function checkedChunks(shape: readonly number[], chunks: readonly number[] | undefined): readonly number[] {
  if (chunks === undefined) {
    throw new PlacedError("missing_field", ["chunks"], "chunks is missing; the shape of a chunk is always given");
  }
  checkLength(chunks, shape.length, ["chunks"]);
  checkUnit(chunks, ["chunks"]);
  return chunks;
}

function checkedShards({ shards = null, format }: ArrayWanted, chunks: readonly number[]): readonly number[] | null {
  if (shards === null) return null;
  if (format === "zarr2") throw new PlacedError("unsupported", ["shards"], "zarr v2 has no shards; zarr3 has them");
  checkLength(shards, chunks.length, ["shards"]);
  checkUnit(shards, ["shards"]);
  const axis = shards.findIndex((size, position) => size % entry(chunks, position) !== 0);
  if (axis < 0) return shards;
  const message = `shards is ${shards[axis]} on axis ${axis}, which is no multiple of the ${chunks[axis]} of chunks`;
  throw new PlacedError("not_integral", ["shards", axis], message);
}

function shardingCodec(chunks: readonly number[], codecs: readonly JsonObject[], location: string): JsonObject {
  const configuration = {
    chunk_shape: chunks,
    codecs,
    index_codecs: [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }],
    index_location: location,
  };
  return { name: "sharding_indexed", configuration };
}

/** What each format alone has is refused in the other one. */
function checkFormat({ format, encoding, order, indexLocation }: ArrayWanted): void {
  checkWord(format, ["zarr2", "zarr3"], ["format"]);
  if (encoding !== undefined) checkWord(encoding, ["default", "v2"], ["encoding"]);
  if (order !== undefined) checkWord(order, ["C", "F"], ["order"]);
  if (indexLocation !== undefined) checkWord(indexLocation, ["end", "start"], ["index_location"]);
}

/** A new array, checked; errors are those of `arrayDocuments`. */
export function plannedArray(wanted: ArrayWanted): PlannedArray {
  checkFormat(wanted);
  const { dtype, encoding = "default", order = "C", indexLocation = "end", attributes = {} } = wanted;
  const format = wanted.format === "zarr2" ? "zarr2" : "zarr3";
  const shape = checkedShape(wanted.shape);
  const axes = axesOfArray(shape.length, wanted);
  const placed = placedOn(wanted, axes);
  checkDtype(dtype);
  const chunks = checkedChunks(shape, wanted.chunks);
  const shards = checkedShards(wanted, chunks);
  const fillValue = fillJson(wanted.fillValue === undefined ? 0 : wanted.fillValue, dtype, format);
  const separator = wanted.separator ?? (format === "zarr3" && encoding === "v2" ? "." : "/");
  checkWord(separator, [".", "/"], ["separator"]);
  const inner = format === "zarr2" ? compressorJson(wanted.codecs) : codecsJson(wanted.codecs, dtype);
  const codecs = shards === null ? inner : [shardingCodec(chunks, inner as readonly JsonObject[], indexLocation)];
  if (!isObject(attributes)) throw new PlacedError("wrong_type", ["attrs"], `attrs is ${JSON.stringify(attributes)}; it is an object`);
  checkJson(attributes, ["attrs"]);
  return {
    format,
    shape,
    dtype,
    chunks,
    shards,
    axes,
    placed,
    fillValue,
    codecs,
    separator,
    encoding,
    order,
    attributes,
  };
}

function zarr2Documents(array: PlannedArray): Readonly<Record<string, JsonObject>> {
  const { shape, chunks, dtype, codecs, fillValue, order, separator, attributes } = array;
  const document = {
    zarr_format: 2,
    shape,
    chunks,
    dtype: TYPESTRINGS[dtype] ?? dtype,
    compressor: codecs,
    fill_value: fillValue,
    order,
    filters: null,
    dimension_separator: separator,
  };
  return { ".zarray": document, ...(Object.keys(attributes).length > 0 ? { ".zattrs": attributes } : {}) };
}

/** The zarr.json of an array. */
export const zarr3Document = (array: PlannedArray): JsonObject =>
  given({
    zarr_format: 3,
    node_type: "array",
    shape: array.shape,
    data_type: array.dtype,
    chunk_grid: { name: "regular", configuration: { chunk_shape: array.shards ?? array.chunks } },
    chunk_key_encoding: { name: array.encoding, configuration: { separator: array.separator } },
    fill_value: array.fillValue,
    codecs: array.codecs,
    dimension_names: array.axes.names,
    attributes: array.attributes,
  });

/**
 * The documents of a new array, by their names in its folder: .zarray and, with attributes, .zattrs; or zarr.json.
 *
 * Raises `wrong_value` for words at their fields; `out_of_range` at ["shape"] for no axes; what `axesOfArray` raises;
 * errors of the place at its lists; `wrong_type` and `unsupported` at ["dtype"]; `missing_field` at ["chunks"];
 * `not_integral` and `unsupported` at ["shards"]; what `fillJson` and `codecsJson` raise; `not_finite` in ["attrs"].
 */
export function arrayDocuments(wanted: ArrayWanted): Readonly<Record<string, JsonObject>> {
  const array = plannedArray(wanted);
  return array.format === "zarr2" ? zarr2Documents(array) : { "zarr.json": zarr3Document(array) };
}
