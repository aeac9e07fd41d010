// Which rows pass rules, and in which order.

import type { Cell } from "./bounds.js";
import type { Clause, Tree } from "./filter.js";
import { isTimed } from "./kinds.js";
import { compareTexts } from "./numbers.js";
import type { SortKey } from "./sort.js";
import { parseTemporal } from "./temporal.js";
import { parseType } from "./types.js";

/** From column to value; a struct is a row. Dates and times are text as in rules, Null is null. */
export interface Row {
  readonly [column: string]: Cell | Row;
}

/** A value as it is compared: dates and times as counts, float32 as the float nearest to it. */
export function comparable(cell: Cell, kind: string): Cell {
  if (typeof cell === "string" && isTimed(kind)) {
    const type = parseType(kind);
    return type === null ? null : (parseTemporal(cell, type) ?? null);
  }
  if (kind === "float32" && typeof cell === "number") return Math.fround(cell);
  return cell;
}

/** The value of a column in a row; a Null along the path is a Null. */
function cellOf(row: Row, path: readonly string[], kind: string): Cell {
  let value: Cell | Row | undefined = row;
  for (const name of path) {
    if (value === null || typeof value !== "object") return null;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value === undefined || (value !== null && typeof value === "object") ? null : comparable(value, kind);
}

const isNaNCell = (cell: Cell): boolean => typeof cell === "number" && Number.isNaN(cell);

/** Less than, equal or greater than 0; neither is Null or NaN. */
export function compareCells(a: Cell, b: Cell): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const [x, y] = [a as number | bigint | boolean, b as number | bigint | boolean];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Whether a value that is no Null meets a comparison or is in a list. */
function meets(cell: Cell, clause: Clause): boolean {
  const isEqual = (value: Cell): boolean => !isNaNCell(cell) && compareCells(cell, value) === 0;
  if (clause.op === "==" || clause.op === "in") return clause.values.some(isEqual);
  if (clause.op === "/=" || clause.op === "not_in") return !clause.values.some(isEqual);
  if (isNaNCell(cell)) return false;
  const order = compareCells(cell, clause.values[0] ?? null);
  if (clause.op === ">") return order > 0;
  if (clause.op === ">=") return order >= 0;
  return clause.op === "<" ? order < 0 : order <= 0;
}

function clauseOf(clause: Clause, row: Row): boolean | undefined {
  const cell = cellOf(row, clause.column, clause.kind);
  if (clause.op === "is_null") return cell === null;
  if (clause.op === "is_not_null") return cell !== null;
  if (cell === null) return undefined;
  const isFinite = typeof cell !== "number" || Number.isFinite(cell);
  if (clause.op === "is_nan") return isNaNCell(cell);
  if (clause.op === "is_not_nan") return !isNaNCell(cell);
  if (clause.op === "is_finite") return isFinite;
  return clause.op === "is_not_finite" ? !isFinite : meets(cell, clause);
}

/** True, False or, where it is unknown, undefined. */
function holds(tree: Tree, row: Row): boolean | undefined {
  if (tree.kind === "clause") return clauseOf(tree.clause, row);
  if (tree.kind === "not") {
    const part = holds(tree.part, row);
    return part === undefined ? undefined : !part;
  }
  const parts = tree.parts.map((part) => holds(part, row));
  const decides = tree.kind === "or";
  if (parts.includes(decides)) return decides;
  return parts.includes(undefined) ? undefined : !decides;
}

/** The positions of the rows for which every rule is True. */
export function filterRows(rules: readonly Tree[], rows: readonly Row[]): number[] {
  return rows.flatMap((row, index) => (rules.every((rule) => holds(rule, row) === true) ? [index] : []));
}

/** 0 for values, 1 for NaN, 2 for Null; turned round where Nulls come first. */
function rank(cell: Cell, key: SortKey): number {
  const place = cell === null ? 2 : isNaNCell(cell) ? 1 : 0;
  return key.nullsFirst ? -place : place;
}

function compareBy(a: Cell, b: Cell, key: SortKey): number {
  const ranks = rank(a, key) - rank(b, key);
  if (ranks !== 0 || a === null || isNaNCell(a)) return ranks;
  return key.descending ? compareCells(b, a) : compareCells(a, b);
}

/** The positions of the rows in sorted order; equal rows stay in theirs. */
export function sortRows(keys: readonly SortKey[], rows: readonly Row[]): number[] {
  const cells = rows.map((row) => keys.map((key) => cellOf(row, key.column, key.kind)));
  return rows
    .map((_, index) => index)
    .sort((i, j) => {
      for (const [at, key] of keys.entries()) {
        const order = compareBy(cells[i]?.[at] ?? null, cells[j]?.[at] ?? null, key);
        if (order !== 0) return order;
      }
      return i - j;
    });
}
