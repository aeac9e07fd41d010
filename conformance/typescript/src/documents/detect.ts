// What stands at a path of a store.

import { PlacedError } from "../errors.js";
import { type FoundObject, readDocument, wrong } from "./document.js";
import type { Format } from "./facts.js";
import { shown } from "./json.js";
import { isVolume, namedScale, noVolume, scaleKey } from "./precomputed.js";
import { joined, lastOf, parentOf, shortPath, type Store } from "./store.js";

/**
 * What stands at a path: `path` is where the documents lie (of a precomputed scale the volume), `documents` their
 * names, sorted, `scaleKey` the scale of a precomputed volume that the path names, `document` the one that decided.
 */
export interface Detected {
  readonly format: Format;
  readonly kind: "array" | "group";
  readonly path: string;
  readonly documents: readonly string[];
  readonly scaleKey: string | null;
  readonly document: FoundObject | null;
}

/** The names of documents, in the order in which they are tried. */
export const DOCUMENTS = ["zarr.json", ".zarray", ".zgroup", "info", "attributes.json"] as const;

type Kind = Detected["kind"];

/** Whether an object is the zarr.json of a zarr v3 node. */
export const isZarr3 = ({ value }: FoundObject): boolean => value["zarr_format"] === 3;

function zarr3Kind(document: FoundObject): Kind {
  if (!isZarr3(document))
    throw wrong("wrong_value", document, "the zarr.json of a zarr v3 node has a zarr_format of 3");
  const kind = document.value["node_type"];
  if (kind === "array" || kind === "group") return kind;
  const rule = `its node_type is ${shown(kind)}, and a node is an array or a group`;
  throw wrong("wrong_value", { value: {}, at: document.at }, rule);
}

function infoKind(document: FoundObject): Kind {
  if (isVolume(document)) return "group";
  throw noVolume(document);
}

/** What a document says that its folder is. */
function kindOf(name: (typeof DOCUMENTS)[number], document: FoundObject): readonly [Format, Kind] {
  if (name === "zarr.json") return ["zarr3", zarr3Kind(document)];
  if (name === ".zarray") return ["zarr2", "array"];
  if (name === ".zgroup") return ["zarr2", "group"];
  if (name === "info") return ["precomputed", infoKind(document)];
  return ["n5", "dimensions" in document.value ? "array" : "group"];
}

/** What the document of a name says of a path; undefined where it is absent. */
function fromDocument(store: Store, path: string, name: (typeof DOCUMENTS)[number]): Detected | undefined {
  const document = readDocument(store, joined(path, name));
  if (document === undefined) return undefined;
  const [format, kind] = kindOf(name, document);
  const beside = name === ".zarray" || name === ".zgroup" ? [".zattrs"] : [];
  const documents = [name, ...beside.filter((other) => store.has(joined(path, other)))].sort();
  return { format, kind, path, documents, scaleKey: null, document };
}

/** The scale that the last part of a path names in the info of its parent. */
function fromParent(store: Store, path: string): Detected | undefined {
  const parent = parentOf(path);
  const info = parent === "" ? undefined : readQuietly(store, joined(parent, "info"));
  if (info === undefined || !isVolume(info)) return undefined;
  const scale = namedScale(info, lastOf(path));
  if (scale === undefined) return undefined;
  return {
    format: "precomputed",
    kind: "array",
    path: parent,
    documents: ["info"],
    scaleKey: scaleKey(scale),
    document: info,
  };
}

/** A document, or undefined where it cannot be read: a foreign one is nobody's error. */
function readQuietly(store: Store, key: string): FoundObject | undefined {
  try {
    return readDocument(store, key);
  } catch (error) {
    if (error instanceof PlacedError) return undefined;
    throw error;
  }
}

/** What the documents at a path say; those of other programs count only where nothing else stands there. */
function fromOwn(store: Store, path: string): readonly [Detected | undefined, PlacedError | undefined] {
  let refused: PlacedError | undefined;
  for (const name of DOCUMENTS) {
    try {
      const found = fromDocument(store, path, name);
      if (found !== undefined) return [found, undefined];
    } catch (error) {
      if (!(error instanceof PlacedError) || !(name === "zarr.json" || name === "info")) throw error;
      refused ??= error;
    }
  }
  return [undefined, refused];
}

/** What stands at a path, undefined for nothing. Errors of documents are at their keys. */
export function detect(store: Store, path: string): Detected | undefined {
  const short = shortPath(path);
  if (short === "") return undefined;
  const [own, refused] = fromOwn(store, short);
  const found = own ?? fromParent(store, short);
  if (found !== undefined) return found;
  if (refused !== undefined) throw refused;
  const [first] = fromOwn(store, joined(short, "s0"));
  if (first?.kind !== "array") return undefined;
  return { format: first.format, kind: "group", path: short, documents: [], scaleKey: null, document: null };
}
