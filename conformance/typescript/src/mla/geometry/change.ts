// The spaces of an array after one thing of its geometry is set.

import { PlacedError } from "../../errors.js";
import type { MlaAxis, MlaSpace } from "../records.js";
import { axisName } from "../space-matrix.js";
import { composeSpace } from "./compose.js";
import { linearPart, spacingAndDirection, translationOf } from "./derive.js";
import { fromArray, mapRows } from "./from-array.js";
import type { Rows } from "./linear.js";
import { saidDirection, type SaidGeometry, saidList, saidMatrix, saidSpacing } from "./said.js";
import { checkOneUnit, matrixOf, mixedUnits } from "./space.js";

/** What is set; one of them. */
export type ChangedGeometry = Omit<SaidGeometry, "space">;

function checkSpacingExists(space: MlaSpace): void {
  const words = mixedUnits(space);
  if (words !== undefined) throw new PlacedError("conflict", ["spacing"], `${words}; set the matrix`);
}

/** The rows of the map after the change. */
function changedRows(space: MlaSpace, rows: Rows, said: ChangedGeometry): Rows {
  const [height, width] = [rows.length, (rows[0]?.length ?? 1) - 1];
  const matrix = saidMatrix(said, height, width);
  if (matrix !== undefined) return matrix;
  const origin = saidList(said, "origin", height);
  if (origin !== undefined) return linearPart(rows).map((row, r) => [...row, origin[r] ?? 0]);
  const { spacing, direction } = spacingAndDirection(linearPart(rows));
  const newDirection = saidDirection(said, height, width);
  if (newDirection !== undefined) {
    checkOneUnit({ space, position: 0 });
    return mapRows(spacing, newDirection, translationOf(rows));
  }
  const newSpacing = saidSpacing(said, width);
  if (newSpacing === undefined) return rows;
  checkSpacingExists(space);
  return mapRows(newSpacing, direction, translationOf(rows));
}

function changedSpace(axes: readonly MlaAxis[], space: MlaSpace, said: ChangedGeometry): MlaSpace {
  const { columns, rows } = matrixOf(axes, { space, position: 0 });
  const names = axes.map(axisName);
  const arrayAxes = columns.map((position) => names[position] ?? "");
  const { array_axes: _, matrix: __, scale: ___, translation: ____, ...others } = space.from_array;
  const map = fromArray({ arrayAxes, spaceAxes: space.axes, rows: changedRows(space, rows, said) });
  return { ...space, from_array: { ...map, ...others } };
}

/**
 * The spaces of a header after one thing is set: the first is changed, and all else of it stays; where there is none, one is
 * made. Columns, and the numbers given, are those of the array axes that the space uses, in array order. Errors: those of
 * "Mla composing"; `conflict` at `["spacing"]` where the space has none for its units.
 */
export function changeGeometry(
  axes: readonly MlaAxis[],
  spaces: readonly MlaSpace[],
  said: ChangedGeometry,
): readonly MlaSpace[] {
  const [first, ...others] = spaces;
  return first === undefined ? [composeSpace(axes, said)] : [changedSpace(axes, first, said), ...others];
}
