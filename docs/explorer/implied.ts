// Documents that are not given but follow from those that are, so that a group's document alone can be read.

import {
  type Format,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../../conformance/typescript/src/documents/index.js";
import type { Placement } from "../../conformance/typescript/src/placement/index.js";
import { folderOf, nameOf, objectIn, within, written } from "./documents.js";
import { multiscaleOf } from "./places.js";

type Texts = ReadonlyMap<string, string>;

const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);
const ones = (count: number): readonly number[] => Array.from({ length: count }, () => 1);

/** The keys that place an array, or name its axes, and hold a list with an entry for each. */
const LISTS = ["_ARRAY_DIMENSIONS", "axis_names", "voxel_size", "resolution", "offset", "scale", "axes"];

const lengthOf = (value: Json | undefined): number => (isList(value) ? value.length : 0);

/** How many axes attributes speak of, 0 where they do not tell. */
export function rankOf(attributes: JsonObject): number {
  const inner = [attributes["transform"], attributes["pixelResolution"]].filter(isObject);
  const lists = [
    ...LISTS.map((key) => attributes[key]),
    ...inner.flatMap((object) => ["axes", "scale", "translate", "dimensions"].map((key) => object[key])),
    attributes["pixelResolution"],
  ];
  return Math.max(0, ...lists.map(lengthOf));
}

const GROUP_KEYS = ["multiscales", "plate", "well", "bioformats2raw.layout", "omero", "labels"];

/** The `.zarray` of an array of an unknown shape. */
const zarrayOf = (count: number): Json => ({
  zarr_format: 2,
  shape: zeros(count),
  chunks: ones(count),
  dtype: "|u1",
  compressor: null,
  fill_value: null,
  order: "C",
  filters: null,
});

const zarrJsonOf = (count: number, attributes: JsonObject): Json => ({
  zarr_format: 3,
  node_type: "array",
  shape: zeros(count),
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: ones(count) } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [],
  attributes,
});

const n5Of = (count: number, attributes: JsonObject): Json => ({
  ...attributes,
  dimensions: zeros(count),
  blockSize: ones(count),
  dataType: "uint8",
});

/** What stands beside a `.zattrs` without a document that says whether it is of a group or of an array. */
function besideAttributes(texts: Texts, path: string, attributes: JsonObject): readonly (readonly [string, string])[] {
  const folder = folderOf(path);
  if ([".zarray", ".zgroup", "zarr.json"].some((name) => texts.has(within(folder, name)))) return [];
  const count = GROUP_KEYS.some((key) => key in attributes) ? 0 : rankOf(attributes);
  if (count > 0) return [[within(folder, ".zarray"), written(zarrayOf(count))]];
  return [[within(folder, ".zgroup"), '{"zarr_format": 2}']];
}

/** How many levels the factors of an N5 group are for. */
function factorLevels(attributes: JsonObject): readonly string[] {
  const factors = attributes["downsamplingFactors"] ?? attributes["scales"];
  const perLevel = isList(factors) && (attributes["downsamplingFactors"] === undefined || factors.some(isList));
  return perLevel && !("dimensions" in attributes) ? factors.map((_, level) => `s${level}`) : [];
}

/** The arrays of an N5 group that lists factors, and an N5 array whose dimensions are not given. */
function besideN5(texts: Texts, path: string, attributes: JsonObject): readonly (readonly [string, string])[] {
  if ("dimensions" in attributes || "multiscales" in attributes) return [];
  const folder = folderOf(path);
  const levels = factorLevels(attributes);
  const factors = attributes["downsamplingFactors"] ?? attributes["scales"];
  const count = Math.max(rankOf(attributes), isList(factors) ? lengthOf(factors[0]) : 0);
  if (count === 0) return [];
  const own = levels.map((level) => within(folder, `${level}/attributes.json`));
  if (levels.length > 0 && holdsBelow(texts, folder) && !own.some((one) => texts.has(one))) return [];
  if (levels.length === 0) {
    const placed = ["transform", "pixelResolution", "resolution", "voxel_size"].some((key) => key in attributes);
    return placed && !holdsBelow(texts, folder) ? [[path, written(n5Of(count, attributes))]] : [];
  }
  return own.flatMap((one): readonly (readonly [string, string])[] => {
    const value = objectIn(texts.get(one) ?? "{}");
    return value === undefined || "dimensions" in value ? [] : [[one, written(n5Of(count, value))]];
  });
}

/** Whether documents are given of arrays below a folder. */
const holdsBelow = (texts: Texts, folder: string): boolean =>
  [...texts.keys()].some((path) => folderOf(path) !== folder && path.startsWith(folder === "" ? "" : `${folder}/`));

/** Documents that follow from those that are given, by their paths. */
export function impliedDocuments(texts: Texts): ReadonlyMap<string, string> {
  const found = [...texts].flatMap(([path, text]): readonly (readonly [string, string])[] => {
    const attributes = objectIn(text);
    if (attributes === undefined) return [];
    if (nameOf(path) === ".zattrs") return besideAttributes(texts, path, attributes);
    return nameOf(path) === "attributes.json" ? besideN5(texts, path, attributes) : [];
  });
  return new Map(found);
}

/** The document of a level that is listed but not given, with the axes that are known; empty where none is. */
export function impliedArray(
  texts: Texts,
  path: string,
  format: Format,
  placed: Placement | null,
): ReadonlyMap<string, string> {
  const name = { zarr2: ".zarray", zarr3: "zarr.json", n5: "attributes.json", precomputed: "info" }[format];
  const own = texts.get(within(path, name));
  const value = objectIn(own ?? "{}") ?? {};
  const zattrs = objectIn(texts.get(within(path, ".zattrs")) ?? "{}") ?? {};
  const count = placed?.axes.length ?? (multiscaleOf(texts, folderOf(path))?.rank || rankOf({ ...zattrs, ...value }));
  if (count === 0 || format === "precomputed") return new Map();
  if (format === "zarr2") return new Map([[within(path, name), written(zarrayOf(count))]]);
  if (format === "n5") return new Map([[within(path, name), written(n5Of(count, value))]]);
  const attributes = isObject(value["attributes"]) ? value["attributes"] : {};
  return new Map([[within(path, name), written(zarrJsonOf(count, attributes))]]);
}
