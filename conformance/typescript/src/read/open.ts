// Opening a path of a store.

import type { Store } from "../documents/index.js";
import type { Warn } from "../errors.js";
import { checkWord, sameSizes } from "../geometry/index.js";
import { LEVEL_MODES } from "../levels/index.js";
import { readArray, type ReadOptions } from "../placement/index.js";
import { METHODS } from "../resample/index.js";
import { gridOf, targetsOf } from "./grid.js";
import { type Chosen, choose, noSize } from "./level.js";
import { paddingOf } from "./padding.js";
import { selectionOf } from "./select.js";
import { converted, eachSpatial, type InUnits, onSpatial, rescaled, sizesAsked } from "./sizes.js";
import type { OpenOptions, Volume } from "./types.js";

/** What to do where no level has the size asked for. */
export const ON_MISMATCH = ["error", "resample", "relabel", "keep"] as const;

function checkOptions({ levelMode, onMismatch, method, separator }: OpenOptions): void {
  if (levelMode !== undefined) checkWord(levelMode, LEVEL_MODES, ["level_mode"]);
  if (onMismatch !== undefined) checkWord(onMismatch, ON_MISMATCH, ["on_mismatch"]);
  if (method !== undefined) checkWord(method, METHODS, ["method"]);
  if (separator !== undefined) checkWord(separator, [".", "/"], ["dimension_separator"]);
}

/** Where voxels lie once the size asked for is met, and the size to resample to. */
interface Met {
  readonly placed: InUnits;
  readonly target: readonly number[] | undefined;
}

function meet(placed: InUnits, chosen: Chosen, path: string, { voxelSize, onMismatch = "error" }: OpenOptions): Met {
  if (voxelSize === undefined) return { placed, target: undefined };
  const asked = sizesAsked(voxelSize, placed, ["voxel_size"]);
  const own = onSpatial(placed.voxelSize, placed);
  if (sameSizes(own, asked) || onMismatch === "keep") return { placed, target: undefined };
  if (onMismatch === "resample") return { placed, target: asked };
  if (onMismatch === "relabel") return { placed: rescaled(placed, own, asked), target: undefined };
  throw noSize(chosen, own, asked, path);
}

/**
 * The array that a path and the options name, in the units asked for.
 *
 * Raises `wrong_value` at ["level_mode"], ["on_mismatch"], ["method"] and ["dimension_separator"]; what `choose`
 * raises; `no_level` at the path; `unknown_unit` at ["units"], [path, "units", axis] and ["base_units"]; errors of
 * sizes at their names; what `selectionOf` and `paddingOf` raise. Warns as `readArray` and `convertUnits` do.
 */
export function openVolume(store: Store, path: string, options: OpenOptions, warn: Warn): Volume {
  checkOptions(options);
  const reading: ReadOptions = options.separator === undefined ? {} : { separator: options.separator };
  const chosen = choose(store, path, options, reading, warn);
  const record = readArray(store, chosen.path, reading, warn);
  const stored = chosen.levels.rebased(converted(record, chosen.levels.converting(record.path), warn));
  const { placed, target } = meet(stored, chosen, path, options);
  return {
    store,
    record,
    level: chosen.name,
    units: placed.units,
    voxelSize: placed.voxelSize,
    translation: placed.translation,
    sourceVoxelSize: onSpatial(stored.voxelSize, stored),
    target,
    anchor: options.anchor === undefined ? undefined : eachSpatial(options.anchor, record, ["anchor"]),
    padding: paddingOf(options.padding ?? 0, record.dtype),
    method: options.method ?? "nearest",
    selection: selectionOf(options.select ?? {}, record, new Map()),
  };
}

/** The grid that world reads answer on: axes that are not pinned; places over the spatial axes, of voxel 0. */
export interface VolumeGrid {
  readonly level: string;
  readonly axes: readonly string[];
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly voxelSize: readonly number[];
  readonly translation: readonly number[];
  readonly corner: readonly number[];
  readonly sourceVoxelSize: readonly number[];
  readonly resampled: boolean;
}

/** The grid that world reads of a volume answer on; a target grid begins at its first voxel that overlaps the data. */
export function volumeGrid(volume: Volume): VolumeGrid {
  const { record, target, selection } = volume;
  const grid = gridOf(volume, target, volume.anchor);
  const targets = targetsOf(grid);
  const kept = record.axes.map((_, axis) => axis).filter((axis) => !selection.has(axis));
  const size = onSpatial(grid.voxelSize, record);
  const first = record.spatial.map((axis) => targets[axis]?.first ?? 0);
  const centre = onSpatial(grid.translation, record).map((value, at) => value + (first[at] ?? 0) * (size[at] ?? 0) + 0);
  return {
    level: volume.level,
    axes: kept.map((axis) => record.axes[axis] ?? ""),
    shape: kept.map((axis) => (targets[axis]?.stop ?? 0) - (targets[axis]?.first ?? 0)),
    dtype: record.dtype,
    voxelSize: size,
    translation: centre,
    corner: centre.map((value, at) => value - (size[at] ?? 0) / 2 + 0),
    sourceVoxelSize: volume.sourceVoxelSize,
    resampled: target !== undefined,
  };
}
