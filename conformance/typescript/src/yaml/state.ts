// Where the parser stands in a text, and what it has seen.

import { YamlError, type Limits, type Node, type ScalarNode, type ScalarStyle, type YamlProblem } from "./node.js";

interface Extent {
  readonly size: number;
  readonly height: number;
}

/** Anchor, tag and the place of the first of them. */
export interface Props {
  readonly start: number;
  readonly anchor?: string;
  readonly tag?: string;
}

/** A text, the place in it, and the anchors, levels and nodes before it. */
export class State {
  pos = 0;
  depth = 0;
  count = 0;
  readonly path: (string | number)[] = [];
  /** null while what the anchor stands for is being read. */
  readonly anchors = new Map<string, Node | null>();
  readonly handles = new Map<string, string>();
  readonly maxDepth: number;
  private readonly maxNodes: number;
  private readonly lineStarts: number[] = [0];
  private readonly extents = new Map<Node, Extent>();

  constructor(
    readonly text: string,
    limits: Limits,
  ) {
    this.maxDepth = limits.depth ?? 1000;
    this.maxNodes = limits.nodes ?? 1000000;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.lineStarts.push(at + 1);
  }

  /** The character at the place, or some after it; empty at the end. */
  peek(offset = 0): string {
    return this.text[this.pos + offset] ?? "";
  }

  /** The line of a place, from 0. */
  line(pos = this.pos): number {
    let [low, high] = [0, this.lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= pos) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The column of a place, from 0. */
  column(pos = this.pos): number {
    return pos - (this.lineStarts[this.line(pos)] ?? 0);
  }

  /** Where the line of a place ends. */
  lineEnd(pos = this.pos): number {
    const next = this.lineStarts[this.line(pos) + 1];
    return next === undefined ? this.text.length : next - 1;
  }

  /** Whether nothing but blanks stands before the place in its line. */
  isFirstOnLine(): boolean {
    return /^[ \t]*$/.test(this.text.slice(this.pos - this.column(), this.pos));
  }

  isBlank(offset = 0): boolean {
    const char = this.peek(offset);
    return char === "" || char === " " || char === "\t" || char === "\n";
  }

  /** Whether a mark of a document stands here. */
  isMarker(): boolean {
    const word = this.text.slice(this.pos, this.pos + 3);
    return (word === "---" || word === "...") && this.isBlank(3) && this.column() === 0;
  }

  /** Whether nothing of the document is left. */
  isOver(): boolean {
    return this.pos >= this.text.length || this.isMarker();
  }

  /** Over blanks of the line. */
  skipBlanks(): void {
    while (this.peek() === " " || this.peek() === "\t") this.pos += 1;
  }

  /** Over blanks, comments and ends of lines. */
  skip(): void {
    for (;;) {
      this.skipBlanks();
      if (this.peek() === "#" && (this.pos === 0 || this.isBlank(-1))) {
        this.pos = this.lineEnd();
      }
      if (this.peek() !== "\n") return;
      this.pos += 1;
    }
  }

  fail(message: string, pos = this.pos, problem: YamlProblem = "syntax"): never {
    const path = problem === "syntax" || problem === "documents" ? [] : [...this.path];
    throw new YamlError(problem, path, this.line(pos) + 1, this.column(pos) + 1, message);
  }

  /** The line and column of a node, and its tag. */
  place(pos: number, props?: Props): { line: number; column: number; tag?: string } {
    const at = { line: this.line(pos) + 1, column: this.column(pos) + 1 };
    return props?.tag === undefined ? at : { ...at, tag: props.tag };
  }

  /** Counts nodes. */
  add(count: number, pos: number): void {
    this.count += count;
    if (this.count > this.maxNodes) this.fail(`more than ${this.maxNodes} values are too many`, pos, "limit");
  }

  /** A scalar that was read. */
  scalar(text: string, style: ScalarStyle, pos: number, props?: Props): ScalarNode {
    this.add(1, pos);
    const node: ScalarNode = { kind: "scalar", text, style, ...this.place(pos, props) };
    this.remember(node, { size: 1, height: 0 }, props);
    return node;
  }

  /** A list or map: `read` makes its parts, `make` the node of them. */
  collection<Part, Made extends Node>(
    pos: number,
    props: Props | undefined,
    read: () => readonly Part[],
    make: (parts: readonly Part[]) => Made,
  ): Made {
    if (this.depth >= this.maxDepth) this.fail(`more than ${this.maxDepth} levels are too many`, pos, "limit");
    const before = this.count;
    this.add(1, pos);
    if (props?.anchor !== undefined) this.anchors.set(props.anchor, null);
    this.depth += 1;
    const node = make(read());
    this.depth -= 1;
    const inside: readonly Node[] =
      node.kind === "list" ? node.items : node.kind === "map" ? node.entries.map((entry) => entry.value) : [];
    const height = 1 + inside.reduce((most, part) => Math.max(most, this.extents.get(part)?.height ?? 0), 0);
    this.remember(node, { size: this.count - before, height }, props);
    return node;
  }

  /** What an alias stands for. */
  alias(name: string, pos: number): Node {
    const node = this.anchors.get(name);
    if (node === undefined) return this.fail(`there is no anchor ${name} before this alias`, pos, "alias");
    if (node === null) return this.fail(`the alias ${name} lies inside what it stands for`, pos, "recursion");
    const extent = this.extents.get(node) ?? { size: 1, height: 0 };
    this.add(extent.size, pos);
    if (this.depth + extent.height > this.maxDepth)
      this.fail(`more than ${this.maxDepth} levels are too many`, pos, "limit");
    const placed = { ...node, ...this.place(pos) };
    this.extents.set(placed, extent);
    return placed;
  }

  private remember(node: Node, extent: Extent, props: Props | undefined): void {
    this.extents.set(node, extent);
    if (props?.anchor !== undefined) this.anchors.set(props.anchor, node);
  }
}
