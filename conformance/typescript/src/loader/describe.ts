// The records that a configuration and the documents of its stores become.

import type { Store } from "../documents/index.js";
import type { At, Warn } from "../errors.js";
import { parseUnit, sameUnit } from "../units/index.js";
import { fail } from "./check.js";
import type { Config, VolumeConfig } from "./config-fields.js";
import { rangeCounts } from "./config.js";
import { spatialAxes } from "./config-fields.js";
import { labelDtype, checkFill, type LabelDtype } from "./label-dtype.js";
import { pinnedVolumes, type FixedAxes, type PinnedVolume } from "./pinned.js";
import { describedPyramid, inUnitsOf, steadyLevels, storedAxis, type DescribedPyramid, type Pins } from "./pyramid.js";
import type { Ranges } from "./sampling.js";
import { storedPyramid, type StoredPyramid } from "./stored.js";
import type { Range } from "./volume.js";

/** A volume as a record; lists per axis in the store's order. */
export interface DescribedVolume {
  readonly name: string;
  readonly image: DescribedPyramid;
  readonly label: DescribedPyramid | null;
  readonly mask: DescribedPyramid | null;
  readonly patch: readonly number[];
  readonly resolutions: readonly (readonly number[])[] | Ranges;
  /** For each spatial axis of the output its position among the sampled axes. */
  readonly order: readonly number[];
  readonly weight: number;
  readonly overlap: readonly number[];
  readonly normalize: boolean;
  readonly low: number | null;
  readonly high: number | null;
  readonly perPatch: boolean;
  readonly boundingBox: readonly Range[] | null;
  readonly labelFill: number | bigint | null;
  readonly minForeground: number;
  readonly expFactor: number;
}

/** All volumes of a configuration. */
export interface Described {
  readonly volumes: readonly DescribedVolume[];
  /** In which labels are returned. */
  readonly labelDtype: LabelDtype;
  /** Channels of an image: 1 where none is stored or asked for. */
  readonly channels: number;
}

/** An entry of `volumes` with the pyramids of its store. */
interface Entry {
  readonly config: VolumeConfig;
  readonly at: At;
  readonly image: StoredPyramid;
  readonly label: StoredPyramid | null;
  readonly mask: StoredPyramid | null;
}

type KeyOf = "image_key" | "label_key" | "mask_key";

const product = (values: readonly number[]): number => values.reduce((result, value) => result * value, 1);

const KEYS: readonly KeyOf[] = ["image_key", "label_key", "mask_key"];

