// What a header records of layout and history.

import { fields, integer, list, text } from "./checks.js";
import type { Findings } from "./findings.js";
import { countOfType, type Scope } from "./header-scope.js";
import type { Plain } from "./plain.js";

const TIME =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/;

const entry = fields(
  { action: text() },
  {
    tool: text({ empty: true }),
    time: text({ form: TIME, like: "a time with its zone, such as 2026-11-06T10:12:00Z" }),
    from: text({ empty: true }),
    warnings: list(text({ empty: true })),
  },
);

/** Checks `history`. */
export function checkHistory(history: Plain, found: Findings): void {
  list(entry)(history, ["history"], found);
}

const compression = fields(
  { codec: text() },
  {
    level: integer({ least: 0, most: 9 }),
    filters: list(text(), { most: 6 }),
    filters_meta: list(integer({ least: 0, most: 255 }), { most: 6 }),
  },
);

/** How many axes there are: as many as the header names, else as the array has; undefined where neither is known. */
const axisCount = ({ names, shape }: Scope): number | undefined => names?.length ?? shape?.length;

/** How many axes have a patch length; undefined where that cannot be told. */
function patchCount(scope: Scope): number | undefined {
  const spaces = countOfType(scope, "space");
  return spaces === 0 ? axisCount(scope) : spaces;
}

/** Checks `storage`. */
export function checkStorage(storage: Plain, scope: Scope, found: Findings): void {
  const sizes = list(integer({ least: 0 }), { count: axisCount(scope) });
  const patch = list(integer({ least: 1 }), { count: patchCount(scope) });
  fields({}, { chunk_size: sizes, block_size: sizes, patch_size: patch, compression })(storage, ["storage"], found);
}
