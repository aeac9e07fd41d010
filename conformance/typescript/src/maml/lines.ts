// The dialect of lines: `key: value` and `- item`, one a line.

import { YamlError, type Entry, type Node, type ScalarNode } from "../yaml/index.js";

interface Line {
  /** From 1. */
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/** Sections whose items are maps. */
const MAPS = ["fields", "keyarray", "dois", "depends", "col_map", "remap"];

class Parser {
  private at = 0;
  private readonly path: (string | number)[] = [];
  private depth = 0;

  constructor(
    private readonly lines: Line[],
    private readonly levels: number,
  ) {}

  root(): Node {
    const [first] = this.lines;
    if (first === undefined) return scalar("", 1, 1);
    const node = this.block(first.indent, "");
    const rest = this.peek();
    if (rest !== undefined) this.fail("a line is deeper or less deep for no reason", rest);
    return node;
  }

  private peek(): Line | undefined {
    return this.lines[this.at];
  }

  private fail(message: string, line: Line): never {
    throw new YamlError("syntax", [], line.number, line.indent + 1, message);
  }

  private enter(line: Line): void {
    this.depth += 1;
    if (this.depth > this.levels) {
      throw new YamlError(
        "limit",
        [...this.path],
        line.number,
        line.indent + 1,
        `more than ${this.levels} levels are too many`,
      );
    }
  }

  /** A list or map that begins in this line. */
  private block(indent: number, key: string): Node {
    const line = this.peek();
    if (line === undefined) return scalar("", 1, 1);
    this.enter(line);
    const node = isItem(line) ? this.list(indent, key) : this.map(indent);
    this.depth -= 1;
    return node;
  }

  private map(indent: number): Node {
    const start = this.peek();
    const entries: Entry[] = [];
    for (let line = this.peek(); line !== undefined && line.indent === indent && !isItem(line); line = this.peek()) {
      entries.push(this.entry(line));
    }
    const next = this.peek();
    if (next !== undefined && next.indent > indent) this.fail("a line is deeper for no reason", next);
    return { kind: "map", entries, line: start?.number ?? 1, column: indent + 1 };
  }

  private entry(line: Line): Entry {
    const colon = line.text.indexOf(":");
    if (colon < 0) this.fail("a line is a key, a colon and a value, or an item", line);
    const key = scalar(line.text.slice(0, colon).trimEnd(), line.number, line.indent + 1);
    this.at += 1;
    this.path.push(key.text);
    const value = this.value(line, line.text.slice(colon + 1), line.indent + colon + 2, key.text);
    this.path.pop();
    return { key, value };
  }

  /** What stands behind a colon, or in the deeper lines after it. */
  private value(line: Line, written: string, column: number, key: string): Node {
    const next = this.peek();
    const isDeeper = next !== undefined && next.indent > line.indent;
    if (written.trim() !== "") {
      if (isDeeper) this.fail("a line is deeper for no reason", next);
      return valueOf(written, line.number, column);
    }
    const isList = next !== undefined && next.indent === line.indent && isItem(next);
    return isDeeper || isList ? this.block(next.indent, key) : scalar("", line.number, column);
  }

  private list(indent: number, key: string): Node {
    const start = this.peek();
    const items: Node[] = [];
    const isMap = MAPS.includes(key.trim().toLowerCase());
    for (let line = this.peek(); line !== undefined && line.indent === indent && isItem(line); line = this.peek()) {
      this.path.push(items.length);
      items.push(isMap ? this.mapItem(line) : this.textItem(line));
      this.path.pop();
    }
    return { kind: "list", items, line: start?.number ?? 1, column: indent + 1 };
  }

  private textItem(line: Line): Node {
    this.at += 1;
    const next = this.peek();
    if (next !== undefined && next.indent > line.indent) this.fail("a line is deeper for no reason", next);
    return valueOf(line.text.slice(1), line.number, line.indent + 2);
  }

  /** A map that begins behind its dash or in the next line. */
  private mapItem(line: Line): Node {
    const rest = line.text.slice(1);
    const inner = rest.trimStart();
    if (inner !== "") {
      const indent = line.indent + 1 + rest.length - inner.length;
      this.lines[this.at] = { ...line, indent, text: inner };
      return this.block(indent, "");
    }
    this.at += 1;
    const next = this.peek();
    if (next === undefined || next.indent <= line.indent) return scalar("", line.number, line.indent + 2);
    return this.block(next.indent, "");
  }
}

const isItem = (line: Line): boolean => /^-(?:[ \t]|$)/.test(line.text);

function scalar(text: string, line: number, column: number, style: ScalarNode["style"] = "plain"): ScalarNode {
  return { kind: "scalar", text, style, line, column };
}

/** A value without the blanks and the one pair of quotes around it. */
function valueOf(written: string, line: number, column: number): ScalarNode {
  const text = written.trim();
  const [first = "", last = ""] = [text[0], text[text.length - 1]];
  const isQuoted = text.length > 1 && first === last && (first === "'" || first === '"');
  if (!isQuoted) return scalar(text, line, column);
  return scalar(text.slice(1, -1), line, column, first === "'" ? "single" : "double");
}

/**
 * Reads a text of lines. A line whose first character is `#` is a comment.
 *
 * @throws {YamlError} at the first line that is none.
 */
export function parseLines(text: string, levels: number): Node {
  const lines: Line[] = [];
  text.split("\n").forEach((written, index) => {
    const trimmed = written.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const indent = written.length - written.trimStart().length;
    const line = { number: index + 1, indent, text: trimmed };
    if (written.slice(0, indent).includes("\t"))
      throw new YamlError("syntax", [], line.number, 1, "a tab does not indent");
    lines.push(line);
  });
  return new Parser(lines, levels).root();
}
