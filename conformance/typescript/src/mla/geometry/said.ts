// Lists and matrices of numbers as callers give them: checked, and turned into numbers.

import { PlacedError } from "../../errors.js";
import { shown, toPlain } from "../plain.js";
import { independentColumns } from "../rank.js";
import { columnsOf, lengthOf, type Rows } from "./linear.js";

/** What a caller may say of a geometry; any of it may be wrong. */
export interface SaidGeometry {
  /** The name of the space. */
  readonly space?: string | undefined;
  /** A number above 0 per column. */
  readonly spacing?: unknown;
  /** A number per axis of the space: the coordinate of the centre of voxel 0. */
  readonly origin?: unknown;
  /** A row per axis of the space, a column of length one per array axis. */
  readonly direction?: unknown;
  /** Rows and columns as direction, the translation behind them, and the last row 0 … 0 1. */
  readonly matrix?: unknown;
}

/** The arguments that are numbers. */
export type SaidName = "spacing" | "origin" | "direction" | "matrix";

function ragged(name: SaidName, value: unknown): PlacedError {
  return new PlacedError("wrong_type", [name], `${name} is ${shown(toPlain(value))}; numbers in rows of one length belong here`);
}

/** The shape of nested lists of numbers: none for a number, undefined for anything else. */
function shapeOf(value: unknown): readonly number[] | undefined {
  if (typeof value === "number" || typeof value === "bigint") return [];
  if (!Array.isArray(value)) return undefined;
  const shapes = value.map(shapeOf);
  const [first = []] = shapes;
  const alike = shapes.every((shape) => shape !== undefined && String(shape) === String(first));
  return alike ? [value.length, ...first] : undefined;
}

/** The shape of what is said; undefined where nothing is. Errors: `wrong_type` and `not_finite` at the name. */
export function saidShape(said: SaidGeometry, name: SaidName): readonly number[] | undefined {
  const value = said[name];
  if (value === undefined) return undefined;
  const shape = shapeOf(value);
  if (shape === undefined) throw ragged(name, value);
  const numbers = (Array.isArray(value) ? value : [value]).flat().map(Number);
  if (numbers.every(Number.isFinite)) return shape;
  throw new PlacedError("not_finite", [name], `${name} holds a number that is NaN or infinite; every number is finite`);
}

/** Error: `wrong_length` where something is said whose shape is not the one that belongs there. */
function checkShape(said: SaidGeometry, name: SaidName, expected: readonly number[]): void {
  const shape = saidShape(said, name);
  if (shape === undefined || String(shape) === String(expected)) return;
  const words = (sizes: readonly number[]): string => (sizes.length === 0 ? "one number" : `[${sizes.join(", ")}]`);
  const message = `${name} is ${words(shape)} in shape; ${words(expected)} belongs here`;
  throw new PlacedError("wrong_length", [name], message);
}

/** A list of numbers as said; undefined where it is not. Errors: `wrong_type`, `not_finite`, `wrong_length` at the name. */
export function saidList(said: SaidGeometry, name: "spacing" | "origin", count: number): readonly number[] | undefined {
  checkShape(said, name, [count]);
  const value = said[name];
  return Array.isArray(value) ? value.map(Number) : undefined;
}

function saidRows(said: SaidGeometry, name: "direction" | "matrix", expected: readonly number[]): Rows | undefined {
  checkShape(said, name, expected);
  const value = said[name];
  return Array.isArray(value) ? value.map((row: readonly unknown[]) => row.map((item) => Number(item) + 0)) : undefined;
}

/** Spacing as said. Errors: `wrong_length`, `not_positive` at an axis, `wrong_value` for spacings too far apart. */
export function saidSpacing(said: SaidGeometry, count: number): readonly number[] | undefined {
  const spacing = saidList(said, "spacing", count);
  if (spacing === undefined) return undefined;
  const axis = spacing.findIndex((value) => value <= 0);
  if (axis >= 0) {
    const message = `the spacing of axis ${axis} is ${spacing[axis]}; it is above 0 (direction says where an axis goes)`;
    throw new PlacedError("not_positive", ["spacing", axis], message);
  }
  if (Math.min(...spacing) > 1e-9 * Math.max(...spacing)) return spacing;
  const message = `spacing is ${spacing.join(", ")}: the smallest is at most 1e-9 times the largest; the map would be singular`;
  throw new PlacedError("wrong_value", ["spacing"], message);
}

/** How far the length of a column of direction may be from 1. */
const LENGTH_TOLERANCE = 1e-3;

/** Direction as said. Errors: `wrong_length`; `wrong_value` for dependent columns, and for those that are not of length 1. */
export function saidDirection(said: SaidGeometry, rows: number, columns: number): Rows | undefined {
  const direction = saidRows(said, "direction", [rows, columns]);
  if (direction === undefined) return undefined;
  const lengths = columnsOf(direction).map(lengthOf);
  const long = lengths.findIndex((length) => Math.abs(length - 1) > LENGTH_TOLERANCE);
  if (long >= 0) {
    const message = `column ${long} of direction is ${lengths[long]} long; it has the length 1, and spacing says how far`;
    throw new PlacedError("wrong_value", ["direction"], message);
  }
  if (independentColumns(direction)) return direction;
  throw new PlacedError("wrong_value", ["direction"], "the columns of direction are not independent: two axes go one way");
}

/** A matrix as said, without its last row. Errors: `wrong_length`; `wrong_value` for the last row, or a singular matrix. */
export function saidMatrix(said: SaidGeometry, rows: number, columns: number): Rows | undefined {
  const matrix = saidRows(said, "matrix", [rows + 1, columns + 1]);
  if (matrix === undefined) return undefined;
  const last = matrix.at(-1) ?? [];
  if (last.some((value, column) => value !== (column === columns ? 1 : 0))) {
    const message = `the last row of matrix is [${last.join(", ")}]; it is [0, …, 0, 1]`;
    throw new PlacedError("wrong_value", ["matrix"], message);
  }
  const own = matrix.slice(0, -1);
  if (independentColumns(own.map((row) => row.slice(0, -1)))) return own;
  throw new PlacedError("wrong_value", ["matrix"], "the columns of matrix are not independent: it is singular");
}
