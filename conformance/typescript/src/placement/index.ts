// Placement: what an array at a path of a store is, and where it lies.

export { type ConvertOptions, convertUnits, type InUnits, type Wanted } from "./convert.js";
export { type PyramidLevel } from "./levels.js";
export { type Pyramid, readPyramid } from "./pyramid.js";
export { readArray } from "./read.js";
export { type ArrayRecord, type PlacedBy, type Placement, type ReadOptions } from "./types.js";
