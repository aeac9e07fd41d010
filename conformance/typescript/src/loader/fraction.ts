// Which part of a window is foreground.

import { PlacedError } from "../errors.js";
import { clamp, movedInside, windowStart, type Axis, type Line } from "./axis.js";
import { firstScale, moves, type Rules, type SampledVolume } from "./sampling.js";
import { line, type Scale } from "./scale.js";
import { frameBeside } from "./volume.js";

/** The foreground of one level of a mask, or of labels: true where it is, flat in C order. */
export interface Mask {
  readonly shape: readonly number[];
  readonly data: ArrayLike<boolean>;
  /** The position of the level. */
  readonly level: number;
}

/** What fractions of foreground are computed from. */
export interface Foreground {
  readonly scale: Scale;
  /** Whether windows are moved to where they may begin. */
  readonly inside: boolean;
  /** The level of the mask, per axis. */
  readonly lines: readonly Line[];
  readonly data: ArrayLike<boolean>;
}

/**
 * The foreground of a volume.
 *
 * @throws PlacedError `wrong_length` at `masks` for a foreground of another shape than its level
 */
export function foregroundOf(volume: SampledVolume, rules: Rules, mask: Mask): Foreground {
  const levels = volume.mask ?? volume.label ?? [];
  const { shape } = levels[mask.level]!;
  if (mask.shape.join() !== shape.join()) {
    const text = `foreground of ${mask.shape.join(", ")} voxels; the level has ${shape.join(", ")}`;
    throw new PlacedError("wrong_length", ["masks"], `volume ${volume.name}: ${text}`);
  }
  const corners = frameBeside(levels, volume.image);
  const lines = shape.map((_, axis) => line(levels, corners, mask.level, axis));
  return { scale: firstScale(volume, rules), inside: moves(volume, rules), lines, data: mask.data };
}

/** Which voxels of a mask lie in a window along one axis, and which part of the window each takes. */
interface Shares {
  readonly first: number;
  readonly parts: readonly number[];
}

function shares({ scale, inside, lines }: Foreground, axis: number, centre: number): Shares {
  const along: Axis = scale.axes[axis]!;
  const { corner, voxel, size } = lines[axis]!;
  const around = windowStart(along, centre);
  const begin = along.image.corner + (inside ? movedInside(along, around) : around) * along.image.voxel;
  const from = (begin - corner) / voxel;
  const to = (begin + along.image.read * along.image.voxel - corner) / voxel;
  const first = clamp(Math.floor(from), 0, size);
  const behind = clamp(Math.ceil(to), first, size);
  const parts = Array.from({ length: behind - first }, (_, i) => {
    const covered = Math.min(to, first + i + 1) - Math.max(from, first + i);
    return Math.max(covered, 0) / (to - from);
  });
  return { first, parts };
}

/** The part of the first scale's window around a centre that is foreground: 0 to 1. */
export function foregroundFraction(foreground: Foreground, centre: readonly number[]): number {
  const { lines, data } = foreground;
  const along = centre.map((place, axis) => shares(foreground, axis, place));
  const sum = (axis: number, offset: number): number => {
    const found = along[axis];
    if (found === undefined) return data[offset] ? 1 : 0;
    const { first, parts } = found;
    return parts.reduce((total, part, i) => total + part * sum(axis + 1, offset * lines[axis]!.size + first + i), 0);
  };
  return sum(0, 0);
}

/** One axis of an array, `outer` before it and `inner` behind it, summed up with the weights of each window. */
function weighted(values: Float64Array, outer: number, size: number, windows: readonly Shares[]): Float64Array {
  const inner = values.length / (outer * size);
  const result = new Float64Array(outer * windows.length * inner);
  for (let before = 0; before < outer; before += 1) {
    windows.forEach(({ first, parts }, window) => {
      const target = (before * windows.length + window) * inner;
      parts.forEach((part, i) => {
        const source = (before * size + first + i) * inner;
        for (let behind = 0; behind < inner; behind += 1) result[target + behind]! += part * values[source + behind]!;
      });
    });
  }
  return result;
}

/**
 * The same around every centre of a grid.
 *
 * @param places the centres along each axis
 * @returns the fraction of each combination, the last axis fastest
 */
export function gridFractions(foreground: Foreground, places: readonly (readonly number[])[]): Float64Array {
  const { lines, data } = foreground;
  let outer = 1;
  let values: Float64Array = Float64Array.from(data, Number);
  places.forEach((centres, axis) => {
    const windows = centres.map((centre) => shares(foreground, axis, centre));
    values = weighted(values, outer, lines[axis]!.size, windows);
    outer *= centres.length;
  });
  return values;
}
