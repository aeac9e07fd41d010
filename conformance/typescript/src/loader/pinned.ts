// Axes that are pinned to indices, and the volumes that an entry becomes.

import type { At } from "../errors.js";
import { count, fail, isMapping, list, mapping, MOST, shown, type Whole } from "./check.js";

/** What axes are pinned to: an index, a list of indices, or a range as text. */
export type FixedAxes = Readonly<Record<string, Whole | readonly Whole[] | string>>;

/** One of the volumes that an entry becomes. */
export interface PinnedVolume {
  readonly name: string;
  /** The index of each pinned axis. */
  readonly fixed: Readonly<Record<string, Whole>>;
  readonly weight: number;
}

/** The indices of one axis: how many, and each by its position. */
interface Indices {
  readonly count: bigint;
  readonly at: (position: number) => Whole;
}

/** How many volumes an entry may become. */
const LIMIT = 1_000_000n;

const plain = (value: bigint): Whole => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value);

function rangeOf(value: string, at: At): Indices {
  if (!/^[0-9]+:[0-9]+(:[0-9]+)?$/.test(value)) {
    return fail("wrong_value", at, `${shown(value)} is no range; write start:stop or start:stop:step`);
  }
  const numbers = value.split(":").map(BigInt);
  const large = numbers.find((number) => number > MOST);
  if (large !== undefined) fail("out_of_range", at, `${large} is larger than ${MOST}`);
  const [start, stop, step = 1n] = numbers as [bigint, bigint, bigint?];
  if (step === 0n) fail("not_positive", at, `the step of ${value} is 0; it is 1 at least`);
  if (stop <= start) fail("order", at, `the stop ${stop} is not above the start ${start}`);
  return { count: (stop - start + step - 1n) / step, at: (position) => plain(start + step * BigInt(position)) };
}

function listOf(value: unknown, at: At): readonly Whole[] {
  const indices = list(count)(value, at);
  const seen = new Set<Whole>();
  indices.forEach((index, position) => {
    if (seen.has(index)) fail("duplicate", [...at, position], `the index ${index} stands twice`);
    seen.add(index);
  });
  return indices;
}

/** What one axis is pinned to, as it is written; a whole number that was written 4.0 is 4. */
function pinned(value: unknown, at: At): Whole | readonly Whole[] | string {
  if (typeof value === "string") {
    rangeOf(value, at);
    return value;
  }
  if (value === null || typeof value === "boolean" || isMapping(value)) {
    return fail("wrong_type", at, `${shown(value)} is no index, list of indices or range`);
  }
  return Array.isArray(value) ? listOf(value, at) : count(value, at);
}

function indicesOf(value: Whole | readonly Whole[] | string, at: At): Indices {
  if (typeof value === "string") return rangeOf(value, at);
  const indices = typeof value === "object" ? value : [value];
  return { count: BigInt(indices.length), at: (position) => indices[position]! };
}

/** The indices of every pinned axis, in the order in which the axes are written. */
function allIndices(fixed: FixedAxes, at: At): { axes: readonly string[]; indices: readonly Indices[]; total: number } {
  const axes = Object.keys(fixed);
  const indices = axes.map((axis) => indicesOf(fixed[axis]!, [...at, axis]));
  indices.forEach(({ count: several }, position) => {
    if (several > LIMIT) fail("out_of_range", [...at, axes[position]!], `${several} volumes; ${LIMIT} are the most`);
  });
  const total = indices.reduce((product, { count: several }) => product * several, 1n);
  if (total > LIMIT) fail("out_of_range", at, `${total} volumes of all axes together; ${LIMIT} are the most`);
  return { axes, indices, total: Number(total) };
}

/**
 * What axes are pinned to, checked.
 *
 * @throws PlacedError at the axis, in a list with the position of the index; at `at` for too many volumes
 */
export function fixedAxes(value: unknown, at: At): FixedAxes {
  const found = mapping(value, at);
  const fixed = Object.fromEntries(Object.keys(found).map((axis) => [axis, pinned(found[axis], [...at, axis])]));
  allIndices(fixed, at);
  return fixed;
}

/** How many volumes an entry becomes. */
export function pinnedCount(fixed: FixedAxes): number {
  return allIndices(fixed, []).total;
}

/**
 * The volumes that an entry becomes, one for each combination of indices, the last axis fastest.
 *
 * @param name the entry's name, which stays where there is one combination
 * @param fixed what `fixedAxes` gave
 * @param weight the entry's weight, of which each volume has an equal part
 */
export function pinnedVolumes(name: string, fixed: FixedAxes, weight = 1): PinnedVolume[] {
  const { axes, indices, total } = allIndices(fixed, []);
  return Array.from({ length: total }, (_, volume) => {
    let rest = volume;
    const found = indices.map(() => 0 as Whole);
    for (let axis = axes.length - 1; axis >= 0; axis -= 1) {
      const several = Number(indices[axis]!.count);
      found[axis] = indices[axis]!.at(rest % several);
      rest = Math.floor(rest / several);
    }
    const words = axes.map((axis, position) => `${axis}=${found[position]}`).join(",");
    return {
      name: total === 1 ? name : `${name}[${words}]`,
      fixed: Object.fromEntries(axes.map((axis, position) => [axis, found[position]!])),
      weight: weight / total,
    };
  });
}
