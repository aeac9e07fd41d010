// Chunks of an array, from a store.

import { joined, type N5Storage, type PrecomputedStorage, type Store, type Zarr2Storage } from "../documents/index.js";
import { type Box, entry } from "../geometry/index.js";
import { encodeKey } from "../keys/index.js";
import type { ArrayRecord } from "../placement/index.js";
import type { Element } from "../resample/index.js";
import { badChunk, type ChunkOf, rawElements, unread, zarr3Elements } from "./codecs.js";
import { countOf, untransposed } from "./copy.js";
import { elementBytes, elementsOf, fillElement } from "./elements.js";

/** A chunk as it is stored: elements in C order, which may reach beyond the array or end before the chunk does. */
export interface Chunk {
  readonly shape: readonly number[];
  readonly data: readonly Element[];
}

/** The shape that one stored object has: the shard, else the chunk. */
export const storedUnit = ({ shardShape, chunkShape }: ArrayRecord): readonly number[] => shardShape ?? chunkShape;

/** The key in the store of the object at an index of the grid of stored units. */
export function chunkKey(record: ArrayRecord, index: readonly number[]): string {
  const { storage, path, shape } = record;
  const key = encodeKey(index, {
    format: storage.format,
    separator: "separator" in storage ? storage.separator : undefined,
    encoding: "encoding" in storage && storage.format === "zarr3" ? storage.encoding : undefined,
    chunkShape: storedUnit(record),
    shape,
    origin: storage.format === "precomputed" ? storage.origin.slice(-3) : undefined,
  });
  return joined(path, key);
}

const reversedAxes = (shape: readonly number[]): readonly number[] => shape.map((_, axis) => axis).reverse();

function zarr2Chunk(bytes: Uint8Array, shape: readonly number[], storage: Zarr2Storage, of: ChunkOf): Chunk {
  const { compressor, filters, littleEndian, order } = storage;
  if (compressor !== null) throw unread(of.key, `the compressor ${String(compressor["id"])}`);
  if (filters.length > 0) throw unread(of.key, "filters");
  const data = rawElements(bytes, countOf(shape), littleEndian, of);
  return { shape, data: order === "F" ? untransposed(data, shape, reversedAxes(shape)) : data };
}

/** A block: a header of mode, axes and sizes, x first, then big-endian elements, x fastest. */
function n5Chunk(bytes: Uint8Array, axes: number, { compression }: N5Storage, of: ChunkOf): Chunk {
  const { type } = compression;
  if (type !== "raw") throw unread(of.key, `the compression ${String(type)}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = 4 + 4 * axes;
  if (bytes.length < header) throw badChunk(of.key, `it has ${bytes.length} bytes, and its header ${header}`);
  const mode = view.getUint16(0);
  if (mode > 1) throw unread(of.key, `blocks of mode ${mode}`);
  if (view.getUint16(2) !== axes) throw badChunk(of.key, `it has ${view.getUint16(2)} axes, and the array ${axes}`);
  const shape = Array.from({ length: axes }, (_, axis) => view.getUint32(4 + 4 * axis)).reverse();
  const content = bytes.subarray(header + 4 * mode);
  const [count, size] = [countOf(shape), elementBytes(of.dtype)];
  if (content.length < count * size) {
    throw badChunk(of.key, `it has ${content.length} bytes of data, and ${count * size} belong there`);
  }
  return { shape, data: elementsOf(content, count, of.dtype, false) };
}

/** A chunk is clipped to the volume, and x is stored fastest: C order of c, z, y, x. */
function precomputedChunk(
  bytes: Uint8Array,
  shape: readonly number[],
  { encoding, scale }: PrecomputedStorage,
  of: ChunkOf,
): Chunk {
  if (encoding !== "raw") throw unread(of.key, `the encoding ${encoding}`);
  if (scale["sharding"] !== undefined && scale["sharding"] !== null) throw unread(of.key, "shards");
  return { shape, data: rawElements(bytes, countOf(shape), true, of) };
}

/** The part of a unit that lies in the array. */
const clipped = ({ shape }: ArrayRecord, begin: readonly number[], unit: readonly number[]): readonly number[] =>
  unit.map((size, axis) => Math.min(size, entry(shape, axis) - entry(begin, axis)));

/**
 * The stored object at an index, right in a box of it (positions in the object); undefined where it is absent.
 *
 * Raises `bad_chunk`, and `unsupported` for what is not decoded here, at its key.
 */
export function readChunk(store: Store, record: ArrayRecord, index: readonly number[], box: Box): Chunk | undefined {
  const { storage, dtype, fillValue } = record;
  const key = chunkKey(record, index);
  const bytes = store.get(key);
  if (bytes === undefined) return undefined;
  const unit = storedUnit(record);
  const of = { key, dtype, fill: fillElement(fillValue, dtype) };
  if (storage.format === "zarr2") return zarr2Chunk(bytes, unit, storage, of);
  if (storage.format === "zarr3") return { shape: unit, data: zarr3Elements(bytes, unit, storage.codecs, box, of) };
  if (storage.format === "n5") return n5Chunk(bytes, unit.length, storage, of);
  const begin = index.map((position, axis) => position * entry(unit, axis));
  return precomputedChunk(bytes, clipped(record, begin, unit), storage, of);
}
