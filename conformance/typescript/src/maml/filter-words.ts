// A rule as words.

import { isBlank, UNSEEN } from "./kinds.js";

/** A word, a text in quotes, or a mark: a parenthesis, or in a list a comma. */
export interface Token {
  readonly kind: "word" | "text" | "mark";
  readonly text: string;
  /** The place in the rule, counted in characters from 1. */
  readonly character: number;
}

/** What is wrong with a rule or a sort key, and where. */
export class RuleError extends Error {
  override readonly name = "RuleError";

  constructor(
    /** Counted in characters from 1. */
    readonly character: number,
    message: string,
  ) {
    super(message);
  }
}

const MOST_CHARACTERS = 8192;

class Reader {
  private readonly tokens: Token[] = [];
  private at = 0;
  private inList = false;

  constructor(private readonly characters: readonly string[]) {}

  read(): Token[] {
    while (this.at < this.characters.length) {
      const char = this.characters[this.at] ?? "";
      if (isBlank(char)) this.at += 1;
      else if (char === '"') this.quoted();
      else if (char === "(" || char === ")" || (char === "," && this.inList)) this.mark(char);
      else this.word();
    }
    return this.tokens;
  }

  private push(kind: Token["kind"], text: string, start: number): void {
    this.tokens.push({ kind, text, character: start + 1 });
  }

  private quoted(): void {
    const start = this.at;
    const end = this.characters.indexOf('"', start + 1);
    if (end < 0) throw new RuleError(start + 1, "a quote is not closed");
    this.push("text", this.characters.slice(start + 1, end).join(""), start);
    this.at = end + 1;
  }

  private mark(char: string): void {
    const last = this.tokens[this.tokens.length - 1];
    if (char === "(") this.inList = last?.kind === "word" && ["in", "not_in"].includes(last.text.toLowerCase());
    if (char === ")") this.inList = false;
    this.push("mark", char, this.at);
    this.at += 1;
  }

  private word(): void {
    const start = this.at;
    for (; this.at < this.characters.length; this.at += 1) {
      const char = this.characters[this.at] ?? "";
      if (isBlank(char) || '()"'.includes(char) || (char === "," && this.inList)) break;
      if (UNSEEN.test(char)) throw new RuleError(this.at + 1, "this character cannot be seen");
    }
    this.push("word", this.characters.slice(start, this.at).join(""), start);
  }
}

/** The words of a rule. Throws RuleError. */
export function readWords(rule: string): Token[] {
  const characters = Array.from(rule);
  if (characters.length > MOST_CHARACTERS) {
    throw new RuleError(
      MOST_CHARACTERS + 1,
      `a rule has at most ${MOST_CHARACTERS} characters, not ${characters.length}`,
    );
  }
  return new Reader(characters).read();
}
