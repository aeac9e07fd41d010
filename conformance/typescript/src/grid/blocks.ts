// Blocks that tile an array, or a box in it, and the boxes around them that are read.

import { PlacedError } from "../errors.js";
import { type Box, checkLength, checkRange, checkShape, checkUnit, checkWhole, entry } from "../geometry/index.js";
import { indicesIn } from "./chunks.js";

/** One number, or one per axis, or [before, after] per axis; in voxels. */
export type Context = number | readonly (number | readonly number[])[];

/** How an array is cut; lists are in voxels, in C order. */
export interface BlockFacts {
  readonly shape: readonly number[];
  readonly blockShape: readonly number[];
  /** What is read around a block; nothing where absent. */
  readonly context?: Context | undefined;
  /** What is tiled, from its begin on; the whole array where absent. */
  readonly box?: Box | undefined;
  /** Whether read boxes are cut to the array; true where absent. */
  readonly clip?: boolean | undefined;
}

/** Blocks that tile `box`, `counts` of them on each axis. */
export interface Blocks {
  readonly shape: readonly number[];
  readonly blockShape: readonly number[];
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly box: Box;
  readonly clip: boolean;
  readonly counts: readonly number[];
  /** How many blocks there are; their ids are those below. */
  readonly length: number;
}

/** A block: its position, its linear id, what is written, what is read, and the former inside the latter. */
export interface Block {
  readonly index: readonly number[];
  readonly id: number;
  readonly write: Box;
  readonly read: Box;
  readonly inner: Box;
}

function sides(context: Context, count: number): readonly (readonly [number, number])[] {
  const given = typeof context === "number" ? Array.from({ length: count }, () => context) : context;
  checkLength(given, count, ["context"]);
  return given.map((one, axis) => {
    const pair = typeof one === "number" ? [one, one] : one;
    if (pair.length !== 2)
      throw new PlacedError(
        "wrong_length",
        ["context", axis],
        `context has ${pair.length} entries, but 2 belong there`,
      );
    checkWhole(pair, ["context"]);
    const wrong = pair.find((side) => side < 0);
    if (wrong === undefined) return [entry(pair, 0), entry(pair, 1)];
    throw new PlacedError(
      "out_of_range",
      ["context", axis],
      `context is ${wrong} on axis ${axis}, but it is at least 0`,
    );
  });
}

function checkInside(box: Box, shape: readonly number[]): void {
  checkLength(box.begin, shape.length, ["box"]);
  checkRange(box.begin, box.end);
  checkWhole(box.begin, ["begin"]);
  checkWhole(box.end, ["end"]);
  const axis = shape.findIndex((size, position) => entry(box.begin, position) < 0 || entry(box.end, position) > size);
  if (axis < 0) return;
  const message = `box is [${box.begin[axis]}, ${box.end[axis]}) on axis ${axis}, which is not inside [0, ${shape[axis]})`;
  throw new PlacedError("out_of_range", ["box", axis], message);
}

/**
 * Blocks that tile an array or a box in it; the last on an axis is cut.
 *
 * Raises `not_positive` at ["block_shape", axis], `out_of_range` at ["context", axis] and ["box", axis], `order` at
 * ["end", axis], and `wrong_length` and `wrong_type` at the lists.
 */
export function makeBlocks({ shape, blockShape, context = 0, box, clip = true }: BlockFacts): Blocks {
  checkShape(shape, ["shape"]);
  checkLength(blockShape, shape.length, ["block_shape"]);
  checkUnit(blockShape, ["block_shape"]);
  const around = sides(context, shape.length);
  const tiled = box ?? { begin: shape.map(() => 0), end: shape };
  checkInside(tiled, shape);
  const counts = blockShape.map((size, axis) => Math.ceil((entry(tiled.end, axis) - entry(tiled.begin, axis)) / size));
  const length = counts.reduce((whole, count) => whole * count, 1);
  const [before, after] = [around.map(([side]) => side), around.map(([, side]) => side)];
  return { shape, blockShape, before, after, box: tiled, clip, counts, length };
}

