// Whether the levels of a pyramid lie on each other.

import type { At, Warn } from "../errors.js";
import { checkAllFinite, checkLength, named, TOLERANCE } from "../geometry/index.js";
import { checkLevels, finest, type Level } from "./select.js";

/** A level and the centre of its voxel 0; `declared` says that the store gives that centre. */
export interface PlacedLevel extends Level {
  readonly translation: readonly number[];
  readonly declared: boolean;
}

/** A level that lies elsewhere, with the translation that it would have as a mean of blocks. */
export interface Misplaced {
  readonly name: string;
  readonly translation: readonly number[];
  readonly blockMeanTranslation: readonly number[];
}

/** The centre of voxel 0 of a level of these sizes that shares the corner of another one. */
export function blockMeanTranslation(base: PlacedLevel, voxelSize: readonly number[]): readonly number[] {
  return base.translation.map(
    (centre, axis) => centre + ((voxelSize[axis] ?? NaN) - (base.voxelSize[axis] ?? NaN)) / 2,
  );
}

/** Whether two centres agree on every axis, within the tolerance of the base's voxel. */
const agree = (a: readonly number[], b: readonly number[], base: Level): boolean =>
  a.every((value, axis) => Math.abs(value - (b[axis] ?? NaN)) <= TOLERANCE * (base.voxelSize[axis] ?? NaN));

/**
 * The levels that share neither the corner of the finest level's voxel 0 nor, where they declare it, its centre.
 *
 * Each comes with a warning `conflict`. Raises errors of sizes and translations at ["levels", position, field].
 */
export function checkPyramid(levels: readonly PlacedLevel[], warn: Warn): readonly Misplaced[] {
  checkLevels(levels);
  levels.forEach(({ name, voxelSize, translation }, position) => {
    const at: At = ["levels", position, "translation"];
    checkLength(translation, voxelSize.length, at, `${named(at)} of ${name}`);
    checkAllFinite(translation, at);
  });
  const base = finest(levels);
  if (base === undefined) return [];
  const found = levels
    .map(({ name, voxelSize, translation, declared }) => ({
      name,
      translation,
      blockMeanTranslation: blockMeanTranslation(base, voxelSize),
      centred: declared && agree(translation, base.translation, base),
    }))
    .filter(({ translation, blockMeanTranslation: mean, centred }) => !centred && !agree(translation, mean, base));
  found.forEach(() => warn("conflict"));
  return found.map(({ centred: _, ...misplaced }) => misplaced);
}
