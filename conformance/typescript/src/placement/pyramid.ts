// The pyramid that a path names, from the documents of its group.

import { type FoundObject, member, objectOf } from "../documents/document.js";
import {
  detect,
  type Detected,
  type Format,
  isObject,
  joined,
  lastOf,
  parentOf,
  shortPath,
  type Store,
} from "../documents/index.js";
import { PlacedError, type Warn } from "../errors.js";
import { imagesBelow, n5Levels, omeLevels, precomputedLevels, type PyramidLevel } from "./levels.js";
import {
  type Entry,
  listed,
  listedAbove,
  listsAny,
  type Multiscale,
  n5Multiscales,
  omeMultiscales,
} from "./multiscales.js";
import { type Group, n5Group, n5GroupsAbove, zarrGroup, zarrGroupsAbove } from "./nodes.js";
import { nothingAt } from "./read.js";
import type { ReadOptions } from "./types.js";

/**
 * The levels of a pyramid in the order listed: `path` is the group's or the volume's, `opened` the level that was
 * named, null where the group was. A level lies at its name in the group.
 */
export interface Pyramid {
  readonly path: string;
  readonly format: Format;
  readonly opened: string | null;
  readonly levels: readonly PyramidLevel[];
}

/** What is asked: a store, a short path, how lenient to be, and whom to warn. */
interface Asked {
  readonly store: Store;
  readonly path: string;
  readonly options: ReadOptions;
  readonly warn: Warn;
}

/** The format of the group whose attributes these are. */
function formatOf({ at }: FoundObject): Format {
  const name = lastOf(String(at[0]));
  if (name === "attributes.json") return "n5";
  return name === "zarr.json" ? "zarr3" : "zarr2";
}

function levelsOf(multiscale: Multiscale, attributes: FoundObject, { options, warn }: Asked): readonly PyramidLevel[] {
  if (formatOf(attributes) === "n5") return n5Levels(multiscale, attributes, warn);
  return omeLevels(multiscale, options, warn);
}

/** The names s0, s1, … of the arrays in a folder, up to the first that is missing. */
function probed(store: Store, folder: string): readonly string[] {
  const names: string[] = [];
  for (;;) {
    const name = `s${names.length}`;
    const found = detect(store, joined(folder, name));
    if (found?.kind !== "array" || found.path !== joined(folder, name)) return names;
    names.push(name);
  }
}

const unread = (names: readonly string[]): readonly PyramidLevel[] => names.map((name) => ({ name, placed: null }));

/** The series of a bioformats2raw root, which its OME group lists. */
function seriesOf(store: Store, path: string): FoundObject | undefined {
  const [attributes] = zarrGroup(store, joined(path, "OME")).documents;
  const ome = attributes && member(attributes, "ome");
  return ome && isObject(ome.value) ? objectOf(ome) : attributes;
}

function noLevel({ store, path }: Asked, documents: readonly FoundObject[]): PlacedError {
  const images = documents.flatMap((attributes) => {
    const ome = member(attributes, "ome");
    const nodes = ome && isObject(ome.value) ? [attributes, objectOf(ome)] : [attributes];
    return nodes.flatMap((node) => imagesBelow(node, seriesOf(store, path)));
  });
  const where = images.length > 0 ? `; its images lie below it, at ${images.join(", ")}` : "";
  return new PlacedError("no_level", [path], `${path} lists no level and holds no array s0${where}`);
}

/** The pyramid that a group is. */
function ofGroup(asked: Asked, { format, path }: Detected): Pyramid {
  const { store } = asked;
  const { documents } = format === "n5" ? n5Group(store, path) : zarrGroup(store, path);
  const multiscales = format === "n5" ? n5Multiscales : omeMultiscales;
  for (const attributes of documents) {
    const [multiscale] = multiscales(attributes);
    if (multiscale !== undefined) {
      return { path, format, opened: null, levels: levelsOf(multiscale, attributes, asked) };
    }
  }
  const names = probed(store, path);
  if (names.length === 0) throw noLevel(asked, documents);
  return { path, format, opened: null, levels: unread(names) };
}

/** Where an array is listed by the groups above it, or by itself. */
function entryOf({ store, path }: Asked, isN5: boolean): Entry | undefined {
  if (isN5) return listedAbove(path, n5GroupsAbove(store, path), n5Multiscales);
  const own = listed(zarrGroup(store, path), "", omeMultiscales);
  return own ?? listedAbove(path, zarrGroupsAbove(store, path), omeMultiscales);
}

function ofEntry(asked: Asked, { folder, attributes, multiscale, dataset }: Entry): Pyramid {
  const levels = levelsOf(multiscale, attributes, asked);
  return { path: folder, format: formatOf(attributes), opened: dataset.path || ".", levels };
}

/** Whether the group above an array lists levels. */
function parentLists({ store, path }: Asked, isN5: boolean): boolean {
  const [parent]: Iterable<Group> = isN5 ? n5GroupsAbove(store, path) : zarrGroupsAbove(store, path);
  return parent !== undefined && listsAny(parent, isN5 ? n5Multiscales : omeMultiscales);
}

/** The pyramid that an array belongs to, or the one that it is by itself. */
function ofArray(asked: Asked, format: Format): Pyramid {
  const { store, path } = asked;
  const entry = entryOf(asked, format === "n5");
  if (entry !== undefined) return ofEntry(asked, entry);
  const [folder, name] = [parentOf(path), lastOf(path)];
  const beside = folder === "" || parentLists(asked, format === "n5") ? [] : probed(store, folder);
  if (!beside.includes(name)) return { path: folder, format, opened: name, levels: unread([name]) };
  const group = detect(store, folder)?.format ?? format;
  return { path: folder, format: group, opened: name, levels: unread(beside) };
}

/**
 * The pyramid of a path, which names a group, a level of it, a precomputed volume or a scale of it. Raises `not_found`
 * for nothing, `no_level` for a group without levels, and errors of documents at their keys.
 */
export function readPyramid(store: Store, path: string, options: ReadOptions, warn: Warn): Pyramid {
  const asked: Asked = { store, path: shortPath(path), options, warn };
  const found = detect(store, path);
  if (found === undefined) {
    const entry = entryOf(asked, false) ?? entryOf(asked, true);
    if (entry !== undefined) return ofEntry(asked, entry);
    throw nothingAt(path);
  }
  if (found.format === "precomputed" && found.document !== null) {
    return {
      path: found.path,
      format: "precomputed",
      opened: found.scaleKey,
      levels: precomputedLevels(found.document),
    };
  }
  return found.kind === "group" ? ofGroup(asked, found) : ofArray(asked, found.format);
}
