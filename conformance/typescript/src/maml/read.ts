// A text as a MAML, or what is wrong with it.

import type { Problem, Report } from "./problem.js";
import { readFields } from "./fields.js";
import { isNumber } from "./numbers.js";
import type { Context, Maml, ReadOptions } from "./record.js";
import { readRequests } from "./requests.js";
import { READERS, readEntries, says } from "./sections.js";
import { checkSpecification } from "./specification.js";
import { pairOf, readTree, said, saysNothing, type Table } from "./tree.js";

const VERSIONS: Readonly<Record<string, number>> = { "spec-1.0": 0, "spec-1.1": 1, "spec-1.2": 2 };

function contextOf(root: Table, options: ReadOptions): Context {
  const version = pairOf(root, "maml_version")?.value;
  const profile = options.profile ?? "parquet";
  return {
    role: options.role ?? "write",
    profile,
    version: VERSIONS[profile],
    words: options.words,
    expands: version?.kind === "text" && isNumber(said(version), 12, 10),
  };
}

function tellSections(root: Table, context: Context, report: Report): void {
  for (const pair of root.pairs) {
    const isKnown = Object.hasOwn(READERS, pair.key) || pair.key === "fields" || pair.key === "extra";
    if (!isKnown) report.add("section-unknown", [pair.key], pair, `there is no section ${pair.key}`);
  }
  const table = pairOf(root, "table")?.value;
  if (context.role !== "read" && saysNothing(table)) {
    report.add("table-missing", ["table"], table ?? { line: 1, column: 0 }, "a table has a name");
  }
}

/** What a tree says; what is wrong is left out and told. */
export function readMaml(root: Table, options: ReadOptions, report: Report): Maml {
  const context = contextOf(root, options);
  if (context.version !== undefined) checkSpecification(root, context, report);
  tellSections(root, context, report);
  const entries = readEntries(root, context, report);
  const fields = readFields(pairOf(root, "fields")?.value, context, report);
  const requests = readRequests(pairOf(root, "extra")?.value, fields, context, report);
  const sections = root.pairs.filter((pair) => says(pair.value)).map((pair) => pair.key);
  return { sections, fields, entries, ...requests };
}

/** A MAML with what is odd in it, or what is wrong with the text. */
export type ParseResult =
  { readonly maml: Maml; readonly notices: readonly Problem[] } | { readonly problems: readonly Problem[] };

/** Reads a MAML; all problems of a text are told together. */
export function parseMaml(source: string | Uint8Array, options: ReadOptions = {}): ParseResult {
  const read = readTree(source, options.dialect ?? "yaml");
  if ("problems" in read) return read;
  const maml = readMaml(read.root, options, read.report);
  const problems = read.report.found();
  return problems.length > 0 ? { problems } : { maml, notices: read.report.noticed() };
}
