// What the first table of a VOTable says.

import { parseSize, parseType } from "./types.js";
import { childrenOf, firstOf, parseXml, XmlError, type Element } from "./xml.js";

/** A field; texts are empty and sizes null where nothing is said. */
export interface TableField {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly ucd: string;
  readonly datatype: string;
  readonly arraySize: number | null;
  readonly colSize: number | null;
}

/** A parameter; the description is empty where it has none. */
export interface TableParam {
  readonly name: string;
  readonly description: string;
}

/** What a VOTable says of its first table. */
export interface TableDocument {
  /** The table's name; empty where it has none. */
  readonly name: string;
  readonly fields: readonly TableField[];
  readonly params: readonly TableParam[];
}

const WORDS: Readonly<Record<string, string>> = { int: "int32", long: "int64", float: "float32", double: "float64" };
const MOST = 100000;
const TIMED = ["date", "time", "timestamp"];

const attribute = (element: Element, name: string): string => element.attributes.get(name)?.trim() ?? "";

/** The word of a type of a MAML for one of VOTable; other words stay. */
function wordOf(datatype: string, xtype: string): string {
  if (datatype === "char" || datatype === "unicodeChar") return TIMED.includes(xtype) ? xtype : "string";
  if (Object.hasOwn(WORDS, datatype)) return WORDS[datatype] ?? datatype;
  return parseType(datatype)?.base ?? datatype;
}

function numberOf(text: string | undefined): number | null {
  const size = text === undefined || !/^[0-9]+$/.test(text) ? null : parseSize(text);
  return typeof size === "number" ? size : null;
}

interface Sizes {
  readonly characters: number | null;
  readonly elements: number | null;
}

const UNSAID: Sizes = { characters: null, elements: null };

function textSizes(arraysize: string): Sizes {
  const [first = "", second, ...more] = arraysize.split("x");
  const characters = first === "*" ? null : numberOf(first.replace(/\*$/, ""));
  if (characters === null && first !== "*") return UNSAID;
  if (second === undefined) return { characters, elements: 1 };
  return { characters, elements: more.length > 0 ? null : numberOf(second) };
}

function sizesOf(datatype: string, arraysize: string | undefined): Sizes {
  const isText = datatype === "char" || datatype === "unicodeChar";
  if (arraysize === undefined || arraysize === "") {
    return parseType(datatype) === null ? { characters: 1, elements: 1 } : UNSAID;
  }
  return isText ? textSizes(arraysize) : { characters: null, elements: numberOf(arraysize) };
}

function descriptionOf(element: Element): string {
  return childrenOf(element, "DESCRIPTION")[0]?.text.trim() ?? "";
}

function fieldOf(element: Element): TableField {
  const written = attribute(element, "datatype");
  const datatype = wordOf(written, attribute(element, "xtype"));
  const sizes = sizesOf(written, element.attributes.get("arraysize")?.trim());
  return {
    name: element.attributes.get("name") ?? element.attributes.get("ID") ?? "",
    unit: attribute(element, "unit"),
    description: descriptionOf(element),
    ucd: attribute(element, "ucd"),
    datatype,
    arraySize: datatype === "string" ? sizes.characters : null,
    colSize: sizes.elements,
  };
}

/** What a VOTable says of its first table; of two fields of one name the first. Throws XmlError. */
export function readVotable(xml: string): TableDocument {
  const table = firstOf(parseXml(xml), "TABLE");
  const [written, parameters] = [childrenOf(table, "FIELD"), childrenOf(table, "PARAM")];
  if (written.length + parameters.length > MOST)
    throw new XmlError(`a table has at most ${MOST} fields and parameters`);
  const fields = new Map<string, TableField>();
  for (const field of written.map(fieldOf)) {
    if (field.name !== "" && !fields.has(field.name)) fields.set(field.name, field);
  }
  const params = parameters.map((param) => ({
    name: param.attributes.get("name") ?? "",
    description: descriptionOf(param),
  }));
  return { name: table?.attributes.get("name") ?? "", fields: [...fields.values()], params };
}
