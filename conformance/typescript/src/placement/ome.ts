// What an OME-NGFF multiscale says of one of its datasets.

import { checkCount, type Found, type FoundObject, listOf, member, needed, objectOf } from "../documents/document.js";
import { isList, isObject, type Json } from "../documents/index.js";
import { checkRepeats } from "./axes.js";
import { nullableString } from "./lists.js";
import type { Dataset, Multiscale } from "./multiscales.js";
import { checkDataset, composed, type Composed, type Step, stepsOf } from "./transforms.js";
import type { NamedAxes, Reading } from "./types.js";

const TRANSFORMS = "coordinateTransformations";

/** Versions before 0.4 know no transforms; those that stand there all the same are read. */
const early = ({ version }: Multiscale): boolean => /^0\.[1-3](?![0-9])/.test(version);

/** The coordinate systems of version 0.6; undefined for versions before. */
function systemsOf({ found }: Multiscale): readonly FoundObject[] | undefined {
  const systems = member(found, "coordinateSystems");
  return systems && listOf(systems).map(objectOf);
}

/** The name of the system that a dataset's first transform leads to. */
function outputOf(dataset: FoundObject | undefined): Json | undefined {
  const transforms = dataset && member(dataset, TRANSFORMS);
  const first = transforms && isList(transforms.value) ? transforms.value[0] : undefined;
  const output = isObject(first) ? first["output"] : undefined;
  return isObject(output) ? output["name"] : output;
}

function axisOf(found: Found): { name: string | null; type: string; unit: string } {
  if (typeof found.value === "string") return { name: found.value, type: "", unit: "" };
  const object = objectOf(found);
  const text = (key: string): string | null => {
    const value = member(object, key);
    return value === undefined ? null : nullableString(value);
  };
  return { name: text("name"), type: text("type") ?? "", unit: text("unit") ?? "" };
}

/** The axes that a multiscale names for a dataset; undefined where it names none. `count` is unknown in groups. */
export function omeAxes(
  multiscale: Multiscale,
  dataset: FoundObject | undefined,
  count?: number,
): NamedAxes | undefined {
  const systems = systemsOf(multiscale);
  const output = outputOf(dataset);
  const owner =
    systems === undefined ? multiscale.found : (systems.find(({ value }) => value["name"] === output) ?? systems[0]);
  const found = owner && (systems === undefined ? member(owner, "axes") : needed(owner, "axes"));
  if (found === undefined) return undefined;
  const axes = listOf(found).map(axisOf);
  if (count !== undefined) checkCount(found, axes.length, count);
  const names = axes.map(({ name }) => name);
  if (systems === undefined) checkRepeats(names, found);
  return { names, types: axes.map(({ type }) => type), units: axes.map(({ unit }) => unit) };
}

/** The steps of a multiscale's own transforms, which follow those of its datasets; none in version 0.6. */
export function outerSteps(multiscale: Multiscale, reading: Reading): readonly Step[] {
  if (systemsOf(multiscale) !== undefined) return [];
  return stepsOf(member(multiscale.found, TRANSFORMS), reading);
}

/** A multiscale's own transforms as they stand. */
export function rawTransforms({ found }: Multiscale): readonly Json[] {
  const transforms = found.value[TRANSFORMS];
  return isList(transforms) ? transforms : [];
}

/** Where a multiscale places a dataset; undefined, from 0.4 on with a warning, where the dataset has no scale. */
export function omePlace(
  multiscale: Multiscale,
  dataset: Dataset,
  outer: readonly Step[],
  reading: Reading,
): Composed | undefined {
  const found = dataset.found && member(dataset.found, TRANSFORMS);
  const steps = stepsOf(found, reading);
  if (systemsOf(multiscale) === undefined) checkDataset(steps, reading);
  if (found === undefined || !steps.some(({ kind }) => kind === "scale")) {
    if (!early(multiscale)) reading.warn("missing_key");
    return undefined;
  }
  return composed([...steps, ...outer], reading.count, found.at);
}
