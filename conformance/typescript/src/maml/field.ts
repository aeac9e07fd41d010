// The keys of one field.

import type { At } from "../errors.js";
import { parseBound, parseMiss, type Bound, type Miss, type Side } from "./bounds.js";
import type { Place, Report } from "./problem.js";
import type { Context, Quality } from "./record.js";
import { isBlock, isNull, pairOf, said, strip, type List, type Table, type Text, type Tree } from "./tree.js";
import { parseSize, parseType, type DataType, type Size } from "./types.js";

/** Where problems of a field are told. */
export interface FieldRoom {
  readonly context: Context;
  readonly report: Report;
  readonly at: At;
}

/** Tells of what the specification lets pass and parquet does not. */
export function odd(room: FieldRoom, code: string, at: At, place: Place, message: string): void {
  if (room.context.version === undefined) room.report.add(code, at, place, message);
  else room.report.note(code, at, place, message);
}

/** The value of a key as text; undefined where it is absent or, which is told, a list or map. */
export function textOf(room: FieldRoom, table: Table, key: string): Text | undefined {
  const value = pairOf(table, key)?.value;
  if (value === undefined || value.kind === "text") return value;
  room.report.add("shape", [...room.at, key], value, `${key} is a text`);
  return undefined;
}

/** Whether a text may be a word; told where it is begun with a bar or `>`. */
function isWord(room: FieldRoom, key: string, text: Text): boolean {
  if (!isBlock(text)) return true;
  room.report.add("qc-block-scalar", [...room.at, key], text, `${key} is one word, no text begun with a bar or >`);
  return false;
}

/** The name of a field; empty where it has none that is allowed. */
export function nameOf(room: FieldRoom, table: Table): string {
  const at = [...room.at, "name"];
  if (pairOf(table, "name") === undefined) {
    room.report.add("field-name-missing", at, table, "a field has a name");
    return "";
  }
  const text = textOf(room, table, "name");
  if (text === undefined || !isWord(room, "name", text)) return "";
  const name = said(text);
  if (name === "") room.report.add("field-name-missing", at, text, "a field has a name");
  if (!/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) return name;
  room.report.add("shape", at, text, "a name is one line without control characters");
  return "";
}

/** The type of a field; null where it has none. */
export function typeOf(room: FieldRoom, table: Table): DataType | null {
  const at = [...room.at, "data_type"];
  const isAsked = room.context.role !== "read";
  if (pairOf(table, "data_type") === undefined) {
    if (isAsked) room.report.add("type-missing", at, table, "a field has a data_type");
    return null;
  }
  const text = textOf(room, table, "data_type");
  if (text === undefined || !isWord(room, "data_type", text)) return null;
  const word = said(text);
  if (word === "") {
    if (isAsked) room.report.add("type-missing", at, text, "a field has a data_type");
    return null;
  }
  const type = parseType(word, room.context.words);
  if (type === null && isAsked) odd(room, "type-invalid", at, text, `${word} is no type`);
  return type;
}

/** A size of a field, whether it is written, and where. */
export interface WrittenSize {
  readonly size: Size;
  readonly isWritten: boolean;
  readonly place: Place;
}

/** Whether `auto` is no size here. */
function refusesAuto(room: FieldRoom, key: string): boolean {
  const isColumns = key === "col_size" && room.context.version !== undefined;
  return room.context.role === "table-type" || isColumns;
}

/** A size of a field; 1 where it has none that is one. */
export function sizeOf(room: FieldRoom, table: Table, key: "col_size" | "array_size", expands: boolean): WrittenSize {
  const text = textOf(room, table, key);
  const none = { size: 1, isWritten: false, place: text ?? table };
  if (text === undefined || !isWord(room, key, text)) return none;
  const word = said(text);
  const size = parseSize(word);
  const isRefused = size === null || (size === "auto" && (expands || refusesAuto(room, key)));
  if (isRefused) {
    if (room.context.role !== "read")
      room.report.add("size-invalid", [...room.at, key], text, `${word} is no ${key} here`);
    return none;
  }
  return { size, isWritten: word !== "", place: text };
}

