// Where an N5 array lies: COSEM, the group's transform for its path, funlib, N5's own keys.

import { type FoundObject, member } from "../documents/document.js";
import { lastOf, type Store } from "../documents/index.js";
import { type Axes, coverOf, funlibTypes, settledAxes, trailingNames } from "./axes.js";
import { cosemAxes, cosemPlace, cosemTransform } from "./cosem.js";
import { funlibPlace, type Sized } from "./funlib.js";
import type { Cover } from "./lists.js";
import { type Entry, listedAbove, listsAny, n5Multiscales } from "./multiscales.js";
import { groupFactors, type GroupFactors, n5KeysPlace, type Nodes } from "./n5-sizes.js";
import { attributesOf, type Group, n5GroupsAbove, NO_ATTRIBUTES } from "./nodes.js";
import { rawTransforms } from "./ome.js";
import { placementOf, unplaced } from "./place.js";
import type { NamedAxes, Placing, Reading } from "./types.js";
import type { PlacedNode } from "./zarr.js";

/** What is around an N5 array: its own keys, those of groups that speak for it, and where it is listed. */
interface Surroundings extends Nodes {
  readonly entry: Entry | undefined;
  readonly factors: GroupFactors | undefined;
}

/** The rule that places an array, where no key of N5's own does. */
type Rule =
  | { readonly by: "cosem"; readonly transform: FoundObject }
  | { readonly by: "funlib"; readonly sized: Sized }
  | { readonly by: "n5" };

function surroundings(store: Store, own: FoundObject, path: string, reading: Reading): Surroundings {
  const groups = (): Iterable<Group> => n5GroupsAbove(store, path);
  const entry = listedAbove(path, groups(), n5Multiscales);
  const [parent, second] = groups();
  const above = [attributesOf(parent), attributesOf(second)];
  const factors = groupFactors(above, lastOf(path));
  const listsOthers = parent !== undefined && listsAny(parent, n5Multiscales);
  const unlisted = member(own, "downsamplingFactors") === undefined && factors?.level === undefined;
  const beyond = factors !== undefined && unlisted && factors.node === above[0];
  if (entry !== undefined || !(listsOthers || beyond)) return { own, above, entry, factors };
  reading.warn("missing_key");
  return { own, above: [NO_ATTRIBUTES, NO_ATTRIBUTES], entry, factors: undefined };
}

function ruleOf({ own, above, entry }: Surroundings, { warn }: Reading): Rule {
  const dataset = entry?.dataset.found;
  const transform = cosemTransform(own, warn) ?? (dataset && cosemTransform(dataset, warn));
  if (transform !== undefined) return { by: "cosem", transform };
  for (const node of [own, above[0] ?? NO_ATTRIBUTES]) {
    const size = member(node, "voxel_size");
    if (size !== undefined) return { by: "funlib", sized: { node, size } };
  }
  return { by: "n5" };
}

/** The attributes whose axis_names and types count: the array's own, and its parent's where they place it. */
const speakers = (own: FoundObject, rule: Rule): readonly FoundObject[] =>
  rule.by === "funlib" && rule.sized.node !== own ? [own, rule.sized.node] : [own];

function namesOf({ own, above, entry }: Surroundings, rule: Rule, count: number): NamedAxes | undefined {
  const cosem = rule.by === "cosem" ? cosemAxes(rule.transform, count) : undefined;
  if (cosem !== undefined) return cosem;
  for (const node of [own, entry?.attributes ?? NO_ATTRIBUTES, above[0] ?? NO_ATTRIBUTES]) {
    const axes = member(node, "axes");
    if (axes !== undefined) return trailingNames(axes, count, true);
  }
  const names = speakers(own, rule).map((attributes) => member(attributes, "axis_names"));
  const found = names.find((one) => one !== undefined);
  return found && trailingNames(found, count);
}

function placingOf(around: Surroundings, rule: Rule, axes: Axes, reading: Reading): Placing {
  const cover = coverOf(axes);
  if (rule.by === "cosem") return cosemPlace(rule.transform, cover);
  if (rule.by === "funlib") return funlibPlace(rule.sized, speakers(around.own, rule), cover, () => undefined);
  const xFirst: Cover = { count: cover.count, spatial: cover.spatial, xFirst: true };
  const placing = n5KeysPlace(around, around.factors, xFirst, reading);
  if (placing === undefined && member(around.own, "offset") !== undefined) reading.warn("unsupported");
  return placing ?? unplaced(axes);
}

/** Where an N5 array lies. */
export function n5Placement(store: Store, own: FoundObject, path: string, reading: Reading): PlacedNode {
  const around = surroundings(store, own, path, reading);
  if (around.entry?.listedTwice) reading.warn("duplicate");
  const rule = ruleOf(around, reading);
  const names = namesOf(around, rule, reading.count);
  const given = names?.names ?? Array.from({ length: reading.count }, () => null);
  const axes = settledAxes(names, reading.count, funlibTypes(speakers(own, rule), given));
  const [parent] = n5GroupsAbove(store, path);
  return {
    placement: placementOf(axes, placingOf(around, rule, axes, reading)),
    groupAttributes: attributesOf(parent).value,
    outerTransforms: around.entry === undefined ? [] : rawTransforms(around.entry.multiscale),
  };
}