/** The position of the block with a linear id, in C order. */
function indexOf({ counts }: Blocks, id: number): readonly number[] {
  let rest = id;
  return counts.reduceRight<readonly number[]>((index, count) => {
    const position = rest % count;
    rest = (rest - position) / count;
    return [position, ...index];
  }, []);
}

const idOf = ({ counts }: Blocks, index: readonly number[]): number =>
  counts.reduce((id, count, axis) => id * count + entry(index, axis), 0);

function blockOf(blocks: Blocks, index: readonly number[], id: number): Block {
  const { shape, blockShape, before, after, box, clip } = blocks;
  const begin = index.map((position, axis) => entry(box.begin, axis) + position * entry(blockShape, axis));
  const end = begin.map((from, axis) => Math.min(from + entry(blockShape, axis), entry(box.end, axis)));
  const readBegin = begin.map((from, axis) => Math.max(from - entry(before, axis), clip ? 0 : -Infinity));
  const readEnd = end.map((to, axis) => Math.min(to + entry(after, axis), clip ? entry(shape, axis) : Infinity));
  const inside = (values: readonly number[]): readonly number[] =>
    values.map((value, axis) => value - entry(readBegin, axis));
  return {
    index,
    id,
    write: { begin, end },
    read: { begin: readBegin, end: readEnd },
    inner: { begin: inside(begin), end: inside(end) },
  };
}

/** The block with a linear id; `out_of_range` at ["id"] where there is none. */
export function blockAt(blocks: Blocks, id: number): Block {
  if (Number.isInteger(id) && id >= 0 && id < blocks.length) return blockOf(blocks, indexOf(blocks, id), id);
  throw new PlacedError("out_of_range", ["id"], `there is no block ${id}; there are ${blocks.length}`);
}

/** Every block, in C order. */
export function allBlocks(blocks: Blocks): readonly Block[] {
  const indices = indicesIn({ begin: blocks.counts.map(() => 0), end: blocks.counts });
  return indices.map((index, id) => blockOf(blocks, index, id));
}

/** The blocks with ids from `start` to before `stop`; `out_of_range` at ["start"] where these bound none. */
export function blocksBetween(blocks: Blocks, start = 0, stop = blocks.length): readonly Block[] {
  checkWhole([start], ["start"]);
  checkWhole([stop], ["stop"]);
  if (start < 0 || stop < start || stop > blocks.length) {
    throw new PlacedError("out_of_range", ["start"], `blocks [${start}, ${stop}) are not in [0, ${blocks.length})`);
  }
  return Array.from({ length: stop - start }, (_, step) => blockAt(blocks, start + step));
}

/**
 * Position and linear id of the block whose first voxel is `begin`.
 *
 * Raises `out_of_range` at ["begin", axis] before the first and past the last block, `not_aligned` inside a block.
 */
export function blockFrom(
  blocks: Blocks,
  begin: readonly number[],
): { readonly index: readonly number[]; readonly id: number } {
  checkLength(begin, blocks.shape.length, ["begin"]);
  checkWhole(begin, ["begin"]);
  const index = begin.map((from, axis) => {
    const size = entry(blocks.blockShape, axis);
    const first = entry(blocks.box.begin, axis);
    const position = Math.floor((from - first) / size);
    if (position < 0 || position >= entry(blocks.counts, axis)) {
      const bounds = `[${first}, ${blocks.box.end[axis]})`;
      throw new PlacedError(
        "out_of_range",
        ["begin", axis],
        `begin is ${from} on axis ${axis}, outside the blocks' ${bounds}`,
      );
    }
    if (first + position * size === from) return position;
    const message = `begin is ${from} on axis ${axis}, inside a block; blocks of ${size} begin at ${first}`;
    throw new PlacedError("not_aligned", ["begin", axis], message);
  });
  return { index, id: idOf(blocks, index) };
}
