// The self-test: every difference is seen, nothing right is refused, every malformed file is.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";

import { ROOT, load, loadFile, tables } from "./cases.mjs";
import { chosen, runCase, runSuite, skippedLines } from "./runner.mjs";
import * as implementation from "./selftest-impl.mjs";
import { CaseFileError } from "./strict-json.mjs";
import { ArrayValue, Text, storeBytes } from "./values.mjs";

const folder = path.join(ROOT, "selftest");
const file = (name) => loadFile(path.join(folder, `${name}.json`), folder);
const op = implementation.ops["selftest.identity"];

for (const item of file("pass")) {
  test(`right answer passes: ${item.id}`, async () => assert.deepEqual(await runCase(item, op), []));
}

for (const item of file("fail")) {
  test(`wrong answer fails: ${item.id}`, async () => assert.notDeepEqual(await runCase(item, op), []));
}

const refused = path.join(folder, "refused");
for (const name of readdirSync(refused)) {
  test(`malformed file is refused: ${name}`, () => {
    assert.throws(() => loadFile(path.join(refused, name), refused), CaseFileError);
  });
}

test("every case file of the suite loads, and its op is in the table", () => {
  const known = new Set(tables().ops);
  for (const item of load()) assert.ok(known.has(item.op), item.key);
});

test("ops and capabilities that are missing are reported", async () => {
  const report = await runSuite(file("pass"), { ops: {} });
  assert.equal(report.skipped.length, 1);
  assert.match(report.skipped[0].reason, /no such op/);
  const without = await runSuite(file("pass"), implementation);
  assert.deepEqual(without.skipped, [{ what: "pass/skipped", reason: "needs parquet", cases: 1 }]);
  assert.deepEqual(without.failed, []);
});

test("skipped cases are one line for each reason", () => {
  const reason = "the implementation has no such op";
  const ops = ["a.a", "a.b", "a.c", "b.a", "b.b"].map((what, index) => ({ what, reason, cases: index + 1 }));
  assert.deepEqual(skippedLines([...ops, { what: "pass/skipped", reason: "needs parquet", cases: 1 }]), [
    `skipped 15 cases: ${reason}: a.a, a.b, a.c and 2 more`,
    "skipped 1 cases: needs parquet: pass/skipped",
  ]);
});

test("an op is chosen by its name, or by a beginning of it up to a dot", () => {
  for (const only of [undefined, "geometry.box.snap", "geometry.box", "geometry", "geometry."]) {
    assert.ok(chosen("geometry.box.snap", only), only);
  }
  for (const only of ["geo", "geometry.b", "box", "geometry.box.snap.x"]) assert.ok(!chosen("geometry.box.snap", only), only);
});

test("an array of integers has no sign of zero, an array of floats has", async () => {
  const [item] = file("pass");
  const array = (dtype, data) => new ArrayValue(dtype, [2], data);
  const run = (dtype) => runCase({ ...item, expect: array(dtype, [0, 3]) }, () => array(dtype, [-0, 3]));
  assert.deepEqual(await run("int32"), []);
  assert.notDeepEqual(await run("float32"), []);
});

test("known failures are strict", async () => {
  const passing = await runSuite(file("pass"), { ...implementation, xfail: { "pass/number": "a reason" } });
  assert.equal(passing.failed.length, 1);
  const failing = await runSuite(file("fail").slice(0, 1), { ...implementation, xfail: { "fail/wrong-number": "a reason" } });
  assert.deepEqual(failing.failed, []);
  const absent = await runSuite(file("fail").slice(0, 1), { ...implementation, xfail: { "fail/nothing": "a reason" } });
  assert.equal(absent.failed.length, 2);
});

test("a store is written as bytes", () => {
  const store = {
    ".zattrs": { a: [1, 9007199254740993n, -0, NaN] },
    broken: new Text('{"x": NaN'),
    0: new ArrayValue("uint16", [2], [1, 258]),
    1: new ArrayValue("float16", [5], [1, -2.5, 65504, 2 ** -24, Infinity]),
    2: new ArrayValue("complex64", [1], [[1, -2]]),
    3: new Uint8Array([0, 255]),
  };
  const found = Object.fromEntries(Object.entries(storeBytes(store)).map(([key, bytes]) => [key, Buffer.from(bytes)]));
  assert.equal(found[".zattrs"].toString(), '{"a": [1, 9007199254740993, -0.0, NaN]}');
  assert.equal(found.broken.toString(), '{"x": NaN');
  assert.equal(found[0].toString("hex"), "01000201");
  assert.equal(found[1].toString("hex"), "003c" + "00c1" + "ff7b" + "0100" + "007c");
  assert.equal(found[2].toString("hex"), "0000803f" + "000000c0");
  assert.equal(found[3].toString("hex"), "00ff");
});
