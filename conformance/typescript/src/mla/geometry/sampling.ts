// Coordinates of the indices of axes that are not of type space.

import type { MlaAxis } from "../records.js";

/**
 * The coordinate of each index of an axis, in its unit: as listed, or start + i * step, a product and a sum; null where the
 * axis has none, as those of type space, whose coordinates are in spaces.
 */
export function axisCoordinates(axis: MlaAxis, size: number): readonly number[] | null {
  if (axis.coordinates !== undefined) return axis.coordinates.map(Number);
  if (axis.step === undefined) return null;
  const [start, step] = [Number(axis.start ?? 0), Number(axis.step)];
  return Array.from({ length: size }, (_, index) => start + index * step);
}
