// The section of fields.

import {
  nameOf,
  odd,
  qualityOf,
  sizeOf,
  sourceOf,
  typeOf,
  ucdOf,
  unitOf,
  wordsOf,
  type FieldRoom,
  type WrittenSize,
} from "./field.js";
import type { Place, Report } from "./problem.js";
import type { Context, Field } from "./record.js";
import { pairOf, saysNothing, type Table, type Tree } from "./tree.js";

const KEYS = ["name", "unit", "info", "ucd", "data_type", "array_size", "col_size", "qc", "source"];
const MOST_COLUMNS = 10000;
const END = "_icol";

/** What an item that says nothing says: a map without keys. */
export function mapOf(item: Tree): Table | undefined {
  if (item.kind === "map") return item;
  return saysNothing(item) && item.kind === "text"
    ? { kind: "map", pairs: [], line: item.line, column: item.column }
    : undefined;
}

function tellUnknown(room: FieldRoom, table: Table): void {
  const isEarly = room.context.version !== undefined && room.context.version < 2;
  for (const pair of table.pairs) {
    const isKnown = KEYS.includes(pair.key) && !(isEarly && pair.key === "col_size");
    if (!isKnown) odd(room, "subkey-unknown", [...room.at, pair.key], pair, `a field has no ${pair.key}`);
  }
}

function tellAuto(room: FieldRoom, field: Field, size: WrittenSize): void {
  if (size.size !== "auto" || field.dataType === null || field.dataType.base === "string") return;
  const message = "only strings have an array_size that the data decides";
  room.report.add("array-auto-nonstring", [...room.at, "array_size"], size.place, message);
}

interface Read {
  readonly field: Field;
  readonly colSize: WrittenSize;
}

function fieldOf(room: FieldRoom, table: Table, position: number): Read {
  const name = nameOf(room, table);
  const dataType = typeOf(room, table);
  const expands = room.context.expands && name.endsWith(END);
  const colSize = sizeOf(room, table, "col_size", expands);
  const arraySize = sizeOf(room, table, "array_size", false);
  tellUnknown(room, table);
  const field: Field = {
    name,
    dataType,
    colSize: colSize.size,
    arraySize: arraySize.size,
    isLimited: arraySize.isWritten && arraySize.size !== "auto",
    ...unitOf(room, table),
    info: wordsOf(room, table, "info"),
    ucd: ucdOf(room, table),
    qc: qualityOf(room, table, dataType),
    source: sourceOf(room, table),
    line: table.line,
    position,
    namePlace: pairOf(table, "name")?.value ?? table,
  };
  tellAuto(room, field, arraySize);
  return { field, colSize };
}

/** Counts the columns that fields with several of them make. */
interface Budget {
  left: number;
}

function columnsOf(room: FieldRoom, read: Read, budget: Budget): Field[] {
  const { field, colSize } = read;
  if (!room.context.expands || !field.name.endsWith(END) || !colSize.isWritten) return [field];
  const count = Number(colSize.size);
  budget.left -= count;
  if (budget.left < 0) {
    const message = `fields make at most ${MOST_COLUMNS} columns`;
    room.report.add("limit", [...room.at, "col_size"], colSize.place, message);
    budget.left = 0;
    return [];
  }
  const stem = field.name.slice(0, -END.length);
  return Array.from({ length: count }, (_, index) => ({ ...field, name: `${stem}_${index + 1}`, colSize: 1 }));
}

/** Tells of names that are there already; one problem a field. */
function tellTwice(room: FieldRoom, columns: readonly Field[], names: Set<string>): void {
  const twice = columns.find((column) => column.name !== "" && names.has(column.name));
  if (twice !== undefined) {
    const message = `the name ${twice.name} is there already`;
    room.report.add("field-name-duplicate", [...room.at, "name"], twice.namePlace, message);
  }
  for (const column of columns) names.add(column.name);
}

/** The columns of the section; `root` is where a section that is not there is missed. */
export function readFields(section: Tree | undefined, context: Context, report: Report): Field[] {
  const place: Place = section ?? { line: 1, column: 0 };
  const isMissed = context.role !== "read";
  if (section === undefined || saysNothing(section) || (section.kind === "list" && section.items.length === 0)) {
    if (isMissed) report.add("fields-missing", ["fields"], place, "a table has at least one field");
    return [];
  }
  if (section.kind !== "list") {
    report.add("shape", ["fields"], section, "fields is a list");
    return [];
  }
  const names = new Set<string>();
  const budget = { left: MOST_COLUMNS };
  return section.items.flatMap((item, position) => {
    const room = { context, report, at: ["fields", position] };
    const table = mapOf(item);
    if (table === undefined) {
      report.add("shape", room.at, item, "a field is a map");
      return [];
    }
    const columns = columnsOf(room, fieldOf(room, table, position), budget);
    tellTwice(room, columns, names);
    return columns;
  });
}
