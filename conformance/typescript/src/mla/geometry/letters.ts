// Letters for where the axes of an array go in a body.

import type { Rows } from "./linear.js";

const BODY: readonly string[] = ["left", "right", "anterior", "posterior", "superior", "inferior"];

/** The opposite of a word of the body. */
const opposite = (word: string): string => BODY[BODY.indexOf(word) ^ 1] ?? word;

/** Numbers that differ by at most this are a tie, and one of at most this size is none. */
const TOLERANCE = 1e-6;

interface Entry {
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

function strongest(entries: readonly Entry[]): Entry | undefined {
  const largest = Math.max(...entries.map(({ value }) => Math.abs(value)));
  return entries.find(({ value }) => largest - Math.abs(value) <= TOLERANCE);
}

function letterOf({ row, value }: Entry, words: readonly (string | undefined)[]): string | undefined {
  const word = words[row];
  if (word === undefined || !BODY.includes(word) || Math.abs(value) <= TOLERANCE) return undefined;
  return (value > 0 ? word : opposite(word)).charAt(0).toUpperCase();
}

/**
 * One letter per column of `direction`, the initial of the word toward which its index grows (left, right, anterior,
 * posterior, superior, inferior); null where an axis has none. `words` are the `increases_toward` of the rows.
 */
export function letterCodes(direction: Rows, words: readonly (string | undefined)[]): string | null {
  const count = direction[0]?.length ?? 0;
  const letters = new Map<number, string>();
  let free: readonly Entry[] = direction.flatMap((values, row) => values.map((value, column) => ({ row, column, value })));
  while (letters.size < count) {
    const chosen = strongest(free);
    const letter = chosen === undefined ? undefined : letterOf(chosen, words);
    if (chosen === undefined || letter === undefined) return null;
    letters.set(chosen.column, letter);
    free = free.filter(({ row, column }) => row !== chosen.row && column !== chosen.column);
  }
  return Array.from({ length: count }, (_, column) => letters.get(column) ?? "").join("");
}
