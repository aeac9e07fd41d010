// What numbers that people pass must be, and the errors that say otherwise.

import { type At, PlacedError } from "../errors.js";

/** The entry of an axis; NaN where there is none. */
export const entry = (values: readonly number[], axis: number): number => values[axis] ?? NaN;

/** Numbers as messages list them: `30, 8, 6`. */
export const listed = (values: readonly (number | bigint | string)[]): string => values.join(", ");

/** A path as messages name it: `voxel_size[2]`, `levels[0].translation`. */
export const named = (at: At): string =>
  at.map((part, position) => (typeof part === "number" ? `[${part}]` : position ? `.${part}` : part)).join("");

/** Raises `wrong_length` at the list unless it has `count` entries, one per axis. */
export function checkLength(values: readonly unknown[], count: number, at: At, what = named(at)): void {
  if (values.length === count) return;
  const message = `${what} has ${values.length} entries, but ${count} belong there, one per axis`;
  throw new PlacedError("wrong_length", at, message);
}

/** Raises `not_finite` at a number that is NaN or infinite. */
export function checkFinite(value: number, at: At): void {
  if (!Number.isFinite(value))
    throw new PlacedError("not_finite", at, `${named(at)} is ${value}, which is no finite number`);
}

/** Raises `not_finite` or `not_positive` at a size that is neither finite nor above zero. */
export function checkPositive(value: number, at: At): void {
  checkFinite(value, at);
  if (value <= 0) throw new PlacedError("not_positive", at, `${named(at)} is ${value}, but a size is more than zero`);
}

/** `checkFinite` of every entry, at its position. */
export function checkAllFinite(values: readonly number[], at: At): void {
  values.forEach((value, position) => checkFinite(value, [...at, position]));
}

/** `checkPositive` of every entry, at its position. */
export function checkAllPositive(values: readonly number[], at: At): void {
  values.forEach((value, position) => checkPositive(value, [...at, position]));
}

/** Raises `wrong_type` at the list, without a position, where an entry is no whole number. */
export function checkWhole(values: readonly number[], at: At): void {
  const wrong = values.find((value) => !Number.isInteger(value));
  if (wrong === undefined) return;
  throw new PlacedError("wrong_type", at, `${named(at)} holds ${wrong}, but voxels are counted in whole numbers`);
}

/** Raises `wrong_type` for a fraction and `out_of_range`, with the position, for a negative size of an array. */
export function checkShape(shape: readonly number[], at: At): void {
  checkWhole(shape, at);
  const axis = shape.findIndex((size) => size < 0);
  if (axis < 0) return;
  const place = [...at, axis];
  throw new PlacedError("out_of_range", place, `${named(place)} is ${shape[axis]}, but a size is at least 0`);
}

/** Raises `wrong_type` for a fraction and `not_positive`, with the position, for a unit of no voxels. */
export function checkUnit(unit: readonly number[], at: At): void {
  checkWhole(unit, at);
  checkAllPositive(unit, at);
}

/** Raises an error, `wrong_value` unless told otherwise, for a word that is none of those allowed. */
export function checkWord(word: string, allowed: readonly string[], at: At, code = "wrong_value"): void {
  if (allowed.includes(word)) return;
  throw new PlacedError(code, at, `${named(at)} is ${word}, which is none of ${listed(allowed)}`);
}

/** Raises `wrong_length`, `not_finite` or `order` where begin and end bound no half-open range. */
export function checkRange(begin: readonly number[], end: readonly number[]): void {
  checkLength(end, begin.length, ["end"]);
  checkAllFinite(begin, ["begin"]);
  checkAllFinite(end, ["end"]);
  begin.forEach((from, axis) => {
    const to = end[axis] ?? from;
    if (to < from)
      throw new PlacedError("order", ["end", axis], `the end ${to} lies before the begin ${from} on axis ${axis}`);
  });
}
