// Patches drawn from pyramids: which voxels a sample reads, and what becomes of their values.

export { alignedChunks, type ChunkCentres } from "./chunks.js";
export { parseConfig } from "./config.js";
export type { Config, Factory, ResolutionSampling, Sizes, VolumeConfig } from "./config-fields.js";
export type { Whole } from "./check.js";
export { describeVolumes, type Described, type DescribedVolume } from "./describe.js";
export { drawForegroundCentre, drawSample, probabilities, type Draws, type Sample } from "./draw.js";
export { drawForeground, foregroundCells, type Cell, type VolumeCell } from "./foreground.js";
export { foregroundFraction, foregroundOf, gridFractions, type Foreground, type Mask } from "./fraction.js";
export { gridOf, gridPosition, type Grid, type GridPosition } from "./grid.js";
export { extentSize, finestLevel, levelFor, pinnedIndex, type LevelPolicy } from "./level.js";
export { normalise, type Normalisation, type Value } from "./normalise.js";
export { labelVoxels, outputPositions, resampleLinear } from "./resample.js";
export { fixedAxes, pinnedVolumes, type FixedAxes, type PinnedVolume } from "./pinned.js";
export type { DescribedLevel, DescribedPyramid } from "./pyramid.js";
export { sampledCentres, sampledSize, type Ranges, type Rules, type SampledVolume } from "./sampling.js";
export { fitted, scaleOf, type Scale } from "./scale.js";
export { drawSymmetry, rot90, spatialDims, type Symmetry, type Voxels } from "./symmetry.js";
export { affinities, erode, type Labels } from "./targets.js";
export { configOfYaml } from "./yaml.js";
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
