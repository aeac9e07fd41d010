// What follows from the map of a space, and the map itself, both ways.

import { PlacedError } from "../../errors.js";
import type { MlaAxis, MlaSpace } from "../records.js";
import { letterCodes } from "./letters.js";
import { columnsOf, dot, fromColumns, lengthOf, minus, pseudoInverse, type Rows } from "./linear.js";
import { checkOneUnit, type ChosenSpace, chosenSpace, matrixOf } from "./space.js";

/** The geometry of an array in a space. Columns are those of the array axes that the space uses, in array order. */
export interface MlaGeometry {
  /** Indices, whole ones being centres of voxels, to coordinates; with the last row, 0 … 0 1. */
  readonly matrix: Rows;
  /** Length of a step along each column, in the unit of the space. */
  readonly spacing: readonly number[];
  /** Coordinates of the centre of voxel 0: one per axis of the space. */
  readonly origin: readonly number[];
  /** Columns of length one: a row per axis of the space. */
  readonly direction: Rows;
  /** One letter per column; null where they cannot be told. */
  readonly letterCodes: string | null;
}

/** A matrix without its last column. */
export const linearPart = (rows: Rows): Rows => rows.map((row) => row.slice(0, -1));

/** The last column. */
export const translationOf = (rows: Rows): readonly number[] => rows.map((row) => row.at(-1) ?? 0);

/** Rows with the last one, 0 … 0 1. */
export const withLastRow = (rows: Rows): Rows => {
  const width = rows[0]?.length ?? 1;
  return [...rows, [...new Array<number>(width - 1).fill(0), 1]];
};

/** Spacing and direction of a matrix without last row and last column. */
export function spacingAndDirection(linear: Rows): { readonly spacing: readonly number[]; readonly direction: Rows } {
  const columns = columnsOf(linear);
  const spacing = columns.map(lengthOf);
  const units = columns.map((column, position) => column.map((value) => value / (spacing[position] ?? 1)));
  return { spacing, direction: fromColumns(units, linear.length) };
}

/** The geometry in a space that is chosen. Errors as `deriveGeometry`. */
export function geometryOf(axes: readonly MlaAxis[], chosen: ChosenSpace): MlaGeometry {
  const { rows } = matrixOf(axes, chosen);
  checkOneUnit(chosen);
  const { spacing, direction } = spacingAndDirection(linearPart(rows));
  const words = chosen.space.axes.map((axis) => axis.increases_toward);
  return {
    matrix: withLastRow(rows),
    spacing,
    origin: translationOf(rows),
    direction,
    letterCodes: letterCodes(direction, words),
  };
}

/**
 * What follows from the map of a space, the first where none is named; null where there is no space and none is named.
 * `axes` and `spaces` are those of a header without problems. Errors: `unknown_name` at `["space"]`; `conflict` at the axes of
 * the space for several units, or at `array_axes` for names that a scale shares in part.
 */
export function deriveGeometry(axes: readonly MlaAxis[], spaces: readonly MlaSpace[], name?: string): MlaGeometry | null {
  if (spaces.length === 0 && name === undefined) return null;
  return geometryOf(axes, chosenSpace(spaces, name));
}

function checkPoints(points: Rows, count: number, at: string, what: string): void {
  const wrong = points.find((point) => point.length !== count);
  if (wrong !== undefined) {
    const message = `a point of ${wrong.length} numbers, but ${count} belong there, one per ${what}`;
    throw new PlacedError("wrong_length", [at], message);
  }
  const endless = points.flat().find((number) => !Number.isFinite(number));
  if (endless !== undefined) throw new PlacedError("not_finite", [at], `${at} holds ${endless}; places are finite`);
}

/**
 * The coordinates of indices: each has a number per array axis that the space uses, in array order; whole ones are centres of
 * voxels. Errors: `unknown_name` at `["space"]`, also where there is no space; `wrong_length` and
 * `not_finite` at `["index"]`.
 */
export function indexToSpace(axes: readonly MlaAxis[], spaces: readonly MlaSpace[], indices: Rows, name?: string): Rows {
  const { columns, rows } = matrixOf(axes, chosenSpace(spaces, name));
  checkPoints(indices, columns.length, "index", "array axis that the space uses");
  return indices.map((index) => rows.map((row) => dot([...index, 1], row)));
}

/**
 * The indices, fractions and all, whose coordinates are nearest to those given: each point has a number per axis of the space.
 * Errors: `unknown_name` at `["space"]`, also where there is no space; `wrong_length` and `not_finite` at
 * `["coord"]`.
 */
export function spaceToIndex(axes: readonly MlaAxis[], spaces: readonly MlaSpace[], coordinates: Rows, name?: string): Rows {
  const { rows } = matrixOf(axes, chosenSpace(spaces, name));
  checkPoints(coordinates, rows.length, "coord", "axis of the space");
  const inverse = pseudoInverse(linearPart(rows));
  const origin = translationOf(rows);
  return coordinates.map((point) => inverse.map((row) => dot(row, minus(point, origin))));
}
