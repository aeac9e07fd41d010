// What a sample reads, scale by scale, and where it may lie.

import { PlacedError } from "../errors.js";
import {
  centresOf,
  centresOnLabels,
  coveringSpan,
  labelOrigin,
  labelVoxelsOf,
  movedInside,
  startSpan,
  windowStart,
  type Span,
} from "./axis.js";
import { line, scaleOf, type Scale } from "./scale.js";
import { corners, frameBeside, imageFrame, type PlacedVolume, type WindowRules } from "./volume.js";

/** What one scale of a sample reads: voxels [start, start + size) of a level, per axis. */
export interface Window {
  readonly level: number;
  readonly start: readonly number[];
  readonly size: readonly number[];
  /** The same of the labels, where there are labels. */
  readonly labels: LabelWindow | null;
}

export interface LabelWindow {
  readonly level: number;
  readonly start: readonly number[];
  readonly size: readonly number[];
  /** Per axis, for each output voxel the voxel of this window that it takes; null by index. */
  readonly voxels: readonly (readonly number[])[] | null;
}

/** Where the windows of a scale begin around a level-0 voxel, per axis; moved inside where asked. */
export function startsAround(scale: Scale, centre: readonly number[], inside: boolean): number[] {
  return scale.axes.map((axis, position) => {
    const start = windowStart(axis, centre[position]!);
    return inside ? movedInside(axis, start) : start;
  });
}

/** The window of a scale that begins at an origin, and what the labels read beside it. */
export function windowAt(scale: Scale, start: readonly number[]): Window {
  const { level, labelLevel, axes } = scale;
  const size = axes.map(({ image }) => image.read);
  if (labelLevel === null) return { level, start, size, labels: null };
  const labels = {
    level: labelLevel,
    start: axes.map((axis, position) => labelOrigin(axis, axis.label!, start[position]!)),
    size: axes.map(({ label }) => label!.read),
    voxels: axes.some(({ position }) => position)
      ? axes.map((axis, position) => labelVoxelsOf(axis, axis.label!, start[position]!))
      : null,
  };
  return { level, start, size, labels };
}

/**
 * What a sample around a level-0 voxel reads, a window per scale.
 *
 * @param resolutions voxel size of each scale
 * @param centre a level-0 voxel
 * @param inside whether windows are moved to where they may begin
 */
export function windowsAround(
  volume: PlacedVolume,
  resolutions: readonly (readonly number[])[],
  centre: readonly number[],
  inside = false,
  rules: WindowRules = {},
): Window[] {
  return resolutions.map((resolution) => {
    const scale = scaleOf(volume, resolution, rules);
    return windowAt(scale, startsAround(scale, centre, inside));
  });
}

/** Lower and upper bounds, per axis. */
export type Box = readonly [lower: readonly number[], upper: readonly number[]];

/**
 * The boxes of a sample's windows, in the unit of the volume.
 *
 * @param anchor whether voxel 0 begins at its declared centre (0 where none is declared) or at its corner
 * @param mode relative boxes are counted from the middle of the first one
 */
export function boxes(
  volume: PlacedVolume,
  windows: readonly Window[],
  anchor: "centre" | "corner" = "centre",
  mode: "absolute" | "relative" = "absolute",
): Box[] {
  const lower = corners(volume.image);
  const absolute = windows.map(({ level, start, size }): Box => {
    const { voxel, translation } = volume.image[level]!;
    const zero = voxel.map((_, axis) => (anchor === "corner" ? lower[level]![axis]! : (translation?.[axis] ?? 0)));
    const at = (index: readonly number[]): number[] => index.map((i, axis) => zero[axis]! + i * voxel[axis]! + 0);
    return [at(start), at(start.map((i, axis) => i + size[axis]!))];
  });
  const [first] = absolute;
  if (mode === "absolute" || first === undefined) return absolute;
  const middle = first[0].map((low, axis) => (low + first[1][axis]!) / 2);
  const shifted = (bounds: readonly number[]): number[] => bounds.map((bound, axis) => bound - middle[axis]! + 0);
  return absolute.map(([lower, upper]) => [shifted(lower), shifted(upper)]);
}

/** The error that no window of a scale may begin along an axis, or around no centre. */
function noCentre(volume: PlacedVolume, scale: Scale, axis: number): PlacedError {
  const letter = volume.axes[axis]!;
  const { image, label, box } = scale.axes[axis]!;
  const beside = label === null ? "" : `, labels of ${label.size}`;
  const within = box === null ? "" : `, bounding box [${box[0]}, ${box[1]}]`;
  const text = `no window of ${image.read} voxels fits level ${scale.level} of ${image.size} voxels${beside}${within}`;
  const todo = "ask for a smaller patch or a finer resolution, or leave the volume out";
  return new PlacedError(
    "out_of_range",
    [volume.name, letter],
    `volume ${volume.name}, axis ${letter}: ${text}; ${todo}`,
  );
}

/** The centres along one axis that bounds other than those of the scales allow. */
function axisBounds(volume: PlacedVolume, axis: number): Span {
  const { image, label } = volume;
  const base = line(image, imageFrame(image), 0, axis);
  if (!label || volume.labelFill == null) return [0, base.size];
  const [first, last] = centresOnLabels(base, line(label, frameBeside(label, image), 0, axis));
  return [Math.max(0, first), Math.min(base.size, last)];
}

/**
 * The level-0 voxels that may be the centre of a sample, per axis.
 *
 * @param scales the scales of the volume
 * @param clamp whether the first scale alone confines the centre
 * @throws PlacedError `out_of_range` at the volume's name and the axis' letter where there is none
 */
export function centresOfScales(volume: PlacedVolume, scales: readonly Scale[], clamp = false): Span[] {
  return [...volume.axes].map((_, position) => {
    let centres = axisBounds(volume, position);
    scales.forEach((scale, order) => {
      const axis = scale.axes[position]!;
      const starts = startSpan(axis);
      if (!clamp || order === 0) centres = centresOf(axis, starts, centres);
      if (centres[0] > centres[1] || starts[0] > starts[1]) throw noCentre(volume, scale, position);
    });
    return centres;
  });
}

/** The same of voxel sizes, a scale each. */
export function centres(
  volume: PlacedVolume,
  resolutions: readonly (readonly number[])[],
  clamp = false,
  rules: WindowRules = {},
): Span[] {
  const scales = resolutions.map((resolution) => scaleOf(volume, resolution, rules));
  return centresOfScales(volume, scales, clamp);
}

/**
 * Where a coarser window may begin to cover the window of the scale before it, per axis, both ends inclusive.
 *
 * @param start where the window before begins, in voxels of the level that it reads
 */
export function windowRange(scale: Scale, previous: Scale, start: readonly number[]): Span[] {
  return scale.axes.map((axis, position) => {
    const { image } = previous.axes[position]!;
    const begin = image.corner + start[position]! * image.voxel;
    const end = image.corner + (start[position]! + image.read) * image.voxel;
    return coveringSpan(axis, begin, end);
  });
}
