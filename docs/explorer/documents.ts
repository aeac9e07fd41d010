// Documents as people give them: texts with a path, which is guessed where none is known.

import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from "../../conformance/typescript/src/documents/index.js";
import { PlacedError } from "../../conformance/typescript/src/errors.js";

/** A text and its path in the store, such as `s0/.zarray`. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** What documents are called. */
export const NAMES: readonly string[] = [".zattrs", ".zarray", ".zgroup", "zarr.json", "attributes.json", "info"];

/** The name behind the last slash. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The folder of a path, "" for the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The path of something in a folder, "" and "." being the top. */
export const within = (folder: string, name: string): string =>
  [folder, name].filter((part) => part !== "" && part !== ".").join("/");

/** What a text holds; undefined where it is no JSON object. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text, []);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof PlacedError) return undefined;
    throw error;
  }
}

const N5_KEYS = ["n5", "dataType", "blockSize", "pixelResolution", "downsamplingFactors"];

/** Whether a multiscale is N5's: its datasets are bare names, or have a `transform`. */
function isN5Multiscale(value: Json | undefined): boolean {
  const [multiscale] = isList(value) ? value : [];
  const datasets = isObject(multiscale) ? multiscale["datasets"] : undefined;
  const [first] = isList(datasets) ? datasets : [];
  return typeof first === "string" || (isObject(first) && "transform" in first);
}

/** What a document without a name is called, by what it holds. */
export function guessedName(text: string): string {
  const value = objectIn(text) ?? {};
  if (value["zarr_format"] === 3 || "node_type" in value) return "zarr.json";
  if (value["zarr_format"] === 2) return "shape" in value ? ".zarray" : ".zgroup";
  if ("zarr_consolidated_format" in value) return ".zmetadata";
  if ("@type" in value || ("data_type" in value && "scales" in value)) return "info";
  if (N5_KEYS.some((key) => key in value) || isN5Multiscale(value["multiscales"])) return "attributes.json";
  return ".zattrs";
}

/** A value as a JSON text; integers of any size keep their digits. */
export function written(value: Json | undefined): string {
  if (isList(value)) return `[${value.map(written).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${written(item)}`);
    return `{${members.join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value ?? null);
}

/** The documents that a consolidated one holds copies of. */
function copiesIn({ path, text }: Document): readonly Document[] {
  const folder = folderOf(path);
  const value = objectIn(text) ?? {};
  if (nameOf(path) === ".zmetadata") {
    const metadata = value["metadata"];
    if (!isObject(metadata)) return [];
    return Object.entries(metadata).map(([key, item]) => ({ path: within(folder, key), text: written(item) }));
  }
  const consolidated = nameOf(path) === "zarr.json" ? value["consolidated_metadata"] : undefined;
  const metadata = isObject(consolidated) ? consolidated["metadata"] : undefined;
  if (!isObject(metadata)) return [];
  return Object.entries(metadata).map(([key, item]) => ({
    path: within(folder, `${key}/zarr.json`),
    text: written(item),
  }));
}

/** The copies in consolidated documents of those that are not given themselves. */
export function consolidated(documents: readonly Document[]): readonly Document[] {
  const given = new Set(documents.map(({ path }) => path));
  return documents.flatMap(copiesIn).filter(({ path }) => !given.has(path));
}

/** Paths without the folders that all of them lie in. */
export function shortened(documents: readonly Document[]): readonly Document[] {
  let found = documents;
  for (;;) {
    const [top] = new Set(found.map(({ path }) => path.split("/")[0]));
    const shared = top !== undefined && found.every(({ path }) => path.startsWith(`${top}/`));
    if (!shared) return found;
    found = found.map(({ path, text }) => ({ path: path.slice(top.length + 1), text }));
  }
}
