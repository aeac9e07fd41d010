// Elements of arrays, and how computed ones become elements of a dtype.

/** An element: a number, a bigint, a boolean of bool, [real, imaginary] of complex. */
export type Element = number | bigint | boolean | readonly [number, number];

/** An array: `data` flat in C order. Elements of 64-bit integers may be numbers where these are exact. */
export interface NdArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayLike<Element>;
}

export const isComplex = (dtype: string): boolean => dtype.startsWith("complex");
export const isFloat = (dtype: string): boolean => dtype.startsWith("float") || isComplex(dtype);

/** The nearest float16, half to even. */
export function roundToHalf(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), -14) - 10);
  const scaled = value / step;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = (up ? floor + 1 : floor) * step;
  return Math.abs(rounded) > 65504 ? Math.sign(rounded) * Infinity : rounded;
}

/** A double as the nearest float of a dtype, of a complex one as half of it. */
export function roundToFloat(dtype: string, value: number): number {
  if (dtype === "float16") return roundToHalf(value);
  return dtype === "float32" || dtype === "complex64" ? Math.fround(value) : value;
}

/** An exact integer as an element of an integer dtype or of bool. */
export function integerElement(dtype: string, value: bigint): Element {
  if (dtype === "bool") return value !== 0n;
  return dtype.endsWith("64") ? value : Number(value);
}
