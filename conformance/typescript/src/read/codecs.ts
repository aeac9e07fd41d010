// Chunks of zarr v3, through their codecs.

import { isList, isObject, type Json, type JsonObject } from "../documents/index.js";
import { PlacedError } from "../errors.js";
import { type Box, entry, intersect } from "../geometry/index.js";
import { indicesIn } from "../grid/index.js";
import type { Element } from "../resample/index.js";
import { copyBox, countOf, stridesOf, untransposed } from "./copy.js";
import { crc32c } from "./crc32c.js";
import { elementBytes, elementsOf } from "./elements.js";

/** What chunks of an array hold: `key` is that of the chunk or shard, which errors are at. */
export interface ChunkOf {
  readonly key: string;
  readonly dtype: string;
  readonly fill: Element;
}

/** The error for a chunk that is not what its document says. */
export const badChunk = (key: string, what: string): PlacedError =>
  new PlacedError("bad_chunk", [key], `${key} is a bad chunk: ${what}`);

/** The error for chunks that are stored in a way that is not read. */
export const unread = (key: string, what: string): PlacedError =>
  new PlacedError("unsupported", [key], `${key} is stored with ${what}, which is not read here`);

/** The elements of raw bytes; `bad_chunk` unless there are exactly as many as belong there. */
export function rawElements(
  bytes: Uint8Array,
  count: number,
  little: boolean,
  { key, dtype }: ChunkOf,
): readonly Element[] {
  const wanted = count * elementBytes(dtype);
  if (bytes.length === wanted) return elementsOf(bytes, count, dtype, little);
  throw badChunk(key, `it has ${bytes.length} bytes, and ${wanted} belong there`);
}

const configuration = (codec: JsonObject): JsonObject => {
  const found = codec["configuration"];
  return isObject(found) ? found : {};
};

const codecs = (value: Json | undefined): readonly JsonObject[] => (isList(value) ? value.filter(isObject) : []);

const isBig = (codec: JsonObject): boolean => configuration(codec)["endian"] === "big";

const CHECKSUM = 4;

/** Bytes without the checksum behind them; `bad_chunk` where it is another one. */
function checked(bytes: Uint8Array, key: string): Uint8Array {
  const length = bytes.length - CHECKSUM;
  if (length < 0) throw badChunk(key, "it is too short for its checksum");
  const content = bytes.subarray(0, length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + length, CHECKSUM);
  if (view.getUint32(0, true) !== crc32c(content)) throw badChunk(key, "its checksum does not fit");
  return content;
}

/** Bytes as they were before codecs that turn bytes into bytes. */
function decodedBytes(bytes: Uint8Array, behind: readonly JsonObject[], key: string): Uint8Array {
  return [...behind].reverse().reduce((content, { name }) => {
    if (name === "crc32c") return checked(content, key);
    throw unread(key, `the codec ${String(name)}`);
  }, bytes);
}

/** An index's entry for a chunk that is absent. */
const ABSENT = 2n ** 64n - 1n;
const ENTRY = 16;

/** The offset and size of every inner chunk, in C order; undefined for an absent one. */
function indexOf(
  shard: Uint8Array,
  count: number,
  settings: JsonObject,
  key: string,
): readonly (readonly [number, number] | undefined)[] {
  const [first, ...behind] = codecs(settings["index_codecs"]);
  if (first?.["name"] !== "bytes" || behind.some(({ name }) => name !== "crc32c"))
    throw unread(key, "codecs of its index");
  const length = count * ENTRY + behind.length * CHECKSUM;
  if (shard.length < length) throw badChunk(key, `it has ${shard.length} bytes, and its index alone ${length}`);
  const atStart = settings["index_location"] === "start";
  const bytes = atStart ? shard.subarray(0, length) : shard.subarray(shard.length - length);
  const content = decodedBytes(bytes, behind, key);
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  return Array.from({ length: count }, (_, position) => {
    const offset = view.getBigUint64(position * ENTRY, !isBig(first));
    const size = view.getBigUint64(position * ENTRY + ENTRY / 2, !isBig(first));
    return offset === ABSENT && size === ABSENT ? undefined : [Number(offset), Number(size)];
  });
}

/** The part of a shard of some shape that lies in a box, the rest of it filled. */
function shardElements(
  shard: Uint8Array,
  shape: readonly number[],
  codec: JsonObject,
  box: Box,
  of: ChunkOf,
): readonly Element[] {
  const settings = configuration(codec);
  const chunk = (settings["chunk_shape"] as readonly number[]).map(Number);
  const counts = shape.map((size, axis) => Math.floor(size / entry(chunk, axis)));
  const index = indexOf(shard, countOf(counts), settings, of.key);
  const data = Array.from({ length: countOf(shape) }, () => of.fill);
  indicesIn({ begin: counts.map(() => 0), end: counts }).forEach((position, id) => {
    const begin = position.map((step, axis) => step * entry(chunk, axis));
    const whole = { begin, end: begin.map((from, axis) => from + entry(chunk, axis)) };
    const part = intersect(whole, box);
    const place = index[id];
    if (place === undefined || part === undefined) return;
    const [offset, size] = place;
    if (offset + size > shard.length)
      throw badChunk(of.key, `an inner chunk ends at byte ${offset + size} of ${shard.length}`);
    const inside = (values: readonly number[]): readonly number[] =>
      values.map((value, axis) => value - entry(begin, axis));
    const window = { begin: inside(part.begin), end: inside(part.end) };
    const inner = zarr3Elements(shard.subarray(offset, offset + size), chunk, codecs(settings["codecs"]), window, of);
    const zero = chunk.map(() => 0);
    copyBox(chunk, { data: inner, strides: stridesOf(chunk), begin: zero }, { data, strides: stridesOf(shape), begin });
  });
  return data;
}

/**
 * The elements of a zarr v3 chunk in C order, right in a box of it; what lies outside may be fill.
 *
 * Raises `bad_chunk`, and `unsupported` for codecs that are not read, at the chunk's key.
 */
export function zarr3Elements(
  bytes: Uint8Array,
  shape: readonly number[],
  chain: readonly JsonObject[],
  box: Box,
  of: ChunkOf,
): readonly Element[] {
  const [codec, ...rest] = chain;
  if (codec === undefined) throw unread(of.key, "no codec of arrays");
  if (codec["name"] === "transpose") {
    const order = configuration(codec)["order"];
    const axes = isList(order)
      ? order.map(Number)
      : order === "F"
        ? shape.map((_, axis) => axis).reverse()
        : shape.map((_, axis) => axis);
    const turned = (values: readonly number[]): readonly number[] => axes.map((axis) => entry(values, axis));
    const window = { begin: turned(box.begin), end: turned(box.end) };
    return untransposed(zarr3Elements(bytes, turned(shape), rest, window, of), shape, axes);
  }
  const content = decodedBytes(bytes, rest, of.key);
  if (codec["name"] === "bytes") return rawElements(content, countOf(shape), !isBig(codec), of);
  if (codec["name"] === "sharding_indexed") return shardElements(content, shape, codec, box, of);
  throw unread(of.key, `the codec ${String(codec["name"])}`);
}
