// Scalars in their five styles.

import type { State } from "./state.js";

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Line ends as they are folded: one is a blank, n are n - 1 line ends. */
const folded = (count: number): string => (count === 1 ? " " : "\n".repeat(count - 1));

/** Over the end of a line inside quotes, and blanks around it; how many line ends there were. */
function breaks(s: State): number {
  let count = 0;
  for (;;) {
    s.skipBlanks();
    if (s.peek() !== "\n") return count;
    s.pos += 1;
    count += 1;
    if (s.isMarker()) s.fail("a document ends inside quotes");
  }
}

function escape(s: State): string {
  const char = s.peek(1);
  const size = HEX[char];
  if (size !== undefined) {
    const digits = s.text.slice(s.pos + 2, s.pos + 2 + size);
    const code = /^[0-9a-fA-F]+$/.test(digits) && digits.length === size ? parseInt(digits, 16) : Infinity;
    if (code > 0x10ffff) s.fail(`\\${char} is followed by ${size} hexadecimal digits of a character`);
    s.pos += 2 + size;
    return String.fromCodePoint(code);
  }
  const found = ESCAPES[char];
  if (found === undefined) s.fail(`\\${char} is no escape`);
  s.pos += 2;
  return found;
}

/** A text in single or double quotes. */
export function quoted(s: State): string {
  const quote = s.peek();
  const start = s.pos;
  let text = "";
  s.pos += 1;
  for (;;) {
    const char = s.peek();
    if (char === "") s.fail("a quote is not closed", start);
    if (char === quote && quote === "'" && s.peek(1) === "'") {
      text += "'";
      s.pos += 2;
    } else if (char === quote) {
      s.pos += 1;
      return text;
    } else if (char === "\\" && quote === '"') {
      if (s.peek(1) === "\n") {
        s.pos += 1;
        text += "\n".repeat(breaks(s) - 1);
      } else text += escape(s);
    } else if (char === "\n" || char === " " || char === "\t") {
      const from = s.pos;
      const count = breaks(s);
      text += count > 0 ? folded(count) : s.text.slice(from, s.pos);
    } else {
      text += char;
      s.pos += 1;
    }
  }
}

const FLOW = ",[]{}";

/** Whether a colon at an offset divides a key from its value. */
export function isColon(s: State, offset: number, flow: boolean): boolean {
  return s.peek(offset) === ":" && (s.isBlank(offset + 1) || (flow && FLOW.includes(s.peek(offset + 1))));
}

/** Whether a plain scalar may begin here. */
export function beginsPlain(s: State, flow: boolean): boolean {
  const char = s.peek();
  if (s.isBlank() || ",[]{}#&*!|>'\"%@`".includes(char)) return false;
  return !"-?:".includes(char) || !(s.isBlank(1) || (flow && FLOW.includes(s.peek(1))));
}

/** The plain text from here in this line, without blanks at its end. */
export function plainLine(s: State, flow: boolean): string {
  const start = s.pos;
  let end = s.pos;
  for (;;) {
    const char = s.peek();
    if (char === "" || char === "\n" || isColon(s, 0, flow) || (flow && FLOW.includes(char))) break;
    if (char === "#" && s.pos > start && s.isBlank(-1)) break;
    s.pos += 1;
    if (char !== " " && char !== "\t") end = s.pos;
  }
  s.pos = end;
  return s.text.slice(start, end);
}

/** Over line ends to text that goes on at a column of at least `min`; how many there were, 0 where none goes on. */
function continues(s: State, min: number, flow: boolean): number {
  const from = s.pos;
  s.skipBlanks();
  let count = 0;
  let indent = 0;
  while (s.peek() === "\n") {
    s.pos += 1;
    count += 1;
    const line = s.pos;
    if (s.isMarker()) break;
    while (s.peek() === " ") s.pos += 1;
    indent = s.pos - line;
    s.skipBlanks();
  }
  const stops =
    s.isOver() || s.peek() === "#" || isColon(s, 0, flow) || (flow ? FLOW.includes(s.peek()) : indent < min);
  if (count > 0 && !stops) return count;
  s.pos = from;
  return 0;
}

