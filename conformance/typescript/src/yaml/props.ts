// Anchors and tags in front of a value.

import type { Props, State } from "./state.js";

const CORE = "tag:yaml.org,2002:";
const KNOWN = ["str", "int", "float", "bool", "null", "seq", "map"];

/** The whole tag of what is written; refused where it is none of plain data. */
function wholeTag(s: State, written: string, start: number): string {
  if (written === "!") return "!";
  const verbatim = /^!<(.*)>$/.exec(written);
  const [, handle = "!", suffix = ""] = /^(!\w*!|!)(.*)$/.exec(written) ?? [];
  const prefix = s.handles.get(handle) ?? (handle === "!!" ? CORE : handle === "!" ? "!" : undefined);
  if (verbatim === null && prefix === undefined) s.fail(`the handle of the tag ${written} is not declared`, start);
  const tag = verbatim !== null ? (verbatim[1] ?? "") : `${prefix}${decodeSuffix(suffix)}`;
  if (!KNOWN.some((word) => tag === CORE + word)) s.fail(`the tag ${written} is none of plain data`, start, "tag");
  return tag;
}

function decodeSuffix(suffix: string): string {
  return suffix.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** Anchor and tag in this line, in either order; undefined where there are none. */
export function readProps(s: State): Props | undefined {
  const start = s.pos;
  let anchor: string | undefined;
  let tag: string | undefined;
  for (;;) {
    const char = s.peek();
    const at = s.pos;
    if (char === "&" && anchor === undefined) {
      anchor = word(s, /^[^\s,[\]{}]+/, 1);
      if (anchor === "") s.fail("an anchor has a name", at);
    } else if (char === "!" && tag === undefined) {
      tag = wholeTag(s, `!${word(s, /^(?:<[^\s>]*>|[^\s,[\]{}]*)/, 1)}`, at);
    } else break;
    if (!s.isBlank() && !",]}".includes(s.peek())) s.fail("a blank belongs behind an anchor or a tag");
    s.skipBlanks();
  }
  if (anchor === undefined && tag === undefined) return undefined;
  return { start, ...(anchor === undefined ? {} : { anchor }), ...(tag === undefined ? {} : { tag }) };
}

function word(s: State, pattern: RegExp, offset: number): string {
  const found = pattern.exec(s.text.slice(s.pos + offset, s.pos + offset + 1100))?.[0] ?? "";
  s.pos += offset + found.length;
  return found;
}
