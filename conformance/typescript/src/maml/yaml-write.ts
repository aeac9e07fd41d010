// YAML of which every reader makes the same texts.

/** What is written: texts as such, null as null, and lists and maps of these in their order. */
export type Written = string | null | readonly Written[] | { readonly [key: string]: Written } | WrittenPairs;

/** A map whose keys keep their order, whatever they look like. */
export class WrittenPairs {
  constructor(readonly pairs: readonly (readonly [key: string, value: Written])[]) {}
}

/** How many characters of a text stand in one line; with its indentation a line has at most 1024. */
const CHUNK = 640;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
const WORDS = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };

function escaped(char: string): string {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  const code = char.codePointAt(0) ?? 0;
  const isSeen = code >= 0x20 && !(code >= 0x7f && code <= 0xa0) && !/[\p{Z}\p{C}]/u.test(char === " " ? "a" : char);
  if (isSeen) return char;
  if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
  return code > 0xff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\x${code.toString(16).padStart(2, "0")}`;
}

/** The characters of a text in pieces of at most so many. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let piece = "";
  for (const char of text) {
    const next = escaped(char);
    if (piece.length + next.length > CHUNK) {
      found.push(piece);
      piece = "";
    }
    piece += piece === "" && found.length > 0 && char === " " ? "\\ " : next;
  }
  return [...found, piece];
}

/** A text in double quotes, in as many lines as it needs. */
function quoted(text: string, indent: string): string {
  return `"${pieces(text).join(`\\\n${indent}`)}"`;
}

function scalarText(value: string | null, indent: string): string {
  if (value === null) return "null";
  const isPlain = PLAIN.test(value) && value.length < CHUNK && !WORDS.includes(value.toLowerCase());
  return isPlain ? value : quoted(value, indent);
}

/** The lines of a list or map at an indentation. */
function lines(value: Written, indent: string): string {
  const inner = `${indent}  `;
  if (value === null || typeof value === "string") return ` ${scalarText(value, inner)}\n`;
  const isList = Array.isArray(value);
  const pairs = isList ? [] : pairsOf(value as Exclude<Written, string | null | readonly Written[]>);
  const items = isList ? (value as readonly Written[]) : [];
  if (pairs.length + items.length === 0) return isList ? " []\n" : " {}\n";
  const written = isList
    ? items.map((item) => `${indent}-${lines(item, inner)}`)
    : pairs.map(([key, item]) => `${indent}${keyText(key, indent)}:${lines(item, inner)}`);
  return `\n${written.join("")}`;
}

function keyText(key: string, indent: string): string {
  const text = scalarText(key, `${indent}  `);
  return text.includes("\n") ? `? ${text}\n${indent}` : text;
}

function pairsOf(value: { readonly [key: string]: Written } | WrittenPairs): readonly (readonly [string, Written])[] {
  return value instanceof WrittenPairs ? value.pairs : Object.entries(value);
}

/** A document. */
export function writeYaml(value: WrittenPairs): string {
  return lines(value, "").slice(1);
}
