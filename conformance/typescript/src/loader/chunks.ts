// Chunks that hold the window of the first scale whole.

import { centresOf, type Span } from "./axis.js";
import { firstScale, type Rules, type SampledVolume } from "./sampling.js";
import type { Scale } from "./scale.js";

/** The chunks of one axis that hold a window, in order. */
export interface ChunkCentres {
  /** The index of each chunk. */
  readonly chunks: readonly number[];
  /** Its first and last centre, both inclusive. */
  readonly centres: readonly Span[];
  /** The part of all these centres that it has. */
  readonly weights: readonly number[];
}

function axisChunks(scale: Scale, axis: number, chunk: number, centres: Span): ChunkCentres | null {
  const along = scale.axes[axis]!;
  const { size, read } = along.image;
  if (chunk < read) return null;
  const found = Array.from({ length: Math.ceil(size / chunk) }, (_, index) => ({
    index,
    span: centresOf(along, [index * chunk, (index + 1) * chunk - read], centres),
  })).filter(({ span: [first, last] }) => first <= last);
  if (found.length === 0) return null;
  const counts = found.map(({ span: [first, last] }) => last - first + 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return {
    chunks: found.map(({ index }) => index),
    centres: found.map(({ span }) => span),
    weights: counts.map((count) => count / total),
  };
}

/**
 * Per axis the chunks whose centres have windows that begin and end in them; null where an axis is drawn without regard
 * to chunks.
 *
 * @param centres the centres of the volume
 */
export function alignedChunks(volume: SampledVolume, rules: Rules, centres: readonly Span[]): (ChunkCentres | null)[] {
  const scale = firstScale(volume, rules);
  const { chunk, shape } = volume.image[scale.level]!;
  return centres.map((span, axis) => axisChunks(scale, axis, (chunk ?? shape)[axis]!, span));
}
