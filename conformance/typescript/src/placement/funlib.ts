// funlib's keys: a voxel size and the offset of the corner, in the array's C order.

import { type Found, type FoundObject, member, positiveOf } from "../documents/document.js";
import { isList } from "../documents/index.js";
import type { Warn } from "../errors.js";
import { sameSize } from "../geometry/index.js";
import { type Cover, numbers, unitsBeside } from "./lists.js";
import { firstMember } from "./nodes.js";
import type { Placing } from "./types.js";

/** The node whose key gives a voxel size, and that key. */
export interface Sized {
  readonly node: FoundObject;
  readonly size: Found;
}

/** Whether a bare scale is a voxel size: a list of positive numbers, one per axis at most. */
const isSize = ({ value }: Found, count: number): boolean =>
  isList(value) &&
  value.length > 0 &&
  value.length <= count &&
  value.every(
    (size) => (typeof size === "number" || typeof size === "bigint") && Number.isFinite(Number(size)) && size > 0,
  );

/** The voxel size of attributes: `voxel_size`, else `resolution`, else a bare `scale`, else nothing, perhaps with a warning. */
export function sizedBy(node: FoundObject, count: number, warn: Warn): Sized | undefined {
  const found = firstMember(node, ["voxel_size", "resolution"]);
  if (found !== undefined) return { node, size: found };
  const scale = member(node, "scale");
  if (scale === undefined) return undefined;
  if (isSize(scale, count)) return { node, size: scale };
  warn("unsupported");
  return undefined;
}

/** The first centre per axis: the corner, and half a voxel on spatial axes; undefined where nothing is said. */
export function centres(
  sizes: readonly (number | undefined)[],
  corners: readonly (number | undefined)[],
  { spatial }: Cover,
): readonly (number | undefined)[] {
  return sizes.map((size, axis) => {
    const corner = corners[axis];
    if (size === undefined && corner === undefined) return undefined;
    return (corner ?? 0) + (spatial.includes(axis) ? (size ?? 1) / 2 : 0);
  });
}

const nothing = (count: number): readonly undefined[] => Array.from({ length: count }, () => undefined);

/** Warns where the two spellings of a voxel size differ. */
function compareSpellings(node: FoundObject, cover: Cover, warn: Warn): void {
  const [one, other] = [member(node, "voxel_size"), member(node, "resolution")];
  if (one === undefined || other === undefined) return;
  const [sizes, others] = [numbers(one, cover, positiveOf), numbers(other, cover, positiveOf)];
  const agree = sizes.every((size, axis) => {
    const second = others[axis];
    return size === undefined || second === undefined ? size === second : sameSize(size, second);
  });
  if (!agree) warn("conflict");
}

/**
 * Where funlib's keys place an array. The offset is the array's own, else that of the node that gave the size; an
 * offset alone (`sized` undefined) has voxels of 1.
 */
export function funlibPlace(
  sized: Sized | undefined,
  offsets: readonly FoundObject[],
  cover: Cover,
  warn: Warn,
): Placing {
  const sizes = sized === undefined ? nothing(cover.count) : numbers(sized.size, cover, positiveOf);
  const offset = offsets
    .map((node) => ({ node, found: member(node, "offset") }))
    .find(({ found }) => found !== undefined);
  const corners = offset?.found === undefined ? nothing(cover.count) : numbers(offset.found, cover);
  if (sized !== undefined) compareSpellings(sized.node, cover, warn);
  const node = sized?.node ?? offset?.node;
  const units = node && member(node, "units");
  return {
    by: "funlib",
    voxelSize: sizes,
    translation: centres(sizes, corners, cover),
    declared: offset !== undefined,
    units: units && unitsBeside(units, cover, sized === undefined ? corners : sizes),
  };
}
