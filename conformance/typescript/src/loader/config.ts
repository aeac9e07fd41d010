// A configuration: its fields one by one, and what must hold between them.

import type { At, Warn } from "../errors.js";
import { fail, lengthIs } from "./check.js";
import {
  configFields,
  spatialAxes,
  type Config,
  type ResolutionSampling,
  type Sizes,
  type VolumeConfig,
} from "./config-fields.js";
import { pinnedCount, pinnedVolumes } from "./pinned.js";

/** Resolutions or a sampling that some volume uses, and where it stands. */
interface InUse {
  readonly resolutions: readonly Sizes[] | null;
  readonly sampling: ResolutionSampling | null;
  readonly at: At;
}

/** What may stand at the dataset and at a volume. */
interface Resolved {
  readonly resolutions: readonly Sizes[] | null;
  readonly resolution_sampling: ResolutionSampling | null;
}

function inUse(owner: Resolved, at: At): InUse[] {
  const { resolutions, resolution_sampling: sampling } = owner;
  if (resolutions === null && sampling === null) return [];
  return [{ resolutions, sampling, at: [...at, resolutions === null ? "resolution_sampling" : "resolutions"] }];
}

/** Those of the dataset, where a volume has none of its own, then those of each volume that has. */
function allInUse(config: Config, at: At): InUse[] {
  const own = config.volumes.map((volume, position) => inUse(volume, [...at, "volumes", position]));
  return [...(own.some((found) => found.length === 0) ? inUse(config, at) : []), ...own.flat()];
}

/** How many scales each range gives. */
export function rangeCounts({ ranges, n_scales: counts }: ResolutionSampling): number[] {
  return ranges.map((_, range) => Number(typeof counts === "object" ? counts[range] : counts));
}

function scaleCount({ resolutions, sampling }: InUse): number {
  if (sampling === null) return resolutions!.length;
  return rangeCounts(sampling).reduce((sum, count) => sum + count, 0);
}

function checkAxes(owner: Resolved, axes: string, at: At): void {
  const each = `belong there, one for each of ${[...axes].join(", ")}`;
  owner.resolutions?.forEach((sizes, scale) => lengthIs(sizes, axes.length, [...at, "resolutions", scale], each));
  owner.resolution_sampling?.ranges.forEach(([low], range) => {
    const path = [...at, "resolution_sampling", "ranges", range, 0];
    if (low.length !== 1) lengthIs(low, axes.length, path, `${each}, or one for all`);
  });
}

function checkBoth(owner: Resolved, at: At): void {
  if (owner.resolutions !== null && owner.resolution_sampling !== null) {
    fail("conflict", [...at, "resolution_sampling"], "resolutions and resolution_sampling are not both set");
  }
}

function checkBounds({ normalize_min: least, normalize_max: most }: VolumeConfig, at: At): void {
  const both = "normalize_min and normalize_max are both set or none";
  if (least === null && most === null) return;
  if (least === null) fail("missing_field", [...at, "normalize_min"], both);
  if (most === null) fail("missing_field", [...at, "normalize_max"], both);
  if (!(most > least)) fail("order", [...at, "normalize_max"], `the maximum ${most} is not above the minimum ${least}`);
}

function checkVolume(volume: VolumeConfig, config: Config, at: At): void {
  const axes = spatialAxes(config.output_axes);
  checkBoth(volume, at);
  checkAxes(volume, axes, at);
  checkBounds(volume, at);
  const { bounding_box: box, label_key: label, mask_key: mask } = volume;
  if (box !== null)
    lengthIs(box, axes.length, [...at, "bounding_box"], `belong there, one for each of ${[...axes].join(", ")}`);
  if (volume.label_fill !== null && label === null)
    fail("missing_field", [...at, "label_key"], "label_fill needs a label_key");
  if (volume.min_foreground > 0 && mask === null && label === null) {
    fail("missing_field", [...at, "mask_key"], "a min_foreground above 0 needs a mask_key or a label_key");
  }
  for (const axis of Object.keys(volume.fixed_axes ?? {})) {
    if ([...config.output_axes].includes(axis)) {
      fail(
        "conflict",
        [...at, "fixed_axes", axis],
        `${axis} is pinned, and stands in output_axes, ${config.output_axes}`,
      );
    }
  }
}

/** The names that an entry gives to volumes; of several indices only where another entry's name begins as they do. */
function namesOf({ name, fixed_axes: fixed }: VolumeConfig, all: readonly VolumeConfig[]): string[] {
  if (fixed === null || pinnedCount(fixed) === 1) return [name];
  const open = name.includes("[") || all.some((other) => other.name.startsWith(`${name}[`));
  return open ? pinnedVolumes(name, fixed).map((volume) => volume.name) : [];
}

