// N5's own keys: pixelResolution or resolution times downsampling factors, x first.

import {
  type Found,
  type FoundObject,
  listOf,
  member,
  needed,
  objectOf,
  positiveOf,
  stringOf,
} from "../documents/document.js";
import { isList, isObject } from "../documents/index.js";
import { parseUnit, scaled } from "../units/index.js";
import { centres } from "./funlib.js";
import { type Cover, numbers, unitsBeside } from "./lists.js";
import { firstMember } from "./nodes.js";
import type { Placing, Reading } from "./types.js";

type Numbers = readonly (number | undefined)[];

/** Where the keys of an array are looked for: on itself, its group, and two folders up. */
export interface Nodes {
  readonly own: FoundObject;
  readonly above: readonly FoundObject[];
}

/** The voxel size of a node, the unit that stands in it, and the node. */
interface Resolution {
  readonly node: FoundObject;
  readonly sizes: Found;
  readonly unit: Found | undefined;
}

/** The factors that a group lists for a level: `level` is undefined where the array is none of them. */
export interface GroupFactors {
  readonly node: FoundObject;
  readonly level: Found | undefined;
}

function resolutionOf(node: FoundObject): Resolution | undefined {
  const found = firstMember(node, ["pixelResolution", "resolution"]);
  if (found === undefined) return undefined;
  if (found.key === "resolution" || !isObject(found.value)) return { node, sizes: found, unit: undefined };
  const object = objectOf(found);
  return { node, sizes: needed(object, "dimensions"), unit: member(object, "unit") };
}

/** The number of a level called s<N>. */
function levelNumber(name: string): number | undefined {
  const digits = /^s(0|[1-9][0-9]*)$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The factors per level that the nearest node above lists; each a number or a list of them. */
export function groupFactors(above: readonly FoundObject[], name: string): GroupFactors | undefined {
  for (const node of above) {
    const found = firstMember(node, ["downsamplingFactors", "scales"]);
    if (found !== undefined) {
      const levels = listOf(found);
      levels.forEach((level) => (isList(level.value) ? listOf(level).map(positiveOf) : positiveOf(level)));
      const number = levelNumber(name);
      return { node, level: number === undefined ? undefined : levels[number] };
    }
  }
  return undefined;
}

/** The units beside sizes: of the node that gave them, else of the array; else those of the offset. */
function unitsOf(
  resolution: Resolution | undefined,
  nodes: readonly FoundObject[],
  offsets: readonly FoundObject[],
  cover: Cover,
  sizes: Numbers,
): readonly string[] {
  if (resolution?.unit !== undefined) {
    const unit = stringOf(resolution.unit);
    return sizes.map((size) => (size === undefined ? "" : unit));
  }
  for (const node of nodes) {
    const found = firstMember(node, ["unit", "units"]);
    if (found !== undefined) return unitsBeside(found, cover, sizes);
  }
  const offsetUnit = offsets.map((node) => member(node, "offset_unit")).find((found) => found !== undefined);
  return offsetUnit === undefined ? sizes.map(() => "") : unitsBeside(offsetUnit, cover, sizes);
}

/** Corners in the units of the sizes, where the offset names another that is known. */
function cornersOf(node: FoundObject, found: Found, cover: Cover, units: readonly string[]): Numbers {
  const unit = member(node, "offset_unit");
  const source = unit && parseUnit(stringOf(unit));
  return numbers(found, cover).map((value, axis) => {
    const target = parseUnit(units[axis]);
    if (value === undefined || source === undefined || target?.dimension !== source.dimension) return value;
    return scaled(value, source.factor.div(target.factor));
  });
}

/** The factors of an array: its own, else those of its level in the group, which are no factors of its own sizes. */
function factorsOf(
  nodes: Nodes,
  listed: GroupFactors | undefined,
  ownSizes: boolean,
  cover: Cover,
  reading: Reading,
): Numbers | undefined {
  const own = member(nodes.own, "downsamplingFactors");
  if (own !== undefined) return numbers(own, cover, positiveOf);
  const level = listed?.level && numbers(listed.level, cover, positiveOf);
  if (level === undefined || !ownSizes) return level;
  if (level.some((factor) => factor !== undefined && factor !== 1)) reading.warn("conflict");
  return undefined;
}

/** Where N5's own keys place an array; undefined where there are neither sizes nor factors. */
export function n5KeysPlace(
  nodes: Nodes,
  listed: GroupFactors | undefined,
  cover: Cover,
  reading: Reading,
): Placing | undefined {
  const resolution = [nodes.own, ...nodes.above].map(resolutionOf).find((one) => one !== undefined);
  const base = resolution && numbers(resolution.sizes, cover, positiveOf);
  const factors = factorsOf(nodes, listed, resolution?.node === nodes.own, cover, reading);
  const sizes = base?.map((size, axis) => size && size * (factors?.[axis] ?? 1)) ?? factors;
  if (sizes === undefined) return undefined;
  const ownFactors = member(nodes.own, "downsamplingFactors") !== undefined;
  const giver = resolution?.node ?? (ownFactors ? nodes.own : listed?.node) ?? nodes.own;
  const speakers = giver === nodes.own ? [nodes.own] : [nodes.own, giver];
  const offset = speakers
    .map((node) => ({ node, found: member(node, "offset") }))
    .find(({ found }) => found !== undefined);
  const units = unitsOf(resolution, [giver, nodes.own], offset === undefined ? [giver] : [offset.node], cover, sizes);
  const corners =
    offset?.found === undefined ? sizes.map(() => undefined) : cornersOf(offset.node, offset.found, cover, units);
  return {
    by: "n5",
    voxelSize: sizes,
    translation: centres(sizes, corners, cover),
    declared: offset !== undefined,
    units,
  };
}
