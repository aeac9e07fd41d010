// The affine of a NIfTI header that a space becomes.

import type { MlaSpace } from "../records.js";
import { spaceMatrix } from "../space-matrix.js";
import { bodyRows } from "./body.js";
import { linearPart, translationOf } from "./derive.js";
import { inMillimetres } from "./lengths.js";
import { columnsOf, cross, dot, fromColumns, minus, type Rows, times, unitVector } from "./linear.js";
import { NIFTI_LENGTHS, NIFTI_SCHEME, NIFTI_SPACES } from "./nifti.js";
import { fillUnit } from "../units.js";

/** An affine of a NIfTI header. */
export interface NiftiAffine {
  /** 4 rows of 4 numbers: index x, y, z (whole numbers are centres) to right, anterior, superior. */
  readonly affine: Rows;
  /** That of the sform. */
  readonly code: number;
  /** The part of xyzt_units that is a length. */
  readonly lengthCode: number;
}

/** Rows in a unit that NIfTI has, and its code. Error: `conflict` at `["spaces", 0, "axes"]`. */
function inNiftiUnit(space: MlaSpace, rows: Rows): { readonly rows: Rows; readonly lengthCode: number } {
  const codes = new Set(space.axes.map((axis) => fillUnit(axis.unit, axis.unit_code).unit_code));
  const [code] = codes;
  const own = NIFTI_LENGTHS.findIndex((name) => fillUnit(name, undefined).unit_code === code);
  if (codes.size === 1 && own >= 0) return { rows, lengthCode: own + 1 };
  const converted = inMillimetres(space, rows);
  return converted === undefined ? { rows, lengthCode: 0 } : { rows: converted, lengthCode: 2 };
}

/** A direction of length one at right angles to a column: the row in which that is smallest, less its part along the column. */
function besides(x: readonly number[]): readonly number[] {
  const sizes = x.map(Math.abs);
  const smallest = sizes.indexOf(Math.min(...sizes));
  const unit = x.map((_, row) => (row === smallest ? 1 : 0));
  const along = unitVector(x);
  return unitVector(minus(unit, times(along, dot(unit, along))));
}

/** Three columns from one, two or three: those that are missing are directions of length one. */
function threeColumns(columns: Rows): Rows {
  const [x = [], y = besides(x), z = unitVector(cross(x, y))] = columns;
  return [x, y, z];
}

function codeOf({ name, reference }: MlaSpace): number {
  if (reference?.scheme === NIFTI_SCHEME && /^[0-9]+$/.test(reference.id)) return Number(reference.id);
  return NIFTI_SPACES.indexOf(name) + 1 || 1;
}

/**
 * The affine that a space becomes, null where its axes are not the three of a body. `axisNames` are all axes of the array.
 * Error: `conflict` at `["spaces", 0, "axes"]` where some of its axes are lengths, and some are not.
 */
export function niftiAffine(space: MlaSpace, axisNames: readonly string[]): NiftiAffine | null {
  const own = spaceMatrix(
    axisNames.map((name) => ({ name })),
    space,
  ).rows;
  if (bodyRows(space, own, ["right", "anterior", "superior"]) === undefined) return null;
  const { rows: converted, lengthCode } = inNiftiUnit(space, own);
  const rows = bodyRows(space, converted, ["right", "anterior", "superior"]) ?? [];
  const columns = [...columnsOf(linearPart(rows))].reverse();
  const linear = fromColumns(threeColumns(columns), 3);
  const origin = translationOf(rows);
  const affine = [...linear.map((row, r) => [...row, origin[r] ?? 0]), [0, 0, 0, 1]];
  return { affine, code: codeOf(space), lengthCode };
}
