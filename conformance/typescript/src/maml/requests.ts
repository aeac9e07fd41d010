// What extra asks for.

import type { At } from "../errors.js";
import type { Place, Report } from "./problem.js";
import type { Context, Field, Rename, Requests } from "./record.js";
import { isNull, pairOf, said, type Table, type Text, type Tree } from "./tree.js";

const NOTHING: Requests = {
  colMap: [],
  protectedCols: [],
  nullableCols: [],
  remap: [],
  filter: [],
  sort: [],
  places: { filter: [], sort: [] },
};

const isBlank = (value: Tree): boolean => value.kind === "text" && said(value) === "";

function itemsOf(extra: Table, key: string, report: Report): readonly Tree[] {
  const value = pairOf(extra, key)?.value;
  if (value === undefined || isBlank(value)) return [];
  if (value.kind === "list") return value.items;
  report.add("shape", ["extra", key], value, `${key} is a list`);
  return [];
}

function renamesOf(extra: Table, key: string, report: Report): Rename[] {
  return itemsOf(extra, key, report).flatMap((item, position) => {
    const [pair, ...others] = item.kind === "map" ? item.pairs : [];
    const internal = pair?.written.trim() ?? "";
    const external = pair?.value.kind === "text" ? said(pair.value) : "";
    if (internal !== "" && external !== "" && others.length === 0) {
      return [{ internal, external, position, line: item.line, column: item.column }];
    }
    report.add("shape", ["extra", key, position], item, "an item is a pair of two names");
    return [];
  });
}

/** A name in a list of columns, its position and its place. */
interface Named {
  readonly name: string;
  readonly at: At;
  readonly place: Text;
}

function namesOf(extra: Table, key: string, report: Report): Named[] {
  const value = pairOf(extra, key)?.value;
  if (value?.kind === "text") {
    const parts = isNull(value) ? [] : said(value).split(";");
    const names = parts.map((part) => part.trim()).filter((name) => name !== "");
    return names.map((name, index) => ({ name, at: ["extra", key, index], place: value }));
  }
  return itemsOf(extra, key, report).flatMap((item, index) => {
    const at = ["extra", key, index];
    if (item.kind === "text") return said(item) === "" ? [] : [{ name: said(item), at, place: item }];
    report.add("shape", at, item, "a name is a text");
    return [];
  });
}

function listsOf(
  extra: Table,
  fields: readonly Field[],
  report: Report,
): Pick<Requests, "protectedCols" | "nullableCols"> {
  const [first, second] = ["protected_cols", "nullable_cols"].map((key) => namesOf(extra, key, report));
  const known = new Set(fields.map((field) => field.name));
  const inFirst = new Set(first?.map((named) => named.name));
  for (const named of [...(first ?? []), ...(second ?? [])]) {
    if (known.has(named.name)) continue;
    report.add("protected-unknown", named.at, named.place, `${named.name} is no field`);
  }
  for (const named of second ?? []) {
    if (!inFirst.has(named.name) || !known.has(named.name)) continue;
    report.add("protected-nullable", named.at, named.place, `${named.name} is in both lists`);
  }
  return { protectedCols: (first ?? []).map(({ name }) => name), nullableCols: (second ?? []).map(({ name }) => name) };
}

function textsOf(extra: Table, key: string, report: Report): { texts: string[]; places: Place[] } {
  const items = itemsOf(extra, key, report);
  const isSaid = (item: Tree): item is Text => item.kind === "text" && said(item) !== "";
  const found = items.filter(isSaid);
  items.forEach((item, index) => {
    if (!isSaid(item)) report.add("shape", ["extra", key, index], item, `an item of ${key} is a text`);
  });
  return { texts: found.map(said), places: found.map(({ line, column }) => ({ line, column })) };
}

function readingOf(extra: Table, report: Report): Requests {
  const remap = renamesOf(extra, "remap", report);
  const given = new Set<string>();
  for (const rename of remap) {
    const message = `the name ${rename.internal} is given twice`;
    if (given.has(rename.internal)) report.add("remap", ["extra", "remap", rename.position], rename, message);
    given.add(rename.internal);
  }
  const [filter, sort] = [textsOf(extra, "filter", report), textsOf(extra, "sort", report)];
  const places = { filter: filter.places, sort: sort.places };
  return { ...NOTHING, remap, filter: filter.texts, sort: sort.texts, places };
}

/** The requests of a role; everything else in extra is left alone. */
export function readRequests(
  value: Tree | undefined,
  fields: readonly Field[],
  context: Context,
  report: Report,
): Requests {
  if (value === undefined || isBlank(value)) return NOTHING;
  if (value.kind !== "map") {
    report.add("shape", ["extra"], value, "extra is a map");
    return NOTHING;
  }
  if (context.version !== undefined || context.role === "table-type") return NOTHING;
  if (context.role === "read") return readingOf(value, report);
  return { ...NOTHING, colMap: renamesOf(value, "col_map", report), ...listsOf(value, fields, report) };
}
