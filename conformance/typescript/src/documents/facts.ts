// What the document of an array says of its storage, in the array's C order.

import type { Warn } from "../errors.js";
import { type Found, finiteOf, listOf, stringOf, wholeOf, wrong } from "./document.js";
import type { JsonObject } from "./json.js";

export type Format = "zarr2" | "zarr3" | "n5" | "precomputed";

/** What an absent chunk reads as: a complex number as [real, imaginary], null where the store says nothing. */
export type FillValue = null | boolean | number | bigint | readonly [number, number];

export type Separator = "." | "/";

/** How zarr v2 chunks are stored. */
export interface Zarr2Storage {
  readonly format: "zarr2";
  readonly separator: Separator;
  readonly order: "C" | "F";
  readonly littleEndian: boolean;
  readonly compressor: JsonObject | null;
  readonly filters: readonly JsonObject[];
}

/** How zarr v3 chunks are stored: the codecs of the array, in the order of encoding. */
export interface Zarr3Storage {
  readonly format: "zarr3";
  readonly encoding: "default" | "v2";
  readonly separator: Separator;
  readonly codecs: readonly JsonObject[];
}

/** How N5 blocks are stored; they are big-endian. */
export interface N5Storage {
  readonly format: "n5";
  readonly compression: JsonObject;
}

/** How the chunks of a precomputed scale are stored: `origin` is voxel_offset in C order, `scale` the raw entry. */
export interface PrecomputedStorage {
  readonly format: "precomputed";
  readonly origin: readonly number[];
  readonly encoding: string;
  readonly channels: number;
  readonly scale: JsonObject;
}

export type Storage = Zarr2Storage | Zarr3Storage | N5Storage | PrecomputedStorage;

/** What is stored: shapes in voxels, C order; `chunkShape` is what one read decodes, `shardShape` a zarr v3 shard. */
export interface ArrayFacts {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly chunkShape: readonly number[];
  readonly shardShape: readonly number[] | null;
  readonly fillValue: FillValue;
  readonly storage: Storage;
}

/** The dtypes that arrays have. */
export const DTYPES: readonly string[] = [
  ...["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
  ...["float16", "float32", "float64", "complex64", "complex128"],
];

/** The value as the name of a dtype, or `wrong_type` or `unsupported`. */
export function dtypeOf(found: Found): string {
  const name = stringOf(found);
  if (DTYPES.includes(name)) return name;
  throw wrong("unsupported", found, `the dtypes that are read are ${DTYPES.join(", ")}`);
}

/** The value as sizes of an array. */
export const shapeOf = (found: Found): readonly number[] => listOf(found).map((entry) => wholeOf(entry, 0));

/** The value as sizes of a chunk. */
export function chunkOf(entry: Found): number {
  const size = wholeOf(entry);
  if (size > 0) return size;
  throw wrong("not_positive", entry, "a chunk has at least one voxel");
}

const WORDS: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

/** The value as one real number of a dtype; a number in quotes counts, with a warning. */
function realFill(found: Found, dtype: string, warn: Warn): number | bigint {
  const { value } = found;
  const float = !/^u?int/.test(dtype);
  if (typeof value === "string") {
    if (float && Object.hasOwn(WORDS, value)) return WORDS[value] ?? NaN;
    if (/^[+-]?[0-9]+$/.test(value) || (float && /^[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$/.test(value))) {
      warn("wrong_type");
      return realFill({ value: parsed(value), at: found.at }, dtype, () => undefined);
    }
  }
  if (float || typeof value === "bigint") return typeof value === "bigint" ? value : finiteOf(found);
  return wholeOf(found);
}

function parsed(text: string): number | bigint {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^[+-]?[0-9]+$/.test(text) ? BigInt(text) : value;
}

function fits(value: number | bigint, dtype: string): boolean {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(dtype) ?? [];
  if (bits === undefined) return true;
  const size = BigInt(bits);
  const [low, high] = unsigned ? [0n, 1n << size] : [-(1n << (size - 1n)), 1n << (size - 1n)];
  return value >= low && value < high;
}

function booleanFill(found: Found, warn: Warn): boolean {
  if (typeof found.value === "boolean") return found.value;
  const value = realFill(found, "int64", warn);
  if (value == 0 || value == 1) return value == 1;
  throw wrong("not_representable", found, "an array of bool is filled with false or true");
}

/** The fill value of an array: `wrong_type`, or `not_representable` where the dtype does not hold it. */
export function fillOf(found: Found | undefined, dtype: string, warn: Warn): FillValue {
  if (found === undefined) return null;
  if (dtype === "bool") return booleanFill(found, warn);
  if (dtype.startsWith("complex") && Array.isArray(found.value)) {
    const [real, imaginary] = listOf(found).map((part) => Number(realFill(part, "float64", warn)));
    if (real !== undefined && imaginary !== undefined) return [real, imaginary];
  }
  const value = realFill(found, dtype, warn);
  if (fits(value, dtype)) return value;
  throw wrong("not_representable", found, `an array of ${dtype} does not hold it`);
}
