// The profiles of a header: ml, medical, and those of third parties.

import type { At } from "../errors.js";
import { anything, type Check, fields, integer, list, mapOf, number, text } from "./checks.js";
import type { Findings } from "./findings.js";
import { boxes } from "./header-boxes.js";
import type { Scope } from "./header-scope.js";
import { isMap, type Plain, type PlainMap } from "./plain.js";
import { FORM, MAJOR, parseVersion } from "./version.js";

const version = text({ form: FORM, like: "a major and a minor number, such as 1.0" });

const medical = fields(
  { profile_version: version },
  { dicom: mapOf(anything, { form: /^[A-Za-z][A-Za-z0-9]*$/, like: "a letter and then letters and digits" }) },
);

const statistics = fields(
  {},
  {
    min: number(),
    max: number(),
    mean: number(),
    median: number(),
    standard_deviation: number({ least: 0 }),
    percentiles: mapOf(number(), {
      form: /^(?:[0-9]{1,2}(?:\.[0-9]+)?|100(?:\.0+)?)$/,
      like: "a percentage from 0 to 100 in decimal digits",
    }),
  },
);

const ml = (header: PlainMap, scope: Scope): Check =>
  fields(
    { profile_version: version },
    {
      statistics,
      boxes: boxes(header, scope),
      patch_size: list(integer({ least: 1 }), { least: 1 }),
      split: text(),
    },
  );

/** Whether a profile is of another major version, which is noticed and not checked. */
function isOfAnother(profile: Plain, at: At, found: Findings): boolean {
  const told = isMap(profile) ? profile.get("profile_version") : undefined;
  const parsed = typeof told === "string" ? parseVersion(told) : undefined;
  if (parsed === undefined || String(parsed.major) === MAJOR) return false;
  found.notice("unsupported", [...at, "profile_version"], `the profile is of version ${told}; only ${MAJOR}.x is looked at`);
  return true;
}

/** Checks `profiles`. */
export function checkProfiles(profiles: Plain, header: PlainMap, scope: Scope, found: Findings): void {
  const known: ReadonlyMap<string, Check> = new Map([
    ["ml", ml(header, scope)],
    ["medical", medical],
  ]);
  const profile: Check = (value, at, all) => {
    const check = known.get(String(at.at(-1)));
    if (check === undefined) return fields({})(value, at, all);
    return isOfAnother(value, at, all) || check(value, at, all);
  };
  mapOf(profile, {})(profiles, ["profiles"], found);
}
