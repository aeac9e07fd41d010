// The scales of a volume: which levels they read, axis by axis.

import { boxOf, type Axis, type Line } from "./axis.js";
import { extentSize, levelFor } from "./level.js";
import { frameBeside, imageFrame, type Frame, type Level, type PlacedVolume, type WindowRules } from "./volume.js";

/** One scale of a volume. */
export interface Scale {
  /** The voxel size of the output, per axis. */
  readonly resolution: readonly number[];
  /** The position of the level that is read, and of that of the labels; null without labels. */
  readonly level: number;
  readonly labelLevel: number | null;
  readonly axes: readonly Axis[];
}

/** A level along one axis. */
export function line(levels: readonly Level[], corners: Frame, level: number, axis: number, read = 0): Line {
  const { shape, voxel } = levels[level]!;
  return { corner: corners[level]![axis]!, voxel: voxel[axis]!, size: shape[axis]!, read };
}

const chosen = (levels: readonly Level[], resolution: readonly number[], rules: WindowRules): number =>
  levelFor(
    levels.map(({ voxel }) => voxel),
    resolution,
    rules.policy,
  );

/** How many voxels of the labels a window reads along an axis. */
function labelRead(
  patch: number,
  resolution: number,
  image: Line,
  label: Line,
  volume: PlacedVolume,
  rules: WindowRules,
): number {
  if (rules.labelSampling !== "position") return extentSize(patch, resolution, label.voxel);
  const read = Math.ceil(((patch - 1) * image.read * image.voxel) / (patch * label.voxel) - 1e-9) + 1;
  return volume.labelFill == null ? Math.min(read, label.size) : read;
}

/**
 * A scale of a volume.
 *
 * @param volume sizes and places in one unit
 * @param resolution the voxel size that is asked for, per axis
 */
export function scaleOf(volume: PlacedVolume, resolution: readonly number[], rules: WindowRules = {}): Scale {
  const { image, label, patch } = volume;
  const level = chosen(image, resolution, rules);
  const labelLevel = label ? chosen(label, resolution, rules) : null;
  const corners = imageFrame(image);
  const labelCorners = label ? frameBeside(label, image) : [];
  const axes = patch.map((count, axis): Axis => {
    const target = resolution[axis]!;
    const read = extentSize(count, target, image[level]!.voxel[axis]!);
    const own = line(image, corners, level, axis, read);
    const beside = label && labelLevel !== null ? line(label, labelCorners, labelLevel, axis) : null;
    return {
      patch: count,
      image: own,
      base: line(image, corners, 0, axis),
      finest: level === 0,
      label: beside && { ...beside, read: labelRead(count, target, own, beside, volume, rules) },
      position: rules.labelSampling === "position",
      filled: volume.labelFill != null,
      box: volume.boundingBox?.[axis] ?? null,
    };
  });
  return { resolution, level, labelLevel, axes };
}

function fittedAxis(axis: Axis): Axis {
  const { image, base, box, label, filled } = axis;
  const [begin, end] = box === null ? [0, image.size] : boxOf(image, base, box);
  const read = Math.max(Math.min(image.read, image.size, end - begin), 1);
  const beside = label && !filled ? { ...label, read: Math.min(label.read, label.size) } : label;
  return { ...axis, image: { ...image, read }, label: beside };
}

/** A scale whose windows have no more voxels than their level, the bounding box and the labels hold. */
export function fitted(scale: Scale): Scale {
  return { ...scale, axes: scale.axes.map(fittedAxis) };
}
