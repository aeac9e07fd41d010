// Plain values as msgpack, each in its shortest form.

import { PlacedError } from "../errors.js";
import { isList, isMap, type Plain, type PlainMap } from "./plain.js";
import { encodeUtf8, hasUtf8 } from "./utf8.js";

class Writer {
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private length = 0;

  result(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private room(count: number): number {
    const start = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return start;
  }

  private unsigned(value: number, bytes: 1 | 2 | 4): void {
    const start = this.room(bytes);
    if (bytes === 1) this.view.setUint8(start, value);
    else if (bytes === 2) this.view.setUint16(start, value);
    else this.view.setUint32(start, value);
  }

  private raw(bytes: Uint8Array): void {
    // In this order: room may replace the array.
    const start = this.room(bytes.length);
    this.bytes.set(bytes, start);
  }

  /** A first byte and a length in 1, 2 or 4 bytes; one of the first bytes is absent where that form does not exist. */
  private head(length: number, byte1: number | undefined, byte2: number, byte4: number): void {
    if (byte1 !== undefined && length < 0x100) {
      this.unsigned(byte1, 1);
      this.unsigned(length, 1);
    } else if (length < 0x10000) {
      this.unsigned(byte2, 1);
      this.unsigned(length, 2);
    } else {
      this.unsigned(byte4, 1);
      this.unsigned(length, 4);
    }
  }

  value(value: Plain): void {
    if (value === null) this.unsigned(0xc0, 1);
    else if (typeof value === "boolean") this.unsigned(value ? 0xc3 : 0xc2, 1);
    else if (typeof value === "number") this.number(value);
    else if (typeof value === "bigint") this.integer(value);
    else if (typeof value === "string") this.text(value);
    else if (value instanceof Uint8Array) this.binary(value);
    else if (isMap(value)) this.map(value);
    else if (isList(value)) this.list(value);
  }

  private number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return this.integer(BigInt(value));
    this.unsigned(0xcb, 1);
    const start = this.room(8);
    this.view.setFloat64(start, value);
  }

  private integer(value: bigint): void {
    if (value < -(2n ** 63n) || value >= 2n ** 64n) {
      throw new PlacedError("not_representable", [], `${value} is beyond 64 bits; integers go from -2^63 to 2^64 - 1`);
    }
    if (value >= 0n) this.natural(value);
    else this.negative(value);
  }

  private natural(value: bigint): void {
    const number = Number(value);
    if (number < 0x80) this.unsigned(number, 1);
    else if (number < 2 ** 32) this.head(number, 0xcc, 0xcd, 0xce);
    else {
      this.unsigned(0xcf, 1);
      const start = this.room(8);
      this.view.setBigUint64(start, value);
    }
  }

  private negative(value: bigint): void {
    const number = Number(value);
    if (number >= -0x20) return this.unsigned(number + 0x100, 1);
    const size = number >= -0x80 ? 0 : number >= -0x8000 ? 1 : number >= -(2 ** 31) ? 2 : 3;
    this.unsigned(0xd0 + size, 1);
    const start = this.room(2 ** size);
    if (size === 0) this.view.setInt8(start, number);
    else if (size === 1) this.view.setInt16(start, number);
    else if (size === 2) this.view.setInt32(start, number);
    else this.view.setBigInt64(start, value);
  }

  private text(text: string): void {
    if (!hasUtf8(text)) throw new PlacedError("wrong_value", [], `the text ${JSON.stringify(text)} has half a surrogate pair`);
    const bytes = encodeUtf8(text);
    if (bytes.length < 32) this.unsigned(0xa0 + bytes.length, 1);
    else this.head(bytes.length, 0xd9, 0xda, 0xdb);
    this.raw(bytes);
  }

  private binary(bytes: Uint8Array): void {
    this.head(bytes.length, 0xc4, 0xc5, 0xc6);
    this.raw(bytes);
  }

  private list(items: readonly Plain[]): void {
    if (items.length < 16) this.unsigned(0x90 + items.length, 1);
    else this.head(items.length, undefined, 0xdc, 0xdd);
    for (const item of items) this.value(item);
  }

  private map(map: PlainMap): void {
    if (map.size < 16) this.unsigned(0x80 + map.size, 1);
    else this.head(map.size, undefined, 0xde, 0xdf);
    for (const [key, item] of map) {
      this.text(key);
      this.value(item);
    }
  }
}

/**
 * A map as msgpack: keys in their order, every value in its shortest form, floats as float64.
 * Errors, at `[]`: `not_representable` for an integer beyond 64 bits, `wrong_value` for text that has no UTF-8.
 */
export function encodeMap(map: PlainMap): Uint8Array {
  const writer = new Writer();
  writer.value(map);
  return writer.result();
}
