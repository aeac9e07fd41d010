// Spaces of images that ITK places, or headers of NRRD files, and back.

import { PlacedError, type Warn } from "../../errors.js";
import type { MlaSpace, MlaSpaceAxis } from "../records.js";
import { spaceMatrix } from "../space-matrix.js";
import { bodyRows } from "./body.js";
import { patientAxes } from "./compose.js";
import { linearPart, spacingAndDirection, translationOf, withLastRow } from "./derive.js";
import { inMillimetres } from "./lengths.js";
import { columnOf, columnsOf, dot, fromColumns, type Rows, times } from "./linear.js";
import { bodyFlips, type NrrdHeader, nrrdPlacing, nrrdUnits, type Placing, spaceName } from "./nrrd.js";

/** Where ITK places an image: per axis, x first, in millimetres; the origin is the centre of voxel 0. */
export interface ItkPlace {
  readonly spacing: readonly number[];
  readonly origin: readonly number[];
  /** Columns are the directions of the axes, of length one. */
  readonly direction: Rows;
}

const LETTERS: readonly string[] = ["x", "y", "z"];

/** Where header and ITK differ by more than this part of the largest number, there is a warning. */
const AGREEMENT = 1e-5;

function itkPlacing({ spacing, origin, direction }: ItkPlace): Placing {
  return { columns: spacing.map((size, axis) => times(columnOf(direction, axis), size)), origin };
}

/** A placing by an NRRD header, turned toward left and posterior where it names a body. */
function turned({ columns, origin }: Placing, flips: readonly boolean[]): Placing {
  const turn = (vector: readonly number[]): readonly number[] => vector.map((value, row) => (flips[row] ? -value : value) + 0);
  return { columns: columns.map(turn), origin: turn(origin) };
}

const numbersOf = ({ columns, origin }: Placing): readonly number[] => [...columns.flat(), ...origin];

function differ(header: Placing, itk: Placing): boolean {
  const [numbers, others] = [numbersOf(header), numbersOf(itk)];
  const largest = Math.max(...numbers.map(Math.abs));
  return numbers.some((value, position) => Math.abs(value - (others[position] ?? 0)) > AGREEMENT * largest);
}

/** The placing that counts. Warning: `conflict` where header and ITK differ. */
function placingOf(place: ItkPlace, nrrd: NrrdHeader | undefined, warn: Warn): Placing {
  const itk = itkPlacing(place);
  const flips = bodyFlips(nrrd?.space) ?? [false, false];
  const own = nrrd === undefined ? undefined : nrrdPlacing(nrrd, place.spacing.length);
  if (own === undefined) return itk;
  const placing = turned(own, flips);
  if (differ(placing, itk)) warn("conflict");
  return placing;
}

function spaceAxes(patient: boolean, count: number, nrrd: NrrdHeader | undefined): readonly MlaSpaceAxis[] {
  const given = nrrdUnits(nrrd);
  const units = given.length < count ? [] : given;
  const plain: readonly MlaSpaceAxis[] = LETTERS.slice(0, count).map((name) => ({ name }));
  return (patient ? patientAxes() : plain).map((axis, position) => {
    if (units.length === 0) return axis;
    const found = units[position] ?? { unit: null, unit_code: null };
    const { unit: _, unit_code: __, ...rest } = axis;
    return {
      ...rest,
      ...(found.unit === null ? {} : { unit: found.unit }),
      ...(found.unit_code === null ? {} : { unit_code: found.unit_code }),
    };
  });
}

/**
 * The space of an image of at most three axes that ITK places, and perhaps an NRRD header: it is stored with its axes
 * reversed. Warning: `conflict` where the two place it differently. Error: `unsupported` at `["spacing"]` for more axes.
 */
export function itkSpace(place: ItkPlace, nrrd: NrrdHeader | undefined, warn: Warn): MlaSpace {
  const count = place.spacing.length;
  if (count > LETTERS.length) {
    throw new PlacedError("unsupported", ["spacing"], `the image has ${count} axes; at most ${LETTERS.length} are placed`);
  }
  const placing = placingOf(place, nrrd, warn);
  const patient = count === LETTERS.length && (nrrd === undefined || bodyFlips(nrrd.space) !== undefined);
  const scanner = spaceName(nrrd?.space) === "scanner-xyz";
  const rows = fromColumns([...[...placing.columns].reverse(), placing.origin], count);
  return {
    name: patient ? "patient" : scanner ? "scanner" : "world",
    axes: spaceAxes(patient, count, nrrd),
    from_array: { array_axes: LETTERS.slice(0, count).reverse(), matrix: withLastRow(rows) },
  };
}

/** Two directions whose product is larger than this are not at right angles. */
const RIGHT_ANGLE = 1e-6;

function checkRightAngles(name: string, direction: Rows): void {
  const columns = columnsOf(direction);
  const skew = columns.some((a, i) => columns.slice(0, i).some((b) => Math.abs(dot(a, b)) > RIGHT_ANGLE));
  if (!skew) return;
  const message = `the axes of the array are not at right angles in the space ${JSON.stringify(name)}, and ITK has only such`;
  throw new PlacedError("unsupported", ["spaces", 0, "from_array"], message);
}

function checkAxes(space: MlaSpace, axisNames: readonly string[], columns: readonly number[]): void {
  const [own, count] = [space.axes.length, columns.length];
  const belong = Math.min(axisNames.length, LETTERS.length);
  if (own !== count || count !== belong) {
    const words = `the space ${JSON.stringify(space.name)} has ${own} axes over ${count} of the array`;
    throw new PlacedError("unsupported", ["spaces", 0], `${words}; ITK places ${belong} by ${belong}`);
  }
  if (columns[0] === axisNames.length - count) return;
  const names = space.from_array.array_axes.join(", ");
  const message = `the space is over ${names}, which are not the last of ${axisNames.join(", ")}`;
  throw new PlacedError("unsupported", ["spaces", 0, "from_array", "array_axes"], message);
}

/**
 * Where ITK places what a space places; `axisNames` are all axes of the array. Errors: `unsupported` at `["spaces", 0]` for
 * another number of axes, at its `from_array` for axes that are not at right angles, at `array_axes` for axes that are not the
 * last ones; `conflict` at the axes of the space where some are lengths.
 */
export function itkPlace(space: MlaSpace, axisNames: readonly string[]): ItkPlace {
  const { columns, rows: own } = spaceMatrix(
    axisNames.map((name) => ({ name })),
    space,
  );
  checkAxes(space, axisNames, columns);
  const converted = inMillimetres(space, own) ?? own;
  const rows = bodyRows(space, converted, ["left", "posterior", "superior"]) ?? converted;
  const { spacing, direction } = spacingAndDirection(linearPart(rows));
  checkRightAngles(space.name, direction);
  return {
    spacing: [...spacing].reverse(),
    origin: translationOf(rows),
    direction: direction.map((row) => [...row].reverse()),
  };
}
