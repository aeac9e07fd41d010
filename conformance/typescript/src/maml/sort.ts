// Sort keys.

import type { Bound, RuleProblem } from "./filter.js";
import { RuleError } from "./filter-words.js";
import { findColumn, isBlank, isRead, UNSEEN, type Kinds } from "./kinds.js";

/** A sort key on a column. */
export interface SortKey {
  readonly column: readonly string[];
  readonly kind: string;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

interface Word {
  readonly text: string;
  /** From 1. */
  readonly character: number;
}

interface WrittenKey {
  readonly name: Word;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** How many sort keys there may be. */
export const MOST_KEYS = 16;
const MOST_CHARACTERS = 320;
const MOST_NAME = 64;
const DIRECTIONS = ["asc", "ascending", "desc", "descending"];
const NULLS = ["nulls_first", "nulls_last"];

function wordsOf(key: string): Word[] {
  const characters = Array.from(key);
  if (characters.length > MOST_CHARACTERS) {
    throw new RuleError(MOST_CHARACTERS + 1, `a sort key has at most ${MOST_CHARACTERS} characters`);
  }
  const words: Word[] = [];
  characters.forEach((char, index) => {
    if (isBlank(char)) return;
    if (UNSEEN.test(char)) throw new RuleError(index + 1, "this character cannot be seen");
    const last = words[words.length - 1];
    const goesOn = index > 0 && !isBlank(characters[index - 1] ?? " ");
    if (goesOn && last !== undefined) words[words.length - 1] = { ...last, text: last.text + char };
    else words.push({ text: char, character: index + 1 });
  });
  return words;
}

function parseKey(key: string): WrittenKey {
  const [first, ...rest] = wordsOf(key);
  if (first === undefined) throw new RuleError(1, "a sort key has a name");
  const isMinus = first.text.startsWith("-");
  const name = isMinus ? { text: first.text.slice(1), character: first.character + 1 } : first;
  if (name.text === "") throw new RuleError(first.character, "a name belongs right behind -");
  if (Array.from(name.text).length > MOST_NAME) {
    throw new RuleError(name.character, `a name has at most ${MOST_NAME} characters`);
  }
  const words = [...rest];
  const take = (known: readonly string[]): string | undefined => {
    const word = words[0]?.text.toLowerCase();
    if (word === undefined || !known.includes(word)) return undefined;
    words.shift();
    return word;
  };
  const direction = isMinus ? undefined : take(DIRECTIONS);
  const nulls = take(NULLS);
  const [extra] = words;
  if (extra !== undefined) throw new RuleError(extra.character, `${extra.text} does not belong here`);
  return { name, descending: isMinus || (direction ?? "").startsWith("desc"), nullsFirst: nulls === NULLS[0] };
}

/** Binds sort keys to columns; problems of all texts are told, and where there are none, those of the columns. */
export function bindSortKeys(keys: readonly string[], kinds: Kinds): Bound<readonly SortKey[]> {
  const problems: RuleProblem[] = [];
  const tell = (position: number, character: number, message: string): void => {
    problems.push({ position, character, message });
  };
  const written = keys.slice(0, MOST_KEYS).map((key, position) => {
    try {
      return parseKey(key);
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      tell(position, error.character, error.message);
      return undefined;
    }
  });
  if (keys.length > MOST_KEYS) tell(MOST_KEYS, 1, `there are at most ${MOST_KEYS} sort keys`);
  if (problems.length > 0) return { problems };
  const bound = written.map((key, position) => {
    const column = key === undefined ? undefined : findColumn(key.name.text, kinds);
    if (key !== undefined && column !== undefined && isRead(column.kind)) {
      return { column: column.path, kind: column.kind, descending: key.descending, nullsFirst: key.nullsFirst };
    }
    tell(position, key?.name.character ?? 1, `no column ${key?.name.text ?? ""} can be sorted by`);
    return undefined;
  });
  return problems.length > 0 ? { problems } : { made: bound.filter((key) => key !== undefined) };
}
