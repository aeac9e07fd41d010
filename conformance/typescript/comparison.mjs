// Answers compared with cases: everything is compared, so that nothing is silently unasserted.

import { unsignedZeros } from "./integers.mjs";
import { ArrayValue, Text } from "./values.mjs";

/** Every difference between a case and what an implementation did: {value, warnings} or {error}. */
export function differences(item, outcome) {
  if (Object.hasOwn(outcome, "error")) return compareError(item, outcome.error);
  if (item.error !== undefined) return [`the error ${item.error.code} was expected, but the answer is ${show(outcome.value)}`];
  const found = [...compare(item.expect, unsignedZeros(item.op, outcome.value), "answer", item.compare)];
  const expected = [...item.warnings].sort().join(", ");
  const given = [...outcome.warnings].sort().join(", ");
  if (expected !== given) found.push(`warnings: [${expected}] were expected, not [${given}]`);
  return found;
}

function compareError(item, error) {
  const message = String(error?.message ?? error);
  if (item.error === undefined) return [`an answer was expected, but it failed: ${message}`];
  const { code, at, mentions } = item.error;
  const found = [];
  if (error?.code !== code) found.push(`the error's code is ${error?.code}, not ${code}: ${message}`);
  if (JSON.stringify(error?.at) !== JSON.stringify(at)) {
    found.push(`the error is at ${JSON.stringify(error?.at)}, not at ${JSON.stringify(at)}: ${message}`);
  }
  for (const word of mentions) {
    if (!message.includes(word)) found.push(`the error does not mention ${JSON.stringify(word)}: ${message}`);
  }
  return found;
}

function* compare(expected, found, where, tolerance) {
  if (isNumber(expected) && isNumber(found)) {
    if (!sameNumber(expected, found, tolerance)) yield differs(expected, found, where);
  } else if (kind(expected) !== kind(found)) {
    yield differs(expected, found, where);
  } else if (kind(expected) === "array") {
    yield* compareArrays(expected, found, where, tolerance);
  } else if (kind(expected) === "list") {
    yield* compareLists(expected, found, where, tolerance);
  } else if (kind(expected) === "object") {
    yield* compareObjects(expected, found, where, tolerance);
  } else if (kind(expected) === "bytes") {
    if (Buffer.compare(Buffer.from(expected), Buffer.from(found)) !== 0) yield differs(expected, found, where);
  } else if (kind(expected) === "text") {
    if (expected.text !== found.text) yield differs(expected, found, where);
  } else if (expected !== found) {
    yield differs(expected, found, where);
  }
}

function* compareObjects(expected, found, where, tolerance) {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    if (!Object.hasOwn(found, key)) yield `${where}.${key}: is missing; ${show(expected[key])} was expected`;
    else if (!Object.hasOwn(expected, key)) yield `${where}.${key}: was not expected; it is ${show(found[key])}`;
    else yield* compare(expected[key], found[key], `${where}.${key}`, tolerance);
  }
}

function* compareLists(expected, found, where, tolerance) {
  if (expected.length !== found.length) {
    yield `${where}: ${expected.length} entries ${show(expected)} were expected, not ${found.length}: ${show(found)}`;
    return;
  }
  for (const [index, one] of expected.entries()) yield* compare(one, found[index], `${where}[${index}]`, tolerance);
}

function* compareArrays(expected, found, where, tolerance) {
  if (expected.dtype !== found.dtype) yield `${where}: the dtype ${expected.dtype} was expected, not ${found.dtype}`;
  if (String(expected.shape) !== String(found.shape) || expected.shape.length !== found.shape.length) {
    yield `${where}: the shape (${expected.shape}) was expected, not (${found.shape})`;
    return;
  }
  yield* compareLists(expected.data, found.data, `${where}.data`, tolerance);
}

const differs = (expected, found, where) => `${where}: ${show(expected)} was expected, not ${show(found)}`;

const isNumber = (value) => typeof value === "number" || typeof value === "bigint";

function kind(value) {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  if (value instanceof ArrayValue) return "array";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Text) return "text";
  return Array.isArray(value) ? "list" : "object";
}

function sameNumber(expected, found, { rel, abs }) {
  if (Number.isNaN(expected) || Number.isNaN(found)) return Number.isNaN(expected) && Number.isNaN(found);
  // Loose equality is exact between a bigint and a number: neither is rounded to the other.
  if (expected == found) return Object.is(expected, -0) === Object.is(found, -0);
  if ((rel === 0 && abs === 0) || !Number.isFinite(Number(expected)) || !Number.isFinite(Number(found))) return false;
  const big = typeof expected === "bigint" && typeof found === "bigint";
  return Math.abs(Number(big ? found - expected : Number(found) - Number(expected))) <= abs + rel * Math.abs(Number(expected));
}

function show(value) {
  if (value === undefined) return "undefined";
  const text = JSON.stringify(value, (_, item) => {
    if (typeof item === "bigint") return `${item}n`;
    if (Object.is(item, -0)) return "-0";
    return typeof item === "number" && !Number.isFinite(item) ? String(item) : item;
  });
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
