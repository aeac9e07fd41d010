// A placement from settled axes and what a rule says of them.

import type { Axes } from "./axes.js";
import type { Placement, Placing } from "./types.js";

/** What places an array that nothing places: voxels of 1 with the corner at the origin. */
export const unplaced = ({ names, spatial }: Axes): Placing => ({
  by: null,
  voxelSize: names.map(() => 1),
  translation: names.map((_, axis) => (spatial.includes(axis) ? 0.5 : 0)),
  declared: false,
});

/** The lower corner of voxel 0: half a voxel below its centre, on spatial axes. */
const cornerOf = (
  translation: readonly number[],
  voxelSize: readonly number[],
  spatial: readonly number[],
): readonly number[] =>
  translation.map((centre, axis) => (spatial.includes(axis) ? centre - (voxelSize[axis] ?? 0) / 2 : centre));

/** The placement of an array: axes that a rule says nothing of have voxels of 1, the first at 0. */
export function placementOf(axes: Axes, placing: Placing, units?: readonly string[]): Placement {
  const voxelSize = axes.names.map((_, axis) => placing.voxelSize[axis] ?? 1);
  const translation = axes.names.map((_, axis) => (placing.translation[axis] ?? 0) + 0);
  return {
    axes: axes.names,
    axesNamed: axes.named,
    axisTypes: axes.types,
    spatial: axes.spatial,
    units: placing.units ?? units ?? axes.names.map(() => ""),
    voxelSize,
    translation,
    corner: cornerOf(translation, voxelSize, axes.spatial).map((value) => value + 0),
    translationDeclared: placing.declared,
    placedBy: placing.by,
  };
}
