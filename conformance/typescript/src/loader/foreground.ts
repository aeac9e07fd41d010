// The centres whose windows hold enough foreground.

import { PlacedError } from "../errors.js";
import type { Span } from "./axis.js";
import { alignedChunks } from "./chunks.js";
import type { Draws } from "./draw.js";
import { foregroundFraction, gridFractions, type Foreground } from "./fraction.js";
import type { Rules, SampledVolume } from "./sampling.js";

/** A cell of one axis: a run of centres and its middle. */
export interface Cell {
  readonly span: Span;
  readonly middle: number;
}

/** A cell of the volume, one of each axis. */
export type VolumeCell = readonly Cell[];

const NOISE = 1e-9;

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

/** The cells of each axis. */
function axisCells(volume: SampledVolume, rules: Rules, { lines }: Foreground, centres: readonly Span[]): Cell[][] {
  const chunks = rules.chunkAligned === true ? alignedChunks(volume, rules, centres) : [];
  return centres.map((span, axis) => {
    const size = Math.max(Math.floor(lines[axis]!.voxel / volume.image[0]!.voxel[axis]! + 0.5), 1);
    return (chunks[axis]?.centres ?? [span]).flatMap((run) => cellsOf(run, size));
  });
}

/** The cell of a volume at a position, the last axis fastest. */
function cellAt(axes: readonly (readonly Cell[])[], position: number): VolumeCell {
  let rest = position;
  return axes.reduceRight<Cell[]>((found, cells) => {
    const cell = cells[rest % cells.length]!;
    rest = Math.floor(rest / cells.length);
    return [cell, ...found];
  }, []);
}

/**
 * The cells of centres whose middle holds enough foreground, in order.
 *
 * @param centres the centres of the volume
 * @throws PlacedError `out_of_range` at `min_foreground` where there is none
 */
export function foregroundCells(
  volume: SampledVolume,
  rules: Rules,
  foreground: Foreground,
  centres: readonly Span[],
): VolumeCell[] {
  const least = volume.minForeground ?? 0;
  const axes = axisCells(volume, rules, foreground, centres);
  const middles = axes.map((cells) => cells.map(({ middle }) => middle));
  const fractions = gridFractions(foreground, middles);
  const enough: VolumeCell[] = [];
  let most = 0;
  fractions.forEach((fraction, position) => {
    most = Math.max(most, fraction);
    if (fraction >= least - NOISE) enough.push(cellAt(axes, position));
  });
  if (enough.length > 0) return enough;
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
  return enough ? centre : cell.map(({ middle }) => middle);
}