/** A plain text of one or more lines. */
export function plain(s: State, min: number, flow: boolean): string {
  if (!beginsPlain(s, flow)) s.fail(`a value does not begin with ${s.peek()}`);
  let text = plainLine(s, flow);
  for (let count = continues(s, min, flow); count > 0; count = continues(s, min, flow)) {
    text += folded(count) + plainLine(s, flow);
  }
  return text;
}

interface Header {
  readonly indent: number;
  readonly chomp: string;
}

function header(s: State): Header {
  let [indent, chomp] = [0, ""];
  s.pos += 1;
  for (;;) {
    const char = s.peek();
    if (indent === 0 && char >= "1" && char <= "9") indent = Number(char);
    else if (chomp === "" && (char === "+" || char === "-")) chomp = char;
    else break;
    s.pos += 1;
  }
  if (!s.isBlank()) s.fail(`${s.peek()} does not stand behind the mark of a block text`);
  const line = s.line();
  const from = s.pos;
  s.skipBlanks();
  if (s.peek() === "#" && s.pos > from)
    s.pos = s.text.indexOf("\n", s.pos) < 0 ? s.text.length : s.text.indexOf("\n", s.pos);
  if (s.peek() !== "\n" && s.peek() !== "") s.fail("a block text begins in the next line");
  if (s.line() === line && s.peek() === "\n") s.pos += 1;
  return { indent, chomp };
}

/** The lines of a block text without their indentation; `known` is 0 where the first line decides on it. */
function blockLines(s: State, min: number, known: number): string[] {
  const lines: string[] = [];
  let indent = known;
  while (s.pos < s.text.length) {
    const found = s.text.indexOf("\n", s.pos);
    const end = found < 0 ? s.text.length : found;
    const line = s.text.slice(s.pos, end);
    const width = line.length - line.trimStart().length;
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    const empty = spaces === line.length || (line.trim() === "" && indent > 0 && spaces < indent);
    if (!empty) {
      if (known === 0 && indent === 0 && spaces < min && width > spaces)
        s.fail("a tab does not indent", s.pos + spaces);
      if (spaces < (indent || min) || s.isMarker()) break;
      if (indent === 0) indent = spaces || -1;
    }
    lines.push(line.slice(Math.max(indent, 0) || (empty ? line.length : 0)));
    s.pos = found < 0 ? end : end + 1;
  }
  return lines;
}

function foldLines(lines: readonly string[]): string {
  let text = "";
  let empty = 0;
  let before: string | undefined;
  for (const line of lines) {
    if (line === "") {
      empty += 1;
      continue;
    }
    const deep = /^[ \t]/.test(line) || (before !== undefined && /^[ \t]/.test(before));
    if (before === undefined) text += "\n".repeat(empty);
    else if (deep) text += "\n".repeat(empty + 1);
    else text += folded(empty + 1);
    text += line;
    before = line;
    empty = 0;
  }
  return text;
}

/** A text that begins with `|` or `>`; `min` is the least column of its lines. */
export function block(s: State, min: number): string {
  const isFolded = s.peek() === ">";
  const { indent, chomp } = header(s);
  const lines = blockLines(s, min, indent === 0 ? 0 : Math.max(min - 1, 0) + indent);
  let end = lines.length;
  while (end > 0 && lines[end - 1] === "") end -= 1;
  const kept = lines.slice(0, end);
  const text = isFolded ? foldLines(kept) : kept.join("\n");
  // The last line of a document may have no end.
  if (end === lines.length && s.pos === s.text.length && !s.text.endsWith("\n")) return text;
  if (chomp === "-") return text;
  if (chomp === "+") return text + "\n".repeat(lines.length - end + (end > 0 ? 1 : 0));
  return end > 0 ? `${text}\n` : "";
}
