// Reading an array at another voxel size.

export { applyKernels } from "./apply.js";
export { type Element, type NdArray, roundToFloat } from "./elements.js";
export { axisKernel, type Kernel, METHODS, type Row, sourceRange } from "./kernel.js";
export { type Asked, type AxisSizes, type Resampled, resampleArray, resampleAxis } from "./resample.js";
export { type AxisGrids, sameAxis, type Target, targetAxis } from "./target.js";
