// Numbers as texts say them.

import { Fraction } from "../fraction.js";

const DECIMAL = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;

/** The least and greatest whole number of a kind, by the words `int8` to `uint64`. */
export function wholeRange(kind: string): readonly [bigint, bigint] | undefined {
  const found = /^(u?)int(8|16|32|64)$/.exec(kind);
  if (found === null) return undefined;
  const bits = BigInt(found[2] ?? 0);
  return found[1] === "u" ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

/** A whole number as it is answered: a bigint where doubles do not hold it. */
export function answered(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The whole number of at most some 300 digits that a decimal text says; undefined for others. */
export function parseWhole(text: string): bigint | undefined {
  const found = DECIMAL.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", part = "", exponent = "0"] = found;
  const digits = (whole + part).replace(/^0+/, "");
  if (whole + part === "") return undefined;
  if (digits === "") return 0n;
  const power = Number(exponent) - part.length;
  const kept = digits.replace(/0+$/, "");
  const shift = power + digits.length - kept.length;
  if (shift < 0 || shift + kept.length > 300) return undefined;
  const value = BigInt(kept) * 10n ** BigInt(shift);
  return sign === "-" ? -value : value;
}

/** The double nearest to a decimal text; undefined for other texts and for what is larger than all doubles. */
export function parseFloat64(text: string): number | undefined {
  const found = DECIMAL.exec(text);
  if (found === null || (found[2] ?? "") + (found[3] ?? "") === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Whether a decimal text says the number numerator / denominator exactly. */
export function isNumber(text: string, numerator: number, denominator: number): boolean {
  const value = /^[+-]?[0-9.]{1,40}$/.test(text) ? Fraction.parse(text) : undefined;
  return value !== undefined && value.equals(Fraction.of(numerator, denominator));
}

/** Less than, equal or greater than 0, as the bytes of two texts in UTF-8 compare. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at += 1;
  if (at === a.length || at === b.length) return a.length - b.length;
  // Halves of characters beyond 16 bits are behind all others.
  const isLow = (text: string): boolean => /[\udc00-\udfff]/.test(text[at] ?? "");
  const from = at > 0 && isLow(a) && isLow(b) ? at - 1 : at;
  return (a.codePointAt(from) ?? 0) - (b.codePointAt(from) ?? 0);
}
