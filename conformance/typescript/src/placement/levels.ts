// The levels that a multiscale or a volume lists, placed from the group's own documents where those can.

import { type FoundObject, listOf, member } from "../documents/document.js";
import { isList } from "../documents/index.js";
import { scaleKey, scalesOf } from "../documents/precomputed.js";
import { PlacedError, type Warn } from "../errors.js";
import { coverOf, settledAxes, trailingNames } from "./axes.js";
import { cosemAxes, cosemPlace, cosemTransform } from "./cosem.js";
import type { Dataset, Multiscale } from "./multiscales.js";
import { omeAxes, omePlace, outerSteps } from "./ome.js";
import { placementOf } from "./place.js";
import { precomputedPlacement } from "./precomputed.js";
import type { Placement, ReadOptions } from "./types.js";

/** A level by its name; `placed` is null where only the level's own documents tell. */
export interface PyramidLevel {
  readonly name: string;
  readonly placed: Placement | null;
}

/** The datasets of a multiscale, each path once: `no_level` for none, a warning for a path that comes again. */
function datasetsOf(multiscale: Multiscale, warn: Warn): readonly Dataset[] {
  const datasets = multiscale.datasets();
  if (datasets.length === 0) {
    const at = [...multiscale.found.at, "datasets"];
    throw new PlacedError("no_level", at, `${at.join("/")} is empty: the pyramid has no level`);
  }
  return datasets.filter(({ path }, position) => {
    const first = datasets.findIndex((one) => one.path === path) === position;
    if (!first) warn("duplicate");
    return first;
  });
}

/** The name of a level: its path in the group, "." for the group itself. */
const nameOf = ({ path }: Dataset): string => path || ".";

/** The levels of an OME-NGFF multiscale; those that are not placed bring no warnings, which come when they are read. */
export const omeLevels = (multiscale: Multiscale, options: ReadOptions, warn: Warn): readonly PyramidLevel[] =>
  datasetsOf(multiscale, warn).map((dataset) => {
    const told: string[] = [];
    const placed = omeLevel(multiscale, dataset, options, (code) => told.push(code));
    if (placed !== null) told.forEach((code) => warn(code));
    return { name: nameOf(dataset), placed };
  });

function omeLevel(
  multiscale: Multiscale,
  dataset: Dataset,
  options: ReadOptions,
  warn: Warn,
): Placement | null {
  const axes = omeAxes(multiscale, dataset.found);
  if (axes === undefined) return null;
  const reading = { count: axes.names.length, lenient: options.conflicts === "warn", warn };
  const place = omePlace(multiscale, dataset, outerSteps(multiscale, reading), reading);
  const settled = settledAxes(axes, reading.count, axes.types);
  return (place && placementOf(settled, { by: "ome", ...place }, axes.units)) ?? null;
}

/** How many entries the axes of a transform, else of its group, have. */
function axesCount(transform: FoundObject, group: FoundObject): number | undefined {
  const found = member(transform, "axes") ?? member(group, "axes");
  return found && listOf(found).length;
}

function cosemLevel(dataset: FoundObject, group: FoundObject, warn: Warn): Placement | null {
  const transform = cosemTransform(dataset, warn);
  const count = transform && axesCount(transform, group);
  if (transform === undefined || count === undefined) return null;
  const axes = member(group, "axes");
  const names = cosemAxes(transform, count) ?? (axes && trailingNames(axes, count, true));
  const settled = settledAxes(names, count);
  return placementOf(settled, cosemPlace(transform, coverOf(settled)));
}

/** The levels of an N5 group's multiscale. */
export const n5Levels = (multiscale: Multiscale, group: FoundObject, warn: Warn): readonly PyramidLevel[] =>
  datasetsOf(multiscale, warn).map((dataset) => ({
    name: nameOf(dataset),
    placed: dataset.found === undefined ? null : cosemLevel(dataset.found, group, warn),
  }));

/** The scales of a precomputed volume. */
export const precomputedLevels = (info: FoundObject): readonly PyramidLevel[] =>
  scalesOf(info).map((scale) => ({ name: scaleKey(scale), placed: precomputedPlacement(info, scale) }));

/** Where the images of a group without levels lie, as far as its attributes tell. */
export function imagesBelow(attributes: FoundObject, series: FoundObject | undefined): readonly string[] {
  const plate = member(attributes, "plate")?.value;
  const wells =
    plate && typeof plate === "object" && !isList(plate) ? (plate as FoundObject["value"])["wells"] : undefined;
  if (isList(wells)) return wells.flatMap((well) => pathIn(well)).map((path) => `${path}/0`);
  if (member(attributes, "bioformats2raw.layout") === undefined) return [];
  const names = series && member(series, "series")?.value;
  return isList(names) ? names.map(String) : ["0", "1", "…"];
}

function pathIn(well: unknown): readonly string[] {
  const path = typeof well === "object" && well !== null && "path" in well ? well.path : undefined;
  return typeof path === "string" ? [path] : [];
}
