// The encodings $float, $int, $bytes, $text and $array.

import { CaseFileError } from "./strict-json.mjs";

/** Text that a store holds as UTF-8 as it stands. */
export class Text {
  constructor(text) {
    this.text = text;
  }
}

/** An array: `data` is flat in C order; numbers, bigints, booleans, or [real, imaginary]. */
export class ArrayValue {
  constructor(dtype, shape, data) {
    this.dtype = dtype;
    this.shape = Array.from(shape);
    this.data = Array.from(data);
  }

  /** The elements raw and little-endian, in C order. */
  bytes() {
    const { size, write } = DTYPES[this.dtype];
    const values = this.dtype.startsWith("complex") ? this.data.flat() : this.data;
    const view = new DataView(new ArrayBuffer(values.length * size));
    values.forEach((value, index) => write(view, index * size, value));
    return new Uint8Array(view.buffer);
  }
}

function float16(value) {
  // Round half to even onto the grid of spacing 2^-24 (subnormal) or 2^(exponent - 10).
  if (!Number.isFinite(value) || value === 0) return value;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), -14);
  const step = 2 ** (exponent - 10);
  const scaled = value / step;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = (up ? floor + 1 : floor) * step;
  return Math.abs(rounded) >= 65520 ? Math.sign(rounded) * Infinity : rounded;
}

function float16Bits(value) {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size / 2 ** -24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

const whole = (bits, signed) => {
  const low = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const high = signed ? 2n ** BigInt(bits - 1) : 2n ** BigInt(bits);
  return (value) => {
    const integer = typeof value === "bigint" || Number.isInteger(value);
    return integer && !Object.is(value, -0) && value >= low && value < high ? value : undefined;
  };
};
const floating = (round) => (value) => {
  const rounded = round(Number(value));
  const overflows = !Number.isFinite(rounded) && Number.isFinite(Number(value));
  return typeof value === "boolean" || overflows ? undefined : rounded;
};
const setter = (name) => (view, at, value) => view[name](at, value, true);
const bigSetter = (name) => (view, at, value) => view[name](at, BigInt(value), true);

/** dtype to the bytes of one element (or of half a complex one), how it is rounded and how it is written. */
const DTYPES = {
  bool: { size: 1, round: (v) => (typeof v === "boolean" ? v : undefined), write: (view, at, v) => view.setUint8(at, v ? 1 : 0) },
  int8: { size: 1, round: whole(8, true), write: setter("setInt8") },
  int16: { size: 2, round: whole(16, true), write: setter("setInt16") },
  int32: { size: 4, round: whole(32, true), write: setter("setInt32") },
  int64: { size: 8, round: whole(64, true), write: bigSetter("setBigInt64") },
  uint8: { size: 1, round: whole(8, false), write: setter("setUint8") },
  uint16: { size: 2, round: whole(16, false), write: setter("setUint16") },
  uint32: { size: 4, round: whole(32, false), write: setter("setUint32") },
  uint64: { size: 8, round: whole(64, false), write: bigSetter("setBigUint64") },
  float16: { size: 2, round: floating(float16), write: (view, at, v) => view.setUint16(at, float16Bits(v), true) },
  float32: { size: 4, round: floating(Math.fround), write: setter("setFloat32") },
  float64: { size: 8, round: floating((v) => v), write: setter("setFloat64") },
  complex64: { size: 4, round: floating(Math.fround), write: setter("setFloat32") },
  complex128: { size: 8, round: floating((v) => v), write: setter("setFloat64") },
};

const SPECIAL = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity, "-0": -0 };

