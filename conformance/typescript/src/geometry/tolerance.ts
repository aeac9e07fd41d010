// Numbers that differ by the noise of floats count as equal.

/** How far, in voxels or relatively, numbers may lie apart and still be the same. */
export const TOLERANCE = 1e-6;

/** The whole number within the tolerance of a value, else the value; never -0. */
export function snap(value: number): number {
  const whole = Math.round(value);
  return (Math.abs(value - whole) <= TOLERANCE ? whole : value) + 0;
}

/** The smallest whole number that is not less than a value, noise absorbed. */
export const snappedCeil = (value: number): number => Math.ceil(snap(value)) + 0;

/** The largest whole number that is not greater than a value, noise absorbed. */
export const snappedFloor = (value: number): number => Math.floor(snap(value)) + 0;

/** Whether two sizes are equal within the relative tolerance. */
export const sameSize = (a: number, b: number): boolean =>
  Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));

/** Whether two lists of sizes are equal within the relative tolerance, axis by axis. */
export const sameSizes = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => sameSize(size, b[axis] ?? NaN));
