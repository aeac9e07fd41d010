// The dtypes of arrays: sizes, short forms, and which numbers they hold.

/** The letter of a kind of dtype. */
const KINDS: Readonly<Record<string, string>> = { bool: "b", int: "i", uint: "u", float: "f", complex: "c" };

interface Dtype {
  readonly kind: string;
  readonly bits: number;
}

function parse(dtype: string): Dtype {
  const found = /^(?:(bool)|(u?int)(8|16|32|64)|(float)(16|32|64)|(complex)(64|128))$/.exec(dtype);
  if (found === null) throw new RangeError(`${dtype} is no dtype of an .mla array`);
  const [, bool, integer, integerBits, float, floatBits, complex, complexBits] = found;
  return { kind: bool ?? integer ?? float ?? complex ?? "", bits: Number(integerBits ?? floatBits ?? complexBits ?? 8) };
}

/** How many bytes an element has. */
export const dtypeSize = (dtype: string): number => parse(dtype).bits / 8;

/** A dtype such as int16 in the short form that says how its bytes stand: `<i2`, `|u1`. */
export function dtypeCode(dtype: string): string {
  const { kind, bits } = parse(dtype);
  return `${bits === 8 ? "|" : "<"}${KINDS[kind] ?? ""}${bits / 8}`;
}

/** From these sizes on a number rounds to an infinity, half to even. */
const TOO_LARGE: Readonly<Record<number, number>> = { 16: 65520, 32: 2 ** 128 - 2 ** 103 };

function holdsFloat(bits: number, value: number | bigint): boolean {
  if (typeof value === "number" && !Number.isFinite(value)) return true;
  const limit = TOO_LARGE[bits];
  const size = value < 0 ? -value : value;
  return limit === undefined ? Number.isFinite(Number(value)) : size < limit;
}

/** Whether a dtype holds a value: floats are rounded half to even, and every dtype holds a boolean. */
export function holds(dtype: string, value: number | bigint | boolean): boolean {
  if (typeof value === "boolean") return true;
  const { kind, bits } = parse(dtype);
  if (kind === "float") return holdsFloat(bits, value);
  if (kind === "complex") return holdsFloat(bits / 2, value);
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  if (kind === "bool") return value == 0 || value == 1;
  const signed = kind === "int";
  const high = 2n ** BigInt(signed ? bits - 1 : bits);
  return BigInt(value) < high && BigInt(value) >= (signed ? -high : 0n);
}
