// Lists and maps in brackets and braces.

import type { Entry, ListNode, MapNode, Node, ScalarNode } from "./node.js";
import { readProps } from "./props.js";
import { beginsPlain, isColon, plain, plainLine, quoted } from "./scalars.js";
import type { Props, State } from "./state.js";

/** A key as it may be one: a single value. */
export function asKey(s: State, node: Node, pos: number): ScalarNode {
  if (node.kind !== "scalar") s.fail("a list or a map is no key", pos, "key");
  return node;
}

function flowSkip(s: State): void {
  s.skip();
  if (s.isOver()) s.fail("a bracket is not closed");
}

/** An alias, at its star. */
export function alias(s: State, props: Props | undefined): Node {
  const start = s.pos;
  if (props !== undefined) s.fail("an alias has neither anchor nor tag");
  const name = /^[^\s,[\]{}]+/.exec(s.text.slice(start + 1, start + 1100))?.[0];
  if (name === undefined) s.fail("an alias has a name");
  s.pos += 1 + name.length;
  return s.alias(name, start);
}

/** What stands in quotes, in brackets or behind a star, the same in blocks and brackets; undefined for others. */
export function inlineNode(s: State, props: Props | undefined, start: number): Node | undefined {
  const char = s.peek();
  if (char === "*") return alias(s, props);
  if (char === "[") return flowList(s, props, start);
  if (char === "{") return flowMap(s, props, start);
  if (char === '"') return s.scalar(quoted(s), "double", start, props);
  if (char === "'") return s.scalar(quoted(s), "single", start, props);
  return undefined;
}

function flowNode(s: State): Node {
  const props = readProps(s);
  const start = props?.start ?? s.pos;
  if (props !== undefined) {
    flowSkip(s);
    if (!beginsPlain(s, true) && !"*[{\"'".includes(s.peek())) return s.scalar("", "plain", s.pos, props);
  }
  return inlineNode(s, props, start) ?? s.scalar(plain(s, 0, true), "plain", start, props);
}

/** The value behind a colon, at the colon. */
function flowValue(s: State, key: ScalarNode): Node {
  s.pos += 1;
  const start = s.pos;
  flowSkip(s);
  s.path.push(key.text);
  const value = ",]}".includes(s.peek()) ? s.scalar("", "plain", start) : flowNode(s);
  s.path.pop();
  return value;
}

/** Whether a colon follows that makes a key of what was read from `start` on. */
function isValueNext(s: State, start: number): boolean {
  const isJson = "[{\"'".includes(s.text[start] ?? "");
  return isColon(s, 0, true) || (isJson && s.peek() === ":");
}

function flowEntry(s: State): Entry {
  const explicit = s.peek() === "?" && s.isBlank(1);
  if (explicit) {
    s.pos += 1;
    flowSkip(s);
  }
  const start = s.pos;
  const isEmpty = isColon(s, 0, true) || (explicit && ",]}".includes(s.peek()));
  const key = asKey(s, isEmpty ? s.scalar("", "plain", start) : flowNode(s), start);
  flowSkip(s);
  if (isValueNext(s, start)) return { key, value: flowValue(s, key) };
  s.path.push(key.text);
  const value = s.scalar("", "plain", s.pos);
  s.path.pop();
  return { key, value };
}

function separator(s: State, close: string): void {
  flowSkip(s);
  if (s.peek() === ",") s.pos += 1;
  else if (s.peek() !== close) s.fail(`, or ${close} belongs here`);
}

function flowMap(s: State, props: Props | undefined, start: number): MapNode {
  const read = (): Entry[] => {
    const entries: Entry[] = [];
    s.pos += 1;
    for (flowSkip(s); s.peek() !== "}"; flowSkip(s)) {
      entries.push(flowEntry(s));
      separator(s, "}");
    }
    s.pos += 1;
    return entries;
  };
  return s.collection(start, props, read, (entries) => ({ kind: "map", entries, ...s.place(start, props) }));
}

/** Whether what begins here is a pair in a list; the place stays. */
function isPair(s: State): boolean {
  if (s.peek() === "?" && s.isBlank(1)) return true;
  if (isColon(s, 0, true)) return true;
  if (s.peek() === "[" || s.peek() === "{") return false;
  const end = skipInline(s, s.pos, true);
  if (end < 0) return false;
  const back = s.pos;
  const start = s.pos;
  s.pos = end;
  const found = isValueNext(s, start);
  s.pos = back;
  return found;
}

/** The place of the character behind a value and its blanks in this line; -1 where it goes on in the next. */
export function skipInline(s: State, from: number, flow: boolean): number {
  const line = s.text.slice(from, s.lineEnd(from));
  const props = /^(?:[&!][^ \t]*[ \t]+)*/.exec(line)?.[0].length ?? 0;
  const char = line[props] ?? "";
  const pattern =
    char === '"'
      ? /^"[^"\\]*(?:\\.[^"\\]*)*"/
      : char === "'"
        ? /^'(?:[^']|'')*'/
        : char === "*"
          ? /^\*[^\s,[\]{}]+/
          : undefined;
  let length = -1;
  if (pattern !== undefined) length = pattern.exec(line.slice(props))?.[0].length ?? -1;
  else if (char === "[" || char === "{") length = bracketed(line.slice(props));
  else {
    const back = s.pos;
    s.pos = from + props;
    if (props > 0 && isColon(s, 0, flow)) length = 0;
    else if (beginsPlain(s, flow)) length = plainLine(s, flow).length;
    s.pos = back;
  }
  if (length < 0) return -1;
  let end = props + length;
  while (line[end] === " " || line[end] === "\t") end += 1;
  return from + end;
}

/** How long what is in brackets is, as far as one line tells; -1 where it is not closed. */
function bracketed(line: string): number {
  let depth = 0;
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[[\]{}]/g;
  for (let found = token.exec(line); found !== null; found = token.exec(line)) {
    if ("[{".includes(found[0])) depth += 1;
    else if ("]}".includes(found[0])) depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return -1;
}

function flowItem(s: State): Node {
  const start = s.pos;
  if (!isPair(s)) {
    const node = flowNode(s);
    flowSkip(s);
    if (s.peek() === ":") asKey(s, node, start);
    return node;
  }
  return s.collection<Entry, MapNode>(
    start,
    undefined,
    () => [flowEntry(s)],
    (entries) => ({ kind: "map", entries, ...s.place(start) }),
  );
}

function flowList(s: State, props: Props | undefined, start: number): ListNode {
  const read = (): Node[] => {
    const items: Node[] = [];
    s.pos += 1;
    for (flowSkip(s); s.peek() !== "]"; flowSkip(s)) {
      s.path.push(items.length);
      items.push(flowItem(s));
      s.path.pop();
      separator(s, "]");
    }
    s.pos += 1;
    return items;
  };
  return s.collection(start, props, read, (items) => ({ kind: "list", items, ...s.place(start, props) }));
}
