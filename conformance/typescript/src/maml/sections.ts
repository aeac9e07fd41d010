// The sections beside fields and extra, and the entries that they make.

import type { At } from "../errors.js";
import { mapOf } from "./fields.js";
import type { Place, Report } from "./problem.js";
import type { Context, Entry } from "./record.js";
import {
  isNull,
  pairOf,
  said,
  saysNothing,
  strip,
  type List,
  type Pair,
  type Table,
  type Text,
  type Tree,
} from "./tree.js";

/** An entry, and where a notice on it is told. */
export interface Told extends Entry {
  readonly section: string;
  readonly place: Place;
}

/** From a section's value, its name, and where the section stands. */
type Reader = (value: Tree, key: string, report: Report, place: Place) => Entry[];

const entry = (key: string, value: string, description = ""): Entry => ({ key, value, description });

/** A text, or a list of texts whose items may be maps of one pair; blank ones are left out. */
function textsOf(value: Tree, at: At, report: Report): string[] | string {
  if (value.kind === "text") return said(value);
  if (value.kind === "map") {
    report.add("shape", at, value, "a text or a list of texts belongs here");
    return [];
  }
  const texts = value.items.map((item, index) => itemText(item, [...at, index], report));
  return texts.filter((text) => text !== "");
}

function itemText(item: Tree, at: At, report: Report): string {
  if (item.kind === "text") return said(item);
  const [pair, ...others] = item.kind === "map" ? item.pairs : [];
  if (pair !== undefined && others.length === 0 && pair.value.kind === "text") {
    return strip(`${strip(pair.written)}: ${said(pair.value)}`);
  }
  report.add("shape", at, item, "an item is a text");
  return "";
}

const single: Reader = (value, key, report) => {
  if (value.kind === "text") return said(value) === "" ? [] : [entry(key, said(value))];
  report.add("shape", [key], value, `${key} is one text`);
  return [];
};

const repeated: Reader = (value, key, report) => {
  const texts = textsOf(value, [key], report);
  return (typeof texts === "string" ? [texts] : texts).filter((text) => text !== "").map((text) => entry(key, text));
};

const numbered: Reader = (value, key, report) => {
  const texts = textsOf(value, [key], report);
  if (typeof texts === "string") return texts === "" ? [] : [entry(key, texts)];
  return texts.map((text, index) => entry(`${key.slice(0, -1)}_${index + 1}`, text));
};

const keywords: Reader = (value, key, report, place) => {
  const texts = textsOf(value, [key], report);
  if (Array.isArray(texts) && texts.some((text) => text.includes(";"))) {
    report.note("separator", [key], place, "a keyword with a semicolon will be read as two");
  }
  const joined = Array.isArray(texts) ? texts.join(";") : texts;
  return joined === "" ? [] : [entry(key, joined)];
};

/** The items of a list of maps with certain keys. */
export function tablesOf(value: Tree, at: At, keys: readonly string[], report: Report): Table[] {
  if (value.kind !== "list") {
    if (!saysNothing(value) || value.kind === "map") report.add("shape", at, value, "a list of maps belongs here");
    return [];
  }
  const tables: Table[] = [];
  value.items.forEach((item, index) => {
    const table = mapOf(item);
    if (table === undefined) report.add("shape", [...at, index], item, "an item is a map");
    for (const pair of table?.pairs ?? []) {
      if (!keys.includes(pair.key)) {
        const message = `an item has no ${pair.key}`;
        if (report.isOpen) report.note("subkey-unknown", [...at, index, pair.key], pair, message);
        else report.add("subkey-unknown", [...at, index, pair.key], pair, message);
      }
    }
    tables.push(table ?? { kind: "map", pairs: [], line: item.line, column: item.column });
  });
  return tables;
}

function plainOf(table: Table, key: string, at: At, report: Report): string {
  const value = pairOf(table, key)?.value;
  if (value === undefined) return "";
  if (value.kind === "text") return said(value);
  report.add("shape", [...at, key], value, `${key} is a text`);
  return "";
}

const dois: Reader = (value, key, report) => {
  const found = tablesOf(value, [key], ["doi", "type"], report).map((table, index) => ({
    doi: plainOf(table, "doi", [key, index], report),
    type: plainOf(table, "type", [key, index], report),
  }));
  return found.filter(({ doi }) => doi !== "").map(({ doi, type }, index) => entry(`DOI_${index + 1}`, doi, type));
};

const PARTS = ["survey", "dataset", "table", "version"];

