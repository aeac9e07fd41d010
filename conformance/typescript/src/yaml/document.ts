// A text as one document.

import { blockNode } from "./block.js";
import type { Limits, Node } from "./node.js";
import { State } from "./state.js";

/** Over directives; whether there were any. */
function directives(s: State): boolean {
  let found = false;
  for (s.skip(); s.peek() === "%" && s.column() === 0; s.skip()) {
    const end = s.text.indexOf("\n", s.pos);
    const line = s.text.slice(s.pos, end < 0 ? s.text.length : end).replace(/[ \t]+#.*$/, "");
    directive(
      s,
      line.split(/[ \t]+/).filter((word) => word !== ""),
    );
    s.pos = end < 0 ? s.text.length : end;
    found = true;
  }
  return found;
}

function directive(s: State, words: readonly string[]): void {
  const [name, first = "", second = ""] = words;
  if (name === "%YAML" && !/^1\.[0-9]+$/.test(first)) s.fail(`a document of YAML ${first} is not read`);
  if (name !== "%TAG") return;
  if (!/^!(?:\w*!)?$/.test(first) || second === "" || s.handles.has(first))
    s.fail("%TAG takes a handle, once, and a prefix");
  s.handles.set(first, second);
}

/** Nothing but marks, comments and blanks may be left. */
function end(s: State): void {
  s.skip();
  if (s.isMarker() && s.peek() === ".") {
    s.pos += 3;
    const line = s.line();
    s.skip();
    if (s.pos < s.text.length && s.line() === line) s.fail("nothing stands behind the mark of an end");
    if (s.isMarker() && s.peek() === ".") return end(s);
    if (s.pos < s.text.length) s.fail("a second document begins here", s.pos, "documents");
  }
  if (s.isMarker()) s.fail("a second document begins here", s.pos, "documents");
  if (s.pos < s.text.length) s.fail(`${s.peek()} does not belong here`);
}

/**
 * Reads a YAML document: blocks and brackets, scalars of all styles, anchors, aliases, comments, marks, tags of
 * plain data. Nothing is resolved: every scalar is its text. An empty document is a plain empty text.
 *
 * @throws {YamlError} for what is no YAML, more than one document, other tags, keys that are lists or maps, an
 * alias of nothing or inside what it stands for, and more than the limits allow.
 */
export function parseYaml(text: string, limits: Limits = {}): Node {
  const s = new State(text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"), limits);
  const declared = directives(s);
  let fresh = true;
  if (s.isMarker() && s.peek() === "-") {
    s.pos += 3;
    fresh = false;
  } else if (declared) s.fail("--- belongs behind directives");
  else s.pos = 0;
  const root = blockNode(s, { min: 0 }, fresh);
  end(s);
  return root;
}