/** The pyramid of a key, in the format that the entry says. */
function opened(store: Store, config: VolumeConfig, key: KeyOf, dataset: Config, at: At, warn: Warn): StoredPyramid | null {
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
function pinnedAxes(pyramid: StoredPyramid, fixed: FixedAxes): Map<string, number> {
  const found = Object.keys(fixed).map((axis) => [axis, storedAxis(pyramid, axis)] as const);
  return new Map(found.filter((pair): pair is [string, number] => pair[1] !== undefined));
}

/** Labels and masks have the letters of the image, whatever their axes are called. */
function besideAxes(pyramid: StoredPyramid, image: StoredPyramid, fixed: FixedAxes): Map<string, number> {
  const found = [...pinnedAxes(image, fixed)].map(([axis, place]) => [axis, pyramid.letters.indexOf(image.letters[place]!)] as const);
  return new Map(found.filter(([, place]) => place >= 0));
}

/** Every pinned axis is stored, once, and has the indices that are asked for. */
function checkPins(image: StoredPyramid, fixed: FixedAxes, volumes: readonly PinnedVolume[], at: At): void {
  const axes = pinnedAxes(image, fixed);
  const seen = new Set<number>();
  for (const axis of Object.keys(fixed)) {
    const path = [...at, "fixed_axes", axis];
    const place = axes.get(axis);
    if (place === undefined) return fail("unknown_name", path, `no axis is called ${axis}; there are ${image.names.join(", ")}`);
    if (seen.has(place)) fail("duplicate", path, `the axis ${image.names[place]} is pinned twice`);
    seen.add(place);
    const size = image.levels[0]!.shape[place]!;
    const outside = volumes.find((volume) => volume.fixed[axis]! >= size)?.fixed[axis];
    if (outside !== undefined) fail("out_of_range", path, `there is no index ${outside}; ${image.names[place]} has 0 to ${size - 1}`);
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
    if (!wanted.includes(letter)) fail("wrong_value", at, `the axis ${name} is stored, and output_axes lacks it; ${todo}`);
  }
  for (const letter of wanted) {
    if (!sampled.includes(letter)) fail("unknown_name", at, `output_axes asks for ${letter}; stored are ${image.names.join(", ")}`);
  }
  const [base] = image.levels;
  if (base!.dtype.startsWith("complex")) fail("unsupported", at, `images of ${base!.dtype} are not read`);
  const channel = left.find((axis) => image.letters[axis] === "c");
  const channels = channel === undefined ? 1 : base!.shape[channel]!;
  if (channels > 1 && !config.output_axes.includes("c")) {
    fail("wrong_value", at, `the image has ${channels} channels, and output_axes lacks c; write it there or pin one in fixed_axes`);
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

function entryOf(store: Store, dataset: Config, config: VolumeConfig, at: At, warn: Warn): Entry {
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
  const found = { image: steadyLevels(image!, pinned, warn), label: beside(label, "label_key"), mask: beside(mask, "mask_key") };
  if (Number(config.exp_factor) !== 1) {
    for (const pyramid of [image, label, mask]) if (pyramid?.scaledOutside) warn("conflict");
  }
  return { config, at, ...found };
}

/** The pins of one volume of an entry. */
function pinsOf(axes: ReadonlyMap<string, number>, volume: PinnedVolume): Pins {
  return new Map([...axes].map(([axis, place]) => [place, volume.fixed[axis]!]));
}

/** A box of the output in the store's order, cut to level 0. */
function boxOf(entry: Entry, shape: readonly number[], order: readonly number[], warn: Warn): Range[] | null {
  const box = entry.config.bounding_box;
  if (box === null) return null;
  let cut = false;
  const found: Range[] = shape.map(() => [0, 0]);
  order.forEach((axis, place) => {
    const [begin, end] = box[place]!.map(Number) as [number, number];
    const inside: Range = [Math.max(begin, 0), Math.min(end, shape[axis]!)];
    if (inside[0] >= inside[1]) {
      const text = `nothing of [${begin}, ${end}] lies in level 0, which has ${shape[axis]} voxels`;
      fail("out_of_range", [...entry.at, "bounding_box", place], text);
    }
    cut ||= inside[0] !== begin || inside[1] !== end;
    found[axis] = inside;
  });
  if (cut) warn("out_of_range");
  return found;
}

/** What a list in output order is in the store's order. */
const stored = <Value>(values: readonly Value[], order: readonly number[]): Value[] =>
  order.map((_, axis) => values[order.indexOf(axis)]!);

/** The resolutions of an entry, its own or those of the dataset, in the store's order. */
function resolutionsOf({ config }: Entry, dataset: Config, order: readonly number[]): DescribedVolume["resolutions"] {
  const owner = config.resolutions === null && config.resolution_sampling === null ? dataset : config;
  const turned = (sizes: readonly (number | bigint)[]): number[] => stored(sizes, order).map(Number);
  const { resolutions, resolution_sampling: sampling } = owner;
  if (sampling === null) return resolutions!.map(turned);
  const bound = (sizes: readonly (number | bigint)[]): number[] => (sizes.length === 1 ? sizes.map(Number) : turned(sizes));
  return {
    bounds: sampling.ranges.map(([low, high]) => [bound(low), bound(high)] as const),
    counts: rangeCounts(sampling),
    sort: sampling.sort,
  };
}

function overlapOf({ overlap }: Config, order: readonly number[]): number[] {
  if (typeof overlap !== "object") return order.map(() => Number(overlap));
  return overlap.length === order.length ? stored(overlap, order).map(Number) : order.map(() => 0);
}

/** The records of an entry, one for each combination of pinned indices. */
function volumesOf(entry: Entry, dataset: Config, warn: Warn): DescribedVolume[] {
  const { config, image, label, mask } = entry;
  const fixed = config.fixed_axes ?? {};
  const factor = Number(config.exp_factor);
  const [axes, labelAxes, maskAxes] = [
    pinnedAxes(image, fixed),
    label && besideAxes(label, image, fixed),
    mask && besideAxes(mask, image, fixed),
  ];
  const volumes = pinnedVolumes(config.name, fixed, Number(config.weight));
  const [first] = volumes.map((volume) => describedPyramid(image, pinsOf(axes, volume), factor));
  if (first!.levels.some(({ voxel }) => product(first!.levels[0]!.voxel) > product(voxel) * (1 + 1e-6))) warn("order");
  const order = [...spatialAxes(dataset.output_axes)].map((letter) => first!.axes.indexOf(letter));
  const shared = {
    patch: stored(dataset.patch_size, order).map(Number),
    resolutions: resolutionsOf(entry, dataset, order),
    order,
    overlap: overlapOf(dataset, order),
    normalize: config.normalize,
    low: config.normalize_min === null ? null : Number(config.normalize_min),
    high: config.normalize_max === null ? null : Number(config.normalize_max),
    perPatch: config.patch_normalize,
    boundingBox: boxOf(entry, first!.levels[0]!.shape, order, warn),
    labelFill: config.label_fill,
    minForeground: Number(config.min_foreground),
    expFactor: factor,
  };
  return volumes.map((volume) => ({
    ...shared,
    name: volume.name,
    weight: volume.weight,
    image: describedPyramid(image, pinsOf(axes, volume), factor),
    label: label && describedPyramid(label, pinsOf(labelAxes!, volume), factor),
    mask: mask && describedPyramid(mask, pinsOf(maskAxes!, volume), factor),
  }));
}

/** Units of entries agree on axes of the same letter; some without any are warned of. */
function checkUnits(entries: readonly { entry: Entry; image: DescribedPyramid }[], warn: Warn): void {
  const known = new Map<string, string>();
  const silent = new Set<string>();
  for (const { entry, image } of entries) {
    [...image.axes].forEach((letter, axis) => {
      const unit = image.units[axis]!;
      const before = known.get(letter);
      if (unit === "") silent.add(letter);
      else if (before === undefined) known.set(letter, unit);
      else if (!sameUnit(unit, before)) {
        const text = `${entry.config.name} is in ${spelled(unit)} along ${letter}, volumes before it in ${spelled(before)}`;
        fail("conflict", [...entry.at, "image_key"], `${text}; units in the configuration converts them`);
      }
    });
  }
  if ([...silent].some((letter) => known.has(letter))) warn("unknown_unit");
}

const spelled = (unit: string): string => parseUnit(unit)?.name ?? JSON.stringify(unit);

/** How many channels images have, where the output has them. */
function channelsOf(entries: readonly { entry: Entry; image: DescribedPyramid }[], config: Config): number {
  if (!config.output_axes.includes("c")) return 1;
  const [first] = entries;
  const channels = first!.image.channels ?? 1;
  for (const { entry, image } of entries) {
    const own = image.channels ?? 1;
    if (own !== channels) {
      fail("wrong_length", [...entry.at, "image_key"], `${entry.config.name} has ${own} channels, volumes before it ${channels}`);
    }
  }
  return channels;
}

/**
 * The records of a configuration's volumes.
 *
 * @param store every store of the configuration, each below the path of its volume
 * @param warn is called for what is odd but usable
 * @param at the path of the configuration, before that of a field in errors
 * @throws PlacedError at the path in the configuration
 */
export function describeVolumes(config: Config, store: Store, warn: Warn = () => undefined, at: At = []): Described {
  const entries = config.volumes.map((volume, position) => entryOf(store, config, volume, [...at, "volumes", position], warn));
  const described = entries.map((entry) => volumesOf(entry, config, warn));
  const images = entries.map((entry, position) => ({ entry, image: described[position]![0]!.image }));
  checkUnits(images, warn);
  const channels = channelsOf(images, config);
  const dtype = labelDtype(described.map(([first]) => first!.label), warn);
  for (const { config: { label_fill: fill }, at: path } of entries) checkFill(fill, dtype, [...path, "label_fill"]);
  return { volumes: described.flat(), labelDtype: dtype, channels };
}
