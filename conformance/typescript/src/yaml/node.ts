// What a YAML document is made of.

/** How a scalar is written. */
export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

interface Placed {
  /** From 1. Of an alias: where the alias stands. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The whole tag, such as `tag:yaml.org,2002:str`; absent where there is none. */
  readonly tag?: string;
}

/** A text with its style; nothing is resolved. What is not there is a plain empty text. */
export interface ScalarNode extends Placed {
  readonly kind: "scalar";
  readonly text: string;
  readonly style: ScalarStyle;
}

/** Items in their order. */
export interface ListNode extends Placed {
  readonly kind: "list";
  readonly items: readonly Node[];
}

/** A key and its value. */
export interface Entry {
  readonly key: ScalarNode;
  readonly value: Node;
}

/** Entries in their order; keys may repeat, and `<<` is a key like others. */
export interface MapNode extends Placed {
  readonly kind: "map";
  readonly entries: readonly Entry[];
}

/** A value of a document; an alias is the node that it stands for, at the place of the alias. */
export type Node = ScalarNode | ListNode | MapNode;

/** How much is read; where absent, 1000 levels and 1000000 nodes. */
export interface Limits {
  /** How many lists and maps may lie inside each other. */
  readonly depth?: number;
  /** How many lists, maps, keys and scalars there may be, each alias counted as what it stands for. */
  readonly nodes?: number;
}

/** What is wrong: `documents` is a second document, `recursion` an alias inside what it stands for. */
export type YamlProblem = "syntax" | "documents" | "alias" | "recursion" | "tag" | "key" | "limit";

/** Text that is no YAML document, or one that is refused. */
export class YamlError extends Error {
  override readonly name = "YamlError";

  constructor(
    readonly problem: YamlProblem,
    /** Keys and positions to the node; empty for `syntax` and `documents`. */
    readonly path: readonly (string | number)[],
    /** From 1. */
    readonly line: number,
    /** From 1. */
    readonly column: number,
    message: string,
  ) {
    super(`line ${line}, column ${column}: ${message}`);
  }
}
