// Axes and spaces of what a NIfTI header says.

import type { Warn } from "../../errors.js";
import { independentColumns } from "../rank.js";
import type { MlaAxis, MlaSpace } from "../records.js";
import { fillUnit } from "../units.js";
import { patientAxes } from "./compose.js";
import { linearPart, withLastRow } from "./derive.js";
import type { Rows } from "./linear.js";

/** Fields of a NIfTI header, x first. */
export interface NiftiHeader {
  /** Sizes, without their count. */
  readonly dim: readonly number[];
  /** Sizes of a voxel, pixdim[1] and on. */
  readonly pixdim: readonly number[];
  readonly xyztUnits: number;
  /** 4 rows of 4 numbers: index x, y, z to right, anterior, superior; centre of voxel. */
  readonly sform?: Rows | undefined;
  readonly sformCode?: number | undefined;
  /** The affine that quaternion, offsets and pixdim make. */
  readonly qform?: Rows | undefined;
  readonly qformCode?: number | undefined;
  readonly toffset?: number | undefined;
  readonly intentCode?: number | undefined;
}

/** The names of spaces by code, from 1 on. */
export const NIFTI_SPACES: readonly string[] = ["patient", "aligned", "talairach", "mni"];

/** The scheme of references to a code. */
export const NIFTI_SCHEME = "nifti_xform";

/** The units of length by their code, from 1 on. */
export const NIFTI_LENGTHS: readonly string[] = ["meter", "millimeter", "micrometer"];

const LENGTH_BITS = 7;
const TIME_BITS = 56;

/** What the fourth axis is, by the bits of its unit. */
const FOURTH: Readonly<Record<number, readonly [string, string, string]>> = {
  8: ["t", "time", "second"],
  16: ["t", "time", "millisecond"],
  24: ["t", "time", "microsecond"],
  32: ["frequency", "other", "hertz"],
  40: ["frequency", "other", "parts_per_million"],
  48: ["frequency", "other", "radian_per_second"],
};

/** The intents whose fifth axis is one of components. */
const COMPONENTS: readonly number[] = [1006, 1007, 2003, 2004];

const finite = (value: number | undefined): number | undefined =>
  value === undefined || !Number.isFinite(value) ? undefined : value;

function fourthAxis({ xyztUnits, pixdim, toffset }: NiftiHeader): MlaAxis {
  const [name, type, unit] = FOURTH[xyztUnits & TIME_BITS] ?? ["t", "time", undefined];
  const code = fillUnit(unit, undefined).unit_code;
  const step = finite(pixdim[3]) ?? 0;
  return {
    name,
    type,
    ...(step === 0 ? {} : { start: (finite(toffset) ?? 0) + 0, step }),
    ...(unit === undefined ? {} : { unit }),
    ...(code === null ? {} : { unit_code: code }),
  };
}

function axisOf(header: NiftiHeader, place: number): MlaAxis {
  const letter = ["x", "y", "z"][place];
  if (letter !== undefined) return { name: letter, type: "space" };
  if (place === 3) return fourthAxis(header);
  if (place === 4 && COMPONENTS.includes(header.intentCode ?? 0)) return { name: "component", type: "component" };
  return { name: `axis_${header.dim.length - 1 - place}`, type: "other" };
}

/** The matrix of an affine, without its last row: its columns reversed, toward left, posterior and superior. */
function rowsOf(affine: Rows, count: number): Rows {
  return affine.slice(0, 3).map((row, r) => {
    const sign = r < 2 ? -1 : 1;
    const columns = row.slice(0, count).reverse();
    return [...columns, row[3] ?? 0].map((value) => sign * value + 0);
  });
}

const usable = (rows: Rows): boolean => rows.flat().every(Number.isFinite) && independentColumns(linearPart(rows));

const same = (a: Rows, b: Rows): boolean => a.flat().every((value, position) => value === b.flat()[position]);

function affineSpace(name: string, code: number, rows: Rows, header: NiftiHeader): MlaSpace {
  const { unit, code: unitCode } = lengthUnit(header);
  return {
    name,
    reference: { scheme: NIFTI_SCHEME, id: String(code) },
    axes: patientAxes(unit, unitCode),
    from_array: { array_axes: spatialNames(header), matrix: withLastRow(rows) },
  };
}

function lengthUnit({ xyztUnits }: NiftiHeader): { readonly unit: string; readonly code: string; readonly said: boolean } {
  const said = NIFTI_LENGTHS[(xyztUnits & LENGTH_BITS) - 1];
  const unit = said ?? "millimeter";
  return { unit, code: fillUnit(unit, undefined).unit_code ?? "", said: said !== undefined };
}

/** The spatial axes of the array, in its order. */
const spatialNames = ({ dim }: NiftiHeader): readonly string[] => ["x", "y", "z"].slice(0, dim.length).reverse();

/** The affines that count, sform first. */
function affines(header: NiftiHeader, warn: Warn): readonly { readonly code: number; readonly rows: Rows }[] {
  const { sform, sformCode = 0, qform, qformCode = 0 } = header;
  const given = [
    { code: sformCode, affine: sform },
    { code: qformCode, affine: qform },
  ];
  const found = given.flatMap(({ code, affine }) => {
    if (code <= 0 || affine === undefined) return [];
    const rows = rowsOf(affine, spatialNames(header).length);
    if (usable(rows)) return [{ code, rows }];
    warn("wrong_value");
    return [];
  });
  const [first, second] = found;
  return first !== undefined && second !== undefined && same(first.rows, second.rows) ? [first] : found;
}

function scannerSpace(header: NiftiHeader): MlaSpace {
  const { unit, code } = lengthUnit(header);
  const names = spatialNames(header);
  const sizes = names.map((_, place) => Math.abs(finite(header.pixdim[place]) ?? 0) || 1).reverse();
  return {
    name: "scanner",
    axes: names.map((name) => ({ name, unit, unit_code: code })),
    from_array: { array_axes: names, scale: sizes, translation: names.map(() => 0) },
  };
}

function spacesOf(header: NiftiHeader, warn: Warn): readonly MlaSpace[] {
  const spaces: MlaSpace[] = [];
  for (const { code, rows } of affines(header, warn)) {
    const name = NIFTI_SPACES[code - 1] ?? `nifti_${code}`;
    const taken = spaces.some((space) => space.name === name);
    spaces.push(affineSpace(taken ? `${name}_qform` : name, code, rows, header));
  }
  if (spaces.length > 0 || header.dim.length === 0) return spaces;
  warn("missing_key");
  return [scannerSpace(header)];
}

/**
 * Axes and spaces of a NIfTI image, which is stored with its axes reversed, x last. Warnings: `missing_key` for a unit of
 * length that is not said, and again where there is no affine; `wrong_value` for each affine that is left out.
 */
export function niftiGeometry(
  header: NiftiHeader,
  warn: Warn,
): { readonly axes: readonly MlaAxis[]; readonly spaces: readonly MlaSpace[] } {
  if (!lengthUnit(header).said) warn("missing_key");
  const axes = header.dim.map((_, place) => axisOf(header, place)).reverse();
  return { axes, spaces: spacesOf(header, warn) };
}
