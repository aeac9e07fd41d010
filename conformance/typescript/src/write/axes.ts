// The axes of what is written: names, types and units, held against each other.

import { type At, PlacedError } from "../errors.js";
import { checkLength, defaultAxes, isChannel, isTime, spatialAxes, typeByName } from "../geometry/index.js";
import { parseUnit } from "../units/index.js";

/** A unit per axis; or one per kind of axis; or the unit of the spatial axes; "" and null are no unit. */
export type UnitsWanted =
  | string
  | null
  | readonly (string | null)[]
  | { readonly space?: string | null; readonly time?: string | null; readonly channel?: string | null };

/** Axes as a caller gives them; types by name where absent. */
export interface AxesWanted {
  readonly axes: readonly string[];
  readonly axisTypes?: readonly string[] | undefined;
  readonly units: UnitsWanted;
}

/** Axes as they are written: units by OME name, "" for none; `spatial` are positions. */
export interface WrittenAxes {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly units: readonly string[];
  readonly spatial: readonly number[];
}

const isList = (units: UnitsWanted): units is readonly (string | null)[] => Array.isArray(units);

type Kind = "space" | "time" | "channel" | "";

interface Axis {
  readonly name: string;
  readonly kind: Kind;
}

/** The unit of one axis by its OME name; a spatial axis with a name of its own keeps one that no table knows. */
function unitOn({ name, kind }: Axis, text: string, at: At): string {
  if (text === "") return "";
  if (kind === "channel" || kind === "") {
    throw new PlacedError("wrong_value", at, `the axis ${name} has the unit ${text}, but only space and time have one`);
  }
  const unit = parseUnit(text);
  const free = kind === "space" && !["z", "y", "x"].includes(name);
  const dimension = kind === "time" ? "time" : "length";
  if (unit?.dimension === dimension || (free && unit !== undefined)) return unit.name;
  if (free) return text;
  if (unit === undefined) {
    throw new PlacedError(
      "unknown_unit",
      at,
      `the axis ${name} has the unit ${JSON.stringify(text)}, which no table knows`,
    );
  }
  const message = `the axis ${name} has the unit ${text}, one of ${unit.dimension}; it takes one of ${dimension}`;
  throw new PlacedError("wrong_value", at, message);
}

function unitsOf(units: UnitsWanted, axes: readonly Axis[]): readonly string[] {
  if (isList(units)) {
    checkLength(units, axes.length, ["units"]);
    return axes.map((axis, position) => unitOn(axis, units[position] ?? "", ["units", position]));
  }
  const one = units === null || typeof units === "string";
  const kinds = one ? { space: units } : units;
  return axes.map((axis) => {
    const at = one ? ["units"] : ["units", axis.kind];
    return axis.kind === "" ? "" : unitOn(axis, kinds[axis.kind] ?? "", at);
  });
}

/** Raises `duplicate` at the second of two axes of one name. */
function checkRepeats(names: readonly string[]): void {
  const second = names.findIndex((name, axis) => names.indexOf(name) !== axis);
  if (second < 0) return;
  throw new PlacedError(
    "duplicate",
    ["axes", second],
    `axes names ${names[second]} twice; axes have names of their own`,
  );
}

/**
 * Axes as they are written.
 *
 * Raises `missing_field` at ["axes"] for none and `duplicate` at ["axes", position]; `wrong_length` at ["axis_types"]
 * and ["units"]; `unknown_unit` and `wrong_value` at ["units", axis], ["units", kind] or ["units"].
 */
export function writtenAxes({ axes, axisTypes, units }: AxesWanted): WrittenAxes {
  if (axes.length === 0) throw new PlacedError("missing_field", ["axes"], "axes is empty; an array has an axis");
  checkRepeats(axes);
  const types = axisTypes ?? axes.map(typeByName);
  checkLength(types, axes.length, ["axis_types"]);
  const spatial = spatialAxes(axes, types);
  const kindOf = (name: string, axis: number): Kind => {
    if (isChannel(name, types[axis])) return "channel";
    if (isTime(name, types[axis])) return "time";
    return spatial.includes(axis) ? "space" : "";
  };
  const found = unitsOf(
    units,
    axes.map((name, axis) => ({ name, kind: kindOf(name, axis) })),
  );
  return { names: axes, types, units: found, spatial };
}

/** Axes of an array of `count` axes: t, c, z, y, x from the back and nanometers where nothing is given. */
export function axesOfArray(
  count: number,
  given: { readonly [K in keyof AxesWanted]?: AxesWanted[K] | undefined },
): WrittenAxes {
  const axes = given.axes ?? defaultAxes(count);
  checkLength(axes, count, ["axes"]);
  const units = given.units === undefined ? "nanometer" : given.units;
  return writtenAxes({ axes, axisTypes: given.axisTypes, units });
}
