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

/** The frame of a pyramid: the lower corner of voxel 0 of each level, per axis. */
export type Frame = readonly (readonly number[])[];

const declares = (levels: readonly Level[]): boolean => levels.some(({ translation }) => translation != null);

/** The corners of a pyramid's levels; levels that declare nothing share the corner of its level 0. */
export function frame(levels: readonly Level[]): Frame {
  const [first] = levels;
  if (!declares(levels)) return levels.map(() => first!.voxel.map((size) => -size / 2));
  return levels.map(({ voxel, translation }) => voxel.map((size, axis) => (translation?.[axis] ?? 0) - size / 2));
}

/** The corners of labels or a mask beside an image: where neither declares anything, all share the image's. */
export function frameBeside(levels: readonly Level[], image: readonly Level[]): Frame {
  if (declares(levels) || declares(image)) return frame(levels);
  const [corner] = frame(image);
  return levels.map(() => corner!);
}
