// The spaces of a header: names, references, directions, and the map from the array.

import type { At } from "../errors.js";
import { and, type Check, checkOnce, fields, list, text, word } from "./checks.js";
import type { Findings } from "./findings.js";
import { checkUnit, UNIT_FIELDS } from "./header-axes.js";
import { checkFromArray } from "./header-from-array.js";
import { type Scope, under } from "./header-scope.js";
import { isList, type Plain } from "./plain.js";
import { OPPOSITES } from "./records.js";

/** The name that stands for the indices of the array. */
export const INDEX = "index";

const notIndex: Check = (name, at, found) =>
  name !== INDEX || found.problem("wrong_value", at, `the name ${INDEX} is reserved; call the space otherwise`);

/** The names of a list of maps; undefined where one cannot be told. */
const namesOf = (maps: Plain | undefined): readonly (string | undefined)[] =>
  (isList(maps) ? maps : []).map((map) => {
    const name = under(map, "name");
    return typeof name === "string" && name !== "" ? name : undefined;
  });

function checkDirections(axes: readonly Plain[], at: At, found: Findings): void {
  const seen: { word: string; pair: readonly [string, string] }[] = [];
  axes.forEach((axis, position) => {
    const direction = under(axis, "increases_toward");
    const pair = OPPOSITES.find((words) => words.some((one) => one === direction));
    if (pair === undefined || typeof direction !== "string") return;
    const earlier = seen.find((one) => one.pair === pair);
    seen.push({ word: direction, pair });
    if (earlier === undefined) return;
    const message = `${direction} is one direction with ${earlier.word}, toward which another axis grows`;
    found.problem("conflict", [...at, position, "increases_toward"], message);
  });
}

const spaceAxis: Check = (axis, at, found) => {
  const right = fields({ name: text() }, { ...UNIT_FIELDS, increases_toward: word(OPPOSITES.flat()) })(axis, at, found);
  checkUnit(axis, at, found);
  return right;
};

const spaceAxes: Check = (axes, at, found) => {
  const right = list(spaceAxis, { least: 1 })(axes, at, found);
  if (!isList(axes)) return right;
  checkDirections(axes, at, found);
  return checkOnce(namesOf(axes), at, found) && right;
};

const space = (scope: Scope): Check => (value, at, found) => {
  const axes = under(value, "axes");
  const names = isList(axes) && axes.length > 0 ? namesOf(axes) : undefined;
  return fields(
    { name: and(text(), notIndex), axes: spaceAxes, from_array: checkFromArray(scope, names) },
    { reference: fields({ scheme: text(), id: text() }) },
  )(value, at, found);
};

/** Checks `spaces`. */
export function checkSpaces(spaces: Plain, scope: Scope, found: Findings): void {
  list(space(scope))(spaces, ["spaces"], found);
  checkOnce(namesOf(spaces), ["spaces"], found);
}
