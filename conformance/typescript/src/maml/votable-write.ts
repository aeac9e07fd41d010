// The VOTable of a file.

import type { HeaderEntry } from "./header.js";
import { checkMetadata, fileName, keysOf, typeSaid, type FileColumn, type FileMetadata } from "./metadata.js";
import { parseType, type DataType } from "./types.js";
import { escapeXml } from "./xml.js";

/** Attributes in their order, without those that say nothing. */
type Attributes = Readonly<Record<string, string>>;

const WORDS: Readonly<Record<string, string>> = {
  int32: "int",
  int64: "long",
  float32: "float",
  float64: "double",
  boolean: "boolean",
};
const FLOATS: Readonly<Record<string, string>> = { nan: "NaN", inf: "+Inf", "-inf": "-Inf" };
const TRUTHS: Readonly<Record<string, string>> = { true: "T", false: "F" };
const FRACTIONS: Readonly<Record<string, number>> = { ms: 4, us: 7, ns: 10 };

/** An element without children but a description. */
function element(name: string, attributes: Attributes, description: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value, true)}"`);
  const start = `<${name}${written.join("")}`;
  return description === "" ? `${start}/>` : `${start}>${descriptionText(description)}</${name}>`;
}

const descriptionText = (text: string): string => `<DESCRIPTION>${escapeXml(text, false)}</DESCRIPTION>`;

function valueAttributes(value: string, type: string): Attributes {
  const datatype = Object.hasOwn(WORDS, type) ? WORDS[type] : undefined;
  if (datatype === undefined) {
    const isPlain = /^[\u0000-\u007f]*$/.test(value);
    return { datatype: isPlain ? "char" : "unicodeChar", arraysize: "*", value };
  }
  const words = datatype === "boolean" ? TRUTHS : FLOATS;
  return { datatype, value: Object.hasOwn(words, value) ? (words[value] ?? value) : value };
}

function paramText(entry: HeaderEntry, keys: ReadonlySet<string>): string {
  const attributes = { name: entry.key, ...valueAttributes(entry.value, typeSaid(entry, keys)) };
  return element("PARAM", attributes, entry.description);
}

/** How many characters ISO 8601 needs for a value. */
function isoLength(type: DataType): number {
  if (type.base === "date") return 10;
  const whole = type.base === "time" ? 8 : 19;
  return whole + (FRACTIONS[type.unit ?? "us"] ?? 0) + (type.utc ? 1 : 0);
}

function typeAttributes(column: FileColumn, type: DataType): Attributes {
  const { colSize, arraySize } = column;
  const isVector = colSize > 1;
  const datatype = WORDS[type.base];
  if (datatype !== undefined) return isVector ? { datatype, arraysize: String(colSize) } : { datatype };
  if (type.base === "string") {
    return { datatype: "unicodeChar", arraysize: isVector ? `${arraySize}x${colSize}` : `${arraySize}*` };
  }
  const text = { datatype: "char", arraysize: isVector ? `${isoLength(type)}x${colSize}` : "*" };
  return type.base === "time" ? text : { ...text, xtype: "timestamp" };
}

function fieldText(column: FileColumn): string {
  const type = parseType(column.dataType) ?? { base: "string", unit: null, utc: false };
  const attributes = {
    name: column.name,
    ...typeAttributes(column, type),
    ...(column.unit === "" ? {} : { unit: column.unit }),
    ...(/^[A-Za-z0-9_.:;-]+$/.test(column.ucd) ? { ucd: column.ucd } : {}),
  };
  return element("FIELD", attributes, column.info);
}

/** The VOTable of a file as XML, by "Maml votables" of the specification; as checkMetadata throws. */
export function votableText(metadata: FileMetadata): string {
  checkMetadata(metadata);
  const { columns, entries, date } = metadata;
  const keys = keysOf(entries);
  const description = entries.find((entry) => entry.key === "description")?.value ?? "";
  const moment = { name: "DATE", datatype: "char", arraysize: "19", value: date };
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">',
    '<RESOURCE type="results">',
    `<TABLE name="${escapeXml(fileName(entries), true)}">`,
    ...(description === "" ? [] : [descriptionText(description)]),
    element("PARAM", moment, ""),
    ...entries.map((entry) => paramText(entry, keys)),
    ...columns.map(fieldText),
    "</TABLE>",
    "</RESOURCE>",
    "</VOTABLE>",
  ];
  return `${parts.join("\n")}\n`;
}
