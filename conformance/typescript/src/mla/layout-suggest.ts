// Chunk and block that suit reading patches of a size.

import { PlacedError } from "../errors.js";
import { typeOfName } from "./compose-axes.js";
import { dtypeSize } from "./dtype.js";
import { isMap, type Plain } from "./plain.js";
import { positiveInteger, sizesOf } from "./sizes.js";

/** The patch length that stands for "default". */
const DEFAULT_LENGTH = 192;

/** Axes of type channel and component with at most this many indices stand whole. */
const FEW = 16;

const KIB = 1024;

/** What is found and unpacked by itself, and what is decompressed by itself inside of it: lengths per axis, in C order. */
export interface Layout {
  readonly chunk: readonly number[];
  readonly block: readonly number[];
}

/** How large block and chunk may be, in bytes, in place of the rule's numbers. */
export interface Budgets {
  readonly block?: Plain;
  readonly chunk?: Plain;
}

interface Goals {
  /** Which axes have a patch length. */
  readonly patched: readonly boolean[];
  /** How far each axis may grow. */
  readonly goals: readonly number[];
  readonly shape: readonly number[];
  readonly thin: boolean;
}

/** Which axes have a patch length: those of type space, all where there is none. */
export function patchAxes(types: readonly string[]): readonly boolean[] {
  return types.includes("space") ? types.map((type) => type === "space") : types.map(() => true);
}

/**
 * The patch length of each axis that has one.
 * Errors at `["patch_size"]`: those of `sizesOf`, and `wrong_value` for a word other than default.
 */
export function patchLengths(patch: Plain, count: number): readonly number[] {
  if (typeof patch !== "string") return sizesOf(patch, "patch_size", count);
  if (patch === "default") return new Array<number>(count).fill(DEFAULT_LENGTH);
  const message = `patch_size is ${JSON.stringify(patch)}; "default", a number or a list of numbers belongs here`;
  throw new PlacedError("wrong_value", ["patch_size"], message);
}

function findGoals(shape: readonly number[], types: readonly string[], lengths: readonly number[]): Goals {
  const patched = patchAxes(types);
  let next = 0;
  const given = patched.map((has) => (has ? lengths[next++] : undefined));
  const goals = shape.map((size, axis) => {
    const length = given[axis];
    if (length !== undefined) return Math.max(1, Math.min(length, size));
    const whole = (types[axis] === "channel" || types[axis] === "component") && size <= FEW;
    return whole ? Math.max(1, size) : 1;
  });
  const thin = shape.some((size, axis) => given[axis] === 1 && size > 1);
  return { patched, goals, shape, thin };
}

/** Whether a part a / b is not larger than c / d, exactly. */
const notLarger = (a: number, b: number, c: number, d: number): boolean => BigInt(a) * BigInt(d) <= BigInt(c) * BigInt(b);

/** The axis that grows next, of those left. */
function chooseAxis(left: readonly number[], lengths: readonly number[], { goals, shape, thin }: Goals): number {
  const whole = thin ? left.filter((axis) => goals[axis] === shape[axis]) : [];
  const last = whole.at(-1);
  if (last !== undefined) return last;
  return left.reduce((best, axis) =>
    notLarger(lengths[axis] ?? 1, goals[axis] ?? 1, lengths[best] ?? 1, goals[best] ?? 1) ? axis : best,
  );
}

const product = (lengths: readonly number[]): bigint => lengths.reduce((all, length) => all * BigInt(length), 1n);

/** Lengths that grow by doubling, from a start, as long as `most` numbers hold them. */
function grow(start: readonly number[], most: number, axes: Goals, units?: readonly number[]): readonly number[] {
  const lengths = [...start];
  let left = [...start.keys()].filter((axis) => axes.patched[axis]);
  while (left.length > 0) {
    const axis = chooseAxis(left, lengths, axes);
    const before = lengths[axis] ?? 1;
    let next = Math.min(2 * before, axes.goals[axis] ?? 1);
    if (units !== undefined && next !== axes.shape[axis]) next -= next % (units[axis] ?? 1);
    lengths[axis] = next;
    if (next > before && product(lengths) <= BigInt(most)) continue;
    lengths[axis] = before;
    left = left.filter((other) => other !== axis);
  }
  return lengths;
}

function budget(given: Plain | undefined, name: string, standard: number, itemSize: number): number {
  const bytes = given === undefined || given === null ? standard : positiveInteger(given, name);
  return Math.floor(bytes / itemSize);
}

/** Chunk and block for patches of these lengths, one per axis that has a patch length. */
export function layoutFor(
  shape: readonly number[],
  dtype: string,
  types: readonly string[],
  lengths: readonly number[],
  budgets: Budgets = {},
): Layout {
  const axes = findGoals(shape, types, lengths);
  const size = dtypeSize(dtype);
  const ofBlock = budget(budgets.block, "block_budget", (axes.thin ? 32 : 24) * KIB, size);
  const ofChunk = budget(budgets.chunk, "chunk_budget", (axes.thin ? 1024 : 256) * KIB, size);
  const start = axes.goals.map((goal, axis) => (axes.patched[axis] ? 1 : goal));
  const block = grow(start, ofBlock, axes);
  return { block, chunk: grow(block, ofChunk, axes, block) };
}

function typeOf(axis: Plain): string {
  if (typeof axis === "string") return typeOfName(axis);
  const type = isMap(axis) ? axis.get("type") : undefined;
  return typeof type === "string" ? type : "other";
}

/**
 * Chunk and block, per axis in C order, that suit reading patches of a size.
 * `axes` has a name or a map per axis; where it is undefined, every axis has a patch length.
 * Errors: those of `patchLengths`; `wrong_type` and `not_positive` at a budget; `wrong_length` at `["axes"]`.
 */
export function suggestLayout(
  shape: readonly number[],
  dtype: string,
  patch: Plain = "default",
  axes?: readonly Plain[],
  budgets: Budgets = {},
): Layout {
  if (axes !== undefined && axes.length !== shape.length) {
    const message = `axes has ${axes.length} entries, but the array has ${shape.length} axes; one per axis belongs there`;
    throw new PlacedError("wrong_length", ["axes"], message);
  }
  const types = axes === undefined ? shape.map(() => "other") : axes.map(typeOf);
  const count = patchAxes(types).filter(Boolean).length;
  return layoutFor(shape, dtype, types, patchLengths(patch, count), budgets);
}
