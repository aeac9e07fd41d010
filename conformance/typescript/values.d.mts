// Types of values.mjs, for what is compiled.

export class Text {
  constructor(text: string);
  text: string;
}

export type Element = number | bigint | boolean | [number, number];

export class ArrayValue {
  constructor(dtype: string, shape: Iterable<number>, data: Iterable<Element>);
  dtype: string;
  shape: number[];
  data: Element[];
  bytes(): Uint8Array;
}

export function decode(value: unknown, where: string): unknown;
export function storeBytes(store: Record<string, unknown>): Record<string, Uint8Array>;
