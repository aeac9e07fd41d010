// The records that a configuration and the documents of its stores become.

import type { Store } from "../documents/index.js";
import type { At, Warn } from "../errors.js";
import { parseUnit, sameUnit } from "../units/index.js";
import { fail } from "./check.js";
import { spatialAxes, type Config } from "./config-fields.js";
import { rangeCounts } from "./config.js";
import { besideAxes, entryOf, pinnedAxes, type Entry } from "./entry.js";
import { checkFill, labelDtype, type LabelDtype } from "./label-dtype.js";
import { pinnedVolumes, type PinnedVolume } from "./pinned.js";
import { describedPyramid, type DescribedPyramid, type Pins } from "./pyramid.js";
import type { Ranges } from "./sampling.js";
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

const product = (values: readonly number[]): number => values.reduce((result, value) => result * value, 1);

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
  const bound = (sizes: readonly (number | bigint)[]): number[] =>
    sizes.length === 1 ? sizes.map(Number) : turned(sizes);
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
  const first = describedPyramid(image, pinsOf(axes, volumes[0]!), factor);
  const [base] = first.levels;
  if (first.levels.some(({ voxel }) => product(base!.voxel) > product(voxel) * (1 + 1e-6))) warn("order");
  const order = [...spatialAxes(dataset.output_axes)].map((letter) => first.axes.indexOf(letter));
  const shared = {
    patch: stored(dataset.patch_size, order).map(Number),
    resolutions: resolutionsOf(entry, dataset, order),
    order,
    overlap: overlapOf(dataset, order),
    normalize: config.normalize,
    low: config.normalize_min === null ? null : Number(config.normalize_min),
    high: config.normalize_max === null ? null : Number(config.normalize_max),
    perPatch: config.patch_normalize,
    boundingBox: boxOf(entry, base!.shape, order, warn),
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
        const text = `${entry.config.name} is in ${spelled(unit)} along ${letter}, others in ${spelled(before)}`;
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
      fail(
        "wrong_length",
        [...entry.at, "image_key"],
        `${entry.config.name} has ${own} channels, volumes before it ${channels}`,
      );
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
  const entries = config.volumes.map((volume, position) =>
    entryOf(store, config, volume, [...at, "volumes", position], warn),
  );
  const described = entries.map((entry) => volumesOf(entry, config, warn));
  const images = entries.map((entry, position) => ({ entry, image: described[position]![0]!.image }));
  checkUnits(images, warn);
  const channels = channelsOf(images, config);
  const dtype = labelDtype(
    described.map(([first]) => first!.label),
    warn,
  );
  for (const {
    config: { label_fill: fill },
    at: path,
  } of entries)
    checkFill(fill, dtype, [...path, "label_fill"]);
  return { volumes: described.flat(), labelDtype: dtype, channels };
}
