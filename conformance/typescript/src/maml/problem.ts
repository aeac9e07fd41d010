// What is wrong with a MAML, as data.

import type { At } from "../errors.js";

/** A problem or a notice: the codes stand in the specification under "Maml problems". */
export interface Problem {
  readonly code: string;
  /** Keys in small letters, and positions in lists. */
  readonly at: At;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** A place in a text, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Problems and notices as they are found, told in the order of their places. */
export class Report {
  private readonly problems: (Problem & Place)[] = [];
  private readonly notices: (Problem & Place)[] = [];
  private places: Set<string> | undefined;

  /** Whether items of lists may have keys that are not known, as in the specification. */
  isOpen = false;

  /** From here on a path has one problem or notice; those of the spelling of its key do not count. */
  tellOnce(): void {
    this.places = new Set();
  }

  private isTold(code: string, at: At): boolean {
    if (this.places === undefined || code === "section-unknown") return false;
    const path = JSON.stringify(at);
    const isTold = this.places.has(path);
    this.places.add(path);
    return isTold;
  }

  /** Tells of a problem. */
  add(code: string, at: At, place: Place, message: string): void {
    if (this.isTold(code, at)) return;
    this.problems.push({ code, at, line: place.line, column: place.column, message });
  }

  /** Tells of what is odd. */
  note(code: string, at: At, place: Place, message: string): void {
    if (this.isTold(code, at)) return;
    this.notices.push({ code, at, line: place.line, column: place.column, message });
  }

  /** The problems, in the order of their places. */
  found(): Problem[] {
    return inOrder(this.problems);
  }

  /** The notices, in the order of their places; none beside problems. */
  noticed(): Problem[] {
    return this.problems.length > 0 ? [] : inOrder(this.notices);
  }
}

function inOrder(found: readonly (Problem & Place)[]): Problem[] {
  const sorted = [...found].sort((a, b) => a.line - b.line || a.column - b.column);
  return sorted.map(({ code, at, line, message }) => ({ code, at, line, message }));
}
