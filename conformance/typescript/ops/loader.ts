import {
  affinities,
  alignedChunks,
  boxes,
  centres,
  configOfYaml,
  describeVolumes,
  drawForegroundCentre,
  drawSample,
  drawSymmetry,
  erode,
  expanded,
  extentSize,
  fixedAxes,
  foregroundCells,
  foregroundFraction,
  foregroundOf,
  gridOf,
  gridPosition,
  labelVoxels,
  levelFor,
  normalise,
  outputPositions,
  parseConfig,
  pinnedIndex,
  pinnedVolumes,
  probabilities,
  resampleLinear,
  rot90,
  sampledCentres,
  sampledSize,
  scaleOf,
  spatialDims,
  windowRange,
  windowsAround,
  type DescribedVolume,
  type Draws,
  type PlacedVolume,
  type Rules,
  type SampledVolume,
  type Voxels,
  type Window,
} from "../src/loader/index.js";
import { storeOf } from "../src/documents/index.js";
import type { Warn } from "../src/errors.js";
import type { Element } from "./values.js";
import type { Input, Ops } from "./op.js";
import { ArrayValue, storeBytes } from "./values.js";

const array = ({ dtype, shape, data }: Voxels): ArrayValue =>
  new ArrayValue(dtype, shape, Array.from(data) as Element[]);

/** A volume of `loader.windows` and its like, its sizes divided by `exp_factor`. */
function placed(volume: Input): PlacedVolume {
  const {
    name,
    axes,
    patch,
    image,
    label,
    bounding_box: boundingBox,
    label_fill: labelFill,
    exp_factor: factor,
  } = volume;
  return expanded({ name, axes, patch, image, label, boundingBox, labelFill }, factor ?? 1);
}

const labelled = ({ labels }: Window): object =>
  labels === null ? {} : { label_level: labels.level, label_start: labels.start, label_size: labels.size };

function windows(input: Input): unknown {
  const {
    resolutions,
    centre,
    clip,
    bbox_mode: mode,
    bbox_anchor: anchor,
    policy,
    label_sampling: labelSampling,
  } = input;
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

/** A volume of `loader.sizes` and its like. */
function sampled(volume: Input): SampledVolume {
  const { bounding_box: boundingBox, label_fill: labelFill, min_foreground: minForeground, ...others } = volume;
  return { ...others, boundingBox, labelFill, minForeground };
}

function rulesOf(rules: Input = {}): Rules {
  return {
    policy: rules.level_policy,
    labelSampling: rules.label_sampling,
    border: rules.border,
    sampleWindows: rules.sample_windows,
    chunkAligned: rules.chunk_aligned,
    sizeWeightingExponent: rules.size_weighting_exponent,
  };
}

/** Draws whose outcomes are given, and what was asked for. */
function recorded(numbers: readonly number[]): { draws: Draws; asked: object[] } {
  const asked: object[] = [];
  const next = (question: object): number => {
    asked.push(question);
    return numbers[asked.length - 1]!;
  };
  const draws = {
    choice: (weights: readonly number[]) => next({ draw: "choice", weights }),
    integer: (least: number, greatest: number) => next({ draw: "integer", range: [least, greatest] }),
    uniform: (least: number, greatest: number) =>
      least + (greatest - least) * next({ draw: "uniform", range: [least, greatest] }),
  };
  return { draws, asked };
}

function sizes(input: Input): unknown {
  const [volume, rules] = [sampled(input.volume), rulesOf(input.rules)];
  const found = sampledCentres(volume, rules);
  return { centres: found, size: sampledSize(volume, rules, found) };
}

function grid({ positions = [], ...input }: Input): unknown {
  const [volume, rules] = [sampled(input.volume), rulesOf(input.rules)];
  const found = gridOf(volume, rules);
  const at = (index: number): unknown => {
    const { gridIndex, centre, windows: read } = gridPosition(volume, rules, found, index);
    return { grid_index: gridIndex, centre, starts: read.map(({ start }) => start) };
  };
  return { ...found, positions: positions.map(at) };
}

function chunks(input: Input): unknown {
  const [volume, rules] = [sampled(input.volume), rulesOf(input.rules)];
  return alignedChunks(volume, rules, sampledCentres(volume, rules));
}

function draw({ volumes, rules, numbers }: Input): unknown {
  const { draws, asked } = recorded(numbers);
  const { volume, centre, scales } = drawSample(volumes.map(sampled), rulesOf(rules), draws);
  const read = scales.map((window) => ({
    resolution: window.resolution,
    level: window.level,
    start: window.start,
    size: window.size,
    ...labelled(window),
  }));
  return { volume, centre, scales: read, asked };
}

function foreground(input: Input): unknown {
  const [volume, rules] = [sampled(input.volume), rulesOf(input.rules)];
  const mask = { ...input.foreground, level: input.level ?? 0 };
  const found = foregroundOf(volume, rules, mask);
  const all = sampledCentres(volume, rules);
  foregroundCells(volume, rules, found, all);
  const fractions = input.centres.map((centre: number[]) => foregroundFraction(found, centre));
  if (input.numbers === undefined) return { fractions };
  const { draws, asked } = recorded(input.numbers);
  return { fractions, centre: drawForegroundCentre(volume, rules, mask, all, draws), asked };
}

/** A record as the op answers it. */
function record(volume: DescribedVolume): unknown {
  const { normalize, low, high, perPatch, boundingBox, labelFill, minForeground, expFactor, ...others } = volume;
  return {
    ...others,
    normalisation: { normalize, low, high, per_patch: perPatch },
    bounding_box: boundingBox,
    label_fill: labelFill,
    min_foreground: minForeground,
    exp_factor: expFactor,
  };
}

function volumes({ config, stores }: Input, warn: Warn): unknown {
  const keys = Object.keys(stores).flatMap((path) =>
    Object.entries(storeBytes(stores[path])).map(([key, bytes]) => [`${path}/${key}`, bytes] as const),
  );
  const found = describeVolumes(parseConfig(config, warn), storeOf(Object.fromEntries(keys)), warn);
  return { volumes: found.volumes.map(record), label_dtype: found.labelDtype, channels: found.channels };
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
  "loader.config": ({ config }, warn) => parseConfig(config, warn, ["config"]),
  "loader.fixed_axes": ({ name, fixed_axes: axes, weight }) =>
    pinnedVolumes(name, fixedAxes(axes, ["fixed_axes"]), weight),
  "loader.yaml": ({ text }) => configOfYaml(text, ["text"]),
  "loader.volumes": volumes,
  "loader.sizes": sizes,
  "loader.probabilities": ({ sizes: counts, weights, exponent }) => probabilities(counts, weights, exponent),
  "loader.grid": grid,
  "loader.chunks": chunks,
  "loader.draw": draw,
  "loader.foreground": foreground,
  "loader.erode": ({ labels, steps, only_xy: onlyXy }) => array(erode(labels, steps, onlyXy)),
};
