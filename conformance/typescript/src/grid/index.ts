// Grids without a store, blocks that tile them, chunks that cover a box, factors of levels.

export {
  allBlocks,
  type Block,
  blockAt,
  type BlockFacts,
  blockFrom,
  type Blocks,
  blocksBetween,
  type Context,
  makeBlocks,
} from "./blocks.js";
export { checkChunks, chunkGrid, indicesIn, unitsCovering } from "./chunks.js";
export { type FactorFacts, levelFactors } from "./factors.js";
export {
  type Grid,
  gridBox,
  gridCorner,
  type GridFacts,
  gridIndexBox,
  makeGrid,
  onAxes,
  onEveryAxis,
  spatialPlaced,
  targetGrid,
  writeShape,
} from "./grid.js";
export { axisUnits, type UnitsGiven } from "./units.js";
