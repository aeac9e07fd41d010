// How documents arrive: files that are dropped or chosen, folders, and what is pasted.

import { isObject } from "../../conformance/typescript/src/documents/index.js";
import { type Document, guessedName, nameOf, NAMES, objectIn, shortened, within, written } from "./documents.js";
import { multiscaleOf } from "./places.js";

/** Documents of more characters are left alone. */
const LONGEST = 32 * 1024 * 1024;

/** How many folders below that which is dropped are looked into, and how many at most. */
const DEEPEST = 6;
const MOST = 2000;

const DOCUMENTS = [...NAMES, ".zmetadata"];

/** Whether something is called as a document is. */
export const isDocument = (path: string): boolean => DOCUMENTS.includes(nameOf(path));

/** A file and its path as it came, its name where no more is known. */
export interface Named {
  readonly path: string;
  readonly file: File;
}

/** What was taken, and a sentence on what was not; "" where all was. */
export interface Taken {
  readonly documents: readonly Document[];
  readonly left: string;
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((done, failed) => entry.file(done, failed));

/** The file of a name in a folder; undefined where there is none. */
const fileIn = (folder: FileSystemDirectoryEntry, name: string): Promise<File | undefined> =>
  new Promise((done) => {
    const found = (entry: FileSystemEntry): void =>
      void fileOf(entry as FileSystemFileEntry).then(done, () => done(undefined));
    folder.getFile(name, {}, found, () => done(undefined));
  });

async function foldersIn(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemDirectoryEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) break;
    found.push(...some);
  }
  return found.filter((entry): entry is FileSystemDirectoryEntry => entry.isDirectory);
}

/** The documents below what was dropped; chunks are passed over, and a file alone is taken by any name. */
export async function dropped(entries: readonly FileSystemEntry[]): Promise<Taken> {
  const found: Document[] = [];
  const left: string[] = [];
  let looked = 0;
  const walk = async (folder: FileSystemDirectoryEntry, path: string, depth: number): Promise<void> => {
    looked += 1;
    const files = await Promise.all(DOCUMENTS.map(async (name) => [name, await fileIn(folder, name)] as const));
    const named = files.flatMap(([name, file]): readonly Named[] => (file ? [{ path: `${path}/${name}`, file }] : []));
    const { documents, left: unread } = await textsOf(named);
    found.push(...documents);
    left.push(unread);
    if (depth > DEEPEST || documents.some((one) => isArray(one) || nameOf(one.path) === "info")) return;
    for (const one of await foldersIn(folder)) {
      if (looked >= MOST) left[0] = `Only the first ${MOST} folders are looked into.`;
      else await walk(one, `${path}/${one.name}`, depth + 1);
    }
  };
  for (const entry of entries) {
    if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, entry.name, 0);
    else {
      const { documents, left: unread } = await textsOf([
        { path: entry.name, file: await fileOf(entry as FileSystemFileEntry) },
      ]);
      found.push(...documents);
      left.push(unread);
    }
  }
  return { documents: found, left: left.filter(Boolean).join(" ") };
}

/** The text of a file, or a sentence on why it is left. */
async function textOf({ path, file }: Named): Promise<Document | string> {
  if (file.size > LONGEST) return `${path} is too large for a document.`;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return { path: isDocument(path) ? path : guessedName(text), text };
  } catch {
    return `${path} is not UTF-8, and no document.`;
  }
}

/** The texts of files; a name that no document has is guessed from what is in it. */
export async function textsOf(files: readonly Named[]): Promise<Taken> {
  const texts = await Promise.all(files.map(textOf));
  return {
    documents: texts.filter((one) => typeof one !== "string"),
    left: texts.filter((one) => typeof one === "string").join(" "),
  };
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

/**
 * Documents with those that arrive, groups first, so that arrays find their levels. The folders that all of them lie in
 * are left out of their paths, unless it is that of a level.
 */
export function withMore(documents: readonly Document[], arriving: readonly Document[]): readonly Document[] {
  const levels = levelsListed(documents);
  const known = arriving.every(({ path }) => levels.some((level) => path.startsWith(`${level}/`)));
  const more = known ? arriving : shortened(arriving);
  const groups = more.filter((one) => !isArray(one));
  return [...groups, ...more.filter(isArray)].reduce(withOne, documents);
}

/** The documents in a text that was pasted: one, or an object of several by their paths. */
export function pasted(text: string): readonly Document[] {
  const value = objectIn(text);
  const keys = Object.keys(value ?? {});
  if (value !== undefined && keys.length > 0 && keys.every((key) => isDocument(key) && isObject(value[key]))) {
    return keys.map((key) => ({ path: key, text: written(value[key]) }));
  }
  return [{ path: guessedName(text), text }];
}
