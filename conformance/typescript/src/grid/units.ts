// Units of a grid's axes, by OME name.

import { type At } from "../errors.js";
import { checkLength, isChannel, isTime } from "../geometry/index.js";
import { type Dimension, parseUnit, unitOf } from "../units/index.js";

/** The unit of the spatial axes; or one per axis, "" for none; or one per kind of axis; or null for none at all. */
export type UnitsGiven =
  string | null | readonly (string | null)[] | { readonly space?: string; readonly time?: string };

/** Names, types and spatial positions of axes. */
export interface AxesOf {
  readonly axes: readonly string[];
  readonly axisTypes: readonly string[];
  readonly spatial: readonly number[];
}

const isList = (units: UnitsGiven): units is readonly (string | null)[] => Array.isArray(units);

const named = (text: string | undefined, dimension: Dimension, at: At): string =>
  text === undefined || text === "" ? "" : unitOf(text, dimension, at).name;

/**
 * A unit per axis by its OME name, "" for none: a channel has none; those of a list that no table knows are kept.
 *
 * Raises `unknown_unit` and `wrong_value` at ["units"] or ["units", kind], and `wrong_length` at ["units"].
 */
export function axisUnits(units: UnitsGiven, { axes, axisTypes, spatial }: AxesOf): readonly string[] {
  const channel = (axis: number): boolean => isChannel(axes[axis] ?? "", axisTypes[axis]);
  if (units === null) return axes.map(() => "");
  if (isList(units)) {
    checkLength(units, axes.length, ["units"]);
    return units.map((unit, axis) => (channel(axis) ? "" : (parseUnit(unit)?.name ?? unit ?? "")));
  }
  const kinds = typeof units === "string" ? { space: units } : units;
  const space = named(kinds.space, "length", typeof units === "string" ? ["units"] : ["units", "space"]);
  const time = named(kinds.time, "time", ["units", "time"]);
  return axes.map((name, axis) => (spatial.includes(axis) ? space : isTime(name, axisTypes[axis]) ? time : ""));
}
