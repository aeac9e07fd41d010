// Keys of write units, relative to the array, and the units that keys name.

import { PlacedError } from "../errors.js";
import { listed } from "../geometry/index.js";
import { type Joined, type KeyFacts, type KeyForm, keyForm, type Ranges } from "./facts.js";

/** A position on the grid of write units, in C order; a bigint where a number is not exact. */
export type UnitIndex = readonly (number | bigint)[];

const LARGEST = (1n << 63n) - 1n;

const smallest = (value: bigint): number | bigint => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value);

/** The range on one axis: [begin, end) in voxels, with the origin added, cut to the shape. */
function rangeOf({ chunk, shape, origin }: Ranges, unit: bigint, axis: number): string {
  const [size, length, first] = [chunk, shape, origin].map((list) => BigInt(list[axis] ?? 0)) as [
    bigint,
    bigint,
    bigint,
  ];
  const end = (unit + 1n) * size;
  return `${first + unit * size}-${first + (end < length ? end : length)}`;
}

const rangesKey = (form: Ranges, units: readonly bigint[]): string =>
  units
    .slice(form.channels ? 1 : 0)
    .map((unit, axis) => rangeOf(form, unit, axis))
    .reverse()
    .join("_");

function joinedKey({ prefix, separator, xFirst, noAxes }: Joined, units: readonly bigint[]): string {
  if (units.length === 0) return noAxes ?? "";
  const parts = (xFirst ? [...units].reverse() : units).map(String);
  return [...(prefix === "" ? [] : [prefix]), ...parts].join(separator);
}

function checkIndex(index: UnitIndex, { form, grid, ndim }: KeyForm): readonly bigint[] {
  const fraction = index.find((unit) => typeof unit === "number" && !Number.isInteger(unit));
  if (fraction !== undefined)
    throw new PlacedError("wrong_type", ["index"], `index holds ${fraction}, but units are counted`);
  if (ndim !== undefined && index.length !== ndim) {
    const message = `index has ${index.length} entries, but ${ndim} belong there, one per axis`;
    throw new PlacedError("wrong_length", ["index"], message);
  }
  if (index.length === 0 && !("chunk" in form) && form.noAxes === undefined) {
    throw new PlacedError("wrong_length", ["index"], "index has 0 entries, but an array of n5 has at least 1 axis");
  }
  const units = index.map(BigInt);
  if (units.every((unit, axis) => unit >= 0n && unit < (grid?.[axis] ?? Infinity))) return units;
  const bounds = grid === undefined ? "indices begin at 0" : `there are ${listed(grid)} units on its axes`;
  throw new PlacedError("out_of_range", ["index"], `index is ${listed(index)}, but ${bounds}`);
}

/**
 * The key of the write unit at an index.
 *
 * Raises `wrong_length`, `wrong_type` and `out_of_range` at ["index"], and what `keyForm` raises.
 */
export function encodeKey(index: UnitIndex, facts: KeyFacts): string {
  const form = keyForm(facts);
  const units = checkIndex(index, form);
  return "chunk" in form.form ? rangesKey(form.form, units) : joinedKey(form.form, units);
}

/** The digits of an index, in ASCII, without a sign, a leading zero or white space. */
const parseUnit = (text: string): bigint | undefined =>
  /^(?:0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text) <= LARGEST ? BigInt(text) : undefined;

function joinedUnits(
  { prefix, separator, xFirst, noAxes }: Joined,
  key: string,
  ndim: number | undefined,
): UnitIndex | undefined {
  if (key === noAxes && (ndim === 0 || (ndim === undefined && prefix !== ""))) return [];
  const parts = key.split(separator);
  if (prefix !== "" && parts.shift() !== prefix) return undefined;
  const units = parts.map(parseUnit);
  if (units.length === 0 || (ndim !== undefined && units.length !== ndim)) return undefined;
  const found = units.filter((unit) => unit !== undefined).map(smallest);
  if (found.length !== units.length) return undefined;
  return xFirst ? found.reverse() : found;
}

/** The unit whose range on an axis begins where the text says; it is not yet said that it is that range. */
function unitOf({ chunk, origin }: Ranges, text: string, axis: number): bigint | undefined {
  const begin = /^(-?[0-9]{1,19})-/.exec(text)?.[1];
  if (begin === undefined) return undefined;
  const above = BigInt(begin) - BigInt(origin[axis] ?? 0);
  return above < 0n ? undefined : above / BigInt(chunk[axis] ?? 1);
}

function rangesUnits(form: Ranges, key: string): UnitIndex | undefined {
  const parts = key.split("_").reverse();
  if (parts.length !== form.shape.length) return undefined;
  const units = parts.map((text, axis) => unitOf(form, text, axis));
  const exact = units.every((unit, axis) => unit !== undefined && rangeOf(form, unit, axis) === parts[axis]);
  if (!exact) return undefined;
  return [...(form.channels ? [0] : []), ...units.map((unit) => smallest(unit ?? 0n))];
}

function units({ form, grid, ndim }: KeyForm, key: string): UnitIndex | undefined {
  const found = "chunk" in form ? rangesUnits(form, key) : joinedUnits(form, key, ndim);
  return found?.every((unit, axis) => unit < (grid?.[axis] ?? Infinity)) ? found : undefined;
}

/**
 * The index of the write unit that a key names, exactly as `encodeKey` gives it; undefined for any other text.
 *
 * Without a number of axes any number is read, and a zarr v2 key of one 0 is that of one axis. Raises what `keyForm`
 * raises.
 */
export const decodeKey = (key: string, facts: KeyFacts): UnitIndex | undefined => units(keyForm(facts), key);

function compareUnits(a: UnitIndex, b: UnitIndex): number {
  const axis = a.findIndex((unit, position) => unit !== b[position]);
  if (axis < 0) return a.length - b.length;
  return (a[axis] ?? 0) < (b[axis] ?? -1) ? -1 : 1;
}

/** The indices of the write units among keys, sorted axis after axis; errors are those of `keyForm`. */
export function listUnits(keys: Iterable<string>, facts: KeyFacts): readonly UnitIndex[] {
  const form = keyForm(facts);
  const found = Array.from(keys, (key) => units(form, key)).filter((unit) => unit !== undefined);
  return found.sort(compareUnits);
}
