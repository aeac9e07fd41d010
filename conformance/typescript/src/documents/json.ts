// JSON as documents of stores hold it: integers of any size, and errors that say where.

import { type At, PlacedError } from "../errors.js";

/** What a JSON text holds; an integer beyond 2^53 - 1 in size is a bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** A JSON object; it has no prototype, so that any key is only a key. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a value is a JSON object. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is a JSON list. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const DEEPEST = 512;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const NO_NUMBER = /-?(?:NaN|Infinity)/y;
const WORDS: readonly (readonly [string, Json])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
];
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Parser {
  private position = 0;

  constructor(
    private readonly text: string,
    private readonly at: At,
  ) {}

  document(): Json {
    const value = this.value(this.at, 0);
    this.space();
    if (this.position < this.text.length) throw this.wrong("something follows its end");
    return value;
  }

  private wrong(what: string, at: At = this.at): PlacedError {
    const message = `${at.join("/")} is not JSON: ${what}, at character ${this.position}`;
    return new PlacedError("not_json", at, message);
  }

  private space(): void {
    SPACE.lastIndex = this.position;
    SPACE.exec(this.text);
    this.position = SPACE.lastIndex;
  }

  private take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.position)) return false;
    this.position += sign.length;
    return true;
  }

  private value(at: At, depth: number): Json {
    if (depth > DEEPEST) throw this.wrong(`it is nested more than ${DEEPEST} levels deep`);
    this.space();
    if (this.take("{")) return this.object(at, depth);
    if (this.take("[")) return this.list(at, depth);
    if (this.take('"')) return this.string();
    const word = WORDS.find(([name]) => this.take(name));
    return word === undefined ? this.number(at) : word[1];
  }

  private object(at: At, depth: number): JsonObject {
    const found = Object.create(null) as Record<string, Json>;
    this.space();
    if (this.take("}")) return found;
    for (;;) {
      this.space();
      if (!this.take('"')) throw this.wrong("a key in quotes belongs here");
      const key = this.string();
      this.space();
      if (!this.take(":")) throw this.wrong("a colon belongs behind a key");
      found[key] = this.value([...at, key], depth + 1);
      this.space();
      if (this.take("}")) return found;
      if (!this.take(",")) throw this.wrong("a comma or a closing brace belongs here");
    }
  }

  private list(at: At, depth: number): readonly Json[] {
    const found: Json[] = [];
    this.space();
    if (this.take("]")) return found;
    for (;;) {
      found.push(this.value([...at, found.length], depth + 1));
      this.space();
      if (this.take("]")) return found;
      if (!this.take(",")) throw this.wrong("a comma or a closing bracket belongs here");
    }
  }

  private string(): string {
    let found = "";
    for (;;) {
      const sign = this.text[this.position];
      if (sign === undefined) throw this.wrong("a string has no end");
      this.position += 1;
      if (sign === '"') return found;
      if (sign < " ") throw this.wrong("a string holds a control character");
      found += sign === "\\" ? this.escape() : sign;
    }
  }

  private escape(): string {
    const sign = this.text[this.position] ?? "";
    this.position += 1;
    if (Object.hasOwn(ESCAPES, sign)) return ESCAPES[sign] ?? "";
    const digits = this.text.slice(this.position, this.position + 4);
    if (sign !== "u" || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.wrong("an escape is unknown");
    this.position += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  private number(at: At): number | bigint {
    NO_NUMBER.lastIndex = NUMBER.lastIndex = this.position;
    const none = NO_NUMBER.exec(this.text);
    if (none !== null) throw this.wrong(`a bare ${none[0]} is no JSON`, at);
    const found = NUMBER.exec(this.text);
    if (found === null) throw this.wrong("no value begins here");
    this.position = NUMBER.lastIndex;
    const value = Number(found[0]);
    if (found[1] !== undefined || found[2] !== undefined) return value;
    return Number.isSafeInteger(value) ? value + 0 : BigInt(found[0]);
  }
}

/**
 * The value of a JSON text. `not_json` is at `at`, or, for a bare NaN or infinity, at its key: `at` with keys and
 * positions behind it.
 */
export const parseJson = (text: string, at: At): Json => new Parser(text, at).document();

/** A value as messages print it: numbers of a list joined by a comma and a space. */
export function shown(value: Json | undefined): string {
  const text = printed(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function printed(value: Json | undefined): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(printed).join(", ")}]`;
  if (!isObject(value)) return String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${printed(item)}`)
    .join(", ")}}`;
}
