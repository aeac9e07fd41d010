// Reading: arrays of a store, opened and read by index, by world box and onto other grids.

export { readIndex } from "./index-read.js";
export { readOnto } from "./onto.js";
export { ON_MISMATCH, openVolume, type VolumeGrid, volumeGrid } from "./open.js";
export { type Padding, type PaddingWanted } from "./padding.js";
export { type UnitsAsked } from "./sizes.js";
export { type OpenOptions, type ReadAnswer, type ReadAsked, type Volume } from "./types.js";
export { readWindow } from "./window.js";
export { readWorld, type WorldAsked } from "./world.js";
