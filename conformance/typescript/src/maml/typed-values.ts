// Values that a program gives as metadata.

import { hasRefused } from "./text.js";
import { strip } from "./tree.js";

/** What is no metadata of a table, or text that a header cannot hold. */
export class MetadataError extends Error {
  override readonly name = "MetadataError";
}

/** A text and the type of what it says; empty for text. */
export interface TypedText {
  readonly text: string;
  readonly datatype: string;
}

const TYPES: Readonly<Record<string, string>> = {
  int8: "int32",
  int16: "int32",
  int32: "int32",
  uint8: "int32",
  uint16: "int32",
  uint32: "int64",
  int64: "int64",
  uint64: "int64",
  float16: "float32",
  float32: "float32",
  float64: "float64",
};

/** The digits of a number without a point, and the power of ten of the first of them. */
function digitsOf(size: number, isSingle: boolean): { digits: string; power: number } {
  let written = size.toExponential();
  for (let count = 0; isSingle && count <= 9; count += 1) {
    const shorter = size.toExponential(count);
    if (Math.fround(Number(shorter)) !== size) continue;
    written = shorter;
    break;
  }
  const [mantissa = "", power = "0"] = written.split("e");
  return { digits: mantissa.replace(".", ""), power: Number(power) };
}

/**
 * A float with the fewest digits that give it back in its type.
 *
 * @param isSingle whether the type has 32 bits.
 */
export function floatText(value: number, isSingle: boolean): string {
  if (Number.isNaN(value)) return "nan";
  const held = isSingle ? Math.fround(value) : value;
  const sign = held < 0 || Object.is(held, -0) ? "-" : "";
  if (!Number.isFinite(held)) return `${sign}inf`;
  if (held === 0) return `${sign}0.0`;
  const { digits, power } = digitsOf(Math.abs(held), isSingle);
  if (power < -4 || power >= 16) {
    const size = String(Math.abs(power)).padStart(2, "0");
    const rest = digits.slice(1);
    return `${sign}${digits.slice(0, 1)}${rest === "" ? "" : `.${rest}`}e${power < 0 ? "-" : "+"}${size}`;
  }
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
  return `${sign}${whole}.${digits.slice(power + 1) || "0"}`;
}

function numberText(value: number | bigint, type: string | undefined): TypedText {
  const isWhole = typeof value === "bigint" || (Number.isInteger(value) && !Object.is(value, -0));
  const datatype = type === undefined ? (isWhole ? "int64" : "float64") : TYPES[type];
  if (datatype === undefined) throw new MetadataError(`${type} is no type of numbers`);
  if (datatype.startsWith("float")) return { text: floatText(Number(value), datatype === "float32"), datatype };
  if (!isWhole) throw new MetadataError(`${value} is not whole`);
  const whole = BigInt(value);
  if (BigInt.asIntN(64, whole) !== whole) throw new MetadataError(`${whole} has more than 64 bits`);
  return { text: String(whole), datatype };
}

function textOf(value: string): TypedText {
  if (hasRefused(value)) throw new MetadataError("a text of metadata holds no control characters");
  return { text: strip(value), datatype: "" };
}

function plainText(value: unknown, type: string | undefined): TypedText {
  if (typeof value === "string") return textOf(value);
  if (typeof value === "boolean") return { text: String(value), datatype: "boolean" };
  if (typeof value === "number" || typeof value === "bigint") return numberText(value, type);
  throw new MetadataError("metadata are texts, truth values, numbers and lists of these");
}

function quoted(text: string): string {
  const isPlain = text !== "" && !/[,[\]'"\\\n\r\u0085\u2028\u2029]/.test(text);
  return isPlain ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * A value as the text of an entry.
 *
 * @param value a text, a truth value, a number, or a list of one of these.
 * @param type of its numbers, such as `uint8`; where absent, whole ones are int64 and others float64.
 * @throws {MetadataError} for anything else.
 */
export function typedValue(value: unknown, type?: string): TypedText {
  if (!Array.isArray(value)) return plainText(value, type);
  const items = value.map((item: unknown) => plainText(item, type));
  const [datatype, ...others] = new Set(items.map((item) => item.datatype));
  if (datatype === undefined || others.length > 0) throw new MetadataError("items of a list are of one type");
  const texts = items.map((item) => (datatype === "" ? quoted(item.text) : item.text));
  return { text: `[${texts.join(", ")}]`, datatype: `${datatype === "" ? "string" : datatype}[]` };
}
