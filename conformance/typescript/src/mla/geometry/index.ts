// Geometry of .mla files.

export { deriveGeometry, indexToSpace, type MlaGeometry, spaceToIndex } from "./derive.js";
export { independentColumns, type Rows } from "./linear.js";
