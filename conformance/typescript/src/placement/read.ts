// One array of a store as its documents describe it.

import { type FoundObject, readDocument } from "../documents/document.js";
import { type ArrayFacts, detect, type Detected, joined, keysBelow, parentOf, type Store } from "../documents/index.js";
import { n5Facts } from "../documents/n5.js";
import { namedScale, precomputedFacts } from "../documents/precomputed.js";
import { zarr2Facts, zarr3Facts } from "../documents/zarr.js";
import { PlacedError, type Warn } from "../errors.js";
import { n5Placement } from "./n5.js";
import { zarr3Attributes } from "./nodes.js";
import { precomputedPlacement } from "./precomputed.js";
import type { ArrayRecord, Reading, ReadOptions } from "./types.js";
import { zarrPlacement } from "./zarr.js";

/** The array at a path: its documents, that which decided among them, and the options. */
interface Opened {
  readonly store: Store;
  readonly path: string;
  readonly document: FoundObject;
  readonly options: ReadOptions;
  readonly warn: Warn;
}

const readingOf = ({ shape }: ArrayFacts, { options, warn }: Opened): Reading => ({
  count: shape.length,
  lenient: options.conflicts === "warn",
  warn,
});

/** Warns where the declared separator finds no chunk and the other one does. */
function checkSeparator({ store, path, warn }: Opened, { shape, storage }: ArrayFacts): void {
  if (storage.format !== "zarr2" || shape.length < 2) return;
  const keys = keysBelow(store, path);
  const anyWith = (separator: string): boolean => {
    const pattern = new RegExp(`^[0-9]+(${separator === "." ? "\\." : "/"}[0-9]+){${shape.length - 1}}$`);
    return keys.some((key) => pattern.test(key));
  };
  if (!anyWith(storage.separator) && anyWith(storage.separator === "." ? "/" : ".")) warn("conflict");
}

function zarrArray(opened: Opened, facts: ArrayFacts, attributes: FoundObject): ArrayRecord {
  const { store, path, document } = opened;
  const format = facts.storage.format;
  const node = { document, attributes, path, isVersion3: format === "zarr3" };
  const { placement, ...raw } = zarrPlacement(store, node, readingOf(facts, opened));
  checkSeparator(opened, facts);
  return { ...facts, ...placement, ...raw, format, path, parent: parentOf(path), attributes: attributes.value };
}

function zarr2Array(opened: Opened): ArrayRecord {
  const { store, path, document, options, warn } = opened;
  const key = joined(path, ".zattrs");
  const attributes = readDocument(store, key) ?? { value: {}, at: [key] };
  return zarrArray(opened, zarr2Facts(document, options.separator, warn), attributes);
}

const zarr3Array = (opened: Opened): ArrayRecord =>
  zarrArray(opened, zarr3Facts(opened.document, opened.warn), zarr3Attributes(opened.document));

function n5Array(opened: Opened): ArrayRecord {
  const { store, path, document } = opened;
  const facts = n5Facts(document);
  const { placement, ...raw } = n5Placement(store, document, path, readingOf(facts, opened));
  return { ...facts, ...placement, ...raw, format: "n5", path, parent: parentOf(path), attributes: document.value };
}

const GZIPPED = /^-?[0-9]+--?[0-9]+_-?[0-9]+--?[0-9]+_-?[0-9]+--?[0-9]+\.gz$/;

function precomputedArray({ store, path: volume, document, warn }: Opened, key: string): ArrayRecord {
  const scale = namedScale(document, key);
  if (scale === undefined) throw nothingAt(joined(volume, key));
  const path = joined(volume, key);
  if (keysBelow(store, path).some((name) => GZIPPED.test(name))) warn("conflict");
  return {
    ...precomputedFacts(document, scale),
    ...precomputedPlacement(document, scale),
    format: "precomputed",
    path,
    parent: volume,
    attributes: scale.value,
    groupAttributes: document.value,
    outerTransforms: [],
  };
}

/** The error for a path where nothing can be read. */
export const nothingAt = (path: string): PlacedError =>
  new PlacedError(
    "not_found",
    [path],
    `${path} holds no zarr, N5 or precomputed document, and is no scale of a volume`,
  );

/** The array that was detected. */
export function readDetected(store: Store, found: Detected, options: ReadOptions, warn: Warn): ArrayRecord {
  const { format, path, document, scaleKey } = found;
  if (document === null) throw nothingAt(path);
  const opened: Opened = { store, path, document, options, warn };
  if (format === "zarr2") return zarr2Array(opened);
  if (format === "zarr3") return zarr3Array(opened);
  return format === "n5" ? n5Array(opened) : precomputedArray(opened, scaleKey ?? "");
}

/**
 * The array at a path of a store: shapes in voxels, sizes and translations (centres) in the stored units, all in C
 * order. Warnings are codes of what is odd but usable. Raises `not_found` for nothing, `level_required` for a group,
 * and errors of documents at their keys.
 */
export function readArray(store: Store, path: string, options: ReadOptions, warn: Warn): ArrayRecord {
  const found = detect(store, path);
  if (found === undefined) throw nothingAt(path);
  if (found.kind === "array") return readDetected(store, found, options, warn);
  throw new PlacedError("level_required", [path], `${path} is a group; an array in it belongs here`);
}
