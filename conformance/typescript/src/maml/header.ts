// What the keys and values of a parquet file say.

import type { At } from "../errors.js";
import { readMaml } from "./read.js";
import type { Maml } from "./record.js";
import { isReserved } from "./sections.js";
import { readTree } from "./tree.js";
import { parseSize } from "./types.js";
import { readVotable, type TableDocument, type TableField } from "./votable-read.js";
import { XmlError } from "./xml.js";

/** A key and its value. */
export type Item = readonly [key: string, value: string];

/** An entry of a file's metadata. */
export interface HeaderEntry {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  /** The type of the value; empty for text. */
  readonly datatype: string;
}

/** A document that cannot be read. */
export interface HeaderNotice {
  readonly code: string;
  readonly at: At;
}

/** What a file says; texts are empty where it says nothing. */
export interface Header {
  readonly columns: readonly TableField[];
  readonly entries: readonly HeaderEntry[];
  readonly date: string;
  readonly name: string;
  readonly notices: readonly HeaderNotice[];
}

const CONTENT = "IVOA.VOTable-Parquet.content";
const VERSION = "IVOA.VOTable-Parquet.version";
const COLUMN = /^column\.(.+)\.(unit|description|ucd|datatype|data_type|array_size|col_size)$/s;
const TYPES = /^(?:(?:int32|int64|float32|float64|boolean)(?:\[\])?|string\[\])$/;

/** The words that keys say of a column; of repeated ones the first. */
type Words = Map<string, string>;

function columnKeys(items: readonly Item[]): Map<string, Words> {
  const columns = new Map<string, Words>();
  for (const [key, value] of items) {
    const found = COLUMN.exec(key);
    if (found === null) continue;
    const [, name = "", written = ""] = found;
    const words = columns.get(name) ?? new Map<string, string>();
    const word = written === "data_type" ? "datatype" : written;
    if (!words.has(word)) words.set(word, value);
    columns.set(name, words);
  }
  return columns;
}

function sizeSaid(text: string): number | null {
  const size = text.trim() === "" ? null : parseSize(text);
  return typeof size === "number" ? size : null;
}

const EMPTY: Omit<TableField, "name"> = {
  unit: "",
  description: "",
  ucd: "",
  datatype: "",
  arraySize: null,
  colSize: null,
};

/** A column as its keys say; what they leave out as the field says. */
function columnOf(name: string, words: Words, field: TableField | undefined): TableField {
  const rest = field ?? EMPTY;
  const [array, column] = [words.get("array_size"), words.get("col_size")];
  return {
    name,
    unit: words.get("unit")?.trim() ?? rest.unit,
    description: words.get("description")?.trim() ?? rest.description,
    ucd: words.get("ucd") ?? rest.ucd,
    datatype: words.get("datatype") ?? rest.datatype,
    arraySize: array === undefined ? rest.arraySize : sizeSaid(array),
    colSize: column === undefined ? rest.colSize : sizeSaid(column),
  };
}

function columnsOf(keys: ReadonlyMap<string, Words>, fields: readonly TableField[]): TableField[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const told = [...keys].map(([name, words]) => columnOf(name, words, byName.get(name)));
  return [...told, ...fields.filter((field) => !keys.has(field.name))];
}

/** The position of `DATE` where it and `name` stand right behind the version; -1 where they do not. */
function momentAt(items: readonly Item[]): number {
  const version = items.findIndex(([key]) => key === VERSION);
  if (version < 0) return -1;
  return items[version + 1]?.[0] === "DATE" && items[version + 2]?.[0] === "name" ? version + 1 : -1;
}

function isTechnical(key: string): boolean {
  return COLUMN.test(key) || (isReserved(key) && !key.startsWith("column."));
}

/** Entries without their descriptions. */
function entriesOf(items: readonly Item[], moment: number): HeaderEntry[] {
  const entries: HeaderEntry[] = [];
  let at = 0;
  while (at < items.length) {
    const [key, value] = items[at] ?? ["", ""];
    const isMoment = moment >= 0 && (at === moment || at === moment + 1);
    at += 1;
    if (isMoment || isTechnical(key)) continue;
    const [next, type] = items[at] ?? ["", ""];
    const isTyped = next === `${key}.datatype` && TYPES.test(type);
    if (isTyped) at += 1;
    entries.push({ key, value, description: "", datatype: isTyped ? type : "" });
  }
  return entries;
}

/** Entries with the descriptions of parameters, the first of a name for the first. */
function described(
  entries: readonly HeaderEntry[],
  document: TableDocument | undefined,
  hasDate: boolean,
): HeaderEntry[] {
  const left = new Map<string, string[]>();
  for (const { name, description } of [...(document?.params ?? [])].reverse()) {
    left.set(name, left.get(name) ?? []);
    left.get(name)?.push(description);
  }
  if (hasDate) left.get("DATE")?.pop();
  return entries.map((entry) => ({ ...entry, description: left.get(entry.key)?.pop() ?? "" }));
}

function votableOf(xml: string | undefined, notices: HeaderNotice[]): TableDocument | undefined {
  if (xml === undefined) return undefined;
  try {
    return readVotable(xml);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    notices.push({ code: "votable", at: [CONTENT] });
    return undefined;
  }
}

/** What a MAML says, without what is wrong in it. */
function mamlOf(text: string | undefined, notices: HeaderNotice[]): Maml | undefined {
  if (text === undefined) return undefined;
  const read = readTree(text, "yaml");
  if ("root" in read) return readMaml(read.root, { role: "read" }, read.report);
  notices.push({ code: read.problems[0]?.code ?? "yaml", at: ["maml"] });
  return undefined;
}

function mamlColumns(maml: Maml | undefined): TableField[] {
  const fields = maml?.fields.filter((field) => field.name !== "") ?? [];
  return fields.map((field) => ({
    name: field.name,
    unit: field.unit,
    description: field.info,
    ucd: field.ucd,
    datatype: field.dataType?.base ?? "",
    arraySize: field.dataType?.base === "string" && field.arraySize !== "auto" ? field.arraySize : null,
    colSize: field.colSize === "auto" ? null : field.colSize,
  }));
}

/**
 * What a file says of its columns and of its table, by "Maml header" of the specification. No items are wrong.
 *
 * @param items in the order of the file, repeats included.
 */
export function readHeader(items: readonly Item[]): Header {
  const notices: HeaderNotice[] = [];
  const valueOf = (key: string): string | undefined => items.find((item) => item[0] === key)?.[1];
  const keys = columnKeys(items);
  const content = valueOf(CONTENT);
  const document = votableOf(content, notices);
  const moment = momentAt(items);
  const entries = described(entriesOf(items, moment), document, moment >= 0);
  const isAlone = keys.size === 0 && content === undefined;
  const maml = isAlone ? mamlOf(valueOf("maml"), notices) : undefined;
  const known = new Set(entries.map((entry) => entry.key));
  const added = maml?.entries.filter((entry) => !known.has(entry.key)) ?? [];
  return {
    columns: isAlone ? mamlColumns(maml) : columnsOf(keys, document?.fields ?? []),
    entries: [...entries, ...added.map(({ key, value, description }) => ({ key, value, description, datatype: "" }))],
    date: moment < 0 ? "" : (items[moment]?.[1] ?? ""),
    name: moment < 0 ? (document?.name ?? "") : (items[moment + 1]?.[1] ?? ""),
    notices,
  };
}
