// OME-NGFF documents of groups.

import type { Json, JsonObject } from "../documents/index.js";
import { type At, PlacedError } from "../errors.js";
import { checkWord, type Placed } from "../geometry/index.js";
import { type AxesWanted, type WrittenAxes, writtenAxes } from "./axes.js";
import { checkJson, checkPath, given, placedOn } from "./checks.js";

/** The versions that are written: 0.4 in zarr v2, 0.5 in zarr v3. */
export const VERSIONS = ["0.4", "0.5"] as const;

/** A level by its path below the group, placed over the spatial axes or over every axis. */
export interface LevelWanted extends Placed {
  readonly name: string;
}

/** A multiscale: its axes, and its levels in the order in which they are written. */
export interface MultiscaleWanted extends AxesWanted {
  readonly levels: readonly LevelWanted[];
  /** 0.5 where absent. */
  readonly version?: string | undefined;
  /** Left out where empty or absent. */
  readonly name?: string | undefined;
  readonly metadata?: Json | undefined;
}

/** The axes of a multiscale; type and unit only where there is one. */
export const axesJson = ({ names, types, units }: WrittenAxes): readonly JsonObject[] =>
  names.map((name, axis) => given({ name, type: types[axis] || undefined, unit: units[axis] || undefined }));

/** The two transforms of a dataset, always both. */
export const transformsJson = ({ voxelSize, translation }: Placed): readonly JsonObject[] => [
  { type: "scale", scale: voxelSize },
  { type: "translation", translation },
];

/** The entry of a level, placed on every axis. */
export const datasetJson = (path: string, placed: Placed): JsonObject => ({
  path,
  coordinateTransformations: transformsJson(placed),
});

/** The attributes of a group that holds one multiscale. */
export function multiscaleAttributes(multiscale: JsonObject, version: string): JsonObject {
  if (version === "0.4") return { multiscales: [{ version, ...multiscale }] };
  return { ome: { version, multiscales: [multiscale] } };
}

function datasets(levels: readonly LevelWanted[], axes: WrittenAxes): readonly JsonObject[] {
  if (levels.length === 0)
    throw new PlacedError("missing_field", ["levels"], "levels is empty; a multiscale has a level");
  return levels.map((level, position) => {
    const at: At = ["levels", position];
    checkPath(level.name, at);
    if (levels.findIndex(({ name }) => name === level.name) !== position) {
      throw new PlacedError("duplicate", at, `levels holds ${level.name} twice; a level has a path of its own`);
    }
    return datasetJson(level.name, placedOn(level, axes, at, ` of ${level.name}`));
  });
}

/**
 * The complete attributes of a group that holds these levels.
 *
 * Raises `wrong_value` at ["version"], what `writtenAxes` raises, `missing_field` at ["levels"]; `wrong_value` and
 * `duplicate` at ["levels", position], errors of lists below that; `not_finite` in ["metadata"].
 */
export function multiscales(wanted: MultiscaleWanted): JsonObject {
  const { version = "0.5", name, metadata } = wanted;
  checkWord(version, VERSIONS, ["version"]);
  const axes = writtenAxes(wanted);
  const entries = datasets(wanted.levels, axes);
  if (metadata !== undefined) checkJson(metadata, ["metadata"]);
  const multiscale = given({ name: name || undefined, axes: axesJson(axes), datasets: entries, metadata });
  return multiscaleAttributes(multiscale, version);
}
