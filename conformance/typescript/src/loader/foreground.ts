// Which part of a window is foreground, and the centres whose windows hold enough of it.

import { PlacedError } from "../errors.js";
import { clamp, type Line, type Span } from "./axis.js";
import { alignedChunks } from "./chunks.js";
import type { Draws } from "./draw.js";
import { firstScale, moves, type Rules, type SampledVolume } from "./sampling.js";
import { line, type Scale } from "./scale.js";
import { frameBeside } from "./volume.js";
import { startsAround } from "./windows.js";

/** The foreground of one level of a mask, or of labels: true where it is, flat in C order. */
export interface Mask {
  readonly shape: readonly number[];
  readonly data: ArrayLike<boolean>;
  /** The position of the level. */
  readonly level: number;
}

/** What fractions of foreground are computed from. */
export interface Foreground {
  readonly scale: Scale;
  /** Whether windows are moved to where they may begin. */
  readonly inside: boolean;
  /** The level of the mask, per axis. */
  readonly lines: readonly Line[];
  readonly data: ArrayLike<boolean>;
}

/** The cells of one axis: runs of centres and their middles. */
interface Cell {
  readonly span: Span;
  readonly middle: number;
}

/** A cell of the volume, one of each axis. */
type VolumeCell = readonly Cell[];

const NOISE = 1e-9;

/**
 * The foreground of a volume.
 *
 * @throws PlacedError `wrong_length` at `masks` for a foreground of another shape than its level
 */
export function foregroundOf(volume: SampledVolume, rules: Rules, mask: Mask): Foreground {
  const levels = volume.mask ?? volume.label ?? [];
  const { shape } = levels[mask.level]!;
  if (mask.shape.join() !== shape.join()) {
    const text = `foreground of ${mask.shape.join(", ")} voxels; the level has ${shape.join(", ")}`;
    throw new PlacedError("wrong_length", ["masks"], `volume ${volume.name}: ${text}`);
  }
  const corners = frameBeside(levels, volume.image);
  const lines = shape.map((_, axis) => line(levels, corners, mask.level, axis));
  return { scale: firstScale(volume, rules), inside: moves(volume, rules), lines, data: mask.data };
}

/** Which voxels of a line lie in the window from `begin` to `end`, and which part of the window each takes. */
function shares({ corner, voxel, size }: Line, begin: number, end: number): { first: number; parts: number[] } {
  const [from, to] = [(begin - corner) / voxel, (end - corner) / voxel];
  const first = clamp(Math.floor(from), 0, size);
  const behind = clamp(Math.ceil(to), first, size);
  const parts = Array.from({ length: behind - first }, (_, i) => {
    const covered = Math.min(to, first + i + 1) - Math.max(from, first + i);
    return Math.max(covered, 0) / (to - from);
  });
  return { first, parts };
}

/** The part of the first scale's window around a centre that is foreground: 0 to 1. */
export function foregroundFraction({ scale, inside, lines, data }: Foreground, centre: readonly number[]): number {
  const starts = startsAround(scale, centre, inside);
  const along = scale.axes.map(({ image }, axis) => {
    const begin = image.corner + starts[axis]! * image.voxel;
    return shares(lines[axis]!, begin, begin + image.read * image.voxel);
  });
  const sum = (axis: number, offset: number): number => {
    const found = along[axis];
    if (found === undefined) return data[offset] ? 1 : 0;
    const { first, parts } = found;
    return parts.reduce((total, part, i) => total + part * sum(axis + 1, offset * lines[axis]!.size + first + i), 0);
  };
  return sum(0, 0);
}

/** A run of centres, cut into cells of about `size` centres. */
function cellsOf([first, last]: Span, size: number): Cell[] {
  const count = last - first + 1;
  const cells = Math.ceil(count / size);
  return Array.from({ length: cells }, (_, i) => {
    const from = first + Math.floor((count * i) / cells);
    const to = first + Math.floor((count * (i + 1)) / cells) - 1;
    return { span: [from, to] as const, middle: Math.floor((from + to) / 2) };
  });
}

/** Every cell of a volume, the last axis fastest. */
function volumeCells(
  volume: SampledVolume,
  rules: Rules,
  { lines }: Foreground,
  centres: readonly Span[],
): VolumeCell[] {
  const chunks = rules.chunkAligned === true ? alignedChunks(volume, rules, centres) : [];
  const cells = centres.map((span, axis) => {
    const size = Math.max(Math.floor(lines[axis]!.voxel / volume.image[0]!.voxel[axis]! + 0.5), 1);
    return (chunks[axis]?.centres ?? [span]).flatMap((run) => cellsOf(run, size));
  });
  return cells.reduce<VolumeCell[]>(
    (found, along) => found.flatMap((cell) => along.map((one) => [...cell, one])),
    [[]],
  );
}

const middleOf = (cell: VolumeCell): number[] => cell.map(({ middle }) => middle);

/**
 * The cells of centres whose middle holds enough foreground.
 *
 * @throws PlacedError `out_of_range` at `min_foreground` where there is none
 */
export function foregroundCells(
  volume: SampledVolume,
  rules: Rules,
  foreground: Foreground,
  centres: readonly Span[],
): VolumeCell[] {
  const least = volume.minForeground ?? 0;
  const all = volumeCells(volume, rules, foreground, centres);
  const fractions = all.map((cell) => foregroundFraction(foreground, middleOf(cell)));
  const enough = all.filter((_, position) => fractions[position]! >= least - NOISE);
  if (enough.length > 0) return enough;
  const most = fractions.reduce((found, fraction) => Math.max(found, fraction), 0);
  const text = `no window has ${least} of foreground; the most is ${Number(most.toPrecision(12))}`;
  throw new PlacedError("out_of_range", ["min_foreground"], `volume ${volume.name}: ${text}`);
}

const size = (cell: VolumeCell): number =>
  cell.reduce((product, { span: [first, last] }) => product * (last - first + 1), 1);

/** A centre drawn among cells that hold enough foreground. */
export function drawForeground(
  volume: SampledVolume,
  foreground: Foreground,
  cells: readonly VolumeCell[],
  draws: Draws,
): number[] {
  const total = cells.reduce((sum, cell) => sum + size(cell), 0);
  const number = draws.uniform(0, total);
  let sum = 0;
  const cell = cells.find((one) => (sum += size(one)) > number) ?? cells.at(-1)!;
  const centre = cell.map(({ span: [first, last] }) => draws.integer(first, last));
  const enough = foregroundFraction(foreground, centre) >= (volume.minForeground ?? 0) - NOISE;
  return enough ? centre : middleOf(cell);
}