const depends: Reader = (value, key, report) => {
  const found = tablesOf(value, [key], PARTS, report).map((table, index) => {
    const parts = PARTS.map((part) => {
      const text = plainOf(table, part, [key, index], report);
      const place = pairOf(table, part)?.value ?? table;
      if (text.includes(";")) report.note("separator", [key, index, part], place, "a semicolon divides the parts");
      return text;
    });
    return parts;
  });
  const kept = found.filter((parts) => parts.some((part) => part !== ""));
  return kept.map((parts, index) => entry(`depends_${index + 1}`, parts.join(";")));
};

const RESERVED = ["ARROW:schema", "pandas", "maml", "table_meta_yaml"];
const RESERVED_BEGINNINGS = ["IVOA.VOTable-Parquet.", "column.", "table::len::"];

/** Whether files need a key themselves. */
export function isReserved(key: string): boolean {
  return RESERVED.includes(key) || RESERVED_BEGINNINGS.some((beginning) => key.startsWith(beginning));
}

function keyOf(table: Table, at: At, report: Report): string {
  const pair: Pair | undefined = pairOf(table, "key");
  const key = plainOf(table, "key", at, report);
  const place = pair?.value ?? table;
  if (pair === undefined || (pair.value.kind === "text" && key === "")) {
    report.add("key-missing", [...at, "key"], place, "an item of keyarray has a key");
  }
  if (isReserved(key)) report.add("reserved-key", [...at, "key"], place, `files need the key ${key} themselves`);
  if (key === "DATE" || key === "name") {
    report.note("reserved-key", [...at, "key"], place, `files have a key ${key} before this one`);
  }
  return key;
}

/** A scalar of a list as it stands, with its quotes. */
function quotedText(text: Text): string {
  const quote = text.style === "single" ? "'" : text.style === "double" ? '"' : "";
  return quote === "" ? strip(text.raw) : `${quote}${text.raw}${quote}`;
}

function listText(list: List, at: At, report: Report): string {
  const texts = list.items.map((item, index) => {
    if (item.kind === "text") return quotedText(item);
    report.add("shape", [...at, index], item, "a value is plain, or a list of plain ones");
    return "";
  });
  return `[${texts.join(", ")}]`;
}

function valueOf(table: Table, at: At, report: Report): string {
  const value = pairOf(table, "value")?.value;
  if (value === undefined) return "";
  if (value.kind === "text") return said(value);
  if (value.kind === "list") return listText(value, at, report);
  report.add("shape", at, value, "a value is plain, or a list of plain ones");
  return "";
}

const keyarray: Reader = (value, key, report) => {
  const found = tablesOf(value, [key], ["key", "value", "comment"], report).map((table, index) => {
    const at = [key, index];
    const isShaped = !(value.kind === "list" && value.items[index]?.kind === "list");
    const name = isShaped ? keyOf(table, at, report) : "";
    return entry(name, valueOf(table, [...at, "value"], report), plainOf(table, "comment", at, report));
  });
  return found.filter((item) => item.key !== "");
};

/** How each section is read, by its name in small letters. */
export const READERS: Readonly<Record<string, Reader>> = {
  survey: repeated,
  dataset: repeated,
  table: single,
  version: repeated,
  date: repeated,
  author: repeated,
  coauthors: numbered,
  dois,
  depends,
  description: repeated,
  comments: numbered,
  license: repeated,
  keywords,
  maml_version: repeated,
  keyarray,
};

/** Whether a section or anything in it says something. */
export function says(value: Tree): boolean {
  if (value.kind === "text") return !isNull(value) && strip(value.raw) !== "";
  return value.kind === "list" ? value.items.some(says) : value.pairs.some((pair) => says(pair.value));
}

/** Tells of keys of keyarray that another entry has. */
function tellShadowed(entries: readonly Told[], report: Report): void {
  const items = entries.filter((told) => told.section === "keyarray");
  const counts = new Map<string, number>();
  for (const { key } of entries) counts.set(key, (counts.get(key) ?? 0) + 1);
  const places = new Map(items.map((item) => [item.key, item.place]));
  for (const [key, place] of places) {
    if ((counts.get(key) ?? 0) < 2) continue;
    report.note("key-duplicate", ["keyarray"], place, `another entry has the key ${key} too`);
  }
}

/** The entries of all sections, in their order. */
export function readEntries(root: Table, context: Context, report: Report): Told[] {
  report.isOpen = context.version !== undefined;
  const entries: Told[] = [];
  for (const pair of root.pairs) {
    const reader = Object.hasOwn(READERS, pair.key) ? READERS[pair.key] : undefined;
    if (reader === undefined || (pair.key === "keyarray" && context.version === 0)) continue;
    const found = reader(pair.value, pair.key, report, pair);
    entries.push(...found.map((item) => ({ ...item, section: pair.key, place: pair })));
  }
  tellShadowed(entries, report);
  return entries;
}
