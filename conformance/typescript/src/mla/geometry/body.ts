// Rows of a map in the order left or right, anterior or posterior, superior or inferior.

import type { MlaSpace } from "../records.js";
import type { Rows } from "./linear.js";

const PAIRS = [
  ["left", "right"],
  ["anterior", "posterior"],
  ["superior", "inferior"],
] as const;

/**
 * The rows of a map in this order, toward the three words that are given: those of axes that grow the other way have the other
 * sign. Undefined where the axes are not three, one of each pair.
 */
export function bodyRows(space: MlaSpace, rows: Rows, toward: readonly [string, string, string]): Rows | undefined {
  if (space.axes.length !== PAIRS.length) return undefined;
  const words = space.axes.map((axis) => axis.increases_toward ?? "");
  const places = PAIRS.map(([one, other]) => words.findIndex((word) => word === one || word === other));
  if (places.includes(-1)) return undefined;
  return places.map((place, row) => {
    const sign = words[place] === toward[row] ? 1 : -1;
    return (rows[place] ?? []).map((value) => sign * value + 0);
  });
}
