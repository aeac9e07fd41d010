// What is found in a header: problems, what is odd but usable, and zeros that are whole numbers.

import type { At } from "../errors.js";

/** One thing that was found: a code, the path to the value, words for people. */
export interface Finding {
  readonly code: string;
  readonly at: At;
  readonly message: string;
}

/** Collects what checks find. */
export class Findings {
  readonly problems: Finding[] = [];
  readonly notices: Finding[] = [];
  /** Where an integer was written as the float -0. */
  readonly zeros: At[] = [];

  /** `later`: the header is of a later minor version, which may have words that are not known here. */
  constructor(readonly later: boolean) {}

  /** Add a problem; returns false. */
  problem(code: string, at: At, message: string): false {
    this.problems.push({ code, at, message: `${pathText(at)}: ${message}` });
    return false;
  }

  /** Add what is odd but usable. */
  notice(code: string, at: At, message: string): void {
    this.notices.push({ code, at, message: `${pathText(at)}: ${message}` });
  }
}

/** A path as people read it. */
const pathText = (at: At): string => (at.length === 0 ? "the map" : at.join("/"));

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Order by path, part by part as text, then by code. */
export function compareFindings(a: Finding, b: Finding): number {
  const common = Math.min(a.at.length, b.at.length);
  for (let part = 0; part < common; part += 1) {
    const order = compareTexts(String(a.at[part]), String(b.at[part]));
    if (order !== 0) return order;
  }
  return a.at.length - b.at.length || compareTexts(a.code, b.code);
}
