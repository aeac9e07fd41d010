// A pyramid along the axes that samples have: pinned axes and channels taken out.

import type { At, Warn } from "../errors.js";
import { parseUnit, sameUnit, scaled, unitRatio } from "../units/index.js";
import { fail, type Whole } from "./check.js";
import { pinnedIndex } from "./level.js";
import type { StoredLevel, StoredPyramid } from "./stored.js";
import type { Level } from "./volume.js";

/** One level along the sampled axes, as a record says it. */
export interface DescribedLevel extends Level {
  readonly name: string;
  readonly path: string;
  readonly translation: readonly number[] | null;
  readonly chunk: readonly number[];
  readonly dtype: string;
  /** The index of each pinned axis, by its stored name. */
  readonly select: Readonly<Record<string, number>>;
}

/** A pyramid along the sampled axes. */
export interface DescribedPyramid {
  readonly path: string;
  readonly levels: readonly DescribedLevel[];
  /** One letter per sampled axis, in the store's order. */
  readonly axes: string;
  readonly units: readonly string[];
  /** How many there are; null without such an axis. */
  readonly channels: number | null;
  /** The sampled axes and c, as stored. */
  readonly read_axes: string;
}

/** Axes that are pinned, by their position in the store, to an index of level 0. */
export type Pins = ReadonlyMap<number, Whole>;

const alike = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

/** The position of a pinned axis in the store, by its stored name or its letter; undefined where there is none. */
export function storedAxis({ names, letters }: StoredPyramid, axis: string): number | undefined {
  const named = names.indexOf(axis);
  const found = named >= 0 ? named : letters.indexOf(axis);
  return found >= 0 ? found : undefined;
}

/** The levels whose steps along a pinned time axis are those of level 0; the others are warned of. */
export function steadyLevels(pyramid: StoredPyramid, pinned: readonly number[], warn: Warn): StoredPyramid {
  const times = pinned.filter((axis) => pyramid.letters[axis] === "t");
  const [first] = pyramid.levels;
  const levels = pyramid.levels.filter((level) => {
    const steady = times.every((axis) => alike(level.voxel[axis]!, first!.voxel[axis]!));
    if (!steady) warn("conflict");
    return steady;
  });
  return { ...pyramid, levels };
}

/** The index of each pinned axis at a level, by its stored name; the last one where the index is none. */
function selectOf({ names }: StoredPyramid, base: StoredLevel, level: StoredLevel, pins: Pins): Record<string, number> {
  const entries = [...pins].map(([axis, index]) => {
    const there = pinnedIndex(index, base.voxel[axis]!, level.voxel[axis]!);
    return [names[axis]!, Math.min(there, level.shape[axis]! - 1)];
  });
  return Object.fromEntries(entries) as Record<string, number>;
}

/** A pyramid along its sampled axes, sizes and translations divided by a factor. */
export function describedPyramid(pyramid: StoredPyramid, pins: Pins, factor: number): DescribedPyramid {
  const { letters, levels, path, units } = pyramid;
  const left = [...letters.keys()].filter((axis) => !pins.has(axis));
  const sampled = left.filter((axis) => letters[axis] !== "c");
  const pick = <Value>(values: readonly Value[]): Value[] => sampled.map((axis) => values[axis]!);
  const divided = (values: readonly number[]): number[] => pick(values).map((value) => value / factor);
  const [base] = levels;
  const channel = left.find((axis) => letters[axis] === "c");
  return {
    path,
    levels: levels.map((level) => ({
      name: level.name,
      path: level.path,
      shape: pick(level.shape),
      voxel: divided(level.voxel),
      translation: level.translation && divided(level.translation),
      chunk: pick(level.chunk),
      dtype: level.dtype,
      select: selectOf(pyramid, base!, level, pins),
    })),
    axes: pick(letters).join(""),
    units: pick(units),
    channels: channel === undefined ? null : base!.shape[channel]!,
    read_axes: left.map((axis) => letters[axis]!).join(""),
  };
}

/** How to get from the unit of one axis to that of an image; undefined where nothing changes. */
function axisRatio(own: string, image: string, at: At): ReturnType<typeof unitRatio> | undefined {
  if (own === "" || image === "" || sameUnit(own, image)) return undefined;
  const [source, target] = [parseUnit(own), parseUnit(image)];
  if (source === undefined || target === undefined || source.dimension !== target.dimension) {
    return fail("unknown_unit", at, `${own} cannot be converted to ${image}, the unit of the image`);
  }
  return unitRatio(source, target);
}

/** A pyramid in the units of an image beside it, where both name units on their spatial axes. */
export function inUnitsOf(pyramid: StoredPyramid, image: StoredPyramid, at: At): StoredPyramid {
  const matched = pyramid.letters.map((letter, axis) =>
    pyramid.spatial.includes(axis) ? (image.units[image.letters.indexOf(letter)] ?? "") : "",
  );
  const ratios = pyramid.units.map((own, axis) => axisRatio(own, matched[axis]!, at));
  const converted = (values: readonly number[]): number[] =>
    values.map((value, axis) => (ratios[axis] === undefined ? value : scaled(value, ratios[axis])));
  return {
    ...pyramid,
    units: pyramid.units.map((own, axis) => (ratios[axis] === undefined ? own : matched[axis]!)),
    levels: pyramid.levels.map((level) => ({
      ...level,
      voxel: converted(level.voxel),
      translation: level.translation && converted(level.translation),
    })),
  };
}
