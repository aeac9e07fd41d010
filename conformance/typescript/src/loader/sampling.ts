// A volume that is sampled: its scales, given or drawn, the centres of its samples, and how much they can read.

import type { Span } from "./axis.js";
import type { Whole } from "./check.js";
import { finestLevel } from "./level.js";
import { fitted, scaleOf, type Scale } from "./scale.js";
import type { Level, PlacedVolume, WindowRules } from "./volume.js";
import { centresOfScales, startsAround, windowRange } from "./windows.js";

/** Resolutions that are drawn, range by range. */
export interface Ranges {
  /** Low and high bound of each range, a list of one number or of one per axis. */
  readonly bounds: readonly (readonly [low: readonly number[], high: readonly number[]])[];
  /** How many scales each range gives. */
  readonly counts: readonly number[];
  /** Whether scales go from fine to coarse. */
  readonly sort: boolean;
}

/** A volume as samples are drawn from it; lists per axis in the store's order. */
export interface SampledVolume extends PlacedVolume {
  /** A voxel size per scale, or the ranges that they are drawn from. */
  readonly resolutions: readonly (readonly number[])[] | Ranges;
  /** The levels of a mask of foreground. */
  readonly mask?: readonly Level[] | null;
  /** For each axis of the output its position in the store's order; the store's order where absent. */
  readonly order?: readonly number[];
  /** 1 where absent. */
  readonly weight?: number;
  /** 0 on every axis where absent. */
  readonly overlap?: readonly number[];
  /** The part of the first window that has to be foreground; 0 where absent. */
  readonly minForeground?: number;
}

/** How samples are drawn. */
export interface Rules extends WindowRules {
  /** Confine where absent. */
  readonly border?: "confine" | "clamp";
  readonly sampleWindows?: boolean;
  readonly chunkAligned?: boolean;
  /** Whether windows cover the volume one after the other. */
  readonly sequential?: boolean;
  /** 0 where absent. */
  readonly sizeWeightingExponent?: number;
}

/** Whether resolutions are drawn. */
export function areDrawn(resolutions: SampledVolume["resolutions"]): resolutions is Ranges {
  return "bounds" in resolutions;
}

const spread = (bound: readonly number[], axis: number): number => bound[bound.length === 1 ? 0 : axis]!;

/** The three resolutions that stand for all that may be drawn. */
export interface Extremes {
  readonly finest: readonly number[];
  readonly coarsest: readonly number[];
  /** The coarsest that the first scale may have. */
  readonly first: readonly number[];
}

/** The extremes of drawn resolutions, per axis. */
export function extremes({ bounds, sort }: Ranges, axes: number): Extremes {
  const per = (pick: (values: number[]) => number, end: 0 | 1): number[] =>
    Array.from({ length: axes }, (_, axis) => pick(bounds.map((range) => spread(range[end], axis))));
  return {
    finest: per((values) => Math.min(...values), 0),
    coarsest: per((values) => Math.max(...values), 1),
    first: per((values) => (sort ? Math.min(...values) : values[0]!), 1),
  };
}

/** Whether the first scale alone confines the centres of samples. */
export function clamps({ border, sampleWindows, sequential }: Rules): boolean {
  return border === "clamp" || sampleWindows === true || sequential === true;
}

/** Whether a window around a centre is moved to where it may begin. */
export function moves(volume: SampledVolume, rules: Rules): boolean {
  return clamps(rules) || areDrawn(volume.resolutions);
}

/** The scales of given resolutions; of drawn ones those that stand for all, the first scale first. */
function confining(volume: SampledVolume, rules: Rules): Scale[] {
  const { resolutions } = volume;
  if (!areDrawn(resolutions)) return resolutions.map((resolution) => scaleOf(volume, resolution, rules));
  const { first, coarsest } = extremes(resolutions, volume.patch.length);
  const asked = clamps(rules) ? [first, coarsest] : [coarsest];
  return asked.map((resolution) => scaleOf(volume, resolution, rules));
}

/** The first scale, of drawn resolutions the coarsest that it may be. */
export function firstScale(volume: SampledVolume, rules: Rules): Scale {
  const { resolutions, patch } = volume;
  const resolution = areDrawn(resolutions) ? extremes(resolutions, patch.length).first : resolutions[0]!;
  return scaleOf(volume, resolution, rules);
}

/**
 * The centres that samples of a volume may have, per axis, both ends inclusive.
 *
 * @throws PlacedError `out_of_range` at the volume's name and the axis' letter where there is none
 */
export function sampledCentres(volume: SampledVolume, rules: Rules): Span[] {
  return centresOfScales(volume, confining(volume, rules), clamps(rules));
}

/** Where the windows of every scale begin that lie farthest to one side, around a centre at that side. */
function extremeStarts(
  scales: readonly Scale[],
  centre: readonly number[],
  inside: boolean,
  covering: boolean,
  end: 0 | 1,
): number[][] {
  const starts: number[][] = [];
  scales.forEach((scale, order) => {
    const previous = scales[order - 1];
    const found =
      covering && previous !== undefined
        ? windowRange(scale, previous, starts[order - 1]!).map((span) => span[end])
        : startsAround(scale, centre, inside);
    starts.push(found);
  });
  return starts;
}

/** The scales that the size of a volume is counted with. */
function counted(volume: SampledVolume, rules: Rules): Scale[] {
  const { resolutions } = volume;
  if (!areDrawn(resolutions)) return resolutions.map((resolution) => scaleOf(volume, resolution, rules));
  const { finest, coarsest } = extremes(resolutions, volume.patch.length);
  return [finest, coarsest].map((resolution) => fitted(scaleOf(volume, resolution, rules)));
}

/**
 * How many voxels samples can read of the finest level that any scale reads.
 *
 * @param centres the centres of the volume
 */
export function sampledSize(volume: SampledVolume, rules: Rules, centres: readonly Span[]): Whole {
  const scales = counted(volume, rules);
  const levels = [...new Set(scales.map(({ level }) => level))].sort((a, b) => a - b);
  const level = levels[finestLevel(levels.map((position) => volume.image[position]!.voxel))]!;
  const covering = rules.sampleWindows === true && rules.sequential !== true;
  const inside = moves(volume, rules);
  const starts = ([0, 1] as const).map((end) =>
    extremeStarts(
      scales,
      centres.map((span) => span[end]),
      inside,
      covering,
      end,
    ),
  );
  const reading = [...scales.keys()].filter((order) => scales[order]!.level === level);
  const size = centres.reduce((product, _, axis) => {
    const lowest = Math.min(...reading.map((order) => starts[0]![order]![axis]!));
    const highest = Math.max(
      ...reading.map((order) => starts[1]![order]![axis]! + scales[order]!.axes[axis]!.image.read),
    );
    return product * BigInt(highest - lowest);
  }, 1n);
  return Number.isSafeInteger(Number(size)) ? Number(size) : size;
}
