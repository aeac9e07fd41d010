// Every case of the suite, answered by the library; `npm run build` compiles it before.

import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./cases.mjs";
import { ops, capabilities, skipped } from "./dist/ops/implementation.js";
import { runCase } from "./runner.mjs";

/** The part of all cases that may be skipped. */
const MOST = 0.05;

const cases = load();
const reasons = new Map();

for (const item of cases) {
  const missing = item.requires.filter((word) => !capabilities.includes(word));
  const why = missing.length ? `needs ${missing.join(", ")}` : skipped[item.op];
  if (why !== undefined) {
    reasons.set(why, [...(reasons.get(why) ?? []), item.key]);
    continue;
  }
  test(item.key, async () => {
    const op = ops[item.op];
    assert.ok(op, `${item.op}: no op of this name, and no reason to skip it`);
    assert.deepEqual(await runCase(item, op), []);
  });
}

test("few cases are skipped, each for a reason", (context) => {
  for (const [why, keys] of reasons) context.diagnostic(`skipped ${keys.length}: ${why}: ${keys[0]}, …`);
  const count = [...reasons.values()].reduce((sum, keys) => sum + keys.length, 0);
  assert.ok(count < MOST * cases.length, `${count} of ${cases.length} cases are skipped`);
});

test("what is skipped is not answered too, and stands in the table of ops", () => {
  const known = new Set(cases.map((item) => item.op));
  for (const op of Object.keys(skipped)) assert.ok(known.has(op) && !(op in ops), op);
});