/** A text of a field without blanks around it; empty where it says nothing. */
export function wordsOf(room: FieldRoom, table: Table, key: string): string {
  const text = textOf(room, table, key);
  return text === undefined ? "" : said(text);
}

/** The unit of a field, empty where it has none; and whether it says that it has none. */
export function unitOf(room: FieldRoom, table: Table): { unit: string; isUnitless: boolean } {
  const unit = wordsOf(room, table, "unit");
  const isUnitless = unit.toLowerCase() === "unitless";
  return { unit: isUnitless ? "" : unit, isUnitless };
}

/** The words of ucd, joined. */
export function ucdOf(room: FieldRoom, table: Table): string {
  const value = pairOf(table, "ucd")?.value;
  return value?.kind === "list" ? joined(room, value) : wordsOf(room, table, "ucd");
}

function joined(room: FieldRoom, list: List): string {
  const words: string[] = [];
  list.items.forEach((item, index) => {
    if (item.kind === "text") words.push(said(item));
    else room.report.add("shape", [...room.at, "ucd", index], item, "ucd is a text or a list of texts");
  });
  return words.filter((word) => word !== "").join(";");
}

/** Where a column comes from. */
export function sourceOf(room: FieldRoom, table: Table): "file" | "computed" {
  const text = textOf(room, table, "source");
  const word = text === undefined ? "" : said(text);
  if (text !== undefined && !["", "file", "computed"].includes(word)) {
    odd(room, "shape", [...room.at, "source"], text, `source is file or computed, not ${word}`);
  }
  return word === "computed" ? "computed" : "file";
}

/** A bound, its text and where it stands. */
interface WrittenBound {
  readonly bound: Bound | null;
  readonly text: string;
  readonly place: Place;
}

function boundOf(room: FieldRoom, table: Table, side: Side, type: DataType | null): WrittenBound {
  const text = textOf(room, table, side);
  const none = { bound: null, text: "", place: text ?? table };
  if (text === undefined) return none;
  const at = [...room.at, side];
  if (isBlock(text)) {
    odd(room, "qc-block-scalar", at, text, `${side} is one word, no text begun with a bar or >`);
    return none;
  }
  const found = parseBound(said(text), side, type);
  if (found === null) return none;
  if ("operator" in found) return { bound: found, text: said(text), place: text };
  odd(room, found.code, at, text, `${said(text)} is no ${side} of this column`);
  return none;
}

function missOf(room: FieldRoom, table: Table): Miss {
  const text = textOf(room, table, "miss");
  if (text === undefined) return "unchecked";
  const miss = parseMiss(strip(text.raw));
  if (miss !== undefined) return miss;
  odd(room, "qc-miss", [...room.at, "miss"], text, `miss is Null, NA or blank, not ${text.raw}`);
  return "unchecked";
}

const QUALITY = ["min", "max", "miss"];

/** The bounds of a field; null where it has no qc. */
export function qualityOf(outer: FieldRoom, table: Table, type: DataType | null): Quality | null {
  const value: Tree | undefined = pairOf(table, "qc")?.value;
  if (value === undefined) return null;
  const room = { ...outer, at: [...outer.at, "qc"] };
  if (value.kind === "text" && (isNull(value) || said(value) === "")) {
    return { min: null, max: null, miss: "unchecked", texts: { min: "", max: "" }, places: { min: value, max: value } };
  }
  if (value.kind !== "map") {
    room.report.add("shape", room.at, value, "qc is a map of min, max and miss");
    return null;
  }
  for (const pair of value.pairs) {
    if (!QUALITY.includes(pair.key)) odd(room, "subkey-unknown", [...room.at, pair.key], pair, `qc has no ${pair.key}`);
  }
  const judged = outer.context.role === "read" && type?.base !== "boolean" ? null : type;
  const min = boundOf(room, value, "min", judged);
  const max = boundOf(room, value, "max", judged);
  return {
    min: min.bound,
    max: max.bound,
    miss: missOf(room, value),
    texts: { min: min.text, max: max.text },
    places: { min: min.place, max: max.place },
  };
}
