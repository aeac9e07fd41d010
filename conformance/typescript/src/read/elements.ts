// Elements of arrays from the bytes of chunks.

import type { FillValue } from "../documents/index.js";
import type { Element } from "../resample/index.js";

type Read = (view: DataView, at: number, little: boolean) => number | bigint;

/** The float that 16 bits are. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

const float32: Read = (view, at, little) => view.getFloat32(at, little);
const float64: Read = (view, at, little) => view.getFloat64(at, little);

/** The bytes of one number of a dtype, of a complex one of half an element, and how it is read. */
const NUMBERS: Readonly<Record<string, readonly [number, Read]>> = {
  bool: [1, (view, at) => view.getUint8(at)],
  int8: [1, (view, at) => view.getInt8(at)],
  int16: [2, (view, at, little) => view.getInt16(at, little)],
  int32: [4, (view, at, little) => view.getInt32(at, little)],
  int64: [8, (view, at, little) => view.getBigInt64(at, little)],
  uint8: [1, (view, at) => view.getUint8(at)],
  uint16: [2, (view, at, little) => view.getUint16(at, little)],
  uint32: [4, (view, at, little) => view.getUint32(at, little)],
  uint64: [8, (view, at, little) => view.getBigUint64(at, little)],
  float16: [2, (view, at, little) => half(view.getUint16(at, little))],
  float32: [4, float32],
  float64: [8, float64],
  complex64: [4, float32],
  complex128: [8, float64],
};

const isComplex = (dtype: string): boolean => dtype.startsWith("complex");

/** How many bytes an element of a dtype has. */
export const elementBytes = (dtype: string): number => (NUMBERS[dtype]?.[0] ?? NaN) * (isComplex(dtype) ? 2 : 1);

/** The first `count` elements of bytes; there are enough of them. */
export function elementsOf(bytes: Uint8Array, count: number, dtype: string, little: boolean): readonly Element[] {
  const [size, read] = NUMBERS[dtype] ?? [NaN, () => NaN];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = (position: number): number | bigint => read(view, position * size, little);
  if (dtype === "bool") return Array.from({ length: count }, (_, at) => number(at) !== 0);
  if (!isComplex(dtype)) return Array.from({ length: count }, (_, at) => number(at));
  return Array.from({ length: count }, (_, at) => [Number(number(2 * at)), Number(number(2 * at + 1))] as const);
}

/** A real value as an element of a dtype that holds it. */
export function elementOf(value: boolean | number | bigint, dtype: string): Element {
  if (dtype === "bool") return Boolean(value);
  if (dtype.endsWith("int64")) return BigInt(value);
  return isComplex(dtype) ? [Number(value), 0] : Number(value);
}

/** What a chunk that is absent reads as; zeros where the store says nothing. */
export function fillElement(fill: FillValue, dtype: string): Element {
  if (typeof fill === "object" && fill !== null) return fill;
  return elementOf(fill ?? 0, dtype);
}
