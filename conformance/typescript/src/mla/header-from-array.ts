// The map from the array to a space: a matrix, or scale and translation.

import type { At } from "../errors.js";
import { type Check, checkOnce, fields, list, number, text } from "./checks.js";
import type { Findings } from "./findings.js";
import type { Scope } from "./header-scope.js";
import { isList, isMap, isNumber, type Plain, type PlainMap, shown } from "./plain.js";
import { independentColumns } from "./rank.js";

type Names = readonly (string | undefined)[];

function checkArrayAxis(name: string, at: At, { names = [], types = [] }: Scope, found: Findings): void {
  const position = names.indexOf(name);
  if (position < 0 && names.includes(undefined)) return;
  if (position < 0) {
    found.problem("unknown_name", at, `the array has no axis ${name}; its axes are ${names.join(", ")}`);
    return;
  }
  const type = types[position];
  if (type === undefined || type === "space") return;
  const message = `the axis ${name} is of type ${type}; a space maps axes of type space`;
  if (found.later && type === "other") found.notice("conflict", at, message);
  else found.problem("conflict", at, message);
}

/** The names of `array_axes`, checked; undefined where they cannot be told. */
function checkArrayAxes(value: Plain | undefined, at: At, scope: Scope, found: Findings): Names | undefined {
  if (!isList(value) || value.length === 0) return undefined;
  const names = value.map((name) => (typeof name === "string" ? name : undefined));
  names.forEach((name, position) => {
    if (name !== undefined && name !== "" && scope.names !== undefined) checkArrayAxis(name, [...at, position], scope, found);
  });
  checkOnce(names, at, found);
  return names;
}

function checkShape(rows: readonly (readonly Plain[])[], at: At, found: Findings, height?: number, width?: number): boolean {
  const widths = rows.map((row) => row.length);
  if (new Set(widths).size > 1) {
    const distinct = [...new Set(widths)].sort((a, b) => a - b).join(" and ");
    return found.problem("wrong_length", at, `there are rows of ${distinct} numbers; all are equally long`);
  }
  if (height !== undefined && rows.length !== height) {
    return found.problem("wrong_length", at, `there are ${rows.length} rows; ${height} belong here`);
  }
  const [columns] = widths;
  if (width === undefined || columns === undefined || columns === width) return rows.length > 0;
  return found.problem("wrong_length", at, `there are ${columns} columns; ${width} belong here`);
}

const allNumbers = (row: readonly Plain[]): row is readonly (number | bigint)[] =>
  row.every((value) => isNumber(value) && Number.isFinite(Number(value)));

function checkLastRow(row: readonly Plain[], at: At, found: Findings): void {
  const right = row.every((value, column) => Number(value) === (column === row.length - 1 ? 1 : 0));
  if (!right) found.problem("wrong_value", at, `the last row is ${shown(row)}; it is 0, …, 0, 1`);
}

/** Checks what numbers of a matrix may be; the number of rows and columns where they are known. */
function checkMatrix(matrix: Plain | undefined, at: At, found: Findings, height?: number, width?: number): void {
  if (!isList(matrix) || !matrix.every(isList)) return;
  if (!checkShape(matrix, at, found, height, width)) return;
  const last = matrix.length - 1;
  const lastRow = matrix[last] ?? [];
  if (allNumbers(lastRow)) checkLastRow(lastRow, [...at, last], found);
  const body = matrix.slice(0, -1);
  if (!body.every(allNumbers)) return;
  const linear = body.map((row) => row.slice(0, -1).map(Number));
  if (independentColumns(linear)) return;
  found.problem("wrong_value", at, `the columns of ${shown(linear)} are not independent: different indices are at one place`);
}

/** Whether a list has as many numbers as there are array axes, and as there are space axes. */
function checkCount(value: Plain | undefined, at: At, found: Findings, arrayAxes?: Names, spaceAxes?: Names): void {
  if (!isList(value)) return;
  const wrong = [arrayAxes, spaceAxes].find((names) => names !== undefined && names.length !== value.length);
  if (wrong === undefined) return;
  const whose = wrong === arrayAxes ? "array axes" : "axes of the space";
  found.problem("wrong_length", at, `there are ${value.length} numbers; there are ${wrong.length} ${whose}, a number for each`);
}

/** Scale and translation belong to space axes by name or by position, not by both. */
function checkOverlap(at: At, found: Findings, arrayAxes?: Names, spaceAxes?: Names): void {
  if (arrayAxes === undefined || spaceAxes === undefined || arrayAxes.length !== spaceAxes.length) return;
  if (arrayAxes.includes(undefined) || spaceAxes.includes(undefined)) return;
  const shared = new Set(arrayAxes.filter((name) => spaceAxes.includes(name))).size;
  if (shared === 0 || shared === new Set([...arrayAxes, ...spaceAxes]).size) return;
  const message = `some of ${arrayAxes.join(", ")} are axes of the space, ${spaceAxes.join(", ")}, and some are not`;
  found.problem("conflict", [...at, "array_axes"], `${message}: which belongs to which cannot be told`);
}

const FIELDS = fields(
  { array_axes: list(text(), { least: 1 }) },
  { matrix: list(list(number())), scale: list(number({ nonzero: true })), translation: list(number()) },
);

function checkForms(from: PlainMap, at: At, found: Findings): void {
  if (!from.has("matrix") && !from.has("scale")) found.problem("missing_key", at, "a matrix or a scale is absent");
  if (!from.has("matrix")) return;
  for (const key of ["scale", "translation"].filter((one) => from.has(one))) {
    found.problem("conflict", [...at, key], `${key} and matrix exclude each other`);
  }
}

/** The check of `from_array` of a space with axes of these names; undefined where they cannot be told. */
export const checkFromArray =
  (scope: Scope, spaceAxes: Names | undefined): Check =>
  (from, at, found) => {
    const right = FIELDS(from, at, found);
    if (!isMap(from)) return right;
    checkForms(from, at, found);
    const arrayAxes = checkArrayAxes(from.get("array_axes"), [...at, "array_axes"], scope, found);
    if (from.has("matrix")) {
      const [height, width] = [spaceAxes && spaceAxes.length + 1, arrayAxes && arrayAxes.length + 1];
      checkMatrix(from.get("matrix"), [...at, "matrix"], found, height, width);
      return right;
    }
    checkCount(from.get("scale"), [...at, "scale"], found, arrayAxes, spaceAxes);
    checkCount(from.get("translation"), [...at, "translation"], found, arrayAxes, spaceAxes);
    if (from.has("scale")) checkOverlap(at, found, arrayAxes, spaceAxes);
    return right;
  };
