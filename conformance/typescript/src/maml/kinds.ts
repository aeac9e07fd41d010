// Columns of a file as rules and sort keys see them.

import { parseType } from "./types.js";

/** The kind of a column by its word, or the kinds of what is in a struct. */
export interface Kinds {
  readonly [column: string]: string | Kinds;
}

/** A column that a name leads to. */
export interface Column {
  readonly path: readonly string[];
  readonly kind: string;
}

const UNREAD = ["vector", "list", "map", "other"];

/**
 * The column of exactly a name, else what a path with dots leads to.
 *
 * @returns undefined where there is none; a struct has no kind, and is none.
 */
export function findColumn(name: string, kinds: Kinds): Column | undefined {
  const own = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (typeof own === "string") return { path: [name], kind: own };
  if (own !== undefined) return undefined;
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const head = name.slice(0, dot);
    const inner = Object.hasOwn(kinds, head) ? kinds[head] : undefined;
    if (inner === undefined || typeof inner === "string") continue;
    const rest = findColumn(name.slice(dot + 1), inner);
    if (rest !== undefined) return { path: [head, ...rest.path], kind: rest.kind };
  }
  return undefined;
}

/** Whether values of a kind can be compared at all. */
export function isRead(kind: string): boolean {
  return !UNREAD.includes(kind);
}

/** Whether values of a kind are floats. */
export function isFloat(kind: string): boolean {
  return kind.startsWith("float");
}

/** Whether values of a kind are dates, times or timestamps. */
export function isTimed(kind: string): boolean {
  return ["date", "time", "timestamp"].includes(parseType(kind)?.base ?? "");
}

/** Characters that are no blanks of rules and keys and cannot be seen. */
export const UNSEEN = /[\p{Z}\p{C}]/u;

/** Whether a character divides words. */
export function isBlank(char: string): boolean {
  return char === " " || char === "\t" || char === "\n" || char === "\r";
}
