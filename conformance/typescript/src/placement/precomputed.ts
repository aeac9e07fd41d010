// Where a scale of a precomputed volume lies: nanometres, and the corner in voxels.

import { exactly, type FoundObject, needed, positiveOf, reversed } from "../documents/document.js";
import { channelsOf, voxelOffset } from "../documents/precomputed.js";
import { type Axes, settledAxes } from "./axes.js";
import { placementOf } from "./place.js";
import type { Placement } from "./types.js";

function axesOf(channels: boolean): Axes {
  const names = channels ? ["c", "z", "y", "x"] : ["z", "y", "x"];
  const types = channels ? ["channel", "space", "space", "space"] : ["space", "space", "space"];
  return settledAxes({ names }, names.length, types);
}

/** The placement of one scale of an info, c, z, y, x for several channels, else z, y, x. */
export function precomputedPlacement(info: FoundObject, scale: FoundObject): Placement {
  const axes = axesOf(channelsOf(info) > 1);
  const sizes = reversed(exactly(needed(scale, "resolution"), 3, positiveOf));
  const offset = voxelOffset(scale);
  const centres = sizes.map((size, axis) => ((offset?.[axis] ?? 0) + 0.5) * size);
  const leading = axes.names.length - sizes.length;
  return placementOf(axes, {
    by: "precomputed",
    voxelSize: axes.names.map((_, axis) => sizes[axis - leading]),
    translation: axes.names.map((_, axis) => centres[axis - leading]),
    declared: offset !== undefined,
    units: axes.names.map((_, axis) => (axis < leading ? "" : "nm")),
  });
}
