// Keys of an array beside its OME-NGFF entry: they must agree with it.

import { type FoundObject, member, positiveOf, wrong } from "../documents/document.js";
import { sameSize, TOLERANCE } from "../geometry/index.js";
import { parseUnit, scaled } from "../units/index.js";
import { type Cover, numbers, unitsBeside } from "./lists.js";
import type { Placement, Reading } from "./types.js";

type Numbers = readonly (number | undefined)[];

/** Numbers of an array's own keys in the units of its placement, where both units are known. */
function converted(values: Numbers, own: FoundObject, cover: Cover, { units }: Placement): Numbers {
  const found = member(own, "units");
  const ownUnits = found && unitsBeside(found, cover, values);
  return values.map((value, axis) => {
    const [source, target] = [parseUnit(ownUnits?.[axis]), parseUnit(units[axis])];
    if (value === undefined || source === undefined || source.dimension !== target?.dimension) return value;
    return scaled(value, source.factor.div(target.factor));
  });
}

function compareSize(own: FoundObject, key: string, cover: Cover, placed: Placement, { lenient, warn }: Reading): void {
  const found = member(own, key);
  if (found === undefined) return;
  const sizes = converted(numbers(found, cover, positiveOf), own, cover, placed);
  const agree = sizes.every((size, axis) => size === undefined || sameSize(size, placed.voxelSize[axis] ?? NaN));
  if (agree) return;
  if (!lenient) throw wrong("conflict", found, `the OME scale says voxels of ${placed.voxelSize.join(", ")}`);
  warn("conflict");
}

/** Whether an offset is a list of positions, within a small part of a voxel. */
const isAt = (offset: Numbers, positions: readonly number[], voxelSize: readonly number[]): boolean =>
  offset.every((value, axis) => {
    const [position, size] = [positions[axis] ?? NaN, voxelSize[axis] ?? 1];
    return value === undefined || Math.abs(value - position) <= TOLERANCE * Math.max(size, Math.abs(position));
  });

/** Holds an array's own voxel size and offset against what OME says: `conflict`, or warnings. */
export function compareBeside(own: FoundObject, cover: Cover, placed: Placement, reading: Reading): void {
  for (const key of ["voxel_size", "resolution"]) compareSize(own, key, cover, placed, reading);
  const found = member(own, "offset");
  if (found === undefined) return;
  const offset = converted(numbers(found, cover), own, cover, placed);
  const { translation, corner, voxelSize } = placed;
  if (!isAt(offset, translation, voxelSize) && !isAt(offset, corner, voxelSize)) reading.warn("conflict");
}
