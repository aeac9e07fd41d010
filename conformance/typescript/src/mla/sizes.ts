// Sizes that a caller gives: one number for all, or one for each.

import { PlacedError } from "../errors.js";
import { isList, isWhole, type Plain, shown } from "./plain.js";

function checkWhole(value: Plain, name: string, all: Plain): number {
  if (isWhole(value)) return Number(value);
  throw new PlacedError("wrong_type", [name], `${name} is ${shown(all)}: ${shown(value)} is no integer; integers belong here`);
}

/**
 * A number of at least 1.
 * Errors, at the name: `wrong_type` for anything but an integer, `not_positive` below 1.
 */
export function positiveInteger(value: Plain, name: string): number {
  if (isList(value)) throw new PlacedError("wrong_type", [name], `${name} is ${shown(value)}; one integer belongs here`);
  const [size] = sizesOf(value, name, 1);
  return size ?? 1;
}

/**
 * `count` sizes from one integer for all of them, or from a list with one for each.
 * Errors, at the name: `wrong_type` for anything but integers, `wrong_length` for a list of another length,
 * `not_positive` below 1.
 */
export function sizesOf(value: Plain, name: string, count: number): readonly number[] {
  const sizes = isList(value)
    ? value.map((size) => checkWhole(size, name, value))
    : new Array<number>(count).fill(checkWhole(value, name, value));
  if (sizes.length !== count) {
    const message = `${name} has ${sizes.length} entries; ${count} belong there, or one number for all`;
    throw new PlacedError("wrong_length", [name], message);
  }
  if (sizes.some((size) => size < 1) || (!isList(value) && Number(value) < 1)) {
    throw new PlacedError("not_positive", [name], `${name} is ${shown(value)}; every size is at least 1`);
  }
  return sizes;
}
