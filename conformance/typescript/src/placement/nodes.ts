// The attributes of arrays and of the groups above them.

import { type Found, type FoundObject, isNoDocument, member, objectOf, readDocument } from "../documents/document.js";
import { isZarr3 } from "../documents/detect.js";
import { ancestorsOf, joined, type Store } from "../documents/index.js";
import { PlacedError } from "../errors.js";

/** How many folders above an array are looked at. */
const HIGHEST = 4;

/** A folder and the attributes of its documents, where there are any. */
export interface Group {
  readonly folder: string;
  readonly documents: readonly FoundObject[];
}

/** Attributes that are nowhere. */
export const NO_ATTRIBUTES: FoundObject = { value: {}, at: [] };

/** The attributes in the zarr.json of a node. */
export function zarr3Attributes(document: FoundObject): FoundObject {
  const found = member(document, "attributes");
  return found === undefined ? { value: {}, at: [...document.at, "attributes"] } : objectOf(found);
}

/** The zarr.json of a folder; undefined where it is another program's. */
function zarrJson(store: Store, folder: string): FoundObject | undefined {
  const v2 = [".zgroup", ".zarray", ".zattrs"].some((name) => store.has(joined(folder, name)));
  try {
    const document = readDocument(store, joined(folder, "zarr.json"));
    return document && isZarr3(document) ? document : undefined;
  } catch (error) {
    if (error instanceof PlacedError && v2) return undefined;
    throw error;
  }
}

/** The attributes of a zarr folder: those of its zarr.json, then those of its `.zattrs`. */
export function zarrGroup(store: Store, folder: string): Group {
  const document = zarrJson(store, folder);
  const attributes = readDocument(store, joined(folder, ".zattrs"));
  const documents = document === undefined ? [] : [zarr3Attributes(document)];
  return { folder, documents: attributes === undefined ? documents : [...documents, attributes] };
}

/** The attributes of an N5 folder. */
export function n5Group(store: Store, folder: string): Group {
  const document = readDocument(store, joined(folder, "attributes.json"));
  return { folder, documents: document === undefined ? [] : [document] };
}

/** The groups above a zarr path, the nearest first; what answers no document ends the search. */
export function* zarrGroupsAbove(store: Store, path: string): Generator<Group> {
  for (const folder of ancestorsOf(path, HIGHEST)) {
    if (["zarr.json", ".zattrs"].some((name) => isNoDocument(store, joined(folder, name)))) return;
    yield zarrGroup(store, folder);
  }
}

/** The groups above an N5 path, the nearest first; what answers no document ends the search. */
export function* n5GroupsAbove(store: Store, path: string): Generator<Group> {
  for (const folder of ancestorsOf(path, HIGHEST)) {
    if (isNoDocument(store, joined(folder, "attributes.json"))) return;
    yield n5Group(store, folder);
  }
}

/** The attributes that speak for a group: those of its first document, none where there is no group. */
export const attributesOf = (group: Group | undefined): FoundObject => group?.documents[0] ?? NO_ATTRIBUTES;

/** The first of several attributes that is given. */
export function firstMember(attributes: FoundObject, keys: readonly string[]): (Found & { key: string }) | undefined {
  for (const key of keys) {
    const found = member(attributes, key);
    if (found !== undefined) return { ...found, key };
  }
  return undefined;
}
