// Where the value at a path stands in the text of a JSON document.

/** From the first character of a value to the one behind its last. */
export type Span = readonly [number, number];

const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const PLAIN = /[^\s,\]}]+/y;

class Scanner {
  private position = 0;
  private best: Span | undefined;
  private depth = -1;

  constructor(
    private readonly text: string,
    private readonly path: readonly (string | number)[],
  ) {}

  found(): Span | undefined {
    this.value(0);
    return this.best;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.position += found.length;
    return found;
  }

  private take(sign: string): boolean {
    this.match(SPACE);
    if (this.text[this.position] !== sign) return false;
    this.position += 1;
    return true;
  }

  /** Passes over a value; `depth` is how much of the path leads to it, -1 where it lies aside. */
  private value(depth: number): void {
    this.match(SPACE);
    const from = this.position;
    if (this.take("{")) this.object(depth);
    else if (this.take("[")) this.list(depth);
    else if (this.text[from] === '"') this.match(STRING);
    else this.match(PLAIN);
    if (depth > this.depth) [this.best, this.depth] = [[from, this.position], depth];
  }

  private below(depth: number, step: string | number): number {
    return depth >= 0 && this.path[depth] === step ? depth + 1 : -1;
  }

  private object(depth: number): void {
    while (!this.take("}")) {
      const key = this.match(STRING);
      if (key === "" || !this.take(":")) return;
      this.value(this.below(depth, keyOf(key)));
      this.take(",");
    }
  }

  private list(depth: number): void {
    for (let position = 0; !this.take("]"); position += 1) {
      const from = this.position;
      this.value(this.below(depth, position));
      this.take(",");
      if (this.position === from) return;
    }
  }
}

function keyOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The span of the value at a path, or of the innermost value around it that is there; undefined for no JSON. */
export const spanOf = (text: string, path: readonly (string | number)[]): Span | undefined =>
  new Scanner(text, path).found();
