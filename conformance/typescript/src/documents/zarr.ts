// The documents of zarr arrays.

import type { Warn } from "../errors.js";
import {
  exactly,
  type Found,
  type FoundObject,
  listOf,
  member,
  needed,
  objectOf,
  stringOf,
  wholeOf,
  wrong,
} from "./document.js";
import { type ArrayFacts, chunkOf, dtypeOf, fillOf, type Separator, shapeOf } from "./facts.js";
import type { JsonObject } from "./json.js";

const KINDS: Readonly<Record<string, string>> = { i: "int", u: "uint", f: "float", c: "complex" };

/** The dtype of a zarr v2 array and whether it is little-endian. */
function typestring(found: Found): readonly [string, boolean] {
  const text = stringOf(found);
  const [, order, kind = "", bytes] = /^([<>|=])([biufc])(\d+)$/.exec(text) ?? [];
  const name = kind === "b" ? "bool" : `${KINDS[kind]}${8 * Number(bytes)}`;
  return [dtypeOf({ value: kind === "" ? text : name, at: found.at }), order !== ">"];
}

/** The value as one of a few words, or `wrong_type` or `wrong_value`. */
function word<Word extends string>(found: Found | undefined, words: readonly Word[], absent: Word): Word {
  if (found === undefined) return absent;
  const text = stringOf(found);
  const known = words.find((one) => one === text);
  if (known !== undefined) return known;
  throw wrong("wrong_value", found, `${words.join(" or ")} belongs there`);
}

const SEPARATORS: readonly Separator[] = [".", "/"];

const objects = (found: Found | undefined): readonly JsonObject[] =>
  found === undefined ? [] : listOf(found).map((entry) => objectOf(entry).value);

/** What a `.zarray` says; `separator` stands in place of the declared one. */
export function zarr2Facts(document: FoundObject, separator: Separator | undefined, warn: Warn): ArrayFacts {
  const format = member(document, "zarr_format");
  if (format !== undefined && wholeOf(format) !== 2) throw wrong("out_of_range", format, "2 belongs there");
  const shape = shapeOf(needed(document, "shape"));
  const [dtype, littleEndian] = typestring(needed(document, "dtype"));
  const compressor = member(document, "compressor");
  return {
    shape,
    dtype,
    chunkShape: exactly(needed(document, "chunks"), shape.length, chunkOf),
    shardShape: null,
    fillValue: fillOf(member(document, "fill_value"), dtype, warn),
    storage: {
      format: "zarr2",
      separator: separator ?? word(member(document, "dimension_separator"), SEPARATORS, "."),
      order: word(member(document, "order"), ["C", "F"], "C"),
      littleEndian,
      compressor: compressor === undefined ? null : objectOf(compressor).value,
      filters: objects(member(document, "filters")),
    },
  };
}

/** The configuration of a named extension, empty where there is none. */
function configuration(extension: FoundObject): FoundObject {
  const found = member(extension, "configuration");
  return found === undefined ? { value: {}, at: [...extension.at, "configuration"] } : objectOf(found);
}

function regularGrid(document: FoundObject, count: number): readonly number[] {
  const grid = objectOf(needed(document, "chunk_grid"));
  const name = needed(grid, "name");
  if (stringOf(name) !== "regular") throw wrong("unsupported", name, "only regular grids of chunks are read");
  return exactly(needed(configuration(grid), "chunk_shape"), count, chunkOf);
}

function chunkKeys(document: FoundObject): readonly ["default" | "v2", Separator] {
  const keys = objectOf(needed(document, "chunk_key_encoding"));
  const encoding = word<"default" | "v2">(needed(keys, "name"), ["default", "v2"], "default");
  const separator = member(configuration(keys), "separator");
  return [encoding, word(separator, SEPARATORS, encoding === "default" ? "/" : ".")];
}

/** The inner chunk of a sharded array; undefined where its codecs do not shard. */
function innerChunk(codecs: readonly FoundObject[], count: number): readonly number[] | undefined {
  const sharding = codecs.find((codec) => stringOf(needed(codec, "name")) === "sharding_indexed");
  return sharding && exactly(needed(configuration(sharding), "chunk_shape"), count, chunkOf);
}

/** What the zarr.json of an array says. */
export function zarr3Facts(document: FoundObject, warn: Warn): ArrayFacts {
  const shape = shapeOf(needed(document, "shape"));
  const dtype = dtypeOf(needed(document, "data_type"));
  const grid = regularGrid(document, shape.length);
  const [encoding, separator] = chunkKeys(document);
  const codecs = listOf(needed(document, "codecs")).map(objectOf);
  const inner = innerChunk(codecs, shape.length);
  return {
    shape,
    dtype,
    chunkShape: inner ?? grid,
    shardShape: inner === undefined ? null : grid,
    fillValue: fillOf(member(document, "fill_value"), dtype, warn),
    storage: { format: "zarr3", encoding, separator, codecs: codecs.map(({ value }) => value) },
  };
}
