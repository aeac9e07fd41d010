// Geometry of .mla files: spaces, indices, patches, and what other formats say of them.

export { changeGeometry, type ChangedGeometry } from "./change.js";
export { composeGeometry, type ComposedGeometry, composeSpace } from "./compose.js";
export { deriveGeometry, indexToSpace, type MlaGeometry, spaceToIndex } from "./derive.js";
export { type DicomSlice, dicomSeries, type DicomVolume } from "./dicom.js";
export type { MlaArray } from "./elements.js";
export { applyIndexMap, type IndexMap, invertIndexMap } from "./index-map.js";
export { itkPlace, type ItkPlace, itkSpace } from "./itk.js";
export type { Rows } from "./linear.js";
export { niftiAffine, type NiftiAffine } from "./nifti-affine.js";
export { niftiGeometry, type NiftiHeader } from "./nifti.js";
export type { NrrdHeader } from "./nrrd.js";
export { omeZarrPlace, type OmeZarrPlace, omeZarrSpace } from "./omezarr.js";
export { type Padding, type PatchBox, type PatchElement, type PatchPlan, planPatch, readPatch } from "./patch.js";
export type { SaidGeometry } from "./said.js";
export { axisCoordinates } from "./sampling.js";
