// The multiscales of groups: which datasets they list, and where an array is listed.

import { type Found, type FoundObject, listOf, member, needed, objectOf, stringOf } from "../documents/document.js";
import { pathParts } from "../documents/index.js";
import type { Group } from "./nodes.js";

/** A dataset of a multiscale: its path in the shortest form; a bare name has no object. */
export interface Dataset {
  readonly path: string;
  readonly found: FoundObject | undefined;
}

/** One multiscale; `version` is its own, else that beside the list, "" where none is given. */
export interface Multiscale {
  readonly found: FoundObject;
  readonly version: string;
  readonly datasets: () => readonly Dataset[];
}

/** Where an array is listed: the group's folder, the multiscale, and its first dataset of that path. */
export interface Entry {
  readonly folder: string;
  readonly attributes: FoundObject;
  readonly multiscale: Multiscale;
  readonly dataset: Dataset;
  readonly listedTwice: boolean;
}

const shortest = (path: string): string => pathParts(path).join("/");

function omeDataset(found: Found): Dataset {
  const object = objectOf(found);
  return { path: shortest(stringOf(needed(object, "path"))), found: object };
}

/** A dataset of an N5 group, which may be a bare name. */
function n5Dataset(found: Found): Dataset {
  return typeof found.value === "string" ? { path: shortest(found.value), found: undefined } : omeDataset(found);
}

const versionOf = (node: FoundObject): string | undefined => {
  const version = member(node, "version")?.value;
  return typeof version === "string" ? version : undefined;
};

function multiscalesIn(node: FoundObject, read: (found: Found) => Dataset): readonly Multiscale[] {
  const found = member(node, "multiscales");
  return (found === undefined ? [] : listOf(found)).map((entry) => {
    const object = objectOf(entry);
    const version = versionOf(object) ?? versionOf(node) ?? "";
    return { found: object, version, datasets: () => listOf(needed(object, "datasets")).map(read) };
  });
}

/** The multiscales of zarr attributes: those under ome, else those beside it. */
export function omeMultiscales(attributes: FoundObject): readonly Multiscale[] {
  const ome = member(attributes, "ome");
  const inner = ome && typeof ome.value === "object" && !Array.isArray(ome.value) ? objectOf(ome) : undefined;
  return multiscalesIn(inner && member(inner, "multiscales") ? inner : attributes, omeDataset);
}

/** The multiscales of N5 attributes. */
export const n5Multiscales = (attributes: FoundObject): readonly Multiscale[] => multiscalesIn(attributes, n5Dataset);

type Multiscales = (attributes: FoundObject) => readonly Multiscale[];

/** The first dataset of a path in the multiscales of a group; paths are those in its folder, "" for itself. */
export function listed(group: Group, path: string, multiscales: Multiscales): Entry | undefined {
  for (const attributes of group.documents) {
    for (const multiscale of multiscales(attributes)) {
      const [dataset, second] = multiscale.datasets().filter((one) => one.path === path);
      if (dataset !== undefined) {
        return { folder: group.folder, attributes, multiscale, dataset, listedTwice: second !== undefined };
      }
    }
  }
  return undefined;
}

/** Whether a group lists any dataset. */
export const listsAny = (group: Group, multiscales: Multiscales): boolean =>
  group.documents.some((attributes) => multiscales(attributes).some((one) => one.datasets().length > 0));

/** Where an array is listed in the groups above it, the nearest first. */
export function listedAbove(path: string, groups: Iterable<Group>, multiscales: Multiscales): Entry | undefined {
  for (const group of groups) {
    const entry = listed(group, path.slice(group.folder.length + 1), multiscales);
    if (entry !== undefined) return entry;
  }
  return undefined;
}
