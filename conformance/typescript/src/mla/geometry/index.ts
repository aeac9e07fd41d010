// Geometry of .mla files: spaces, indices, patches, and what other formats say of them.

export { changeGeometry, type ChangedGeometry } from "./change.js";
export { composeGeometry, type ComposedGeometry, composeSpace } from "./compose.js";
export { deriveGeometry, indexToSpace, type MlaGeometry, spaceToIndex } from "./derive.js";
export type { MlaArray } from "./elements.js";
export { applyIndexMap, type IndexMap, invertIndexMap } from "./index-map.js";
export type { Rows } from "./linear.js";
export { type Padding, type PatchBox, type PatchElement, type PatchPlan, planPatch, readPatch } from "./patch.js";
export type { SaidGeometry } from "./said.js";
export { axisCoordinates } from "./sampling.js";
