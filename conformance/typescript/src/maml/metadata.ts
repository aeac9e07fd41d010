// What a file that is written says of itself.

import type { HeaderEntry } from "./header.js";
import { isMoment } from "./temporal.js";
import { hasRefused } from "./text.js";
import { MetadataError } from "./typed-values.js";
import { parseType } from "./types.js";

/** A column of a file; texts are empty where nothing is said. */
export interface FileColumn {
  readonly name: string;
  /** The word of its type in full. */
  readonly dataType: string;
  readonly colSize: number;
  /** Characters of strings; 1 for other columns. */
  readonly arraySize: number;
  readonly unit: string;
  readonly info: string;
  readonly ucd: string;
}

/** What a file says of itself. */
export interface FileMetadata {
  readonly columns: readonly FileColumn[];
  readonly entries: readonly HeaderEntry[];
  /** The day and time in UTC when it was written, in 19 characters. */
  readonly date: string;
  /** The text of its MAML. */
  readonly maml?: string;
}

/** What is asked for in a form that there is not. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** The word of a type without what is in brackets. */
export function baseWord(dataType: string): string {
  return parseType(dataType)?.base ?? dataType;
}

/** The name of a file: the first entry `table`. */
export function fileName(entries: readonly HeaderEntry[]): string {
  return entries.find((entry) => entry.key === "table")?.value ?? "table";
}

/** The type that is written of an entry's value; empty where there is none, or where an entry says it. */
export function typeSaid(entry: HeaderEntry, keys: ReadonlySet<string>): string {
  return keys.has(`${entry.key}.datatype`) ? "" : entry.datatype;
}

/** The keys of entries. */
export function keysOf(entries: readonly HeaderEntry[]): Set<string> {
  return new Set(entries.map((entry) => entry.key));
}

/**
 * Refuses what no file can say.
 *
 * @throws {ArgumentError} for a date of another form.
 * @throws {MetadataError} for text that XML does not hold.
 */
export function checkMetadata({ columns, entries, date }: FileMetadata): void {
  if (!isMoment(date)) throw new ArgumentError(`${date} is no day and time in 19 characters`);
  const texts = [
    ...columns.flatMap(({ name, unit, info, ucd }) => [name, unit, info, ucd]),
    ...entries.flatMap(({ key, value, description }) => [key, value, description]),
  ];
  const wrong = texts.find(hasRefused);
  if (wrong !== undefined) throw new MetadataError("a header holds no control characters");
}
