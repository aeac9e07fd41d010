// World and index space.

export { checkNames, defaultAxes, isChannel, isTime, spatialAxes, typeByName } from "./axes.js";
export {
  boxCentre,
  boxShape,
  containsBox,
  containsPoint,
  type Each,
  grow,
  intersect,
  isEmpty,
  makeBox,
  perAxis,
  shift,
  snapBox,
  SNAP_MODES,
  union,
} from "./box.js";
export {
  checkAllFinite,
  checkAllPositive,
  checkFinite,
  checkLength,
  checkPositive,
  checkRange,
  checkShape,
  checkUnit,
  checkWhole,
  checkWord,
  entry,
  listed,
  named,
} from "./checks.js";
export { sameSize, sameSizes, snap, snappedCeil, snappedFloor, TOLERANCE } from "./tolerance.js";
export {
  aboveCorner,
  type Alignment,
  alignment,
  type Box,
  boxOfVoxels,
  checkPlaced,
  cornerToCentre,
  indexRange,
  lowerCorner,
  type Placed,
} from "./voxels.js";
