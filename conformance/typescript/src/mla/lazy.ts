// The other metadata keys: what a converted file came from, and what is the user's own.

import { PlacedError, type At } from "../errors.js";
import { anything, boolean, type Check, fields, integer, list, mapOf, text } from "./checks.js";
import { Findings } from "./findings.js";
import { withoutSigns } from "./header-fill.js";
import { under } from "./header-scope.js";
import { isList, isWhole, type Plain, type PlainMap, shown } from "./plain.js";

/** The metadata keys beside the header. */
export type LazyKey = "mlarray.source" | "mlarray.user";

const digits = text({ form: /^[0-9a-f]{64}$/, like: "64 hexadecimal digits in lower case" });
const hash = text({ form: /^sha256:[0-9a-f]{64}$/, like: "sha256: and 64 hexadecimal digits in lower case" });
const anyMap = mapOf(anything);

const file = fields({ name: text() }, { bytes: integer({ least: 0 }), sha256: digits });

const fingerprint = fields(
  { shape: list(integer({ least: 0 })), dtype: text(), data: hash },
  { geometry: hash },
);

function checkOrder(axes: readonly Plain[], at: At, found: Findings): boolean {
  if (!axes.every(isWhole)) return false;
  const sorted = axes.map(Number).sort((a, b) => a - b);
  if (sorted.every((axis, position) => axis === position)) return true;
  return found.problem("wrong_value", at, `${shown(axes)} is no order of the axes from 0 to ${axes.length - 1}, each once`);
}

const indexMap: Check = (value, at, found) => {
  const axes = under(value, "axes");
  const count = isList(axes) ? axes.length : undefined;
  const right = fields({ axes: list(integer()), flip: list(boolean, { count }) })(value, at, found);
  return (isList(axes) ? checkOrder(axes, [...at, "axes"], found) : false) && right;
};

const entry = fields(
  { format: text() },
  { files: list(file), reader: text({ empty: true }), index_map: indexMap, fingerprint, header: anyMap },
);

const CHECKS: Readonly<Record<LazyKey, Check>> = {
  "mlarray.source": fields({ source: list(entry) }),
  "mlarray.user": fields({ user: anyMap }),
};

/**
 * The map that a metadata key beside the header holds, checked.
 * Errors have the codes of "Mla errors".
 */
export function readLazy(key: LazyKey, map: PlainMap): PlainMap {
  const found = new Findings(false);
  CHECKS[key](map, [], found);
  const [first] = found.problems;
  if (first !== undefined) throw new PlacedError(first.code, first.at, first.message);
  return withoutSigns(map, found.zeros);
}
