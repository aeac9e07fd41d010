import { PlacedError } from "../src/errors.js";
import type { Box } from "../src/geometry/index.js";
import * as grids from "../src/grid/index.js";
import type { Block, BlockFacts, Blocks, Context, Grid, GridFacts } from "../src/grid/index.js";
import type { Input, Ops } from "./op.js";

const numbers = (values: readonly (number | bigint)[]): readonly number[] => values.map(Number);
const optional = (values: readonly (number | bigint)[] | undefined): readonly number[] | undefined =>
  values?.map(Number);
const box = ({ begin, end }: Input): Box => ({ begin: numbers(begin), end: numbers(end) });

const facts = (input: Input): GridFacts => ({
  shape: numbers(input.shape),
  voxelSize: numbers(input.voxel_size),
  translation: numbers(input.translation),
  axes: input.axes,
  axisTypes: input.axis_types,
  units: input.units,
  chunks: optional(input.chunks),
  shards: optional(input.shards),
});

const answer = (grid: Grid): unknown => ({
  shape: grid.shape,
  axes: grid.axes,
  axis_types: grid.axisTypes,
  spatial: grid.spatial,
  units: grid.units,
  voxel_size: grids.spatialPlaced(grid).voxelSize,
  translation: grids.spatialPlaced(grid).translation,
  corner: grids.gridCorner(grid),
  box: grids.gridBox(grid),
  write_shape: grids.writeShape(grid) ?? null,
  chunks: grid.chunks ?? null,
  shards: grid.shards ?? null,
  every_voxel_size: grid.voxelSize,
  every_translation: grid.translation,
});

function context(given: Input): Context {
  if (!Array.isArray(given)) return Number(given);
  return given.map((one) => (Array.isArray(one) ? numbers(one) : Number(one)));
}

function blocks(input: Input): Blocks {
  const given: BlockFacts = {
    shape: numbers(input.shape),
    blockShape: numbers(input.block_shape),
    context: input.context === undefined ? undefined : context(input.context),
    box: input.box === undefined ? undefined : box(input.box),
    clip: input.clip,
  };
  return grids.makeBlocks(given);
}

const block = ({ index, id, write, read, inner }: Block): unknown => ({
  index,
  id,
  begin: write.begin,
  end: write.end,
  read_begin: read.begin,
  read_end: read.end,
  inner,
});

function covering(input: Input): unknown {
  const shape = numbers(input.shape);
  const chunks = optional(input.chunks);
  const shards = optional(input.shards);
  grids.checkChunks(shape, chunks, shards);
  if (chunks === undefined) throw new PlacedError("missing_field", ["chunks"], "chunks is missing");
  return grids.unitsCovering(shape, input.write === true ? (shards ?? chunks) : chunks, box(input));
}

export const ops: Ops = {
  "grid.grid": (input) => answer(grids.makeGrid(facts(input))),
  "grid.from_meta": (input) => {
    const grid = grids.makeGrid(facts(input));
    return answer(input.target === undefined ? grid : grids.targetGrid(grid, numbers(input.target)));
  },
  "grid.index_box": (input) => grids.gridIndexBox(grids.makeGrid(facts(input)), box(input.box)),
  "grid.chunks_covering": covering,
  "grid.chunk_grid": ({ shape, unit }) => grids.chunkGrid(numbers(shape), numbers(unit)),
  "grid.blocks": (input) => grids.allBlocks(blocks(input)).map(block),
  "grid.block_arrays": (input) => {
    const found = grids.blocksBetween(blocks(input), input.start, input.stop);
    return {
      begin: found.map(({ write }) => write.begin),
      end: found.map(({ write }) => write.end),
      read_begin: found.map(({ read }) => read.begin),
      read_end: found.map(({ read }) => read.end),
    };
  },
  "grid.index_of": (input) => grids.blockFrom(blocks(input), numbers(input.begin)),
  "grid.level_factors": (input) =>
    grids.levelFactors({
      voxelSize: numbers(input.voxel_size),
      ratio: input.ratio,
      maxLevels: input.max_levels,
      stopShape: optional(input.stop_shape),
      shape: optional(input.shape),
    }),
};
