// One random sample: what is drawn, in which order, and what is read of it.

import { PlacedError } from "../errors.js";
import type { Span } from "./axis.js";
import { alignedChunks } from "./chunks.js";
import type { Whole } from "./check.js";
import { drawForeground, foregroundCells } from "./foreground.js";
import { foregroundOf, type Mask } from "./fraction.js";
import {
  areDrawn,
  moves,
  sampledCentres,
  sampledSize,
  type Ranges,
  type Rules,
  type SampledVolume,
} from "./sampling.js";
import { fitted, scaleOf, type Scale } from "./scale.js";
import { startsAround, windowAt, windowRange, type Window } from "./windows.js";

/** Where random numbers come from. */
export interface Draws {
  /** A position, by the probability of each. */
  choice(weights: readonly number[]): number;
  /** An integer between two, both inclusive. */
  integer(least: number, greatest: number): number;
  /** A number between two. */
  uniform(least: number, greatest: number): number;
}

/** A sample. */
export interface Sample {
  /** The position of the volume. */
  readonly volume: number;
  /** A level-0 voxel. */
  readonly centre: readonly number[];
  readonly scales: readonly (Window & { readonly resolution: readonly number[] })[];
}

/**
 * How often each volume is drawn.
 *
 * @param sizes stored voxels that samples of each reach
 * @param exponent of the size
 * @returns numbers that add up to 1
 * @throws PlacedError `wrong_length` at `weights` where there are not as many as sizes
 */
export function probabilities(sizes: readonly Whole[], weights: readonly number[], exponent: number): number[] {
  if (sizes.length !== weights.length) {
    const text = `${weights.length} weights for ${sizes.length} volumes; there is one for each`;
    throw new PlacedError("wrong_length", ["weights"], text);
  }
  // Powers and sums may be no doubles; differences of logarithms are.
  const terms = sizes.map((size, position) => Math.log(weights[position]!) + exponent * Math.log(Number(size)));
  const most = Math.max(...terms);
  const shares = terms.map((term) => Math.exp(term - most));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

const product = (values: readonly number[]): number => values.reduce((result, value) => result * value, 1);

/** One resolution of a range, drawn between the logarithms of its bounds. */
function drawResolution([low, high]: Ranges["bounds"][number], axes: number, draws: Draws): number[] {
  const drawn = low.map((least, axis) => {
    const number = Math.exp(draws.uniform(Math.log(least), Math.log(high[axis]!)));
    return Math.min(Math.max(number, least), high[axis]!);
  });
  return drawn.length === 1 ? Array.from({ length: axes }, () => drawn[0]!) : drawn;
}

/** The scales of a sample. */
function drawScales(volume: SampledVolume, rules: Rules, draws: Draws): Scale[] {
  const { resolutions, patch } = volume;
  if (!areDrawn(resolutions)) return resolutions.map((resolution) => scaleOf(volume, resolution, rules));
  const { bounds, counts, sort } = resolutions;
  const drawn = bounds.flatMap((range, position) =>
    Array.from({ length: counts[position]! }, () => drawResolution(range, patch.length, draws)),
  );
  const ordered = sort ? [...drawn].sort((a, b) => product(a) - product(b)) : drawn;
  return ordered.map((resolution) => fitted(scaleOf(volume, resolution, rules)));
}

function drawCentre(volume: SampledVolume, rules: Rules, centres: readonly Span[], draws: Draws): number[] {
  const chunks = rules.chunkAligned === true ? alignedChunks(volume, rules, centres) : [];
  return centres.map((span, axis) => {
    const aligned = chunks[axis];
    const [first, last] = aligned ? aligned.centres[draws.choice(aligned.weights)]! : span;
    return draws.integer(first, last);
  });
}

/** A centre among those that hold enough foreground. */
export function drawForegroundCentre(
  volume: SampledVolume,
  rules: Rules,
  mask: Mask,
  centres: readonly Span[],
  draws: Draws,
): number[] {
  const foreground = foregroundOf(volume, rules, mask);
  return drawForeground(volume, foreground, foregroundCells(volume, rules, foreground, centres), draws);
}

/** Where each scale's window begins. */
function drawStarts(
  volume: SampledVolume,
  rules: Rules,
  scales: readonly Scale[],
  centre: readonly number[],
  draws: Draws,
): number[][] {
  const inside = moves(volume, rules);
  const starts: number[][] = [];
  scales.forEach((scale, order) => {
    const previous = scales[order - 1];
    if (rules.sampleWindows !== true || previous === undefined) starts.push(startsAround(scale, centre, inside));
    else starts.push(windowRange(scale, previous, starts[order - 1]!).map((span) => draws.integer(...span)));
  });
  return starts;
}

/**
 * One random sample of several volumes.
 *
 * @param masks per volume its foreground; needed where a volume asks for some
 * @throws PlacedError `out_of_range` at a volume's name and the letter of an axis without a centre
 */
export function drawSample(
  volumes: readonly SampledVolume[],
  rules: Rules,
  draws: Draws,
  masks: readonly (Mask | null)[] = [],
): Sample {
  const centres = volumes.map((volume) => sampledCentres(volume, rules));
  const sizes = volumes.map((volume, position) => sampledSize(volume, rules, centres[position]!));
  const weights = volumes.map(({ weight }) => weight ?? 1);
  const chosen = draws.choice(probabilities(sizes, weights, rules.sizeWeightingExponent ?? 0));
  const volume = volumes[chosen]!;
  const mask = masks[chosen];
  const scales = drawScales(volume, rules, draws);
  const centre =
    (volume.minForeground ?? 0) > 0 && mask
      ? drawForegroundCentre(volume, rules, mask, centres[chosen]!, draws)
      : drawCentre(volume, rules, centres[chosen]!, draws);
  const starts = drawStarts(volume, rules, scales, centre, draws);
  const read = scales.map((scale, order) => ({ ...windowAt(scale, starts[order]!), resolution: scale.resolution }));
  return { volume: chosen, centre, scales: read };
}
