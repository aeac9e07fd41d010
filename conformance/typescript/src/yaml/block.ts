// Lists and maps by indentation.

import { asKey, inlineNode, skipInline } from "./flow.js";
import type { Entry, ListNode, MapNode, Node, ScalarNode } from "./node.js";
import { readProps } from "./props.js";
import { beginsPlain, block, isColon, plain, plainLine } from "./scalars.js";
import type { Props, State } from "./state.js";

/** Where a value may stand. */
export interface Room {
  /** The least column of it in another line. */
  readonly min: number;
  /** Whether a list or map may begin in the line of the mark before it. */
  readonly compact?: boolean;
  /** Whether items of a list may stand one column further left. */
  readonly indentless?: boolean;
}

const isItem = (s: State): boolean => s.peek() === "-" && s.isBlank(1);
const isExplicit = (s: State): boolean => s.peek() === "?" && s.isBlank(1);

/** Whether a key begins here, with its colon in this line. */
function isKey(s: State): boolean {
  if (isExplicit(s)) return true;
  const end = skipInline(s, s.pos, false);
  return end >= 0 && s.text[end] === ":" && " \t\n".includes(s.text[end + 1] ?? " ");
}

/** Whether a value begins here, in another line than the mark before it, and belongs to that. */
function belongs(s: State, room: Room): boolean {
  if (s.isOver()) return false;
  const column = s.column();
  if (s.text.slice(s.pos - column, s.pos).includes("\t")) s.fail("a tab does not indent");
  return column >= room.min || (room.indentless === true && column === room.min - 1 && isItem(s));
}

/** The value behind a mark; a plain empty text where there is none. `fresh`: whether it begins a line in any case. */
export function blockNode(s: State, room: Room, fresh = false): Node {
  const start = s.pos;
  s.skip();
  const isFresh = fresh || s.line() !== s.line(start);
  if (s.isOver() || (isFresh && !belongs(s, room))) return s.scalar("", "plain", start);
  const collection = blockCollection(s, room, isFresh);
  if (collection !== undefined) return collection;
  const props = readProps(s);
  if (props === undefined) return content(s, room, undefined);
  const from = s.pos;
  s.skip();
  if (s.line() === s.line(from) && !s.isOver()) return content(s, room, props);
  if (s.isOver() || !belongs(s, room)) return s.scalar("", "plain", from, props);
  return blockCollection(s, room, true, props) ?? content(s, room, props);
}

function blockCollection(s: State, room: Room, fresh: boolean, props?: Props): Node | undefined {
  const item = isItem(s);
  if (!item && !isKey(s)) return undefined;
  if (!fresh && room.compact !== true)
    s.fail(item ? "a list begins in the next line" : "a second colon in a line needs quotes around the value");
  return item ? blockList(s, props) : blockMap(s, props);
}

function content(s: State, room: Room, props: Props | undefined): Node {
  const start = s.pos;
  const char = s.peek();
  if (char === "|" || char === ">") {
    const style = char === "|" ? "literal" : "folded";
    return s.scalar(block(s, room.min), style, start, props);
  }
  return inlineNode(s, props, start) ?? s.scalar(plain(s, room.min, false), "plain", start, props);
}

/** Whether another part of the list or map at a column follows. */
function goesOn(s: State, column: number): boolean {
  s.skip();
  if (s.isOver()) return false;
  if (!s.isFirstOnLine()) s.fail(`${s.peek()} does not belong here`);
  const found = s.column();
  if (s.text.slice(s.pos - found, s.pos).includes("\t")) s.fail("a tab does not indent");
  if (found > column) s.fail("this line is deeper than it can be");
  return found === column;
}

function blockList(s: State, props: Props | undefined): ListNode {
  const start = s.pos;
  const column = s.column();
  const read = (): Node[] => {
    const items: Node[] = [];
    do {
      s.path.push(items.length);
      s.pos += 1;
      items.push(blockNode(s, { min: column + 1, compact: true }));
      s.path.pop();
    } while (goesOn(s, column) && isItem(s));
    return items;
  };
  return s.collection(start, props, read, (items) => ({ kind: "list", items, ...s.place(start, props) }));
}

function blockMap(s: State, props: Props | undefined): MapNode {
  const start = s.pos;
  const column = s.column();
  const read = (): Entry[] => {
    const entries: Entry[] = [];
    do {
      entries.push(isExplicit(s) ? explicitEntry(s, column) : implicitEntry(s, column));
    } while (isAnotherKey(s, column));
    return entries;
  };
  return s.collection(start, props, read, (entries) => ({ kind: "map", entries, ...s.place(start, props) }));
}

function isAnotherKey(s: State, column: number): boolean {
  if (!goesOn(s, column)) return false;
  if (!isKey(s)) s.fail("a key with a colon belongs here");
  return true;
}

function value(s: State, key: ScalarNode, room: Room): Node {
  s.path.push(key.text);
  const node = blockNode(s, room);
  s.path.pop();
  return node;
}

function implicitEntry(s: State, column: number): Entry {
  const props = readProps(s);
  const start = s.pos;
  const isEmpty = props !== undefined && isColon(s, 0, false);
  if (!isEmpty && !beginsPlain(s, false) && !"*[{\"'".includes(s.peek()))
    s.fail(`a key does not begin with ${s.peek()}`);
  const node = inlineNode(s, props, start) ?? s.scalar(isEmpty ? "" : plainLine(s, false), "plain", start, props);
  const key = asKey(s, node, start);
  s.skipBlanks();
  if (!isColon(s, 0, false)) s.fail("a colon belongs behind a key");
  s.pos += 1;
  return { key, value: value(s, key, { min: column + 1, indentless: true }) };
}

function explicitEntry(s: State, column: number): Entry {
  const start = s.pos;
  s.pos += 1;
  const key = asKey(s, blockNode(s, { min: column + 1, compact: true }), start);
  if (goesOn(s, column) && isColon(s, 0, false)) {
    s.pos += 1;
    return { key, value: value(s, key, { min: column + 1, compact: true, indentless: true }) };
  }
  return { key, value: s.scalar("", "plain", start) };
}
