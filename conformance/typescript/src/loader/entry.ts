// An entry of `volumes` and the pyramids that its keys name.

import type { Store } from "../documents/index.js";
import type { At, Warn } from "../errors.js";
import { fail } from "./check.js";
import { spatialAxes, type Config, type VolumeConfig } from "./config-fields.js";
import { pinnedVolumes, type FixedAxes, type PinnedVolume } from "./pinned.js";
import { inUnitsOf, steadyLevels, storedAxis } from "./pyramid.js";
import { storedPyramid, type StoredPyramid } from "./stored.js";

/** An entry of `volumes` with the pyramids of its store. */
export interface Entry {
  readonly config: VolumeConfig;
  readonly at: At;
  readonly image: StoredPyramid;
  readonly label: StoredPyramid | null;
  readonly mask: StoredPyramid | null;
}

type KeyOf = "image_key" | "label_key" | "mask_key";

const KEYS: readonly KeyOf[] = ["image_key", "label_key", "mask_key"];

/** The pyramid of a key, in the format that the entry says. */
function opened(
  store: Store,
  config: VolumeConfig,
  key: KeyOf,
  dataset: Config,
  at: At,
  warn: Warn,
): StoredPyramid | null {
  const path = config[key];
  if (path === null) return null;
  const pyramid = storedPyramid(store, config.path, path, [...at, key], dataset.units, warn);
  const { zarr_version: version } = config;
  if (version !== "auto" && version !== pyramid.format) {
    fail("wrong_value", [...at, "zarr_version"], `${version} is said, and ${pyramid.path} is ${pyramid.format}`);
  }
  return pyramid;
}

/** Where an entry's pinned axes stand in a pyramid; those that it lacks are left out. */
export function pinnedAxes(pyramid: StoredPyramid, fixed: FixedAxes): Map<string, number> {
  const found = Object.keys(fixed).map((axis) => [axis, storedAxis(pyramid, axis)] as const);
  return new Map(found.filter((pair): pair is [string, number] => pair[1] !== undefined));
}

/** Labels and masks have the letters of the image, whatever their axes are called. */
export function besideAxes(pyramid: StoredPyramid, image: StoredPyramid, fixed: FixedAxes): Map<string, number> {
  const found = [...pinnedAxes(image, fixed)].map(
    ([axis, place]) => [axis, pyramid.letters.indexOf(image.letters[place]!)] as const,
  );
  return new Map(found.filter(([, place]) => place >= 0));
}

/** Every pinned axis is stored, once, and has the indices that are asked for. */
function checkPins(image: StoredPyramid, fixed: FixedAxes, volumes: readonly PinnedVolume[], at: At): void {
  const axes = pinnedAxes(image, fixed);
  const seen = new Set<number>();
  for (const axis of Object.keys(fixed)) {
    const path = [...at, "fixed_axes", axis];
    const place = axes.get(axis);
    if (place === undefined)
      return fail("unknown_name", path, `no axis is called ${axis}; there are ${image.names.join(", ")}`);
    if (seen.has(place)) fail("duplicate", path, `the axis ${image.names[place]} is pinned twice`);
    seen.add(place);
    const size = image.levels[0]!.shape[place]!;
    const outside = volumes.find((volume) => volume.fixed[axis]! >= size)?.fixed[axis];
    if (outside !== undefined)
      fail("out_of_range", path, `there is no index ${outside}; ${image.names[place]} has 0 to ${size - 1}`);
  }
}

/** The letters of an image that are sampled, checked against the output. */
function checkImage(image: StoredPyramid, pinned: readonly number[], config: Config, at: At): string[] {
  const left = [...image.letters.keys()].filter((axis) => !pinned.includes(axis));
  const sampled = left.map((axis) => image.letters[axis]!).filter((letter) => letter !== "c");
  const wanted = spatialAxes(config.output_axes);
  for (const letter of sampled) {
    const name = image.names[image.letters.indexOf(letter)];
    const todo = `write ${letter} there or pin it in fixed_axes`;
    if (!wanted.includes(letter))
      fail("wrong_value", at, `the axis ${name} is stored, and output_axes lacks it; ${todo}`);
  }
  for (const letter of wanted) {
    if (!sampled.includes(letter))
      fail("unknown_name", at, `output_axes asks for ${letter}; stored are ${image.names.join(", ")}`);
  }
  const [base] = image.levels;
  if (base!.dtype.startsWith("complex")) fail("unsupported", at, `images of ${base!.dtype} are not read`);
  const channel = left.find((axis) => image.letters[axis] === "c");
  const channels = channel === undefined ? 1 : base!.shape[channel]!;
  if (channels > 1 && !config.output_axes.includes("c")) {
    fail(
      "wrong_value",
      at,
      `the image has ${channels} channels, and output_axes lacks c; write it there or pin one in fixed_axes`,
    );
  }
  return sampled;
}

/** Labels or a mask have the sampled axes of their image, and one channel at most. */
function checkBeside(pyramid: StoredPyramid, pinned: readonly number[], sampled: readonly string[], at: At): void {
  const left = [...pyramid.letters.keys()].filter((axis) => !pinned.includes(axis));
  const own = left.map((axis) => pyramid.letters[axis]!).filter((letter) => letter !== "c");
  if (own.join() !== sampled.join()) {
    fail("wrong_value", at, `${pyramid.path} has the axes ${own.join(", ")}; the image has ${sampled.join(", ")}`);
  }
  const channel = left.find((axis) => pyramid.letters[axis] === "c");
  const channels = channel === undefined ? 1 : pyramid.levels[0]!.shape[channel]!;
  if (channels !== 1) fail("wrong_length", at, `${pyramid.path} has ${channels} channels; labels and masks have one`);
}

/** An entry whose pyramids agree with the configuration and with each other. */
export function entryOf(store: Store, dataset: Config, config: VolumeConfig, at: At, warn: Warn): Entry {
  const [image, label, mask] = KEYS.map((key) => opened(store, config, key, dataset, at, warn));
  const fixed = config.fixed_axes ?? {};
  checkPins(image!, fixed, pinnedVolumes(config.name, fixed), at);
  const pinned = [...pinnedAxes(image!, fixed).values()];
  const sampled = checkImage(image!, pinned, dataset, [...at, "image_key"]);
  const beside = (pyramid: StoredPyramid | null | undefined, key: KeyOf): StoredPyramid | null => {
    if (!pyramid) return null;
    const axes = [...besideAxes(pyramid, image!, fixed).values()];
    checkBeside(pyramid, axes, sampled, [...at, key]);
    return steadyLevels(inUnitsOf(pyramid, image!, [...at, key]), axes, warn);
  };
  const found = {
    image: steadyLevels(image!, pinned, warn),
    label: beside(label, "label_key"),
    mask: beside(mask, "mask_key"),
  };
  if (Number(config.exp_factor) !== 1) {
    for (const pyramid of [image, label, mask]) if (pyramid?.scaledOutside) warn("conflict");
  }
  return { config, at, ...found };
}
