// Runs the cases against an implementation: node runner.mjs --impl ./impl.mjs [--only op or family] [--cases folder]
//
// The implementation exports
//   ops            {"<op>": (input, warn) => answer}  the input decoded; warn(code) for each warning; may be async;
//                  throws an object with `code`, `at` and `message` where the op fails
//   capabilities   ["zarr2", …]                      optional; cases that need another are skipped
//   xfail          {"<case key>": "reason"}           optional; such a case must fail

import path from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

import { load, tables } from "./cases.mjs";
import { differences } from "./comparison.mjs";

/** The differences between a case and what an op answers; none when they agree. */
export async function runCase(item, op) {
  const warnings = [];
  let value;
  try {
    value = await op({ ...item.input }, (code) => warnings.push(code));
  } catch (error) {
    return differences(item, { error });
  }
  return differences(item, { value, warnings });
}

/** Run every case; returns {passed, failed: [{key, differences}], skipped: [{what, reason, cases}]}. */
export async function runSuite(cases, implementation) {
  const { ops, capabilities = [], xfail = {} } = implementation;
  const report = { passed: 0, failed: [], skipped: [] };
  const listed = new Set(tables().ops);
  for (const op of Object.keys(ops).filter((name) => !listed.has(name))) {
    report.failed.push({ key: op, differences: ["the implementation answers an op that is in no table"] });
  }
  const keys = new Set(cases.map((item) => item.key));
  for (const key of Object.keys(xfail).filter((name) => !keys.has(name))) {
    report.failed.push({ key, differences: ["xfail names a case that does not exist"] });
  }
  const absent = new Map();
  for (const item of cases) {
    const missing = item.requires.filter((word) => !capabilities.includes(word));
    if (!Object.hasOwn(ops, item.op)) absent.set(item.op, (absent.get(item.op) ?? 0) + 1);
    else if (missing.length) report.skipped.push({ what: item.key, reason: `needs ${missing.join(", ")}`, cases: 1 });
    else settle(report, item, await runCase(item, ops[item.op]), xfail[item.key]);
  }
  for (const [op, count] of absent) {
    report.skipped.push({ what: op, reason: "the implementation has no such op", cases: count });
  }
  return report;
}

function settle(report, item, found, known) {
  if (known !== undefined && found.length === 0) {
    report.failed.push({ key: item.key, differences: ["it passes now; take it out of xfail"] });
  } else if (known !== undefined || (found.length && item.status === "provisional")) {
    report.skipped.push({ what: item.key, reason: known ?? `provisional: ${found.join("; ")}`, cases: 1 });
  } else if (found.length) {
    report.failed.push({ key: item.key, differences: [item.description, ...found] });
  } else {
    report.passed += 1;
  }
}

/** Whether `only` names an op, or the beginning of it up to a dot: "geometry", "geometry.box". */
export const chosen = (op, only) => only === undefined || op === only || op.startsWith(`${only.replace(/\.$/, "")}.`);

/** One line for each reason: how many cases it skips, and which ops or cases. */
export function skippedLines(skipped) {
  const reasons = new Map();
  for (const one of skipped) reasons.set(one.reason, [...(reasons.get(one.reason) ?? []), one]);
  return [...reasons].map(([reason, found]) => {
    const names = found.map(({ what }) => what);
    const shown = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
    return `skipped ${found.reduce((sum, { cases }) => sum + cases, 0)} cases: ${reason}: ${shown}`;
  });
}

async function main() {
  const { values } = parseArgs({
    options: { impl: { type: "string" }, only: { type: "string" }, cases: { type: "string" } },
  });
  if (values.impl === undefined) {
    console.error("usage: node runner.mjs --impl ./impl.mjs [--only op or family] [--cases folder]");
    return 2;
  }
  const implementation = await import(pathToFileURL(path.resolve(values.impl)));
  const all = values.cases === undefined ? load() : load(path.resolve(values.cases));
  const cases = all.filter((item) => chosen(item.op, values.only));
  if (cases.length === 0) {
    console.error(`no case of ${values.only ?? "any op"}`);
    return 2;
  }
  const report = await runSuite(cases, implementation);
  for (const line of skippedLines(report.skipped)) console.log(line);
  for (const failure of report.failed) console.log(`FAILED ${failure.key}\n  ${failure.differences.join("\n  ")}`);
  const skipped = report.skipped.reduce((sum, { cases: count }) => sum + count, 0);
  console.log(`${report.passed} passed, ${report.failed.length} failed, ${skipped} skipped`);
  return report.failed.length || report.passed === 0 ? 1 : 0;
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) process.exitCode = await main();
