// The windows of the first scale that cover a volume, one after the other.

import { PlacedError } from "../errors.js";
import { clamp, startSpan, windowStart, type Axis, type Span } from "./axis.js";
import { areDrawn, firstScale, sampledCentres, type Rules, type SampledVolume } from "./sampling.js";
import { scaleOf, type Scale } from "./scale.js";
import { startsAround, windowAt, type Window } from "./windows.js";

/** The windows of the first scale that cover a volume. */
export interface Grid {
  /** How many positions there are. */
  readonly length: number;
  /** Per axis, in the store's order, the origins in voxels of the level that the first scale reads. */
  readonly origins: readonly (readonly number[])[];
}

/** One position of a grid. */
export interface GridPosition {
  /** Which origin it is on each axis, in output order. */
  readonly gridIndex: readonly number[];
  /** A level-0 voxel, in the store's order. */
  readonly centre: readonly number[];
  readonly windows: readonly Window[];
}

/** The first and the last origin along an axis. */
function ends(axis: Axis, [least, greatest]: Span): Span {
  if (axis.label === null || !axis.filled) return startSpan(axis);
  return [windowStart(axis, least), windowStart(axis, greatest)];
}

function axisOrigins(axis: Axis, resolution: number, overlap: number, [first, last]: Span): number[] {
  const { read, voxel } = axis.image;
  const stride = clamp(((axis.patch - overlap) * resolution) / voxel, 1, read);
  const origins: number[] = [];
  for (let k = 0; ; k += 1) {
    const origin = first + Math.floor(k * stride + 1e-9);
    if (origin >= last) return [...origins, last];
    origins.push(origin);
  }
}

const sequential = (rules: Rules): Rules => ({ ...rules, sequential: true });

/**
 * The windows of the first scale that cover a volume.
 *
 * @throws PlacedError `out_of_range` at the volume's name and the axis' letter where there is none
 */
export function gridOf(volume: SampledVolume, rules: Rules): Grid {
  const centres = sampledCentres(volume, sequential(rules));
  const scale = firstScale(volume, rules);
  const origins = scale.axes.map((axis, position) => {
    const overlap = volume.overlap?.[position] ?? 0;
    return axisOrigins(axis, scale.resolution[position]!, overlap, ends(axis, centres[position]!));
  });
  return { length: origins.reduce((product, { length }) => product * length, 1), origins };
}

/** The level-0 voxel in the middle of a window. */
function centreOf(axis: Axis, start: number): number {
  const { image, base, patch } = axis;
  if (axis.finest) return start + Math.floor(image.read / 2);
  const middle = image.corner + (start + image.read / 2) * image.voxel;
  const place = (middle - base.corner) / base.voxel - (patch % 2 === 0 ? 0 : 0.5);
  return clamp(Math.floor(place + 0.5 + 1e-9), 0, base.size - 1);
}

/** The index of a position on each axis; the last axis runs fastest. */
function indexOf(grid: Grid, position: number): number[] {
  let rest = position;
  return grid.origins
    .slice()
    .reverse()
    .map(({ length }) => {
      const index = rest % length;
      rest = Math.floor(rest / length);
      return index;
    })
    .reverse();
}

/** Given resolutions as scales; a grid is made of no other. */
function givenScales(volume: SampledVolume, rules: Rules): Scale[] {
  const { resolutions } = volume;
  if (areDrawn(resolutions)) {
    throw new PlacedError("conflict", [volume.name], `volume ${volume.name}: drawn resolutions make no grid`);
  }
  return resolutions.map((resolution) => scaleOf(volume, resolution, rules));
}

/**
 * What one position of a grid reads.
 *
 * @param index from 0; negative ones count from the end
 * @throws PlacedError `out_of_range` at `index` for a position that is not there
 */
export function gridPosition(volume: SampledVolume, rules: Rules, grid: Grid, index: number): GridPosition {
  const position = index < 0 ? index + grid.length : index;
  if (position < 0 || position >= grid.length) {
    throw new PlacedError("out_of_range", ["index"], `there is no position ${index}; the last is ${grid.length - 1}`);
  }
  const scales = givenScales(volume, rules);
  const at = indexOf(grid, position);
  const start = grid.origins.map((origins, axis) => origins[at[axis]!]!);
  const centre = scales[0]!.axes.map((axis, place) => centreOf(axis, start[place]!));
  const order = volume.order ?? at.map((_, axis) => axis);
  return {
    gridIndex: order.map((axis) => at[axis]!),
    centre,
    windows: scales.map((scale, place) => windowAt(scale, place === 0 ? start : startsAround(scale, centre, true))),
  };
}
