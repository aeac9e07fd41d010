// A MAML as texts, lists and maps, with the place of each; keys compared as MAML compares them.

import { parseYaml, YamlError, type Node, type ScalarNode } from "../yaml/index.js";
import type { At } from "../errors.js";
import { parseLines } from "./lines.js";
import { Report, type Place, type Problem } from "./problem.js";
import { hasRefused, readText } from "./text.js";

/** A scalar; `raw` is its text as it stands. */
export interface Text extends Place {
  readonly kind: "text";
  readonly raw: string;
  readonly style: ScalarNode["style"];
  readonly tag?: string;
}

/** Items in their order. */
export interface List extends Place {
  readonly kind: "list";
  readonly items: readonly Tree[];
}

/** A key as it is compared, and as it is written. */
export interface Pair extends Place {
  readonly key: string;
  readonly written: string;
  readonly value: Tree;
}

/** Each key once. */
export interface Table extends Place {
  readonly kind: "map";
  readonly pairs: readonly Pair[];
}

/** A value of a MAML. */
export type Tree = Text | List | Table;

/** `yaml`, or the dialect of lines. */
export type Dialect = "yaml" | "line";

const LEVELS = 32;
const NODES = 100000;

/** A key as keys are compared: without blanks around it, ASCII capitals as small letters. */
export function normalKey(text: string): string {
  return strip(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Without blanks, tabs and line ends around it. */
export function strip(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
}

/** Whether a text says nothing: null, Null, NULL, ~ and nothing, without quotes and tags. */
export function isNull(text: Text): boolean {
  return text.style === "plain" && text.tag === undefined && ["", "null", "Null", "NULL", "~"].includes(text.raw);
}

/** What a text says, without blanks around it; empty where it says nothing. */
export function said(text: Text): string {
  return isNull(text) ? "" : strip(text.raw);
}

/** Whether a value is there and is no text that says nothing. */
export function saysNothing(tree: Tree | undefined): boolean {
  return tree === undefined || (tree.kind === "text" && said(tree) === "");
}

/** Whether a text begins with a bar or `>`. */
export function isBlock(text: Text): boolean {
  return text.style === "literal" || text.style === "folded";
}

/** The pair of a key, as keys are compared. */
export function pairOf(table: Table, key: string): Pair | undefined {
  return table.pairs.find((pair) => pair.key === key);
}

/** Whether keys at a path are compared as they stand: below the keys of extra. */
const isExact = (at: At): boolean => at[0] === "extra" && at.length > 1;

function normalPath(path: At): At {
  return path.map((part, index) =>
    typeof part === "string" && !isExact(path.slice(0, index)) ? normalKey(part) : part,
  );
}

function treeOf(node: Node, at: At, report: Report): Tree {
  const place = { line: node.line, column: node.column };
  if (node.kind === "list") {
    return { kind: "list", items: node.items.map((item, index) => treeOf(item, [...at, index], report)), ...place };
  }
  if (node.kind === "map") return tableOf(node, at, report, place);
  if (hasRefused(node.text)) throw refusal("encoding", at, place, "an escape brings in a character that is refused");
  const text = { kind: "text", raw: node.text, style: node.style, ...place } as const;
  return node.tag === undefined ? text : { ...text, tag: node.tag };
}

function tableOf(node: Extract<Node, { kind: "map" }>, at: At, report: Report, place: Place): Table {
  const pairs = new Map<string, Pair>();
  for (const { key, value } of node.entries) {
    const where = { line: key.line, column: key.column };
    if (hasRefused(key.text)) throw refusal("encoding", at, where, "an escape brings in a character that is refused");
    const name = isExact(at) ? key.text : normalKey(key.text);
    if (pairs.has(name)) {
      report.add("key-duplicate", [...at, name], where, `the key ${name} stands twice`);
      continue;
    }
    pairs.set(name, { key: name, written: key.text, value: treeOf(value, [...at, name], report), ...where });
  }
  return { kind: "map", pairs: [...pairs.values()], ...place };
}

/** Why a text is not read at all. */
class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

function refusal(code: string, at: At, place: Place, message: string): Refusal {
  return new Refusal({ code, at, line: place.line, message });
}

function nodeOf(text: string, dialect: Dialect): Node {
  try {
    return dialect === "line" ? parseLines(text, LEVELS) : parseYaml(text, { depth: LEVELS, nodes: NODES });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refusal(error.problem === "limit" ? "limit" : "yaml", normalPath(error.path), error, error.message);
  }
}

/** A MAML as a tree, with the report that its duplicate keys are in; or why it is none. */
export type TreeResult = { readonly root: Table; readonly report: Report } | { readonly problems: readonly Problem[] };

/** The tree of a text or of bytes, by "Maml text" of the specification. */
export function readTree(source: string | Uint8Array, dialect: Dialect): TreeResult {
  const read = readText(source);
  if ("problems" in read) return read;
  const report = new Report();
  try {
    const root = treeOf(nodeOf(read.text, dialect), [], report);
    if (root.kind === "map") return { root, report };
    throw refusal("shape", [], root, "a MAML is a map of sections");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problems: [error.problem] };
  }
}
