// The axes of a new array, from names and maps.

import { PlacedError } from "../errors.js";
import { isMap, type Plain, type PlainMap, shown } from "./plain.js";
import type { AxisType } from "./records.js";
import { fillUnit } from "./units.js";

/** The types that bare names bring. */
const TYPES: ReadonlyMap<string, AxisType> = new Map([
  ["c", "channel"],
  ["channel", "channel"],
  ["t", "time"],
  ["time", "time"],
  ["z", "space"],
  ["y", "space"],
  ["x", "space"],
]);

/** The type that a bare name brings. */
export const typeOfName = (name: string): AxisType => TYPES.get(name) ?? "other";

const text = (value: Plain | undefined): string | undefined => (typeof value === "string" ? value : undefined);

/** An axis with its unit filled in where a name or a code is there. */
export function withUnit(axis: PlainMap): PlainMap {
  const filled = new Map(axis);
  const { unit, unit_code: code } = fillUnit(text(axis.get("unit")), text(axis.get("unit_code")));
  if (unit !== null && !axis.has("unit")) filled.set("unit", unit);
  if (code !== null && !axis.has("unit_code")) filled.set("unit_code", code);
  return filled;
}

function ofMap(map: PlainMap, position: number): PlainMap {
  const type = TYPES.get(text(map.get("name")) ?? "");
  const named: PlainMap = map.has("name") ? map : new Map([["name", `axis_${position}`], ...map]);
  return withUnit(type === undefined || map.has("type") ? named : new Map([...named, ["type", type]]));
}

function oneAxis(entry: Plain, position: number): PlainMap {
  if (typeof entry === "string") {
    return new Map([
      ["name", entry],
      ["type", typeOfName(entry)],
    ]);
  }
  if (isMap(entry)) return ofMap(entry, position);
  throw new PlacedError("wrong_type", ["axes", position], `${shown(entry)} is no axis; a name or a map belongs here`);
}

function checkUnique(axes: readonly PlainMap[]): void {
  const names = axes.map((axis) => axis.get("name"));
  const twice = names.find((name, position) => names.indexOf(name) !== position);
  if (twice === undefined) return;
  throw new PlacedError("duplicate", ["axes"], `two axes are called ${shown(twice)}; each has its own name`);
}

/**
 * The axes of an array of `ndim` axes without a space, names and units filled in; by position where `axes` is undefined.
 * Errors: `wrong_type`, `wrong_length` and `duplicate` at `["axes"]`, `wrong_type` at an entry.
 */
export function composeAxes(ndim: number, axes?: Plain): PlainMap[] {
  if (axes !== undefined && !Array.isArray(axes)) {
    throw new PlacedError("wrong_type", ["axes"], `${shown(axes)} is no list; axes are a list of names and maps`);
  }
  const given: readonly Plain[] = (axes as readonly Plain[] | undefined) ?? Array.from({ length: ndim }, () => new Map());
  if (given.length !== ndim) {
    const message = `there are ${given.length} axes, but the array has ${ndim}; an entry per axis belongs here`;
    throw new PlacedError("wrong_length", ["axes"], message);
  }
  const composed = given.map(oneAxis);
  checkUnique(composed);
  return composed;
}
