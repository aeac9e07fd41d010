// Writing: documents of arrays and groups, levels, and the write units of a box.

export { arrayDocuments, type ArrayWanted } from "./array.js";
export { type AxesWanted, axesOfArray, type UnitsWanted, type WrittenAxes, writtenAxes } from "./axes.js";
export { type CodecsWanted } from "./codecs.js";
export { arrayDifferences, type Difference } from "./differences.js";
export { type FillWanted, heldFloat, heldInteger } from "./fill.js";
export { levelPlacement, levelShape, type LevelOf } from "./levels.js";
export { type LevelEntry, mergedGroup } from "./merge.js";
export { type LevelWanted, multiscales, type MultiscaleWanted } from "./multiscales.js";
export { type WritePlan, writeUnits } from "./plan.js";
