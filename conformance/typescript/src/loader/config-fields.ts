// The fields of a configuration: what each may hold, and what it is where it is absent.

import type { At } from "../errors.js";
import { parseUnit } from "../units/index.js";
import * as check from "./check.js";
import { orNull, type Check, type Fields, type Mapping, type Whole } from "./check.js";
import { fixedAxes, type FixedAxes } from "./pinned.js";

/** Sizes per axis of the output. */
export type Sizes = readonly Whole[];

/** Resolutions that are drawn. */
export interface ResolutionSampling {
  readonly strategy: "log_uniform";
  /** Low and high bound of each range, of one entry or one per axis. */
  readonly ranges: readonly (readonly [low: Sizes, high: Sizes])[];
  readonly n_scales: Whole | readonly Whole[];
  readonly sort: boolean;
}

/** An entry of `volumes`. Keys are those of the file. */
export interface VolumeConfig {
  readonly name: string;
  readonly path: string;
  readonly image_key: string;
  readonly label_key: string | null;
  readonly mask_key: string | null;
  readonly zarr_version: "zarr2" | "zarr3" | "auto" | "n5" | "precomputed";
  readonly weight: Whole;
  readonly exp_factor: Whole;
  readonly resolutions: readonly Sizes[] | null;
  readonly resolution_sampling: ResolutionSampling | null;
  readonly normalize: boolean;
  readonly normalize_min: Whole | null;
  readonly normalize_max: Whole | null;
  readonly patch_normalize: boolean;
  readonly bounding_box: readonly (readonly [Whole, Whole])[] | null;
  readonly fixed_axes: FixedAxes | null;
  readonly label_fill: Whole | null;
  readonly min_foreground: Whole;
}

/** How a function that changes samples is made. */
export interface Factory {
  readonly factory: string;
  readonly kwargs: Mapping;
}

/** A configuration, every field with its value. Keys are those of the file; lists per axis are in output order. */
export interface Config {
  readonly volumes: readonly VolumeConfig[];
  readonly resolutions: readonly Sizes[] | null;
  readonly resolution_sampling: ResolutionSampling | null;
  readonly output_axes: string;
  readonly patch_size: readonly Whole[];
  readonly samples_per_epoch: Whole;
  readonly sampling: "random" | "sequential";
  readonly size_weighting_exponent: Whole;
  readonly overlap: Whole | readonly Whole[];
  readonly sample_windows: boolean;
  readonly chunk_aligned: boolean;
  readonly bbox_mode: "absolute" | "relative";
  readonly bbox_anchor: "centre" | "corner";
  readonly image_dtype: "float32" | "bfloat16" | "float16";
  readonly label_sampling: "index" | "position";
  readonly level_policy: "strict" | "relaxed";
  readonly border: "confine" | "clamp";
  readonly missing_chunks: "fill" | "error";
  readonly units: string | null;
  readonly seed: Whole | null;
  readonly cache_bytes: Whole;
  readonly file_io_concurrency: Whole;
  readonly augment_fn: string | Factory | null;
  readonly defer_image_ops: boolean;
}

const { count, countFrom1, fail, flag, list, name, number, pair, record, shown, size, text, whole, word } = check;

/** A list of sizes whose length depends on the axes, which are looked at later. */
const sizes = list(size, 0);

const dotted: Check<string> = (value, at) => {
  const found = text(value, at);
  const parts = found.split(".");
  const good = parts.length > 1 && parts.every((part) => /^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(part));
  return good ? found : fail("wrong_value", at, `${shown(found)} is no dotted name such as package.module.function`);
};

const FACTORY: Fields<Factory> = {
  factory: { check: dotted },
  kwargs: { check: check.mapping, absent: {} },
};

const augment: Check<string | Factory> = (value, at) => {
  if (typeof value === "string") return dotted(value, at);
  if (check.isMapping(value)) return record(FACTORY)(value, at);
  return fail("wrong_type", at, `${shown(value)} is neither a dotted name nor a mapping of factory and kwargs`);
};

const lengthUnit: Check<string> = (value, at) => {
  const found = text(value, at);
  const unit = parseUnit(found);
  if (unit === undefined) return fail("unknown_unit", at, `no table knows the unit ${shown(found)}`);
  return unit.dimension === "length"
    ? found
    : fail("wrong_value", at, `${shown(found)} is a unit of ${unit.dimension}, not of length`);
};

/** The letters of the output. */
const outputAxes: Check<string> = (value, at) => {
  const found = text(value, at);
  const letters = [...found];
  const wrong = letters.find((letter) => !"lcxyzt".includes(letter));
  if (wrong !== undefined)
    fail("wrong_value", at, `${shown(found)} has ${wrong}, which is none of l, c, x, y, z and t`);
  const twice = letters.find((letter, position) => letters.indexOf(letter) < position);
  if (twice !== undefined) fail("duplicate", at, `${shown(found)} has ${twice} twice`);
  if (!letters.includes("l")) fail("wrong_value", at, `${shown(found)} lacks l, the scales`);
  if (spatialAxes(found).length === 0) fail("wrong_value", at, `${shown(found)} has none of x, y, z and t`);
  return found;
};

