// Bounds of columns, and values against them.

import { answered, compareTexts, parseFloat64, parseWhole, wholeRange } from "./numbers.js";
import { isTemporal, type DataType } from "./types.js";

/** Which of the two bounds. */
export type Side = "min" | "max";

/** What values meet: at least, more than, at most or less than the value. */
export interface Bound {
  readonly operator: ">=" | ">" | "<=" | "<";
  /** A bigint where doubles do not hold it; a text where the type is not known or has no order here. */
  readonly value: number | bigint | string;
}

/** Why a text is no bound. */
export interface BoundFailure {
  readonly code: "qc-temporal" | "qc-empty-operator" | "qc-direction" | "qc-bound";
}

const ALLOWED: Readonly<Record<Side, readonly string[]>> = { min: [">=", ">"], max: ["<=", "<"] };

/** The value of a literal of a type; undefined where it is none. */
function literal(text: string, type: DataType): Bound["value"] | undefined {
  const range = wholeRange(type.base);
  if (range !== undefined) {
    const value = parseWhole(text);
    return value !== undefined && value >= range[0] && value <= range[1] ? answered(value) : undefined;
  }
  if (type.base === "string") return text;
  const value = parseFloat64(text);
  return value !== undefined && type.base === "float32" && !Number.isFinite(Math.fround(value)) ? undefined : value;
}

/**
 * The bound that a text says; null where it is blank.
 *
 * @param type of the column; null where the file decides on it, and the value stays text.
 */
export function parseBound(text: string, side: Side, type: DataType | null): Bound | BoundFailure | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (type !== null && isTemporal(type)) return { code: "qc-temporal" };
  const written = /^(>=|>|<=|<)/.exec(trimmed)?.[0];
  const operator = (written ?? (side === "min" ? ">=" : "<=")) as Bound["operator"];
  const rest = trimmed.slice(written?.length ?? 0).trim();
  if (type?.base === "boolean") return { operator, value: rest };
  if (rest === "") return { code: "qc-empty-operator" };
  if (!ALLOWED[side].includes(operator)) return { code: "qc-direction" };
  const value = type === null ? rest : literal(rest, type);
  return value === undefined ? { code: "qc-bound" } : { operator, value };
}

/** Whether Nulls are not checked, expected or not expected. */
export type Miss = "unchecked" | "expected" | "unexpected";

/** What a text says of Nulls; undefined where it says something else. */
export function parseMiss(text: string): Miss | undefined {
  const word = text.trim().toLowerCase();
  if (word === "") return "unexpected";
  return word === "null" || word === "na" ? "expected" : undefined;
}

/** A value of a column; dates and times as text, Null as null. */
export type Cell = number | bigint | string | boolean | null;

/** What there is to say of the values of a column. */
export interface Check {
  readonly nulls: number;
  /** How many are not Null. */
  readonly valid: number;
  /** How many of these are out of bounds. */
  readonly outside: number;
  readonly low: Cell;
  readonly high: Cell;
  readonly told: readonly ("nulls" | "bounds")[];
}

/** Less than, equal or greater than 0; for values of one kind. */
function compare(a: Cell, b: Cell): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const [x, y] = [a as number | bigint, b as number | bigint];
  return x < y ? -1 : x > y ? 1 : 0;
}

function meets(value: Cell, bound: Bound): boolean {
  if (typeof value === "number" && Number.isNaN(value)) return false;
  const order = compare(value, bound.value);
  if (bound.operator === ">=") return order >= 0;
  if (bound.operator === ">") return order > 0;
  return bound.operator === "<=" ? order <= 0 : order < 0;
}

function boundToMeet(text: string | undefined, side: Side, type: DataType): Bound | undefined {
  const found = text === undefined ? null : parseBound(text, side, type);
  if (found === null || "code" in found || type.base === "boolean" || isTemporal(type)) return undefined;
  return type.base === "float32" ? { ...found, value: Math.fround(Number(found.value)) } : found;
}

/** Texts without problems of their own; absent: nothing is checked. */
export interface Limits {
  readonly min?: string;
  readonly max?: string;
  readonly miss?: string;
}

/**
 * Counts the values of a column that are Null or out of bounds.
 *
 * @param chunks values of rows, some rows a chunk; rows of a vector are lists.
 */
export function checkValues(
  type: DataType,
  chunks: readonly (readonly (Cell | readonly Cell[])[])[],
  limits: Limits,
): Check {
  const cells = chunks.flat(2) as Cell[];
  const values = cells.filter((cell) => cell !== null).map((cell) => heldAs(cell, type));
  const bounds = [boundToMeet(limits.min, "min", type), boundToMeet(limits.max, "max", type)].filter(
    (bound) => bound !== undefined,
  );
  const outside = values.filter((value) => bounds.some((bound) => !meets(value, bound))).length;
  const nulls = cells.length - values.length;
  const ordered =
    bounds.length === 0 ? [] : values.filter((value) => !(typeof value === "number" && Number.isNaN(value)));
  const pick = (sign: number): Cell =>
    ordered.reduce((best: Cell, value) => (best === null || sign * compare(value, best) > 0 ? value : best), null);
  const told: ("nulls" | "bounds")[] = [];
  if (nulls > 0 && limits.miss !== undefined && parseMiss(limits.miss) === "unexpected") told.push("nulls");
  if (outside > 0) told.push("bounds");
  return { nulls, valid: values.length, outside, low: pick(-1), high: pick(1), told };
}

function heldAs(cell: Cell, type: DataType): Cell {
  return type.base === "float32" && typeof cell === "number" ? Math.fround(cell) : cell;
}
