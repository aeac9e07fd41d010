// Small matrices: lengths, ranks, products.

import { Fraction } from "../../fraction.js";

/** Rows of numbers, all of one length. */
export type Rows = readonly (readonly number[])[];

/** A column of a matrix. */
export const columnOf = (rows: Rows, column: number): readonly number[] => rows.map((row) => row[column] ?? 0);

/** The columns of a matrix, `count` of them. */
export const columnsOf = (rows: Rows, count = rows[0]?.length ?? 0): Rows =>
  Array.from({ length: count }, (_, column) => columnOf(rows, column));

/** The matrix whose columns are these; `count` is how many rows it has. No number is -0. */
export const fromColumns = (columns: Rows, count = columns[0]?.length ?? 0): Rows =>
  Array.from({ length: count }, (_, row) => columns.map((column) => (column[row] ?? 0) + 0));

/** The sum of products. */
export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, position) => sum + value * (b[position] ?? 0), 0);

/** The vector at right angles to two of three numbers. */
export function cross(a: readonly number[], b: readonly number[]): readonly number[] {
  const [a0 = 0, a1 = 0, a2 = 0] = a;
  const [b0 = 0, b1 = 0, b2 = 0] = b;
  return [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0];
}

export const minus = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((value, position) => value - (b[position] ?? 0));

export const times = (a: readonly number[], factor: number): readonly number[] => a.map((value) => value * factor);

/** The largest power of two that is not above the size of any number; 1 where all are 0. */
function scaleOf(values: readonly number[]): number {
  const largest = Math.max(0, ...values.map(Math.abs));
  return largest === 0 ? 1 : 2 ** Math.max(Math.floor(Math.log2(largest)), -1074);
}

/** The Euclidean length: the size of the number where only one is not 0. */
export function lengthOf(vector: readonly number[]): number {
  const others = vector.filter((value) => value !== 0);
  if (others.length < 2) return Math.abs(others[0] ?? 0);
  const scale = scaleOf(others);
  const scaled = others.map((value) => value / scale);
  return Math.sqrt(dot(scaled, scaled)) * scale;
}

/** A vector by its length. */
export function unitVector(vector: readonly number[]): readonly number[] {
  const length = lengthOf(vector);
  return vector.map((value) => value / length + 0);
}

/** The solution of A x = b for each column of b by elimination; A is square and regular. */
function solved(a: readonly (readonly Fraction[])[], b: readonly (readonly Fraction[])[]): readonly (readonly Fraction[])[] {
  const work = a.map((row, position) => [...row, ...(b[position] ?? [])]);
  for (let pivot = 0; pivot < work.length; pivot += 1) {
    const found = work.findIndex((row, position) => position >= pivot && row[pivot]?.numerator !== 0n);
    const head = work[found];
    const first = head?.[pivot];
    if (head === undefined || first === undefined) throw new RangeError("the columns of the matrix are not independent");
    work[found] = work[pivot] ?? head;
    const lead = head.map((value) => value.div(first));
    for (const [position, row] of work.entries()) {
      const factor = row[pivot];
      if (position === pivot || factor === undefined || factor.numerator === 0n) continue;
      work[position] = row.map((value, column) => value.sub(factor.mul(lead[column] ?? value)));
    }
    work[pivot] = lead;
  }
  return work.map((row) => row.slice(work.length));
}

/**
 * The matrix P for which P b is the x with A x nearest to b: the inverse where A is square. A has independent columns. It is
 * computed exactly, and rounded once.
 */
export function pseudoInverse(rows: Rows): Rows {
  const columns = columnsOf(rows).map((column) => column.map((value) => Fraction.from(value)));
  const product = (a: readonly Fraction[], b: readonly Fraction[]): Fraction =>
    a.reduce((sum, value, position) => sum.add(value.mul(b[position] ?? sum)), Fraction.of(0));
  const gram = columns.map((a) => columns.map((b) => product(a, b)));
  return solved(gram, columns).map((row) => row.map((value) => value.toNumber()));
}
