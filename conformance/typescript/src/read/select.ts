// Axes that are pinned to one index.

import { PlacedError } from "../errors.js";
import { checkWhole, entry } from "../geometry/index.js";

/** The axes that may be pinned: their names, sizes and which of them are spatial. */
export interface Pinnable {
  readonly axes: readonly string[];
  readonly shape: readonly number[];
  readonly spatial: readonly number[];
}

/** Pinned axes by position, and the index of each. */
export type Selection = ReadonlyMap<number, number>;

/**
 * Axes pinned by name, beside those that are pinned already.
 *
 * Raises, at ["select", name], `invalid_argument` for an axis that is spatial, absent or pinned already, `wrong_type`
 * for a fraction and `out_of_range` for an index that is not there.
 */
export function selectionOf(wanted: Readonly<Record<string, number>>, of: Pinnable, before: Selection): Selection {
  const found = new Map(before);
  for (const [name, index] of Object.entries(wanted)) {
    const at = ["select", name];
    const axis = of.axes.indexOf(name);
    if (axis < 0 || of.spatial.includes(axis) || before.has(axis)) {
      const why = axis < 0 ? "is no axis" : before.has(axis) ? "is pinned already" : "is a spatial axis";
      const free = of.axes.filter((_, other) => !of.spatial.includes(other) && !before.has(other));
      throw new PlacedError(
        "invalid_argument",
        at,
        `select: ${name} ${why}; the axes to select are ${free.join(", ") || "none"}`,
      );
    }
    checkWhole([index], at);
    const size = entry(of.shape, axis);
    if (index < 0 || index >= size) {
      throw new PlacedError("out_of_range", at, `select: the index ${index} of ${name} is not in [0, ${size})`);
    }
    found.set(axis, index);
  }
  return found;
}
