// Where a zarr array lies: OME-NGFF, else funlib, else COSEM, else funlib on the parent, else what is left.

import { type FoundObject, member } from "../documents/document.js";
import type { JsonObject, Json, Store } from "../documents/index.js";
import { type Axes, coverOf, everyName, funlibTypes, settledAxes, trailingNames } from "./axes.js";
import { compareBeside } from "./beside.js";
import { cosemAxes, cosemPlace, cosemTransform } from "./cosem.js";
import { dimensionUnits, type Quantity } from "./dimension-units.js";
import { centres, funlibPlace, type Sized, sizedBy } from "./funlib.js";
import { type Cover, numbers } from "./lists.js";
import { type Entry, listed, listedAbove, listsAny, omeMultiscales } from "./multiscales.js";
import { attributesOf, type Group, NO_ATTRIBUTES, zarrGroupsAbove } from "./nodes.js";
import { omeAxes, omePlace, outerSteps, rawTransforms } from "./ome.js";
import { placementOf, unplaced } from "./place.js";
import type { Composed } from "./transforms.js";
import type { NamedAxes, Placement, Placing, Reading } from "./types.js";

/** A zarr array as it is looked at: its zarr.json or .zarray, its attributes and its path. */
export interface ZarrNode {
  readonly document: FoundObject;
  readonly attributes: FoundObject;
  readonly path: string;
  readonly isVersion3: boolean;
}

/** A placement, and what is raw around it. */
export interface PlacedNode {
  readonly placement: Placement;
  readonly groupAttributes: JsonObject;
  readonly outerTransforms: readonly Json[];
}

/** What OME-NGFF says of an array. */
interface Ome {
  readonly axes?: NamedAxes | undefined;
  readonly place?: Composed | undefined;
}

/** The rule that places an array, and the node whose keys it reads. */
type Rule =
  | { readonly by: "ome"; readonly place: Composed }
  | { readonly by: "funlib"; readonly sized?: Sized; readonly node: FoundObject }
  | { readonly by: "cosem"; readonly transform: FoundObject }
  | { readonly by: "dimension_units"; readonly quantities: readonly (Quantity | undefined)[] }
  | { readonly by: null };

function omeOf(entry: Entry | undefined, reading: Reading): Ome {
  if (entry === undefined) return {};
  const { multiscale, dataset } = entry;
  if (entry.listedTwice) reading.warn("duplicate");
  const axes = omeAxes(multiscale, dataset.found, reading.count);
  return { axes, place: omePlace(multiscale, dataset, outerSteps(multiscale, reading), reading) };
}

/** The first rule that finds something. */
function ruleOf(node: ZarrNode, parent: FoundObject, ome: Ome, { count, warn }: Reading): Rule {
  if (ome.place !== undefined) return { by: "ome", place: ome.place };
  const own = sizedBy(node.attributes, count, warn);
  if (own !== undefined) return { by: "funlib", sized: own, node: own.node };
  const transform = cosemTransform(node.attributes, warn);
  if (transform !== undefined) return { by: "cosem", transform };
  const above = sizedBy(parent, count, warn);
  if (above !== undefined) return { by: "funlib", sized: above, node: above.node };
  const quantities = node.isVersion3 ? dimensionUnits(node.attributes, count) : undefined;
  if (quantities !== undefined) return { by: "dimension_units", quantities };
  const alone = [node.attributes, parent].find((attributes) => member(attributes, "offset") !== undefined);
  return alone === undefined ? { by: null } : { by: "funlib", node: alone };
}

/** The attributes that speak for an array: its own, and its parent's where they place it. */
const speakers = (node: ZarrNode, rule: Rule): readonly FoundObject[] =>
  rule.by === "funlib" && rule.node !== node.attributes ? [node.attributes, rule.node] : [node.attributes];

/** What names the axes. */
function namesOf(node: ZarrNode, rule: Rule, ome: Ome, count: number): NamedAxes | undefined {
  if (ome.axes !== undefined) return ome.axes;
  const own =
    (node.isVersion3 && member(node.document, "dimension_names")) || member(node.attributes, "_ARRAY_DIMENSIONS");
  if (own) return everyName(own, count);
  const cosem = rule.by === "cosem" ? cosemAxes(rule.transform, count) : undefined;
  if (cosem !== undefined) return cosem;
  const names = speakers(node, rule).map((attributes) => member(attributes, "axis_names"));
  const found = names.find((one) => one !== undefined);
  return found && trailingNames(found, count);
}

function axesOf(node: ZarrNode, rule: Rule, ome: Ome, count: number): Axes {
  const names = namesOf(node, rule, ome, count);
  const given = names?.names ?? Array.from({ length: count }, () => null);
  const types = ome.axes?.types ?? funlibTypes(speakers(node, rule), given);
  return settledAxes(names, count, types);
}

/** dimension_units give sizes with the corner at the origin, or at the array's own offset. */
function quantitiesPlace(quantities: readonly (Quantity | undefined)[], node: ZarrNode, cover: Cover): Placing {
  const sizes = quantities.map((one) => one?.size ?? 1);
  const offset = member(node.attributes, "offset");
  const corners = offset === undefined ? sizes.map(() => 0) : numbers(offset, cover);
  return {
    by: "dimension_units",
    voxelSize: sizes,
    translation: centres(sizes, corners, cover),
    declared: offset !== undefined,
    units: quantities.map((one) => one?.unit ?? ""),
  };
}

function placingOf(rule: Rule, node: ZarrNode, axes: Axes, { warn }: Reading): Placing {
  const cover = coverOf(axes);
  if (rule.by === "ome") return { by: "ome", ...rule.place };
  if (rule.by === "cosem") return cosemPlace(rule.transform, cover);
  if (rule.by === "dimension_units") return quantitiesPlace(rule.quantities, node, cover);
  if (rule.by === "funlib") return funlibPlace(rule.sized, speakers(node, rule), cover, warn);
  return unplaced(axes);
}

/** The entry that lists an array, in its own attributes or those of the groups above it. */
function entryOf(node: ZarrNode, groups: Iterable<Group>): Entry | undefined {
  const own = listed({ folder: node.path, documents: [node.attributes] }, "", omeMultiscales);
  return own ?? listedAbove(node.path, groups, omeMultiscales);
}

/** Where a zarr array lies. */
export function zarrPlacement(store: Store, node: ZarrNode, reading: Reading): PlacedNode {
  const entry = entryOf(node, zarrGroupsAbove(store, node.path));
  const [parent] = zarrGroupsAbove(store, node.path);
  const unlisted = entry === undefined && parent !== undefined && listsAny(parent, omeMultiscales);
  if (unlisted) reading.warn("missing_key");
  const ome = omeOf(entry, reading);
  const rule = ruleOf(node, unlisted ? NO_ATTRIBUTES : attributesOf(parent), ome, reading);
  const axes = axesOf(node, rule, ome, reading.count);
  const placement = placementOf(axes, placingOf(rule, node, axes, reading), ome.axes?.units);
  if (rule.by === "ome") compareBeside(node.attributes, coverOf(axes), placement, reading);
  return {
    placement,
    groupAttributes: attributesOf(parent).value,
    outerTransforms: entry === undefined ? [] : rawTransforms(entry.multiscale),
  };
}
