// The matrix of a space, its columns in array order.

import type { MlaAxis, MlaFromArray, MlaSpace } from "./records.js";

/** The map from index to space. */
export interface SpaceMatrix {
  /** Positions in the array of the axes that have a column, ascending. */
  readonly columns: readonly number[];
  /** A row per space axis: a number per column, and the translation at its end. The last row, 0 … 0 1, is left out. */
  readonly rows: readonly (readonly number[])[];
}

/** The name of an axis of the array, by its position where it has none. */
export const axisName = (axis: MlaAxis, position: number): string => axis.name ?? `axis_${position}`;

/** For each entry of `array_axes`, the space axis that its entry of scale and translation belongs to. */
export function scaledRows(arrayAxes: readonly string[], spaceAxes: readonly string[]): readonly number[] {
  const byName = arrayAxes.every((name) => spaceAxes.includes(name));
  return arrayAxes.map((name, position) => (byName ? spaceAxes.indexOf(name) : position));
}

/** The matrix of `from_array`, in the order of `array_axes`, without its last row. */
function ownRows(from: MlaFromArray, spaceAxes: readonly string[]): readonly (readonly number[])[] {
  if (from.matrix !== undefined) return from.matrix.slice(0, -1);
  const count = from.array_axes.length;
  const rows = spaceAxes.map(() => new Array<number>(count + 1).fill(0));
  scaledRows(from.array_axes, spaceAxes).forEach((row, column) => {
    const numbers = rows[row] ?? [];
    numbers[column] = from.scale?.[column] ?? 1;
    numbers[count] = from.translation?.[column] ?? 0;
  });
  return rows;
}

/**
 * The matrix of a space: indices of the array (whole ones are centres of voxels) to coordinates.
 * Both are of a header without problems. No number is -0.
 */
export function spaceMatrix(axes: readonly MlaAxis[], space: MlaSpace): SpaceMatrix {
  const from = space.from_array;
  const names = axes.map(axisName);
  const positions = from.array_axes.map((name) => names.indexOf(name));
  const columns = [...positions].sort((a, b) => a - b);
  const order = columns.map((position) => positions.indexOf(position));
  const own = ownRows(
    from,
    space.axes.map((axis) => axis.name),
  );
  const last = columns.length;
  const rows = own.map((row) => [...order, last].map((column) => Number(row[column] ?? 0) + 0));
  return { columns, rows };
}
