// How documents arrive: files that are dropped or chosen, folders, and what is pasted.

import { isObject } from "../../conformance/typescript/src/documents/index.js";
import { type Document, guessedName, nameOf, NAMES, objectIn, within } from "./documents.js";
import { multiscaleOf } from "./places.js";

/** Documents of more characters are left alone. */
const LONGEST = 32 * 1024 * 1024;

/** How many folders below that which is dropped are looked into, and how many files and folders at most. */
const DEEPEST = 6;
const MOST = 5000;

const isDocument = (name: string): boolean => NAMES.includes(name) || name === ".zmetadata";

/** A file and its path as it came, "" for its folder where only its name is known. */
export interface Named {
  readonly path: string;
  readonly file: File;
}

/** The files below something that was dropped, of those that are documents; a file alone is taken by any name. */
export async function dropped(items: readonly FileSystemEntry[]): Promise<readonly Named[]> {
  const found: Named[] = [];
  let looked = 0;
  const walk = async (entry: FileSystemEntry, path: string, depth: number): Promise<void> => {
    looked += 1;
    if (looked > MOST) return;
    if (entry.isFile) {
      if (depth > 0 && !isDocument(entry.name)) return;
      const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
      found.push({ path, file });
    } else if (depth <= DEEPEST) {
      for (const one of await entriesIn(entry as FileSystemDirectoryEntry)) await walk(one, `${path}/${one.name}`, depth + 1);
    }
  };
  for (const item of items) await walk(item, item.name, 0);
  return found;
}

async function entriesIn(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  while (found.length < MOST) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) break;
    found.push(...some);
  }
  return found;
}

/** The texts of files; a name that no document has is guessed from what is in it. */
export async function textsOf(files: readonly Named[]): Promise<readonly Document[]> {
  const small = files.filter(({ file }) => file.size <= LONGEST);
  return Promise.all(
    small.map(async ({ path, file }) => {
      const text = await file.text();
      return { path: isDocument(nameOf(path)) ? path : guessedName(text), text };
    }),
  );
}

/** Whether a document is of an array rather than of a group. */
function isArray({ path, text }: Document): boolean {
  const value = objectIn(text);
  return value !== undefined && (nameOf(path) === ".zarray" || "shape" in value || "dimensions" in value);
}

/** Whether there is a place in the top folder for a document, which may then lie there. */
const isFree = (documents: readonly Document[], path: string): boolean => !documents.some((one) => one.path === path);

/** The levels that documents at the top list. */
function levelsListed(documents: readonly Document[]): readonly string[] {
  const texts = new Map(documents.map(({ path, text }) => [path, text]));
  return (multiscaleOf(texts, "")?.datasets ?? []).map(({ name }) => name).filter((name) => name !== ".");
}

/** Documents with one more: of an array it is that of the next listed level that has none; else one takes the place. */
function withOne(documents: readonly Document[], document: Document): readonly Document[] {
  const { path, text } = document;
  if (!path.includes("/") && isArray(document)) {
    const level = levelsListed(documents).find((name) => isFree(documents, within(name, path)));
    if (level !== undefined) return [...documents, { path: within(level, path), text }];
  }
  return [...documents.filter((one) => one.path !== path), document];
}

/** Documents with those that arrive, groups first, so that arrays find their levels. */
export function withMore(documents: readonly Document[], more: readonly Document[]): readonly Document[] {
  const groups = more.filter((one) => !isArray(one));
  return [...groups, ...more.filter(isArray)].reduce(withOne, documents);
}

/** The documents in a text that was pasted: one, or an object of several by their paths. */
export function pasted(text: string): readonly Document[] {
  const value = objectIn(text);
  const keys = Object.keys(value ?? {});
  if (value !== undefined && keys.length > 0 && keys.every((key) => isDocument(nameOf(key)) && isObject(value[key]))) {
    return keys.map((key) => ({ path: key, text: JSON.stringify(JSON.parse(text)[key], null, 2) }));
  }
  return [{ path: guessedName(text), text }];
}
