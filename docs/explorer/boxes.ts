// Levels as boxes of the world, in the units that are shown.

import { PlacedError } from "../../conformance/typescript/src/errors.js";
import { Fraction } from "../../conformance/typescript/src/fraction.js";
import { convertUnits } from "../../conformance/typescript/src/placement/index.js";
import { parseUnit, scaled } from "../../conformance/typescript/src/units/index.js";
import type { Level } from "./examine.js";

/** One axis of a level: `translation` is the centre of voxel 0, `end` the upper corner, null for an unknown shape. */
export interface Axis {
  readonly name: string;
  readonly spatial: boolean;
  readonly unit: string;
  readonly size: number;
  readonly translation: number;
  readonly corner: number;
  readonly end: number | null;
  readonly length: number | null;
}

export interface Box {
  readonly name: string;
  readonly axes: readonly Axis[];
}

const half = (value: number, size: number): number =>
  Fraction.from(value)
    .sub(Fraction.from(size).div(Fraction.of(2)))
    .toNumber();

const upper = (corner: number, size: number, length: number): number =>
  Fraction.from(corner)
    .add(Fraction.from(size).mul(Fraction.of(length)))
    .toNumber();

/** A unit as it is commonly abbreviated, or as it stands. */
export const short = (unit: string): string => parseUnit(unit)?.abbreviation ?? unit;

/** A level's axes with spatial ones in a unit, "" for the stored ones; what cannot be converted stays as stored. */
export function boxOf({ name, placed, shape }: Level, unit: string): Box {
  if (placed === null) return { name, axes: [] };
  const shown = unit === "" ? placed : { ...placed, ...converted(placed, unit) };
  const axes = placed.axes.map((axis, position): Axis => {
    const [size, translation] = [shown.voxelSize[position] ?? 1, shown.translation[position] ?? 0];
    const spatial = placed.spatial.includes(position);
    const stored = shown.voxelSize === placed.voxelSize ? placed.corner[position] : undefined;
    const corner = spatial ? (stored ?? half(translation, size)) : translation;
    const length = shape?.[position] ?? null;
    const end = spatial && length !== null ? upper(corner, size, length) : null;
    return { name: axis, spatial, unit: shown.units[position] ?? "", size, translation, corner, end, length };
  });
  return { name, axes };
}

function converted(placed: NonNullable<Level["placed"]>, unit: string): object {
  try {
    return convertUnits(placed, { space: unit }, {}, () => undefined);
  } catch (error) {
    if (error instanceof PlacedError) return {};
    throw error;
  }
}

/** Numbers of an axis in another unit; as they are where one of the units is unknown. */
export function inUnit(value: number, from: string, to: string): number {
  const [source, target] = [parseUnit(from), parseUnit(to)];
  if (from === to || source === undefined || target === undefined || source.dimension !== target.dimension)
    return value;
  return scaled(value, source.factor.div(target.factor));
}

/** A number with at most 12 digits. */
export const digits = (value: number): string => String(Number(value.toPrecision(12)));
