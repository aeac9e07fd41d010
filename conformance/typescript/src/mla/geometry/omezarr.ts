// Spaces of OME-Zarr arrays, and back.

import { PlacedError } from "../../errors.js";
import type { MlaAxis, MlaSpace } from "../records.js";
import { spaceMatrix } from "../space-matrix.js";
import { fillUnit } from "../units.js";
import { columnsOf } from "./linear.js";
import { linearPart, translationOf } from "./derive.js";

/** Axes of an OME-Zarr array: size of a voxel, centre of voxel 0, and the unit, empty where there is none. */
export interface OmeZarrPlace {
  readonly sizes: readonly number[];
  readonly centres: readonly number[];
  readonly units: readonly string[];
}

/** The space over the spatial axes of an OME-Zarr array, which have these names. */
export function omeZarrSpace(names: readonly string[], { sizes, centres, units }: OmeZarrPlace): MlaSpace {
  return {
    name: "world",
    axes: names.map((name, axis) => (units[axis] ? { name, unit: units[axis] } : { name })),
    from_array: { array_axes: names, scale: sizes.map((size) => size + 0), translation: centres.map((centre) => centre + 0) },
  };
}

interface PlacedAxis {
  readonly size: number;
  readonly centre: number;
  readonly unit: string;
}

function unitOf({ unit, unit_code: code }: { readonly unit?: string; readonly unit_code?: string }): string {
  const filled = fillUnit(unit, code);
  return filled.unit ?? filled.unit_code ?? "";
}

const sampled = (axis: MlaAxis): PlacedAxis =>
  axis.step === undefined
    ? { size: 1, centre: 0, unit: "" }
    : { size: Number(axis.step), centre: Number(axis.start ?? 0), unit: unitOf(axis) };

/** The axes that a space places, by their position in the array. */
function placed(axes: readonly MlaAxis[], space: MlaSpace): ReadonlyMap<number, PlacedAxis> {
  const { columns, rows } = spaceMatrix(axes, space);
  const [linear, translation] = [columnsOf(linearPart(rows)), translationOf(rows)];
  const words = `the space ${JSON.stringify(space.name)} turns, mirrors or shears the array, or has more axes than it uses`;
  const message = `${words}; OME-Zarr has scale and translation only`;
  const refused = new PlacedError("unsupported", ["spaces", 0, "from_array"], message);
  if (rows.length > columns.length) throw refused;
  const found = linear.map((column): PlacedAxis => {
    const row = column.findIndex((value) => value !== 0);
    const size = column[row] ?? 0;
    if (size <= 0 || column.some((value, other) => value !== 0 && other !== row)) throw refused;
    return { size, centre: translation[row] ?? 0, unit: unitOf(space.axes[row] ?? {}) };
  });
  return new Map(found.map((axis, position) => [columns[position] ?? 0, axis]));
}

/**
 * Size, centre and unit per axis of an OME-Zarr array that a header becomes; the first space is taken. Error: `unsupported` at
 * `["spaces", 0, "from_array"]` for a space that is more than scale and translation.
 */
export function omeZarrPlace(axes: readonly MlaAxis[], spaces: readonly MlaSpace[]): OmeZarrPlace {
  const [space] = spaces;
  const spatial = space === undefined ? new Map<number, PlacedAxis>() : placed(axes, space);
  const all = axes.map((axis, position) => spatial.get(position) ?? sampled(axis));
  return {
    sizes: all.map(({ size }) => size),
    centres: all.map(({ centre }) => centre),
    units: all.map(({ unit }) => unit),
  };
}
