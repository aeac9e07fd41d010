// Sizes and places over the spatial axes, in the units asked for.

import { PlacedError, type At, type Warn } from "../errors.js";
import { Fraction } from "../fraction.js";
import { checkAllFinite, checkAllPositive, checkLength, type Each, entry, type Placed } from "../geometry/index.js";
import { type ArrayRecord, convertUnits, type Placement, type Wanted } from "../placement/index.js";
import { knownUnit, scaled, unitRatio } from "../units/index.js";

/** The unit of spatial axes, a unit per kind of axis, or null for the store's own. */
export type UnitsAsked = string | null | Wanted;

/** What is needed of a placement: lists per axis, in the units named. */
export type InUnits = Pick<Placement, "axes" | "axisTypes" | "spatial" | "units" | "voxelSize" | "translation">;

const NANOMETRES: Wanted = { space: "nanometer" };

/** How placements are converted: `strict` false takes unknown units as those asked for; `path` is the array's. */
export interface Converting {
  readonly asked: UnitsAsked | undefined;
  readonly strict: boolean;
  readonly path: string;
}

/** A placement in the units asked for; errors of these are at ["units"], of the array's at [path, "units", axis]. */
export function converted(placed: InUnits, { asked, strict, path }: Converting, warn: Warn): InUnits {
  if (asked === null) return placed;
  const wanted = asked === undefined ? NANOMETRES : typeof asked === "string" ? { space: asked } : asked;
  const { axes, axisTypes, units, voxelSize, translation, spatial } = placed;
  try {
    const found = convertUnits(
      { axes, axisTypes, units, voxelSize, translation },
      wanted,
      { strict, at: [path] },
      warn,
    );
    return { axes, axisTypes, spatial, ...found };
  } catch (error) {
    if (error instanceof PlacedError && error.at[0] === "units")
      throw new PlacedError(error.code, ["units"], error.message);
    throw error;
  }
}

/** The entries of the spatial axes. */
export const onSpatial = (values: readonly number[], { spatial }: Pick<Placement, "spatial">): readonly number[] =>
  spatial.map((axis) => entry(values, axis));

/** A number per spatial axis from one for all or one each; `wrong_length` and `not_finite` at `at`. */
export function eachSpatial(each: Each, { spatial }: Pick<Placement, "spatial">, at: At): readonly number[] {
  const values = typeof each === "number" ? spatial.map(() => each) : each;
  checkLength(values, spatial.length, at);
  checkAllFinite(values, at);
  return values;
}

/** A size per spatial axis from one for all or one each; `not_positive` too. */
export function sizesAsked(each: Each, placed: Pick<Placement, "spatial">, at: At): readonly number[] {
  const sizes = eachSpatial(each, placed, at);
  checkAllPositive(sizes, at);
  return sizes;
}

/** Every world quantity of the spatial axes times a ratio of sizes, to / from, exactly and rounded once. */
export function rescaled<P extends InUnits>(placed: P, from: readonly number[], to: readonly number[]): P {
  const ratio = from.map((size, position) => Fraction.from(entry(to, position)).div(Fraction.from(size)));
  const times = (values: readonly number[]): readonly number[] =>
    values.map((value, axis) => {
      const by = ratio[placed.spatial.indexOf(axis)];
      return by === undefined ? value : scaled(value, by);
    });
  return { ...placed, voxelSize: times(placed.voxelSize), translation: times(placed.translation) };
}

/** Sizes over the spatial axes in some unit, in the units of a placement; an axis without one is in nanometres. */
export function inUnitsOf(
  sizes: readonly number[],
  unit: string | undefined,
  { spatial, units }: InUnits,
  at: At,
): readonly number[] {
  if (unit === undefined) return sizes;
  const source = knownUnit(unit, at);
  return sizes.map((size, position) => {
    const target = knownUnit(units[spatial[position] ?? 0] || "nanometer", at);
    return scaled(size, unitRatio(source, target, at));
  });
}

/** The lower corner on the spatial axes. */
export const cornerOf = ({
  voxelSize,
  translation,
  spatial,
}: Placed & Pick<ArrayRecord, "spatial">): readonly number[] =>
  spatial.map((axis) => entry(translation, axis) - entry(voxelSize, axis) / 2 + 0);
