// How the slices of a DICOM series make a volume.

import { PlacedError, type Warn } from "../../errors.js";
import { cross, dot, fromColumns, lengthOf, minus, type Rows, times } from "./linear.js";
import { withLastRow } from "./derive.js";

/** Where a slice lies, in millimetres, x toward left, y toward posterior, z toward superior. */
export interface DicomSlice {
  /** The centre of its first voxel. */
  readonly ImagePositionPatient: readonly number[];
  /** Along a row, then along a column: 3 numbers each. */
  readonly ImageOrientationPatient: readonly number[];
  /** Between rows, then between columns. */
  readonly PixelSpacing: readonly number[];
}

/** How slices make a volume. */
export interface DicomVolume {
  /** Entry k is the number of the slice that is slice k of the volume. */
  readonly order: readonly number[];
  /** 4 rows of 4 numbers: index slice, row, column (whole numbers are centres) to left, posterior, superior. */
  readonly matrix: Rows;
}

type Keyword = keyof DicomSlice;

const LENGTHS: readonly (readonly [Keyword, number])[] = [
  ["ImagePositionPatient", 3],
  ["ImageOrientationPatient", 6],
  ["PixelSpacing", 2],
];

/** How far from what it should be a number is, before it counts, in millimetres or of a cosine. */
const TOLERANCE = 1e-3;
const SAME_COSINE = 1e-4;
const SAME_SPACING = 1e-5;
const LEAST_NORMAL = 1e-6;

function checkNumbers(slice: DicomSlice, number: number): void {
  for (const [keyword, count] of LENGTHS) {
    const values = slice[keyword];
    if (values.length !== count) {
      const message = `${keyword} of slice ${number} has ${values.length} numbers; ${count} belong there`;
      throw new PlacedError("wrong_length", [number, keyword], message);
    }
    if (!values.every(Number.isFinite)) {
      throw new PlacedError("not_finite", [number, keyword], `${keyword} of slice ${number} holds a number that is not finite`);
    }
  }
}

/** Directions along a row and a column, and their normal. */
interface Plane {
  readonly row: readonly number[];
  readonly column: readonly number[];
  readonly normal: readonly number[];
}

function planeOf({ ImageOrientationPatient: cosines }: DicomSlice, warn: Warn): Plane {
  const [row, column] = [cosines.slice(0, 3), cosines.slice(3, 6)];
  const normal = cross(row, column);
  if (lengthOf(normal) < LEAST_NORMAL) {
    const message = `rows and columns of slice 0 have one direction, ${cosines.join(", ")}, so they make no plane`;
    throw new PlacedError("wrong_value", [0, "ImageOrientationPatient"], message);
  }
  const off = [dot(row, row) - 1, dot(column, column) - 1, dot(row, column)];
  if (off.some((value) => Math.abs(value) > TOLERANCE)) warn("wrong_value");
  return { row, column, normal };
}

function checkSame(slice: DicomSlice, number: number, first: DicomSlice): void {
  const within: readonly (readonly [Keyword, (value: number) => number])[] = [
    ["ImageOrientationPatient", () => SAME_COSINE],
    ["PixelSpacing", (value) => SAME_SPACING * Math.abs(value)],
  ];
  for (const [keyword, tolerance] of within) {
    const [own, its] = [first[keyword], slice[keyword]];
    if (own.every((value, place) => Math.abs(value - (its[place] ?? 0)) <= tolerance(value))) continue;
    const message = `${keyword} of slice ${number} is ${its.join(", ")}, but that of slice 0 is ${own.join(", ")}`;
    throw new PlacedError("conflict", [number, keyword], message);
  }
}

/** The gaps between neighbours along the normal. Errors: `duplicate` for slices at one place. Warning: for uneven gaps. */
function checkGaps(positions: Rows, order: readonly number[], normal: readonly number[], warn: Warn): void {
  const length = lengthOf(normal);
  const gaps = positions.slice(1).map((position, before) => dot(minus(position, positions[before] ?? []), normal) / length);
  const smallest = Math.min(...gaps);
  if (smallest <= TOLERANCE) {
    const before = gaps.indexOf(smallest);
    const [number, other] = [order[before + 1] ?? 0, order[before]];
    const message = `slices ${other} and ${number} lie at one place along the normal, ${smallest} mm apart`;
    throw new PlacedError("duplicate", [number, "ImagePositionPatient"], message);
  }
  if (Math.max(...gaps) - smallest > TOLERANCE) warn("wrong_value");
}

/** Warning: where a slice lies beside the line from the first to the last. */
function checkLine(positions: Rows, normal: readonly number[], warn: Warn): void {
  const first = positions[0] ?? [];
  const way = minus(positions.at(-1) ?? [], first);
  const beside = positions.some((position) => {
    const part = dot(minus(position, first), normal) / dot(way, normal);
    return minus(minus(position, first), times(way, part)).some((value) => Math.abs(value) > TOLERANCE);
  });
  if (beside) warn("wrong_value");
}

/** From one slice to the next: between the first and the last, or the thickness of one that is alone. */
function stepOf(positions: Rows, normal: readonly number[], thickness: number | undefined, warn: Warn): readonly number[] {
  const [first = [], last = []] = [positions[0], positions.at(-1)];
  if (positions.length > 1) return minus(last, first).map((value) => value / (positions.length - 1));
  if (thickness === undefined || thickness === 0) warn("missing_key");
  return times(normal, thickness || 1);
}

/**
 * In which order the slices of a series, which are in the order of the files, make a volume, and its matrix; `thickness` is
 * that of a slice, in millimetres. Errors, at [number of the slice, keyword]: `wrong_value` where rows and columns make no
 * plane, `conflict` for the first slice that does not go with slice 0, `duplicate` for slices at one place, `wrong_length`
 * and `not_finite` for numbers. Warnings: `wrong_value` for directions that are no unit vectors at right angles, for uneven
 * gaps and for slices beside the line; `missing_key` for a thickness of 1.
 */
export function dicomSeries(slices: readonly DicomSlice[], thickness: number | undefined, warn: Warn): DicomVolume {
  slices.forEach(checkNumbers);
  const [reference] = slices;
  if (reference === undefined) throw new PlacedError("wrong_length", [], "there are 0 slices; at least 1 belongs here");
  const { row, column, normal } = planeOf(reference, warn);
  slices.forEach((slice, number) => checkSame(slice, number, reference));
  const heights = slices.map((slice) => dot(slice.ImagePositionPatient, normal));
  const order = slices.map((_, number) => number).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const positions = order.map((number) => slices[number]?.ImagePositionPatient ?? []);
  if (positions.length > 1) {
    checkGaps(positions, order, normal, warn);
    checkLine(positions, normal, warn);
  }
  const [betweenRows = 1, betweenColumns = 1] = reference.PixelSpacing;
  const step = stepOf(positions, normal, thickness, warn);
  const columns = [step, times(column, betweenRows), times(row, betweenColumns), positions[0] ?? []];
  return { order, matrix: withLastRow(fromColumns(columns, 3)) };
}