function checkNames(volumes: readonly VolumeConfig[], at: At): void {
  const entries = new Set<string>();
  const names = new Set<string>();
  volumes.forEach((volume, position) => {
    const own = namesOf(volume, volumes);
    const twice = entries.has(volume.name) ? volume.name : own.find((name) => names.has(name));
    if (twice !== undefined) fail("duplicate", [...at, "volumes", position, "name"], `the name ${twice} stands twice`);
    entries.add(volume.name);
    for (const name of own) names.add(name);
  });
}

function checkScaleCounts(used: readonly InUse[]): void {
  const [first] = used;
  for (const one of used) {
    const [own, others] = [scaleCount(one), scaleCount(first!)];
    if (own !== others) fail("wrong_length", one.at, `scales: ${own}, where others have ${others}`);
  }
}

function checkSequential(
  { overlap, patch_size: patch, output_axes: axes }: Config,
  used: readonly InUse[],
  at: At,
): void {
  const drawn = used.find(({ sampling }) => sampling !== null);
  if (drawn !== undefined) fail("conflict", drawn.at, "a resolution_sampling does not go with sampling: sequential");
  const path = [...at, "overlap"];
  const single = typeof overlap !== "object";
  if (!single)
    lengthIs(overlap, patch.length, path, `belong there, one for each of ${[...spatialAxes(axes)].join(", ")}`);
  patch.forEach((count, axis) => {
    const own = single ? overlap : overlap[axis]!;
    if (own >= count) {
      fail(
        "out_of_range",
        single ? path : [...path, axis],
        `an overlap of ${own} is not less than the patch of ${count}`,
      );
    }
  });
}

/** Scales run from fine to coarse on every axis. */
function checkOrder(resolutions: readonly Sizes[], at: At): void {
  resolutions.forEach((sizes, scale) => {
    sizes.forEach((entry, axis) => {
      const before = resolutions[scale - 1]?.[axis];
      if (before !== undefined && Number(entry) < (1 - 1e-9) * Number(before)) {
        const text = `${entry} is finer than ${before} of the scale before; with sample_windows none is`;
        fail("order", [...at, scale, axis], text);
      }
    });
  });
}

/** Drawn scales run from fine to coarse, whatever is drawn. */
function checkDrawnOrder(sampling: ResolutionSampling, at: At): void {
  const { ranges, sort } = sampling;
  const wide = ranges.findIndex(([low]) => low.length !== 1);
  if (wide >= 0) fail("conflict", [...at, "ranges", wide], "with sample_windows a range has bounds of one entry");
  if (sort) return;
  const counts = rangeCounts(sampling);
  ranges.forEach(([[low], [high]], range) => {
    const before = ranges[range - 1]?.[1][0];
    const down = (counts[range]! > 1 && low! < high!) || (before !== undefined && low! < before);
    if (down)
      fail("conflict", [...at, "sort"], "with sample_windows and sort false a draw may come out below the one before");
  });
}

function checkWindows(used: readonly InUse[]): void {
  for (const { resolutions, sampling, at } of used) {
    if (sampling === null) checkOrder(resolutions!, at);
    else checkDrawnOrder(sampling, at);
  }
}

/** What is odd but usable, once per volume and kind. */
function warnOf(volumes: readonly VolumeConfig[], warn: Warn): void {
  for (const volume of volumes) {
    if (!volume.normalize && volume.normalize_min !== null) warn("conflict");
    if (volume.mask_key !== null && Number(volume.min_foreground) === 0) warn("missing_field");
  }
}

/**
 * A configuration as data, before any store is opened.
 *
 * @param value what a YAML or JSON file holds
 * @param warn is called for each field that is set and not used
 * @param at the path of the configuration, before that of a field in errors
 * @returns every field, with its default where it was absent
 * @throws PlacedError at the first thing that is wrong
 */
export function parseConfig(value: unknown, warn: Warn = () => undefined, at: At = []): Config {
  const config = configFields(value, at);
  const axes = spatialAxes(config.output_axes);
  if (config.resolutions === null && config.resolution_sampling === null) {
    fail("missing_key", [...at, "resolutions"], "one of resolutions and resolution_sampling is required");
  }
  checkBoth(config, at);
  lengthIs(
    config.patch_size,
    axes.length,
    [...at, "patch_size"],
    `belong there, one for each of ${[...axes].join(", ")}`,
  );
  checkAxes(config, axes, at);
  config.volumes.forEach((volume, position) => checkVolume(volume, config, [...at, "volumes", position]));
  const used = allInUse(config, at);
  checkScaleCounts(used);
  if (config.sampling === "sequential") checkSequential(config, used, at);
  if (config.sample_windows) checkWindows(used);
  checkNames(config.volumes, at);
  if (config.augment_fn !== null && config.defer_image_ops) {
    fail("conflict", [...at, "augment_fn"], "augment_fn does not go with defer_image_ops");
  }
  warnOf(config.volumes, warn);
  return config;
}
