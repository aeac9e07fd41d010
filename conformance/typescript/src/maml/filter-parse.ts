// A rule as a tree of clauses.

import { readWords, RuleError, type Token } from "./filter-words.js";

/** Operators that take a value. */
export const COMPARISONS = [">", ">=", "<", "<=", "==", "/="];
/** Operators that take a list. */
export const LISTS = ["in", "not_in"];
/** Operators that take nothing. */
export const QUESTIONS = ["is_null", "is_not_null", "is_nan", "is_not_nan", "is_finite", "is_not_finite"];

/** A clause as it is written; the operator in small letters. */
export interface WrittenClause {
  readonly name: Token;
  readonly op: Token;
  readonly values: readonly Token[];
}

/** Clauses joined by words; `and` and `or` have at least two parts. */
export type Joined<Clause> =
  | { readonly kind: "and" | "or"; readonly parts: readonly Joined<Clause>[] }
  | { readonly kind: "not"; readonly part: Joined<Clause> }
  | { readonly kind: "clause"; readonly clause: Clause };

const LEVELS = 32;
const MOST_CLAUSES = 1024;
const MOST_NAME = 64;
const MOST_VALUE = 512;

const isMark = (token: Token | undefined, text: string): boolean => token?.kind === "mark" && token.text === text;
const isWord = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === "word" && words.includes(token.text.toLowerCase());
const tooLong = (token: Token, most: number): boolean => Array.from(token.text).length > most;

/** Counts the clauses of all rules together. */
export interface ClauseBudget {
  left: number;
}

/** A budget of as many clauses as there may be. */
export const clauseBudget = (): ClauseBudget => ({ left: MOST_CLAUSES });

class Parser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly budget: ClauseBudget,
  ) {}

  rule(): Joined<WrittenClause> {
    const tree = this.joined("or", undefined);
    const rest = this.peek();
    if (rest !== undefined) throw new RuleError(rest.character, `and, or or the end belongs before ${rest.text}`);
    return tree;
  }

  private peek(): Token | undefined {
    return this.tokens[this.at];
  }

  /** What `or` or `and` joins; `before` is the word or parenthesis before it. */
  private joined(word: "or" | "and", before: Token | undefined): Joined<WrittenClause> {
    const part = (after: Token | undefined): Joined<WrittenClause> =>
      word === "or" ? this.joined("and", after) : this.operand(after);
    const parts = [part(before)];
    for (let next = this.peek(); next !== undefined && isWord(next, word); next = this.peek()) {
      this.at += 1;
      parts.push(part(next));
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: word, parts };
  }

  private deeper<Made>(token: Token, make: () => Made): Made {
    this.depth += 1;
    if (this.depth > LEVELS) throw new RuleError(token.character, `at most ${LEVELS} levels may lie inside each other`);
    this.at += 1;
    const made = make();
    this.depth -= 1;
    return made;
  }

  private operand(before: Token | undefined): Joined<WrittenClause> {
    const token = this.peek();
    const isMissing = token === undefined || isMark(token, ")") || isWord(token, "and", "or");
    if (isMissing && before !== undefined && !(isMark(before, "(") && isWord(token, "and", "or"))) {
      throw new RuleError(before.character, `no clause follows ${before.text}`);
    }
    if (token === undefined) throw new RuleError(1, "a rule has a clause");
    if (isMark(token, "(")) return this.deeper(token, () => this.group(token));
    if (isWord(token, "not")) return this.deeper(token, () => ({ kind: "not", part: this.operand(token) }));
    if (token.kind !== "word" || isMissing)
      throw new RuleError(token.character, `${token.text} is no name of a column`);
    return { kind: "clause", clause: this.clause(token) };
  }

  private group(open: Token): Joined<WrittenClause> {
    const tree = this.joined("or", open);
    const token = this.peek();
    if (token === undefined) throw new RuleError(open.character, "a parenthesis is not closed");
    if (!isMark(token, ")")) throw new RuleError(token.character, `and, or or ) belongs before ${token.text}`);
    this.at += 1;
    return tree;
  }

  private clause(name: Token): WrittenClause {
    this.budget.left -= 1;
    if (this.budget.left < 0) throw new RuleError(name.character, `rules have at most ${MOST_CLAUSES} clauses`);
    if (tooLong(name, MOST_NAME)) throw new RuleError(name.character, `a name has at most ${MOST_NAME} characters`);
    this.at += 1;
    const op = this.peek();
    if (op === undefined || op.kind !== "word" || isWord(op, "and", "or", "not")) {
      throw new RuleError(name.character, `no operator follows ${name.text}`);
    }
    this.at += 1;
    const word = op.text.toLowerCase();
    const known = { ...op, text: word };
    if (COMPARISONS.includes(word)) return { name, op: known, values: [this.comparand(op)] };
    if (LISTS.includes(word)) return { name, op: known, values: this.list(op) };
    if (QUESTIONS.includes(word)) return { name, op: known, values: [] };
    throw new RuleError(op.character, `${op.text} is no operator`);
  }

  private value(token: Token): Token {
    if (tooLong(token, MOST_VALUE))
      throw new RuleError(token.character, `a value has at most ${MOST_VALUE} characters`);
    this.at += 1;
    return token;
  }

  private comparand(op: Token): Token {
    const token = this.peek();
    if (token === undefined || token.kind === "mark" || isWord(token, "and", "or", "not")) {
      throw new RuleError(op.character, `no value follows ${op.text}`);
    }
    return this.value(token);
  }

  private list(op: Token): Token[] {
    const open = this.peek();
    if (open === undefined || !isMark(open, "(")) throw new RuleError(op.character, `no list follows ${op.text}`);
    this.at += 1;
    if (isMark(this.peek(), ")")) throw new RuleError(open.character, "a list has a value");
    const values: Token[] = [];
    let comma: Token | undefined;
    for (;;) {
      const token = this.peek();
      if (token === undefined) throw new RuleError(open.character, "a list is not closed");
      if (isMark(token, ")")) throw new RuleError((comma ?? token).character, "no value follows the comma");
      if (token.kind === "mark") throw new RuleError(token.character, "a value belongs here");
      values.push(this.value(token));
      const next = this.peek();
      if (next === undefined) throw new RuleError(open.character, "a list is not closed");
      if (!isMark(next, ")") && !isMark(next, ",")) throw new RuleError(next.character, "a comma belongs here");
      this.at += 1;
      if (isMark(next, ")")) return values;
      comma = next;
    }
  }
}

/** A rule as it is written. Throws RuleError at the first thing that is wrong. */
export function parseRule(rule: string, budget: ClauseBudget): Joined<WrittenClause> {
  const tokens = readWords(rule);
  if (tokens.length === 0) throw new RuleError(1, "a rule has a clause");
  return new Parser(tokens, budget).rule();
}
