// Patches drawn from pyramids: which voxels a sample reads, and what becomes of their values.

export { extentSize, finestLevel, levelFor, pinnedIndex, type LevelPolicy } from "./level.js";
export { normalise, type Normalisation, type Value } from "./normalise.js";
export { labelVoxels, outputPositions, resampleLinear } from "./resample.js";
export { fitted, scaleOf, type Scale } from "./scale.js";
export { drawSymmetry, rot90, spatialDims, type Symmetry, type Voxels } from "./symmetry.js";
export { affinities, erode, type Labels } from "./targets.js";
export { expanded, type Level, type PlacedVolume, type Range, type WindowRules } from "./volume.js";
export type { Span } from "./axis.js";
export {
  boxes,
  centres,
  windowAt,
  windowRange,
  windowsAround,
  type Box,
  type LabelWindow,
  type Window,
} from "./windows.js";
