// A YAML document as the data of a configuration: what plain texts mean, merged mappings, keys that stand once.

import { PlacedError, type At } from "../errors.js";
import {
  parseYaml,
  YamlError,
  type Entry,
  type ListNode,
  type MapNode,
  type Node,
  type ScalarNode,
} from "../yaml/index.js";
import type { Mapping } from "./check.js";

/** What a scalar is. */
type Scalar = string | number | bigint | boolean | null;

/** How many lists and mappings a value may lie inside. */
const DEPTH = 100;

const CORE = "tag:yaml.org,2002:";
const DIGITS = "[0-9]+(?:_[0-9]+)*";
const DECIMAL = new RegExp(`^[-+]?${DIGITS}$`);
const FLOAT = new RegExp(`^[-+]?(?:${DIGITS}\\.(?:${DIGITS})?|\\.${DIGITS}|${DIGITS}(?=[eE]))(?:[eE][-+]?[0-9]+)?$`);
const INFINITY = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;
const BOOLEAN = /^(?:(yes|Yes|YES|on|On|ON|true|True|TRUE)|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;

function integerOf(text: string): number | bigint | undefined {
  if (!DECIMAL.test(text) && !/^0o[0-7]+$/.test(text) && !/^0x[0-9a-fA-F]+$/.test(text)) return undefined;
  const digits = text.replaceAll("_", "").replace(/^\+/, "");
  const value = digits.startsWith("-") ? -BigInt(digits.slice(1)) : BigInt(digits);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function floatOf(text: string): number | undefined {
  if (NOT_A_NUMBER.test(text)) return NaN;
  const infinite = INFINITY.exec(text);
  if (infinite !== null) return infinite[1] === "-" ? -Infinity : Infinity;
  return FLOAT.test(text) ? Number(text.replaceAll("_", "")) : undefined;
}

function booleanOf(text: string): boolean | undefined {
  const found = BOOLEAN.exec(text);
  return found === null ? undefined : found[1] !== undefined;
}

const nullOf = (text: string): null | undefined => (NULL.test(text) ? null : undefined);

/** From a text to the value that it has under a tag; undefined where it has none. */
const TAGGED: Readonly<Record<string, (text: string) => Scalar | undefined>> = {
  [`${CORE}str`]: (text) => text,
  "!": (text) => text,
  [`${CORE}int`]: integerOf,
  [`${CORE}float`]: (text) => floatOf(text) ?? integerOf(text),
  [`${CORE}bool`]: booleanOf,
  [`${CORE}null`]: nullOf,
};

/** What a text that is not in quotes is. */
function plain(text: string): Scalar {
  for (const read of [integerOf, floatOf, booleanOf, nullOf]) {
    const found = read(text);
    if (found !== undefined) return found;
  }
  return text;
}

/** One conversion: where errors are, and how deep it is. */
interface Place {
  readonly at: At;
  readonly depth: number;
}

function fail(code: string, place: Place, node: Node, text: string): never {
  throw new PlacedError(code, place.at, `line ${node.line}: ${text}`);
}

function scalarOf(node: ScalarNode, place: Place): Scalar {
  const { tag, text, style } = node;
  if (tag === undefined) return style === "plain" ? plain(text) : text;
  const found = TAGGED[tag]?.(text);
  return found === undefined
    ? fail("wrong_value", place, node, `${JSON.stringify(text)} is none of the tag ${tag}`)
    : found;
}

function checkTag(node: ListNode | MapNode, kind: "seq" | "map", place: Place): void {
  const fits = node.tag === undefined || node.tag === "!" || node.tag === CORE + kind;
  if (!fits) fail("wrong_value", place, node, `the tag ${node.tag} does not belong here`);
}

const isMerge = ({ key }: Entry): boolean => key.style === "plain" && key.tag === undefined && key.text === "<<";

/** The mappings that a merge key takes over, the first of them counts. */
function merged(node: Node, place: Place): Mapping[] {
  const nodes = node.kind === "list" ? node.items : [node];
  return nodes.map((one) => {
    if (one.kind !== "map") return fail("wrong_value", place, one, "only mappings can be merged");
    return mapOf(one, place);
  });
}

function mapOf(node: MapNode, outer: Place): Mapping {
  const place = inside(outer, node);
  checkTag(node, "map", place);
  const seen = new Set<string>();
  const own: [string, unknown][] = [];
  const taken: Mapping[] = [];
  for (const entry of node.entries) {
    const key = isMerge(entry) ? undefined : scalarOf(entry.key, place);
    const identity = `${key === undefined ? "merge" : key === null ? "null" : typeof key} ${entry.key.text}`;
    if (seen.has(identity)) fail("duplicate", place, entry.key, `the key ${entry.key.text} stands twice`);
    seen.add(identity);
    if (key === undefined) taken.push(...merged(entry.value, place));
    else own.push([entry.key.text, valueOf(entry.value, place)]);
  }
  return Object.fromEntries([...taken.reverse().flatMap((mapping) => Object.entries(mapping)), ...own]);
}

function inside({ at, depth }: Place, node: Node): Place {
  if (depth > DEPTH) fail("unsupported", { at, depth }, node, `it lies inside more than ${DEPTH} lists and mappings`);
  return { at, depth: depth + 1 };
}

function valueOf(node: Node, place: Place): unknown {
  if (node.kind === "map") return mapOf(node, place);
  const within = inside(place, node);
  if (node.kind === "scalar") return scalarOf(node, within);
  checkTag(node, "seq", within);
  return node.items.map((item) => valueOf(item, within));
}

/** The node of a document, errors of the parser as errors with codes. */
function nodeOf(text: string, at: At): Node {
  try {
    return parseYaml(text, { depth: DEPTH + 1 });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    if (error.problem !== "limit") throw new PlacedError("wrong_value", at, error.message);
    const limit = `a value lies inside ${DEPTH} lists and mappings at most`;
    throw new PlacedError("unsupported", at, `${error.message}; ${limit}`);
  }
}

/**
 * A YAML document as data.
 *
 * @param text one document
 * @param at the path of the text in errors, whose messages name the line
 * @returns a mapping as JSON holds it, infinities and NaN as floats, integers beyond 2^53 - 1 as bigints
 * @throws PlacedError `wrong_value` for what is no YAML or is not plain data, `duplicate` for a key that stands twice,
 *   `wrong_type` for a document that is no mapping, `unsupported` for one that is nested too deeply
 */
export function configOfYaml(text: string, at: At = []): Mapping {
  const node = nodeOf(text, at);
  const place = { at, depth: 0 };
  if (node.kind !== "map") return fail("wrong_type", place, node, "a configuration is a mapping");
  return mapOf(node, place);
}