const DECODERS = {
  $float(value, where) {
    if (typeof value !== "string" || !Object.hasOwn(SPECIAL, value)) {
      throw new CaseFileError(`${where}: ${JSON.stringify(value)} is none of ${Object.keys(SPECIAL).join(", ")}`);
    }
    return SPECIAL[value];
  },
  $int(value, where) {
    const fits = typeof value === "string" && /^-?[1-9][0-9]*$/.test(value);
    if (!fits || Number.isSafeInteger(Number(value))) {
      throw new CaseFileError(`${where}: ${JSON.stringify(value)} is not the decimal digits of an integer beyond 2^53 - 1`);
    }
    return BigInt(value);
  },
  $bytes(value, where) {
    const bytes = Buffer.from(String(value), "base64");
    if (bytes.toString("base64") !== value) throw new CaseFileError(`${where}: ${JSON.stringify(value)} is not base64`);
    return new Uint8Array(bytes);
  },
  $text(value, where) {
    if (typeof value !== "string") throw new CaseFileError(`${where}: ${JSON.stringify(value)} is not a string`);
    return new Text(value);
  },
  $array: decodeArray,
};

/** A JSON value with every encoded value in it decoded. */
export function decode(value, where) {
  if (Array.isArray(value)) return value.map((item, index) => decode(item, `${where}[${index}]`));
  if (value === null || typeof value !== "object") return value;
  const keys = Object.keys(value);
  const tag = keys.find((key) => Object.hasOwn(DECODERS, key));
  if (tag === undefined) {
    return Object.fromEntries(keys.map((key) => [key, decode(value[key], `${where}.${key}`)]));
  }
  if (keys.length !== 1) throw new CaseFileError(`${where}: ${tag} stands alone in its object`);
  return DECODERS[tag](value[tag], `${where}.${tag}`);
}

function decodeArray(value, where) {
  const keys = value !== null && typeof value === "object" ? Object.keys(value) : [];
  const sources = keys.filter((key) => ["data", "full", "iota"].includes(key));
  if (sources.length !== 1 || keys.length !== 3 || !keys.includes("dtype") || !keys.includes("shape")) {
    throw new CaseFileError(`${where}: an array has dtype, shape and one of data, full and iota, not ${keys}`);
  }
  const { dtype, shape } = value;
  if (!Object.hasOwn(DTYPES, dtype)) throw new CaseFileError(`${where}.dtype: ${dtype} is none of ${Object.keys(DTYPES)}`);
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new CaseFileError(`${where}.shape: ${JSON.stringify(shape)} is not a list of sizes`);
  }
  const count = shape.reduce((product, size) => product * size, 1);
  const data = elements(value, count, where).map((element) => rounded(element, dtype, where));
  return new ArrayValue(dtype, shape, data);
}

function elements(value, count, where) {
  if (value.full !== undefined) return Array(count).fill(decode(value.full, where));
  if (value.iota !== undefined) {
    const start = decode(value.iota.start, where);
    const step = decode(value.iota.step, where);
    const big = typeof start === "bigint" || typeof step === "bigint";
    return Array.from({ length: count }, (_, i) => (big ? BigInt(start) + BigInt(step) * BigInt(i) : start + step * i));
  }
  if (!Array.isArray(value.data) || value.data.length !== count) {
    throw new CaseFileError(`${where}.data: a flat list of ${count} elements belongs here`);
  }
  return value.data.map((element) => decode(element, where));
}

function rounded(element, dtype, where) {
  const { round } = DTYPES[dtype];
  const complex = dtype.startsWith("complex");
  const parts = complex && Array.isArray(element) && element.length === 2 ? element.map(round) : [round(element)];
  if (parts.includes(undefined) || parts.length !== (complex ? 2 : 1)) {
    throw new CaseFileError(`${where}: the element ${String(element)} is no ${dtype}`);
  }
  return complex ? parts : parts[0];
}

/** A decoded store as the bytes of each key. */
export function storeBytes(store) {
  return Object.fromEntries(Object.entries(store).map(([key, value]) => [key, stored(value)]));
}

function stored(value) {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayValue) return value.bytes();
  return new TextEncoder().encode(value instanceof Text ? value.text : json(value));
}

function json(value) {
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0.0";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(json).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${json(item)}`).join(", ")}}`;
}
