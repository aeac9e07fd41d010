// The layout that the arguments of a constructor ask for, after what is recorded.

import { PlacedError } from "../errors.js";
import { type Compression, recordedCompression, resolveCompression } from "./compression.js";
import { type Layout, layoutFor, patchAxes, patchLengths } from "./layout-suggest.js";
import { isList, isMap, isWhole, type Plain, type PlainMap } from "./plain.js";
import { sizesOf } from "./sizes.js";

/** The array whose layout is sought. */
export interface LayoutArray {
  readonly shape: readonly number[];
  readonly dtype: string;
  /** The type of each axis. */
  readonly types: readonly string[];
}

/** What a caller asks for; absent: nothing is asked. */
export interface LayoutAsked {
  /** "default" where absent; null for none. */
  readonly patch?: Plain;
  readonly chunk?: Plain;
  readonly block?: Plain;
  readonly cparams?: PlainMap;
}

/** Chunk and block per axis, the patch length per axis that has one, and the compression. */
export interface ResolvedLayout extends Layout {
  /** null where no patch size decided. */
  readonly patch: readonly number[] | null;
  readonly compression: Compression;
}

type Placed = Omit<ResolvedLayout, "compression">;

/** Chunk and block are left to blosc2. */
const FREE: Layout = { chunk: [], block: [] };

const given = (value: Plain | undefined): value is Plain => value !== undefined && value !== null;

function checkExclusive({ patch = "default", chunk, block }: LayoutAsked): void {
  if (patch === null || patch === "default" || !(given(chunk) || given(block))) return;
  throw new PlacedError("conflict", ["patch_size"], "patch_size excludes chunk_size and block_size; give one or the other");
}

function needBoth(missing: string): PlacedError {
  return new PlacedError("missing_field", [missing], `chunk_size and block_size need each other; ${missing} is absent`);
}

/** Chunk and block that are given, cut off at the end of the array. */
function cutOff(chunk: Plain, block: Plain, shape: readonly number[]): Layout {
  const chunks = sizesOf(chunk, "chunk_size", shape.length);
  const blocks = sizesOf(block, "block_size", shape.length);
  blocks.forEach((size, axis) => {
    const most = chunks[axis] ?? size;
    if (size <= most) return;
    throw new PlacedError("conflict", ["block_size", axis], `a block is ${size} long, more than the ${most} of its chunk`);
  });
  const end = (sizes: readonly number[]): number[] => sizes.map((size, axis) => Math.min(size, shape[axis] ?? size));
  return { chunk: end(chunks), block: end(blocks) };
}

function recordedSizes(value: Plain | undefined, count: number): readonly Plain[] | undefined {
  if (!isList(value) || value.length !== count) return undefined;
  return value.every((size) => isWhole(size) && size >= 1) ? value : undefined;
}

function byPatch(array: LayoutArray, lengths: readonly number[]): Placed {
  return { ...layoutFor(array.shape, array.dtype, array.types, lengths), patch: lengths };
}

/** The layout where nothing is given. */
function byDefault(array: LayoutArray, recorded: PlainMap): Placed {
  const count = patchAxes(array.types).filter(Boolean).length;
  const patch = recordedSizes(recorded.get("patch_size"), count);
  if (patch !== undefined) return byPatch(array, patch.map(Number));
  const chunk = recordedSizes(recorded.get("chunk_size"), array.shape.length);
  const block = recordedSizes(recorded.get("block_size"), array.shape.length);
  if (chunk !== undefined && block !== undefined) return { ...cutOff(chunk, block, array.shape), patch: null };
  return byPatch(array, patchLengths("default", count));
}

function place(array: LayoutArray, asked: LayoutAsked, recorded: PlainMap): Placed {
  const { patch = "default", chunk, block } = asked;
  checkExclusive(asked);
  if (given(chunk) && given(block)) return { ...cutOff(chunk, block, array.shape), patch: null };
  if (given(chunk)) throw needBoth("block_size");
  if (given(block)) throw needBoth("chunk_size");
  if (patch === null) return { ...FREE, patch: null };
  if (patch === "default") return byDefault(array, recorded);
  return byPatch(array, patchLengths(patch, patchAxes(array.types).filter(Boolean).length));
}

/**
 * The layout that is asked for: what is given before what `storage` has recorded, and that before the default. An empty
 * chunk and block on an array that has axes leave the choice to blosc2.
 * Errors: `conflict`, `missing_field`, and those of sizes and of compression.
 */
export function resolveLayout(array: LayoutArray, asked: LayoutAsked, recorded: PlainMap = new Map()): ResolvedLayout {
  const placed = place(array, asked, recorded);
  const settings = recorded.get("compression");
  const compression = resolveCompression(array.dtype, asked.cparams ?? new Map(), isMap(settings) ? settings : undefined);
  if (array.shape.length === 0) return { ...FREE, patch: null, compression };
  return { ...placed, ...(array.shape.includes(0) ? FREE : {}), compression };
}

/** What `storage` records. */
export interface StorageRecord {
  readonly chunk_size?: readonly number[];
  readonly block_size?: readonly number[];
  readonly patch_size?: readonly number[];
  readonly compression?: Compression;
}

/** What `storage` records of a layout; nothing of an array that is not compressed (null). */
export function storageRecord(layout: Placed | null, compression: Compression = recordedCompression()): StorageRecord {
  if (layout === null) return {};
  const sizes = { chunk_size: layout.chunk, block_size: layout.block };
  return { ...sizes, ...(layout.patch === null ? {} : { patch_size: layout.patch }), compression };
}
