// A placement in other units.

import { type At, PlacedError, type Warn } from "../errors.js";
import { Fraction } from "../fraction.js";
import { checkAllFinite, checkAllPositive, checkLength, isTime, spatialAxes } from "../geometry/index.js";
import { type Dimension, parseUnit, scaled, type Unit, unitOf } from "../units/index.js";

/** Axes with their units, sizes and first centres. */
export interface InUnits {
  readonly axes: readonly string[];
  readonly axisTypes?: readonly string[] | null | undefined;
  readonly units: readonly string[];
  readonly voxelSize: readonly number[];
  readonly translation: readonly number[];
}

/** The unit wanted per kind of axis; a kind left out is not converted. */
export interface Wanted {
  readonly space?: string | undefined;
  readonly time?: string | undefined;
}

/** `strict` false takes unknown units as those wanted; `at` is where the array's units stand in errors. */
export interface ConvertOptions {
  readonly strict?: boolean;
  readonly at?: At;
}

interface Axis {
  readonly name: string;
  readonly unit: string;
  readonly at: At;
}

/** How many of the wanted one of an axis's unit is; undefined for an axis that is left as it is. */
function ratio({ name, unit, at }: Axis, wanted: Unit, strict: boolean, warn: Warn): Fraction | undefined {
  const source = parseUnit(unit);
  if (source?.dimension === wanted.dimension) return source.factor.div(wanted.factor);
  const free = wanted.dimension === "length" && !["z", "y", "x"].includes(name);
  if (free) return undefined;
  if (!strict) {
    warn("unknown_unit");
    return Fraction.of(1);
  }
  const words = `axis ${name} is in ${JSON.stringify(unit)}, which is no known unit of ${wanted.dimension}`;
  throw new PlacedError("unknown_unit", at, `${words}; it cannot be converted to ${wanted.name}`);
}

/** The unit that an axis without one is taken to be in: nanometres for space, that wanted for time. */
const assumed = (wanted: Unit): string => (wanted.dimension === "length" ? "nanometer" : wanted.name);

function check({ axes, axisTypes, units, voxelSize, translation }: InUnits): void {
  const lists = { axis_types: axisTypes ?? axes, units, voxel_size: voxelSize, translation };
  for (const [name, values] of Object.entries(lists)) checkLength(values, axes.length, [name]);
  checkAllPositive(voxelSize, ["voxel_size"]);
  checkAllFinite(translation, ["translation"]);
}

/**
 * A placement with its spatial and time axes in the units wanted, each number converted exactly and rounded once;
 * units of converted axes come back by their OME names.
 */
export function convertUnits(
  given: InUnits,
  wanted: Wanted,
  options: ConvertOptions,
  warn: Warn,
): Pick<InUnits, "units" | "voxelSize" | "translation"> {
  check(given);
  const { axes, axisTypes } = given;
  const target = (kind: keyof Wanted, dimension: Dimension): Unit | undefined => {
    const unit = wanted[kind];
    return unit === undefined ? undefined : unitOf(unit, dimension, ["units", kind]);
  };
  const [space, time] = [target("space", "length"), target("time", "time")];
  const spatial = spatialAxes(axes, axisTypes ?? []);
  let missing = false;
  const changes = axes.map((name, axis) => {
    const unit = spatial.includes(axis) ? space : isTime(name, axisTypes?.[axis]) ? time : undefined;
    if (unit === undefined) return undefined;
    const own = given.units[axis] ?? "";
    if (own === "") missing = true;
    const at = [...(options.at ?? ["array"]), "units", axis];
    const factor = ratio({ name, unit: own || assumed(unit), at }, unit, options.strict ?? true, warn);
    return factor && { name: unit.name, factor };
  });
  if (missing) warn("missing_field");
  const converted = (values: readonly number[]): readonly number[] =>
    values.map((value, axis) => {
      const change = changes[axis];
      return change === undefined ? value : scaled(value, change.factor);
    });
  return {
    units: given.units.map((unit, axis) => changes[axis]?.name ?? unit),
    voxelSize: converted(given.voxelSize),
    translation: converted(given.translation),
  };
}
