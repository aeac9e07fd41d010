// What the windows of a volume are computed from: its levels, and where they lie.

import type { LevelPolicy } from "./level.js";

/** One level of a pyramid, along the sampled axes; sizes and places in the store's own unit. */
export interface Level {
  readonly shape: readonly number[];
  /** The size of a voxel. */
  readonly voxel: readonly number[];
  /** The centre of voxel 0; null or absent where the level declares none. */
  readonly translation?: readonly number[] | null;
  /** What one read decodes; the whole level where absent. */
  readonly chunk?: readonly number[];
}

/** A half-open range of level-0 voxels. */
export type Range = readonly [begin: number, end: number];

/** A volume as its documents place it. Lists per axis are in the store's order. */
export interface PlacedVolume {
  readonly name: string;
  /** One letter per axis. */
  readonly axes: string;
  /** Voxels of an output patch. */
  readonly patch: readonly number[];
  /** Levels as listed; the first is level 0. */
  readonly image: readonly Level[];
  readonly label?: readonly Level[] | null;
  /** All of level 0 where absent. */
  readonly boundingBox?: readonly Range[] | null;
  /** The label outside the labels; where absent windows stay inside them. */
  readonly labelFill?: number | bigint | null;
}

/** How windows are chosen. */
export interface WindowRules {
  readonly policy?: LevelPolicy;
  readonly labelSampling?: "index" | "position";
}

const shrunk = (levels: readonly Level[], factor: number): Level[] =>
  levels.map((level) => ({
    ...level,
    voxel: level.voxel.map((size) => size / factor),
    translation: level.translation?.map((place) => place / factor) ?? null,
  }));

/** A volume whose voxel sizes and translations are divided by a factor. */
export function expanded<Volume extends PlacedVolume>(volume: Volume, factor: number): Volume {
  if (factor === 1) return volume;
  const { image, label } = volume;
  return { ...volume, image: shrunk(image, factor), ...(label ? { label: shrunk(label, factor) } : {}) };
}

/** The lower corner of voxel 0 of each level, per axis. */
export type Frame = readonly (readonly number[])[];

const declares = (levels: readonly Level[]): boolean => levels.some(({ translation }) => translation != null);

/**
 * The corners of a pyramid's levels, counted from a place.
 *
 * @param origin the centre of a voxel and its size: corners are counted from its lower corner. Differences of
 *   translations are taken first, so that places far from zero lose nothing.
 */
function cornersFrom(levels: readonly Level[], origin: Level): Frame {
  return levels.map(({ voxel, translation }) =>
    voxel.map((size, axis) => {
      const centre = (translation?.[axis] ?? 0) - (origin.translation?.[axis] ?? 0);
      return centre + (origin.voxel[axis]! - size) / 2;
    }),
  );
}

/** Level 0 of an image; one that declares nothing is centred at 0. */
const baseOf = ([first]: readonly Level[]): Level => first!;

/** Levels that share the corner of the origin. */
const shared = (levels: readonly Level[]): Frame => levels.map(({ voxel }) => voxel.map(() => 0));

/** The corners of an image's levels, counted from that of level 0; levels that declare nothing share it. */
export function imageFrame(image: readonly Level[]): Frame {
  return declares(image) ? cornersFrom(image, baseOf(image)) : shared(image);
}

/**
 * The corners of labels or a mask beside an image, counted from that of its level 0; where neither declares anything,
 * all levels share it.
 */
export function frameBeside(levels: readonly Level[], image: readonly Level[]): Frame {
  if (declares(levels)) return cornersFrom(levels, baseOf(image));
  if (!declares(image)) return shared(levels);
  const [first] = levels;
  const [corner] = cornersFrom([{ ...first!, translation: null }], baseOf(image));
  return levels.map(() => corner!);
}

/** The corners of an image's levels in the unit of the volume. */
export function corners(image: readonly Level[]): Frame {
  const { voxel, translation } = baseOf(image);
  const zero = voxel.map((size, axis) => (translation?.[axis] ?? 0) - size / 2);
  return imageFrame(image).map((corner) => corner.map((place, axis) => zero[axis]! + place));
}
