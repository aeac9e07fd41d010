// The bytes of a metadata key: one msgpack map of plain values.

import { PlacedError } from "../errors.js";
import { isMap, type Plain, type PlainMap } from "./plain.js";
import { decodeUtf8 } from "./utf8.js";

/** How many maps and lists may stand in one another, the outermost map counted. */
const DEEPEST = 512;

const refuse = (message: string): PlacedError =>
  new PlacedError("not_msgpack", [], `the bytes are not one msgpack map of plain values: ${message}`);

/** An integer of 64 bits: a number where a number holds it. */
function integer(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

type Lengths = 1 | 2 | 4;

class Reader {
  private readonly view: DataView;
  private at = 0;
  private depth = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly onceOnly: boolean,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The one value of the bytes. */
  whole(): Plain {
    const value = this.value();
    const rest = this.bytes.length - this.at;
    if (rest > 0) throw refuse(`${rest} bytes stand behind it`);
    return value;
  }

  private take(count: number): number {
    const start = this.at;
    if (count > this.bytes.length - start) throw refuse(`they end after ${this.bytes.length} bytes, in the middle of a value`);
    this.at = start + count;
    return start;
  }

  private unsigned(bytes: Lengths): number {
    const start = this.take(bytes);
    if (bytes === 1) return this.view.getUint8(start);
    return bytes === 2 ? this.view.getUint16(start) : this.view.getUint32(start);
  }

  private text(length: number): string {
    const start = this.take(length);
    const text = decodeUtf8(this.bytes.subarray(start, start + length));
    if (text === undefined) throw refuse(`the text at byte ${start} is not UTF-8`);
    return text;
  }

  private binary(length: number): Uint8Array {
    const start = this.take(length);
    return this.bytes.slice(start, start + length);
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > DEEPEST) throw refuse(`maps and lists stand more than ${DEEPEST} deep in one another`);
  }

  private list(length: number): readonly Plain[] {
    this.enter();
    const items: Plain[] = [];
    for (let count = 0; count < length; count += 1) items.push(this.value());
    this.depth -= 1;
    return items;
  }

  private map(length: number): PlainMap {
    this.enter();
    const items = new Map<string, Plain>();
    let twice: string | undefined;
    for (let count = 0; count < length; count += 1) {
      const key = this.value();
      if (typeof key !== "string") throw refuse("a key of a map is no text");
      if (items.has(key)) twice ??= key;
      items.set(key, this.value());
    }
    this.depth -= 1;
    if (twice !== undefined && this.onceOnly) {
      throw new PlacedError("duplicate", [], `the key ${JSON.stringify(twice)} stands twice in one map`);
    }
    return items;
  }

  private extension(length: number): never {
    const type = this.view.getInt8(this.take(1));
    this.take(length);
    throw refuse(`an extension of type ${type} stands there${type === -1 ? ", which is a timestamp" : ""}`);
  }

  private value(): Plain {
    const first = this.unsigned(1);
    if (first < 0x80) return first;
    if (first < 0x90) return this.map(first & 0x0f);
    if (first < 0xa0) return this.list(first & 0x0f);
    if (first < 0xc0) return this.text(first & 0x1f);
    if (first >= 0xe0) return first - 0x100;
    return this.longForm(first);
  }

  private longForm(first: number): Plain {
    if (first === 0xc0) return null;
    if (first === 0xc2 || first === 0xc3) return first === 0xc3;
    if (first >= 0xca && first <= 0xd3) return this.number(first);
    if (first >= 0xd4 && first <= 0xd8) return this.extension(1 << (first - 0xd4));
    return this.lengthy(first);
  }

  private number(first: number): number | bigint {
    if (first <= 0xcb) return first === 0xca ? this.view.getFloat32(this.take(4)) : this.view.getFloat64(this.take(8));
    if (first === 0xcf) return integer(this.view.getBigUint64(this.take(8)));
    if (first < 0xcf) return this.unsigned((1 << (first - 0xcc)) as Lengths);
    if (first === 0xd0) return this.view.getInt8(this.take(1));
    if (first === 0xd1) return this.view.getInt16(this.take(2));
    return first === 0xd2 ? this.view.getInt32(this.take(4)) : integer(this.view.getBigInt64(this.take(8)));
  }

  private lengthy(first: number): Plain {
    if (first >= 0xd9 && first <= 0xdb) return this.text(this.unsigned((1 << (first - 0xd9)) as Lengths));
    if (first >= 0xc4 && first <= 0xc6) return this.binary(this.unsigned((1 << (first - 0xc4)) as Lengths));
    if (first >= 0xc7 && first <= 0xc9) return this.extension(this.unsigned((1 << (first - 0xc7)) as Lengths));
    if (first === 0xdc || first === 0xdd) return this.list(this.unsigned(first === 0xdc ? 2 : 4));
    if (first === 0xde || first === 0xdf) return this.map(this.unsigned(first === 0xde ? 2 : 4));
    throw refuse(`the byte ${first.toString(16)} begins no value`);
  }
}

/** Whether bytes begin as gzip does. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function refuseOlder(value: Plain | Uint8Array): void {
  if (!(value instanceof Uint8Array) || !isGzip(value)) return;
  throw new PlacedError("unsupported", [], "the metadata was written before version 1 of the format; only 1.x is read");
}

/**
 * The map that a metadata key holds.
 * Errors, at `[]`: `not_msgpack`; `duplicate` for a key twice in one map (in the header, where `onceOnly`; else the last one
 * counts); `unsupported` for what was written before version 1.
 */
export function decodeMap(bytes: Uint8Array, onceOnly: boolean): PlainMap {
  refuseOlder(bytes);
  const value = new Reader(bytes, onceOnly).whole();
  refuseOlder(value);
  if (!isMap(value)) throw refuse("the value is no map");
  return value;
}
