// What is known of an array and of its place.

import type { ArrayFacts, Format, Json, JsonObject, Separator } from "../documents/index.js";
import type { Warn } from "../errors.js";

/** The rule that gave voxel size and translation; null where nothing placed the array. */
export type PlacedBy = "ome" | "cosem" | "funlib" | "n5" | "precomputed" | "dimension_units" | null;

/** How documents are read: `conflicts` "warn" lets contradictions pass; `separator` is for zarr v2 chunks. */
export interface ReadOptions {
  readonly conflicts?: "error" | "warn";
  readonly separator?: Separator;
}

/**
 * Where an array lies, per axis in C order and in its stored units: `translation` is the centre of voxel 0, `corner`
 * half a voxel below on spatial axes. `axisTypes` is null where no axis has a type; a missing unit is "".
 */
export interface Placement {
  readonly axes: readonly string[];
  readonly axesNamed: boolean;
  readonly axisTypes: readonly string[] | null;
  readonly spatial: readonly number[];
  readonly units: readonly string[];
  readonly voxelSize: readonly number[];
  readonly translation: readonly number[];
  readonly corner: readonly number[];
  readonly translationDeclared: boolean;
  readonly placedBy: PlacedBy;
}

/**
 * One array of a store: `key` is the folder of its chunks, `path` its path (of a precomputed scale the volume's and
 * the key), `parent` the folder above (the volume). The attributes and the multiscale's transforms are raw.
 */
export interface ArrayRecord extends ArrayFacts, Placement {
  readonly format: Format;
  readonly path: string;
  readonly parent: string;
  readonly attributes: JsonObject;
  readonly groupAttributes: JsonObject;
  readonly outerTransforms: readonly Json[];
}

/** How an array is read: its number of axes, how lenient to be, and whom to warn. */
export interface Reading {
  readonly count: number;
  readonly lenient: boolean;
  readonly warn: Warn;
}

/** Axes as some rule names them: null for a name that is not given, "" for a type or unit that is not. */
export interface NamedAxes {
  readonly names: readonly (string | null)[];
  readonly types?: readonly string[];
  readonly units?: readonly string[];
}

/** What a rule says of each axis; undefined where its lists do not cover an axis. */
export interface Placing {
  readonly by: PlacedBy;
  readonly voxelSize: readonly (number | undefined)[];
  readonly translation: readonly (number | undefined)[];
  readonly declared: boolean;
  /** Absent where the rule says nothing of units. */
  readonly units?: readonly string[] | undefined;
}
