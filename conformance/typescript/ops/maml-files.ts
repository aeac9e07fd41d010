import {
  ArgumentError,
  childrenOf,
  fileItems,
  firstOf,
  makeSchema,
  MetadataError,
  parseMaml,
} from "../src/maml/index.js";
import { parseXml, readHeader, readTree, typedValue, typeWord, votableText, writeSidecar } from "../src/maml/index.js";
import type { Element, Field, FileColumn, FileMetadata, HeaderEntry, Maml, SchemaColumn } from "../src/maml/index.js";
import type { Quality, TableField } from "../src/maml/index.js";
import type { Input, Ops } from "./op.js";

function columnAnswer({ arraySize, colSize, ...words }: TableField) {
  return { ...words, array_size: arraySize, col_size: colSize };
}

function header(input: Input): unknown {
  const { columns, ...rest } = readHeader(input.items);
  return { columns: columns.map(columnAnswer), ...rest };
}

function schemaAnswer(column: SchemaColumn) {
  return {
    name: column.name,
    output_name: column.outputName,
    data_type: column.dataType,
    col_size: column.colSize,
    array_size: column.arraySize,
    is_limited: column.isLimited,
    is_protected: column.isProtected,
    is_nullable: column.isNullable,
    is_declared: column.isDeclared,
    is_enabled: column.isEnabled,
  };
}

const codesOf = (problems: readonly { code: string }[]) => ({ codes: problems.map(({ code }) => code) });

function schema(input: Input): unknown {
  const user = parseMaml(input.text);
  if ("problems" in user) return codesOf(user.problems);
  const base = input.base === undefined ? undefined : parseMaml(input.base);
  if (base !== undefined && "problems" in base) return codesOf(base.problems);
  const made = makeSchema(user.maml, base?.maml);
  return "problems" in made ? codesOf(made.problems) : made.columns.map(schemaAnswer);
}

/** An answer, or the code of what is refused. */
function orCodes(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (error instanceof MetadataError) return { codes: ["metadata"] };
    if (error instanceof ArgumentError) return { codes: ["argument"] };
    throw error;
  }
}

function fileColumn(column: Input): FileColumn {
  const { name, data_type, col_size = 1, array_size = 1, unit = "", info = "", ucd = "" } = column;
  return { name, dataType: data_type, colSize: col_size, arraySize: array_size, unit, info, ucd };
}

function fileEntry({ key, value, description = "", datatype = "" }: Input): HeaderEntry {
  return { key, value, description, datatype };
}

function metadataOf(input: Input): FileMetadata {
  const { columns, entries, date, maml } = input;
  const plain = { columns: columns.map(fileColumn), entries: entries.map(fileEntry), date };
  return maml === undefined ? plain : { ...plain, maml };
}

function items(input: Input): unknown {
  const content = "IVOA.VOTable-Parquet.content";
  return fileItems(metadataOf(input)).map(([key, value]) => [key, key === content ? null : value]);
}

/** The attributes of an element, and its description. */
function elementAnswer(element: Element) {
  const [description] = childrenOf(element, "DESCRIPTION");
  const attributes = Object.fromEntries(element.attributes);
  return description === undefined ? attributes : { ...attributes, description: description.text };
}

function votable(input: Input): unknown {
  const root = parseXml(votableText(metadataOf(input)));
  const table = firstOf(root, "TABLE");
  if (table === undefined) throw new Error("a VOTable has a table");
  return {
    version: root.attributes.get("version"),
    table: elementAnswer(table),
    params: childrenOf(table, "PARAM").map(elementAnswer),
    fields: childrenOf(table, "FIELD").map(elementAnswer),
  };
}

function qualityAnswer({ texts, miss }: Quality) {
  return { ...(texts.min === "" ? {} : { min: texts.min }), ...(texts.max === "" ? {} : { max: texts.max }), miss };
}

function fieldAnswer(field: Field) {
  return {
    name: field.name,
    data_type: field.dataType === null ? null : typeWord(field.dataType),
    col_size: field.colSize,
    array_size: field.arraySize,
    unit: field.unit,
    info: field.info,
    ucd: field.ucd,
    ...(field.qc === null ? {} : { qc: qualityAnswer(field.qc) }),
  };
}

function sidecarAnswer(maml: Maml) {
  return {
    entries: maml.entries.map(({ key, value, description }) => ({ key, value, description })),
    fields: maml.fields.map(fieldAnswer),
    col_map: maml.colMap.map(({ internal, external }) => [internal, external]),
    protected_cols: maml.protectedCols,
    nullable_cols: maml.nullableCols,
  };
}

function sidecar(input: Input): unknown {
  const read = input.text === undefined ? undefined : readTree(input.text, "yaml");
  if (read !== undefined && "problems" in read) return codesOf(read.problems);
  const written = writeSidecar({
    ...(read === undefined ? {} : { root: read.root }),
    columns: input.columns.map(fileColumn),
    added: input.added.map(fileEntry),
    qc: input.qc ?? {},
  });
  const again = parseMaml(written);
  return "problems" in again ? codesOf(again.problems) : sidecarAnswer(again.maml);
}

/** Ops on files and tables. */
export const fileOps: Ops = {
  "maml.header": header,
  "maml.schema": schema,
  "maml.typed_value": (input) => orCodes(() => typedValue(input.value, input.type)),
  "maml.file_items": (input) => orCodes(() => items(input)),
  "maml.votable": (input) => orCodes(() => votable(input)),
  "maml.sidecar": sidecar,
};
