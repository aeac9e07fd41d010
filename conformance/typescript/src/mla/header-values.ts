// The values of a header: kind, unit, scaling, fill, labels.

import type { At } from "../errors.js";
import { type Check, fields, mapOf, number, text, word } from "./checks.js";
import { holds } from "./dtype.js";
import type { Findings } from "./findings.js";
import { checkUnit, UNIT_FIELDS } from "./header-axes.js";
import { countOfType, type Scope, sizesOfAxes } from "./header-scope.js";
import { isMap, isNumber, type Plain, type PlainMap, shown } from "./plain.js";

/** The kind of values that no kind is told of. */
export const MEASUREMENT = "measurement";

const LABELLED = ["label", "instance", "probability"];
const KINDS = [MEASUREMENT, "vector", "other", ...LABELLED];
const LAYOUTS = ["index", "channel"];

const label = fields(
  {},
  {
    name: text({ empty: true }),
    color: text({ form: /^#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, like: "# and 6 or 8 hexadecimal digits" }),
    code: fields({ scheme: text(), value: text() }, { meaning: text({ empty: true }) }),
  },
);

const LABEL_KEY = /^(?:0|-?[1-9][0-9]*)$/;

const labels = mapOf(label, { form: LABEL_KEY, like: "an integer in decimal digits, without a zero in front" });

const fill =
  (dtype: string | undefined): Check =>
  (value, at, found) => {
    if (typeof value !== "boolean" && !isNumber(value)) {
      return found.problem("wrong_type", at, `${shown(value)} is neither a number nor a boolean`);
    }
    if (dtype === undefined || holds(dtype, value)) return true;
    return found.problem("not_representable", at, `${value} is no ${dtype}, the dtype of the array`);
  };

/** The kind; undefined where it cannot be told, or is of a later version. */
function kindOf(values: PlainMap): string | undefined {
  const kind = values.has("kind") ? values.get("kind") : MEASUREMENT;
  return typeof kind === "string" && KINDS.includes(kind) ? kind : undefined;
}

/** Exactly one axis is of a type, where that can be told. */
function checkOneAxis(type: "channel" | "component", what: string, at: At, scope: Scope, found: Findings): boolean {
  const count = countOfType(scope, type);
  if (count === undefined || count === 1) return count === 1;
  return found.problem("conflict", at, `${what} needs exactly one axis of type ${type}; there are ${count}`);
}

function checkChannels(values: PlainMap, at: At, scope: Scope, found: Findings): void {
  if (!checkOneAxis("channel", "the layout channel", [...at, "label_layout"], scope, found)) return;
  const size = sizesOfAxes(scope)?.[scope.types?.indexOf("channel") ?? -1];
  const keyed = values.get("labels");
  if (size === undefined || !isMap(keyed)) return;
  for (const key of keyed.keys()) {
    if (!LABEL_KEY.test(key) || (BigInt(key) >= 0n && BigInt(key) < BigInt(size))) continue;
    const message = `there is no channel ${key}; channels go from 0 up to but without ${size}`;
    found.problem("out_of_range", [...at, "labels", key], message);
  }
}

function checkKind(values: PlainMap, at: At, scope: Scope, found: Findings): void {
  const kind = kindOf(values);
  if (kind === "vector") checkOneAxis("component", "the kind vector", [...at, "kind"], scope, found);
  if (kind === undefined || LABELLED.includes(kind)) return;
  for (const key of ["labels", "label_layout"].filter((one) => values.has(one))) {
    found.problem("conflict", [...at, key], `${key} belongs to the kinds ${LABELLED.join(", ")}, not to ${kind}`);
  }
}

/** Checks `values`. */
export function checkValues(values: Plain, scope: Scope, found: Findings): void {
  const at: At = ["values"];
  fields(
    {},
    {
      kind: word(KINDS),
      ...UNIT_FIELDS,
      scale: number({ nonzero: true }),
      offset: number(),
      fill: fill(scope.dtype),
      labels,
      label_layout: word(LAYOUTS),
    },
  )(values, at, found);
  if (!isMap(values)) return;
  checkUnit(values, at, found);
  checkKind(values, at, scope, found);
  if (values.get("label_layout") === "channel") checkChannels(values, at, scope, found);
}