/** The letters of the output that are neither scales nor channels. */
export function spatialAxes(axes: string): string {
  return [...axes].filter((letter) => letter !== "l" && letter !== "c").join("");
}

/** A number, or a list of them. */
const oneOrMore =
  (entry: Check<Whole>): Check<Whole | readonly Whole[]> =>
  (value, at) =>
    Array.isArray(value) ? list(entry)(value, at) : entry(value, at);

const bounds: Check<readonly [Sizes, Sizes]> = (value, at) => {
  const [low, high] = pair(list(size))(value, at);
  check.lengthIs(high, low.length, [...at, 1], "as the lower bound has");
  const axis = high.findIndex((entry, position) => entry < low[position]!);
  if (axis >= 0) fail("order", [...at, 1, axis], `the upper bound ${high[axis]} is below the lower one, ${low[axis]}`);
  return [low, high];
};

const SAMPLING: Fields<ResolutionSampling> = {
  strategy: { check: word("log_uniform"), absent: "log_uniform" },
  ranges: { check: list(bounds) },
  n_scales: { check: oneOrMore(countFrom1), absent: 1 },
  sort: { check: flag, absent: true },
};

const sampling: Check<ResolutionSampling> = (value, at) => {
  const found = record(SAMPLING)(value, at);
  const { n_scales: counts, ranges } = found;
  if (typeof counts === "object")
    check.lengthIs(counts, ranges.length, [...at, "n_scales"], "belong there, one per range");
  return found;
};

const box: Check<readonly (readonly [Whole, Whole])[]> = (value, at) => {
  const found = list(pair(whole), 0)(value, at);
  found.forEach(([begin, end], axis) => {
    if (end <= begin) fail("order", [...at, axis, 1], `the end ${end} is not above the begin ${begin}`);
  });
  return found;
};

const pins: Check<FixedAxes> = (value, at) => {
  for (const axis of Object.keys(check.mapping(value, at))) name(axis, [...at, axis]);
  return fixedAxes(value, at);
};

const VOLUME: Fields<VolumeConfig> = {
  name: { check: name },
  path: { check: name },
  image_key: { check: text },
  label_key: { check: orNull(text), absent: null },
  mask_key: { check: orNull(text), absent: null },
  zarr_version: { check: word("zarr2", "zarr3", "auto", "n5", "precomputed"), absent: "zarr2" },
  weight: { check: size, absent: 1 },
  exp_factor: { check: size, absent: 1 },
  resolutions: { check: orNull(list(sizes)), absent: null },
  resolution_sampling: { check: orNull(sampling), absent: null },
  normalize: { check: flag, absent: true },
  normalize_min: { check: orNull(number), absent: null },
  normalize_max: { check: orNull(number), absent: null },
  patch_normalize: { check: flag, absent: false },
  bounding_box: { check: orNull(box), absent: null },
  fixed_axes: { check: orNull(pins), absent: null },
  label_fill: { check: orNull(whole), absent: null },
  min_foreground: { check: check.between(0, 1), absent: 0 },
};

const CONFIG: Fields<Config> = {
  volumes: { check: list(record(VOLUME)) },
  resolutions: { check: orNull(list(sizes)), absent: null },
  resolution_sampling: { check: orNull(sampling), absent: null },
  output_axes: { check: outputAxes },
  patch_size: { check: list(countFrom1, 0) },
  samples_per_epoch: { check: count, absent: 1000 },
  sampling: { check: word("random", "sequential"), absent: "random" },
  size_weighting_exponent: { check: check.between(0, Infinity), absent: 0 },
  overlap: { check: oneOrMore(count), absent: 0 },
  sample_windows: { check: flag, absent: false },
  chunk_aligned: { check: flag, absent: false },
  bbox_mode: { check: word("absolute", "relative"), absent: "absolute" },
  bbox_anchor: { check: word("centre", "corner"), absent: "centre" },
  image_dtype: { check: word("float32", "bfloat16", "float16"), absent: "float32" },
  label_sampling: { check: word("index", "position"), absent: "index" },
  level_policy: { check: word("strict", "relaxed"), absent: "strict" },
  border: { check: word("confine", "clamp"), absent: "confine" },
  missing_chunks: { check: word("fill", "error"), absent: "fill" },
  units: { check: orNull(lengthUnit), absent: null },
  seed: { check: orNull(count), absent: null },
  cache_bytes: { check: count, absent: 1_073_741_824 },
  file_io_concurrency: { check: countFrom1, absent: 64 },
  augment_fn: { check: orNull(augment), absent: null },
  defer_image_ops: { check: flag, absent: false },
};

/** Every field of a configuration by itself. */
export const configFields: (value: unknown, at: At) => Config = record(CONFIG);
