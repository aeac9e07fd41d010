// What is given to be written, held against what can be.

import { type At, PlacedError } from "../errors.js";
import type { Json, JsonObject } from "../documents/index.js";
import { isList, isObject } from "../documents/index.js";
import { checkAllFinite, checkAllPositive, named, type Placed } from "../geometry/index.js";
import type { WrittenAxes } from "./axes.js";

/** Raises `not_finite` at a number in JSON that is NaN or infinite. */
export function checkJson(value: Json, at: At): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new PlacedError("not_finite", at, `${named(at)} is ${value}, and JSON holds finite numbers alone`);
  }
  if (isList(value)) value.forEach((item, position) => checkJson(item, [...at, position]));
  if (isObject(value)) Object.entries(value).forEach(([key, item]) => checkJson(item, [...at, key]));
}

/** A list over every axis from one over the spatial axes or every axis: `others` on those that are not spatial. */
function spread(values: readonly number[], axes: WrittenAxes, others: number, at: At, of: string): readonly number[] {
  const { names, spatial } = axes;
  if (values.length === names.length) return values;
  if (values.length !== spatial.length) {
    const counts = [...new Set([spatial.length, names.length])].join(" or ");
    throw new PlacedError(
      "wrong_length",
      at,
      `${named(at)}${of} has ${values.length} entries, but ${counts} belong there`,
    );
  }
  return names.map((_, axis) => (spatial.includes(axis) ? (values[spatial.indexOf(axis)] ?? others) : others));
}

/** Where voxels lie, on every axis, from lists over the spatial axes or every axis; errors are below `at`. */
export function placedOn({ voxelSize, translation }: Placed, axes: WrittenAxes, at: At = [], of = ""): Placed {
  const placed = {
    voxelSize: spread(voxelSize, axes, 1, [...at, "voxel_size"], of),
    translation: spread(translation, axes, 0, [...at, "translation"], of),
  };
  checkAllPositive(voxelSize, [...at, "voxel_size"]);
  checkAllFinite(translation, [...at, "translation"]);
  return placed;
}

/** How deep a level may lie below its group: as far as readers look up. */
const DEEPEST = 4;

/** Raises `wrong_value` at a level's path unless it leads into the group, in its shortest form. */
export function checkPath(path: string, at: At): void {
  const parts = path.split("/");
  if (parts.length <= DEEPEST && !parts.some((part) => ["", ".", ".."].includes(part))) return;
  const rule = `a level is one to ${DEEPEST} folders below its group, such as s0 or em/s0, without . and ..`;
  throw new PlacedError("wrong_value", at, `the level's path is ${JSON.stringify(path)}; ${rule}`);
}

const isNumber = (value: Json | undefined): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** Whether two JSON values are one, numbers by value and keys in any order. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, position) => sameJson(item, b[position]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
    );
  }
  return isNumber(a) && isNumber(b) ? a == b : a === b;
}

/** A JSON object without the keys that are undefined. */
export const given = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, Json] => member[1] !== undefined));
