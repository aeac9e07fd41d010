import {
  affinities,
  boxes,
  centres,
  drawSymmetry,
  erode,
  expanded,
  extentSize,
  labelVoxels,
  levelFor,
  normalise,
  outputPositions,
  pinnedIndex,
  resampleLinear,
  rot90,
  scaleOf,
  spatialDims,
  windowRange,
  windowsAround,
  type PlacedVolume,
  type Voxels,
  type Window,
} from "../src/loader/index.js";
import { ArrayValue, type Element } from "../values.mjs";
import type { Input, Ops } from "./op.js";

const array = ({ dtype, shape, data }: Voxels): ArrayValue => new ArrayValue(dtype, shape, Array.from(data) as Element[]);

/** A volume of `loader.windows` and its like, its sizes divided by `exp_factor`. */
function placed(volume: Input): PlacedVolume {
  const { name, axes, patch, image, label, bounding_box: boundingBox, label_fill: labelFill, exp_factor: factor } = volume;
  return expanded({ name, axes, patch, image, label, boundingBox, labelFill }, factor ?? 1);
}

const labelled = ({ labels }: Window): object =>
  labels === null
    ? {}
    : { label_level: labels.level, label_start: labels.start, label_size: labels.size };

function windows(input: Input): unknown {
  const { resolutions, centre, clip, bbox_mode: mode, bbox_anchor: anchor, policy, label_sampling: labelSampling } = input;
  const volume = placed(input.volume);
  const found = windowsAround(volume, resolutions, centre, clip ?? false, { policy, labelSampling });
  const around = boxes(volume, found, anchor, mode);
  return found.map((window, scale) => ({
    level: window.level,
    start: window.start,
    size: window.size,
    ...labelled(window),
    ...(window.labels?.voxels ? { label_voxels: window.labels.voxels } : {}),
    bbox: around[scale],
  }));
}

function range({ volume, resolution, previous, start }: Input): unknown {
  const one = placed(volume);
  return windowRange(scaleOf(one, resolution), scaleOf(one, previous), start);
}

function profile({ values, count }: Input): unknown {
  return {
    positions: outputPositions(values.length, count),
    values: resampleLinear(values, count),
    nearest: labelVoxels(values.length, count),
  };
}

function normalised({ scales, patch_normalize: patchNormalize, ...how }: Input): unknown {
  return normalise(scales, { ...how, patchNormalize }).map(array);
}

export const ops: Ops = {
  "loader.level": ({ voxels, resolution, policy }) => levelFor(voxels, resolution, policy),
  "loader.extent_size": ({ patch, resolution, voxel }) =>
    patch.map((count: number, axis: number) => extentSize(count, resolution[axis], voxel[axis])),
  "loader.windows": windows,
  "loader.centres": ({ volume, resolutions, clamp, policy, label_sampling: labelSampling }) =>
    centres(placed(volume), resolutions, clamp, { policy, labelSampling }),
  "loader.window_range": range,
  "loader.pinned": ({ index, voxel, level_voxel: other }) => pinnedIndex(index, voxel, other),
  "loader.profile": profile,
  "loader.normalise": normalised,
  "loader.spatial_dims": ({ axes }) => spatialDims(axes),
  "loader.rot90": ({ array: input, perm, flips, spatial_dims: dims }) => array(rot90(input, { perm, flips }, dims)),
  "loader.draw_rot90": ({ numbers, fixed_axis: fixed }) => drawSymmetry(numbers, fixed),
  "loader.affinities": ({ labels, neighborhood }) => array(affinities(labels, neighborhood)),
  "loader.erode": ({ labels, steps, only_xy: onlyXy }) => array(erode(labels, steps, onlyXy)),
};
