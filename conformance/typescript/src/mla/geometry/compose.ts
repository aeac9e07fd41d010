// Axes and space of a new array, from what a caller says of them.

import { PlacedError } from "../../errors.js";
import { composeAxes } from "../compose-axes.js";
import { fromPlain, toPlain } from "../plain.js";
import type { MlaAxis, MlaSpace, MlaSpaceAxis } from "../records.js";
import { axisName } from "../space-matrix.js";
import { fromArray, mapRows } from "./from-array.js";
import type { Rows } from "./linear.js";
import { saidDirection, type SaidGeometry, saidList, saidMatrix, type SaidName, saidShape, saidSpacing } from "./said.js";

const PARTS = ["spacing", "origin", "direction"] as const;

/** The space of a patient: x toward left, y toward posterior, z toward superior, in millimetres. */
export const PATIENT = "patient";

/** The axes of the space of a patient, in any unit. */
export const patientAxes = (unit = "millimeter", code = "mm"): readonly MlaSpaceAxis[] => [
  { name: "x", unit, unit_code: code, increases_toward: "left" },
  { name: "y", unit, unit_code: code, increases_toward: "posterior" },
  { name: "z", unit, unit_code: code, increases_toward: "superior" },
];

function checkTogether(said: SaidGeometry): void {
  const beside = PARTS.find((name) => said[name] !== undefined);
  if (said.matrix === undefined || beside === undefined) return;
  throw new PlacedError("conflict", ["matrix"], `matrix says all that ${beside} says; one of them belongs here`);
}

function checkName(name: string): void {
  if (name !== "index" && name !== "") return;
  const message = `a space is not called ${JSON.stringify(name)}: index is the name of array indices, and no name is empty`;
  throw new PlacedError("wrong_value", ["space"], message);
}

/** How many columns are meant, by what is said; undefined where nothing says it. */
function saidColumns(said: SaidGeometry): number | undefined {
  if (said.space === PATIENT) return 3;
  const sizes: readonly (readonly [SaidName, number, number])[] = [
    ["spacing", 0, 0],
    ["matrix", 1, -1],
    ["direction", 1, 0],
    ["origin", 0, 0],
  ];
  for (const [name, position, more] of sizes) {
    const shape = saidShape(said, name);
    if (shape !== undefined) return Math.max((shape[position] ?? 0) + more, 0);
  }
  return undefined;
}

/** The axes of an array of which none is described, over whose last `count` there is a space. */
function axesByCount(ndim: number, count: number): readonly MlaAxis[] {
  const letters = count === 3 ? ["z", "y", "x"] : [];
  return Array.from({ length: ndim }, (_, position): MlaAxis => {
    const place = position - (ndim - count);
    return { name: letters[place] ?? `axis_${position}`, type: place < 0 ? "other" : "space" };
  });
}

/** The axes that a new space is over: those of type space, else the last `count` if none of these has a type. */
function spatialNames(axes: readonly MlaAxis[], count: number): readonly string[] {
  const names = axes.map(axisName);
  const typed = names.filter((_, position) => axes[position]?.type === "space");
  if (typed.length > 0) return typed;
  const first = Math.max(axes.length - count, 0);
  const untyped = axes.slice(first).every((axis) => axis.type === undefined);
  if (untyped && first < axes.length) return names.slice(first);
  const message = `no axis of ${names.join(", ") || "the array"} is of type space, and a space is over such axes`;
  throw new PlacedError("missing_field", ["axes"], message);
}

function otherAxes(names: readonly string[], rows: number): readonly MlaSpaceAxis[] {
  if (rows === names.length) return names.map((name) => ({ name }));
  const letters = rows <= 3 ? ["x", "y", "z"] : [];
  return Array.from({ length: rows }, (_, row) => ({ name: letters[row] ?? `s${row}` }));
}

function rowCount(said: SaidGeometry, columns: number): number {
  if (said.space === PATIENT) return 3;
  const [matrixRows] = saidShape(said, "matrix") ?? [];
  const [directionRows] = saidShape(said, "direction") ?? [];
  return matrixRows === undefined ? (directionRows ?? columns) : Math.max(matrixRows - 1, 0);
}

/** The direction of a space of which none is said: for each column, the row of the same name, or of the same place. */
function plainDirection(said: SaidGeometry, names: readonly string[], axes: readonly MlaSpaceAxis[]): Rows {
  if (said.space !== PATIENT) return axes.map((_, row) => names.map((__, column) => (row === column ? 1 : 0)));
  const own = axes.map((axis) => axis.name);
  if (names.some((name) => !own.includes(name))) {
    const message = `the axes ${names.join(", ")} are not those of a patient, ${own.join(", ")}; give a direction or a matrix`;
    throw new PlacedError("conflict", ["axes"], message);
  }
  return own.map((row) => names.map((name) => (name === row ? 1 : 0)));
}

function composeRows(said: SaidGeometry, names: readonly string[], axes: readonly MlaSpaceAxis[]): Rows {
  const [rows, columns] = [axes.length, names.length];
  const matrix = saidMatrix(said, rows, columns);
  if (matrix !== undefined) return matrix;
  const spacing = saidSpacing(said, columns) ?? names.map(() => 1);
  const origin = saidList(said, "origin", rows) ?? axes.map(() => 0);
  return mapRows(spacing, saidDirection(said, rows, columns) ?? plainDirection(said, names, axes), origin);
}

/** A new space over axes that are known. Errors: those of "Mla composing". */
export function composeSpace(axes: readonly MlaAxis[], said: SaidGeometry): MlaSpace {
  checkTogether(said);
  const name = said.space ?? "world";
  checkName(name);
  const names = spatialNames(axes, saidColumns(said) ?? 0);
  if (name === PATIENT && names.length !== 3) {
    const message = `patient has 3 axes, but ${names.length} axes of the array are of type space`;
    throw new PlacedError("wrong_length", ["space"], message);
  }
  const spaceAxes = name === PATIENT ? patientAxes() : otherAxes(names, rowCount(said, names.length));
  const rows = composeRows(said, names, spaceAxes);
  return { name, axes: spaceAxes, from_array: fromArray({ arrayAxes: names, spaceAxes, rows }) };
}

/** Axes and spaces of a header. */
export interface ComposedGeometry {
  readonly axes: readonly MlaAxis[];
  /** One space, or none. */
  readonly spaces: readonly MlaSpace[];
}

/**
 * Axes and space of a new array of `ndim` axes; `axes` is a list of names and maps, or undefined. A space is made where
 * anything is said of it. Errors: those of "Mla composing", at the name of the argument.
 */
export function composeGeometry(ndim: number, axes: unknown, said: SaidGeometry): ComposedGeometry {
  const makes = [said.space, said.spacing, said.origin, said.direction, said.matrix].some((value) => value !== undefined);
  const count = makes && axes === undefined ? Math.min(saidColumns(said) ?? 0, ndim) : 0;
  const composed =
    count > 0
      ? axesByCount(ndim, count)
      : composeAxes(ndim, axes === undefined ? undefined : toPlain(axes)).map((axis) => fromPlain(axis) as MlaAxis);
  return { axes: composed, spaces: makes ? [composeSpace(composed, said)] : [] };
}
