// Which space is meant, and the units of its axes.

import { PlacedError } from "../../errors.js";
import type { MlaAxis, MlaSpace, MlaSpaceAxis } from "../records.js";
import { type SpaceMatrix, spaceMatrix } from "../space-matrix.js";
import { fillUnit } from "../units.js";

/** A space and its position in `spaces`. */
export interface ChosenSpace {
  readonly space: MlaSpace;
  readonly position: number;
}

/** The space of a name, the first where none is given. Error: `unknown_name` at `["space"]`, also where there is no space. */
export function chosenSpace(spaces: readonly MlaSpace[], name?: string): ChosenSpace {
  const position = name === undefined ? 0 : spaces.findIndex((space) => space.name === name);
  const space = spaces[position];
  if (space !== undefined) return { space, position };
  const names = spaces.map((one) => one.name).join(", ");
  const asked = name === undefined ? "a space is needed" : `no space is called ${JSON.stringify(name)}`;
  const there = names === "" ? "the array has none" : `there are: ${names}`;
  throw new PlacedError("unknown_name", ["space"], `${asked}; ${there}`);
}

/** The code of a unit, else its name, else nothing. */
export function unitKey({ unit, unit_code: code }: MlaSpaceAxis): string | undefined {
  const filled = fillUnit(unit, code);
  return filled.unit_code ?? filled.unit ?? undefined;
}

/** Why a space has no lengths: its units in words; undefined where all its axes have one unit, or none has one. */
export function mixedUnits(space: MlaSpace): string | undefined {
  const keys = space.axes.map(unitKey);
  if (new Set(keys).size < 2) return undefined;
  const listed = space.axes.map((axis, position) => `${axis.name}: ${keys[position] ?? "no unit"}`).join(", ");
  return `the axes of the space ${JSON.stringify(space.name)} have several units (${listed}), so nothing in it has a length`;
}

/** Error: `conflict` at the axes of a space that do not all have one unit. */
export function checkOneUnit({ space, position }: ChosenSpace): void {
  const words = mixedUnits(space);
  if (words !== undefined) throw new PlacedError("conflict", ["spaces", position, "axes"], words);
}

/** Error: `conflict` at `array_axes` where a scale belongs to axes of which only some are named as those of the space. */
function checkScaledNames({ space, position }: ChosenSpace): void {
  const { array_axes: names, matrix } = space.from_array;
  const own = space.axes.map((axis) => axis.name);
  const shared = names.filter((name) => own.includes(name)).length;
  if (matrix !== undefined || shared === 0 || (shared === names.length && shared === own.length)) return;
  const words = `the axes ${names.join(", ")} and those of the space, ${own.join(", ")}, share some names only`;
  const message = `${words}; a scale needs all of them alike, or none, else a matrix`;
  throw new PlacedError("conflict", ["spaces", position, "from_array", "array_axes"], message);
}

/** The matrix of a space of a header, its columns in array order. Errors are those of "Mla spaces" on names of a scale. */
export function matrixOf(axes: readonly MlaAxis[], chosen: ChosenSpace): SpaceMatrix {
  checkScaledNames(chosen);
  return spaceMatrix(axes, chosen.space);
}
