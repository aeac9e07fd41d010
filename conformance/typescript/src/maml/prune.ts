// Whether a row group has to be read, by its statistics.

import type { Cell } from "./bounds.js";
import { isUnequal, type Clause, type Tree } from "./filter.js";
import { isFloat } from "./kinds.js";
import { comparable, compareCells } from "./rows.js";

/** What is known of a column in a row group; bounds are of the values that are neither Null nor NaN. */
export interface Statistics {
  readonly rows: number;
  readonly nulls?: number;
  readonly min?: Cell;
  readonly max?: Cell;
}

/** By the names of the rule. */
export type StatisticsOf = Readonly<Record<string, Statistics>>;

interface Bounds {
  readonly min: Cell;
  readonly max: Cell;
}

/** Bounds that say something; undefined for others. */
function boundsOf(stats: Statistics, kind: string): Bounds | undefined {
  if (kind.startsWith("uint") || kind === "float16") return undefined;
  const [min, max] = [comparable(stats.min ?? null, kind), comparable(stats.max ?? null, kind)];
  if (min === null || max === null || Number.isNaN(min) || Number.isNaN(max)) return undefined;
  return compareCells(min, max) <= 0 ? { min, max } : undefined;
}

const OPPOSITE: Readonly<Record<string, string>> = {
  ">": "<=",
  ">=": "<",
  "<": ">=",
  "<=": ">",
  "==": "/=",
  "/=": "==",
  in: "not_in",
  not_in: "in",
};

/** Whether a value within bounds may meet an operator. */
function mayMeet(op: string, values: readonly Cell[], { min, max }: Bounds): boolean {
  const [first = null] = values;
  if (op === ">") return compareCells(max, first) > 0;
  if (op === ">=") return compareCells(max, first) >= 0;
  if (op === "<") return compareCells(min, first) < 0;
  if (op === "<=") return compareCells(min, first) <= 0;
  if (!isUnequal(op)) return values.some((value) => compareCells(min, value) <= 0 && compareCells(max, value) >= 0);
  return compareCells(min, max) !== 0 || !values.some((value) => compareCells(min, value) === 0);
}

/** Whether a clause may be `wanted` for some row. */
function clauseMayBe(clause: Clause, wanted: boolean, all: StatisticsOf): boolean {
  const stats = Object.hasOwn(all, clause.name) ? all[clause.name] : undefined;
  if (stats === undefined) return true;
  const { op, kind } = clause;
  if (op === "is_null" || op === "is_not_null") {
    if (stats.nulls === undefined) return true;
    return (op === "is_null") === wanted ? stats.nulls > 0 : stats.nulls < stats.rows;
  }
  if (!Object.hasOwn(OPPOSITE, op)) return true;
  if (stats.nulls === stats.rows) return false;
  if (isFloat(kind) && (!wanted || isUnequal(op))) return true;
  const bounds = boundsOf(stats, kind);
  return bounds === undefined || mayMeet(wanted ? op : (OPPOSITE[op] ?? op), clause.values, bounds);
}

function mayBe(tree: Tree, wanted: boolean, all: StatisticsOf): boolean {
  if (tree.kind === "clause") return clauseMayBe(tree.clause, wanted, all);
  if (tree.kind === "not") return mayBe(tree.part, !wanted, all);
  const isEvery = (tree.kind === "and") === wanted;
  const parts = tree.parts.map((part) => mayBe(part, wanted, all));
  return isEvery ? parts.every((part) => part) : parts.some((part) => part);
}

/** Whether some row of a group may pass a rule; false where its statistics say that none can. */
export function mayPass(rule: Tree, stats: StatisticsOf): boolean {
  return mayBe(rule, true, stats);
}
