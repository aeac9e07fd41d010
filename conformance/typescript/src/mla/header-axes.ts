// The axes of a header: names, types, labels, sampling, units.

import type { At } from "../errors.js";
import { type Check, checkOnce, fields, list, number, text, word } from "./checks.js";
import type { Findings } from "./findings.js";
import { type Scope, sizesOfAxes } from "./header-scope.js";
import { isMap, type Plain, type PlainMap } from "./plain.js";
import { AXIS_TYPES } from "./records.js";
import { codeInConflict } from "./units.js";

/** The checks of a unit's name and code. */
export const UNIT_FIELDS: Readonly<Record<string, Check>> = { unit: text(), unit_code: text() };

/** A listed name with another code is `conflict` at the code. */
export function checkUnit(map: Plain, at: At, found: Findings): void {
  if (!isMap(map)) return;
  const [unit, code] = [map.get("unit"), map.get("unit_code")];
  if (typeof unit !== "string" || typeof code !== "string" || code === "") return;
  const listed = codeInConflict(unit, code);
  if (listed === undefined) return;
  found.problem("conflict", [...at, "unit_code"], `the unit ${unit} has the code ${listed}, not ${code}`);
}

/** What an axis of type space has none of: its geometry stands in `spaces`. */
const SAMPLING = ["start", "step", "coordinates", "unit", "unit_code"];

function checkSampling(axis: PlainMap, at: At, found: Findings): void {
  if (axis.has("coordinates") && axis.has("step")) {
    found.problem("conflict", [...at, "coordinates"], "coordinates and step exclude each other");
  }
  if (axis.has("start") && !axis.has("step")) found.problem("missing_key", at, "the key step is absent, which start needs");
}

function checkSpaceAxis(axis: PlainMap, name: string | undefined, at: At, found: Findings): void {
  for (const key of SAMPLING.filter((one) => axis.has(one))) {
    const whose = `the axis ${name ?? "without a name"} is of space`;
    found.problem("conflict", [...at, key], `${whose}: its geometry stands in spaces, and it has no ${key}`);
  }
}

/** `size` is how many indices the axis has, where that is known. */
function axisFields(size: number | undefined): Check {
  return fields(
    {},
    {
      name: text(),
      type: word(AXIS_TYPES),
      labels: list(text({ empty: true }), { count: size }),
      start: number(),
      step: number({ nonzero: true }),
      coordinates: list(number(), { count: size }),
      ...UNIT_FIELDS,
    },
  );
}

/** Checks `axes`, which is required. */
export function checkAxes(axes: Plain, scope: Scope, found: Findings): void {
  const at: At = ["axes"];
  const sizes = sizesOfAxes(scope);
  const oneAxis: Check = (axis, where, all) => {
    const position = Number(where.at(-1));
    const right = axisFields(sizes?.[position])(axis, where, all);
    if (!isMap(axis)) return right;
    checkSampling(axis, where, all);
    checkUnit(axis, where, all);
    const name = scope.names?.[position];
    const isSpace = axis.has("type") ? axis.get("type") === "space" : scope.used.has(name ?? "");
    if (isSpace) checkSpaceAxis(axis, name, where, all);
    return right;
  };
  list(oneAxis, { count: scope.shape?.length })(axes, at, found);
  checkOnce(scope.names ?? [], at, found);
}
