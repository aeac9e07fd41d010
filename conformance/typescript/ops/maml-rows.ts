import { bindRules, bindSortKeys, filterRows, mayPass, parseMaml } from "../src/maml/index.js";
import { readTable, remapColumns, sortRows } from "../src/maml/index.js";
import type { RuleProblem, Tree } from "../src/maml/index.js";
import type { Input, Ops } from "./op.js";

type At = (position: number) => (string | number)[];

function told(problems: readonly RuleProblem[], code: string, at: At) {
  return { problems: problems.map(({ position, character }) => ({ code, at: at(position), character })) };
}

function treeAnswer(tree: Tree): unknown {
  if (tree.kind === "not") return { not: treeAnswer(tree.part) };
  if (tree.kind !== "clause") return { [tree.kind]: tree.parts.map(treeAnswer) };
  const { column, op, values } = tree.clause;
  return { column, op, values };
}

/** One rule, bound. */
function bindRule(input: Input, answer: (tree: Tree) => unknown): unknown {
  const bound = bindRules([input.rule], input.kinds);
  if ("problems" in bound) return told(bound.problems, "filter", () => ["rule"]);
  const [tree] = bound.made;
  if (tree === undefined) throw new Error("a rule is one tree");
  return answer(tree);
}

function filterRowsOf(input: Input): unknown {
  const bound = bindRules(input.rules, input.kinds);
  if ("problems" in bound) return told(bound.problems, "filter", (position) => ["rules", position]);
  return filterRows(bound.made, input.rows);
}

function sort(input: Input): unknown {
  const bound = bindSortKeys(input.keys, input.kinds);
  if ("problems" in bound) return told(bound.problems, "sort", (position) => ["keys", position]);
  return bound.made.map(({ column, descending, nullsFirst }) => ({ column, descending, nulls_first: nullsFirst }));
}

function sortRowsOf(input: Input): unknown {
  const bound = bindSortKeys(input.keys, input.kinds);
  if ("problems" in bound) return told(bound.problems, "sort", (position) => ["keys", position]);
  return sortRows(bound.made, input.rows);
}

function remap(input: Input): unknown {
  const found = remapColumns(input.columns, input.items);
  if ("pairs" in found) return found.pairs;
  return { problems: found.problems.map(({ position }) => ({ code: "remap", at: ["items", position] })) };
}

function read(input: Input): unknown {
  const maml = input.maml === undefined ? undefined : parseMaml(input.maml, { role: "read" });
  const result = maml !== undefined && "problems" in maml ? maml : readTable(input, maml?.maml, input);
  if (!("problems" in result)) return result;
  return { problems: result.problems.map(({ code, at }) => ({ code, at })) };
}

/** Ops on rules, sort keys and names of columns. */
export const rowOps: Ops = {
  "maml.filter": (input) => bindRule(input, treeAnswer),
  "maml.filter_rows": filterRowsOf,
  "maml.prune": (input) => bindRule(input, (tree) => mayPass(tree, input.stats)),
  "maml.sort": sort,
  "maml.sort_rows": sortRowsOf,
  "maml.read": read,
  "maml.remap": remap,
};
