// Rules bound to columns.

import type { Cell } from "./bounds.js";
import { clauseBudget, LISTS, type ClauseBudget, parseRule, type Joined, type WrittenClause } from "./filter-parse.js";
import { RuleError, type Token } from "./filter-words.js";
import { findColumn, isFloat, isRead, isTimed, type Kinds } from "./kinds.js";
import { answered, parseFloat64, parseWhole, wholeRange } from "./numbers.js";
import { parseTemporal } from "./temporal.js";
import { parseType } from "./types.js";

/** A clause on a column. Dates are days, times and timestamps counts of the column's unit. */
export interface Clause {
  /** As the rule writes it. */
  readonly name: string;
  readonly column: readonly string[];
  readonly kind: string;
  readonly op: string;
  readonly values: readonly Cell[];
}

/** A rule that is bound to columns. */
export type Tree = Joined<Clause>;

/** What is wrong with a rule, a sort key or an item. */
export interface RuleProblem {
  /** Which of the rules, keys or items; from 0. */
  readonly position: number;
  /** The place in it, from 1. */
  readonly character: number;
  readonly message: string;
}

/** What was bound, or why it was not. */
export type Bound<Made> = { readonly made: Made } | { readonly problems: readonly RuleProblem[] };

function floatOf(text: string): number | undefined {
  const found = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (found !== null) return found[1] === "-" ? -Infinity : Infinity;
  return parseFloat64(text);
}

function valueOf(token: Token, kind: string): Cell | undefined {
  const isText = token.kind === "text";
  if (kind === "string") return isText ? token.text : undefined;
  if (isTimed(kind)) {
    const type = parseType(kind);
    const count = isText && type !== null ? parseTemporal(token.text, type) : undefined;
    return count === undefined ? undefined : answered(count);
  }
  if (isText) return undefined;
  if (isFloat(kind)) return floatOf(token.text);
  if (kind === "boolean") {
    const word = token.text.toLowerCase();
    return word === "true" || word === "false" ? word === "true" : undefined;
  }
  const [whole, range] = [parseWhole(token.text), wholeRange(kind)];
  if (whole === undefined || range === undefined || whole < range[0] || whole > range[1]) return undefined;
  return answered(whole);
}

function refused(written: WrittenClause, kind: string): string | undefined {
  if (!isRead(kind)) return `columns of kind ${kind} are not filtered`;
  if (kind === "boolean" && [">", ">=", "<", "<="].includes(written.op.text)) return "truth values have no order";
  const asksFloats = /nan|finite/.test(written.op.text);
  return asksFloats && !isFloat(kind) ? `${written.op.text} asks floats only` : undefined;
}

function bindClause(
  written: WrittenClause,
  kinds: Kinds,
  tell: (token: Token, message: string) => void,
): Clause | undefined {
  const { name, op } = written;
  const column = findColumn(name.text, kinds);
  const message = column === undefined ? `there is no column ${name.text}` : refused(written, column.kind);
  if (column === undefined || message !== undefined) {
    tell(name, message ?? "");
    return undefined;
  }
  const values: Cell[] = [];
  for (const token of written.values) {
    const value = valueOf(token, column.kind);
    if (value === undefined) tell(token, `${token.text} is no value of a column of kind ${column.kind}`);
    else values.push(value);
  }
  return { name: name.text, column: column.path, kind: column.kind, op: op.text, values };
}

function bindTree(tree: Joined<WrittenClause>, bind: (clause: WrittenClause) => Clause | undefined): Tree | undefined {
  if (tree.kind === "clause") {
    const clause = bind(tree.clause);
    return clause === undefined ? undefined : { kind: "clause", clause };
  }
  if (tree.kind === "not") {
    const part = bindTree(tree.part, bind);
    return part === undefined ? undefined : { kind: "not", part };
  }
  const parts = tree.parts.map((part) => bindTree(part, bind));
  const found = parts.filter((part) => part !== undefined);
  return found.length === parts.length ? { kind: tree.kind, parts: found } : undefined;
}

/** Binds rules to columns; problems of all rules are told. The budget is of clauses that are left. */
export function bindRules(
  rules: readonly string[],
  kinds: Kinds,
  budget: ClauseBudget = clauseBudget(),
): Bound<readonly Tree[]> {
  const problems: RuleProblem[] = [];
  const trees = rules.map((rule, position) => {
    const tell = (character: number, message: string): void => {
      problems.push({ position, character, message });
    };
    try {
      const written = parseRule(rule, budget);
      return bindTree(written, (clause) =>
        bindClause(clause, kinds, (token, message) => tell(token.character, message)),
      );
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      tell(error.character, error.message);
      return undefined;
    }
  });
  return problems.length > 0 ? { problems } : { made: trees.filter((tree) => tree !== undefined) };
}

/** Whether an operator is the opposite of `==` or `in`. */
export function isUnequal(op: string): boolean {
  return op === "/=" || op === LISTS[1];
}
