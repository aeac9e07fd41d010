// The header of an .mla file: checked, its defaults filled in.

import { PlacedError, type Warn } from "../errors.js";
import { text } from "./checks.js";
import { compareFindings, type Finding, Findings } from "./findings.js";
import { checkAxes } from "./header-axes.js";
import { filledHeader, withoutSigns } from "./header-fill.js";
import { checkProfiles } from "./header-profiles.js";
import { type ArrayFacts, type Scope, scopeOf } from "./header-scope.js";
import { checkSpaces } from "./header-spaces.js";
import { checkHistory, checkStorage } from "./header-storage.js";
import { checkValues } from "./header-values.js";
import { decodeMap } from "./msgpack-read.js";
import { type PlainMap, shown } from "./plain.js";
import type { AxisType } from "./records.js";
import { MAJOR, parseVersion } from "./version.js";

/** What is wrong with the version, or whether it is a later minor one. */
function readVersion(header: PlainMap): Finding | { readonly later: boolean } {
  const version = header.get("version");
  if (version === undefined) {
    const message = `the map has no version: it was written before version ${MAJOR} of the format; only ${MAJOR}.x is read`;
    return { code: "unsupported", at: [], message };
  }
  const at = ["version"];
  const wrong = (code: string, why: string): Finding => ({ code, at, message: `the version is ${shown(version)}; ${why}` });
  if (typeof version !== "string") return wrong("wrong_type", "it is text, such as 1.0");
  const parsed = parseVersion(version);
  if (parsed === undefined) return wrong("wrong_value", "it is a major and a minor number, such as 1.0");
  if (String(parsed.major) !== MAJOR) return wrong("unsupported", `only ${MAJOR}.x is read`);
  return { later: parsed.minor > 0n };
}

/** Looks at all that stands behind the version. */
function lookThrough(header: PlainMap, scope: Scope, found: Findings): void {
  const has = (key: string) => header.get(key);
  const [writer, axes, spaces, values] = ["writer", "axes", "spaces", "values"].map(has);
  const [profiles, history, storage] = ["profiles", "history", "storage"].map(has);
  if (writer !== undefined) text({ empty: true })(writer, ["writer"], found);
  if (axes === undefined) found.problem("missing_key", [], "the key axes is absent");
  else checkAxes(axes, scope, found);
  if (spaces !== undefined) checkSpaces(spaces, scope, found);
  if (values !== undefined) checkValues(values, scope, found);
  if (profiles !== undefined) checkProfiles(profiles, header, scope, found);
  if (history !== undefined) checkHistory(history, found);
  if (storage !== undefined) checkStorage(storage, scope, found);
}

const thrown = ({ code, at, message }: Finding): PlacedError => new PlacedError(code, at, message);

/** The map of a header from its bytes; errors as of `decodeMap`. */
export const decodeHeader = (bytes: Uint8Array): PlainMap => decodeMap(bytes, true);

/** Every problem of a header, ordered by its path, part by part as text, then by its code. */
export function checkHeader(header: PlainMap, facts: ArrayFacts = {}): readonly Finding[] {
  const version = readVersion(header);
  if ("code" in version) return [version];
  const found = new Findings(version.later);
  lookThrough(header, scopeOf(header, version.later, facts), found);
  return found.problems.sort(compareFindings);
}

export interface ReadHeader {
  /** The header with its defaults; unknown keys stay where they are. */
  readonly header: PlainMap;
  /** What each axis reads as. */
  readonly axisTypes: readonly AxisType[];
}

export interface HeaderOptions {
  /** Whether problems behind the version are errors; they are warnings where it is false. */
  readonly strict?: boolean;
}

/**
 * The header of an array, checked, with its defaults filled in.
 * Errors have the codes of "Mla errors", the first problem in the order of the header; the version is always one.
 */
export function readHeader(map: PlainMap, facts: ArrayFacts, warn: Warn, { strict = true }: HeaderOptions = {}): ReadHeader {
  const version = readVersion(map);
  if ("code" in version) throw thrown(version);
  const found = new Findings(version.later);
  const scope = scopeOf(map, version.later, facts);
  lookThrough(map, scope, found);
  const [first] = found.problems;
  if (first !== undefined && strict) throw thrown(first);
  for (const { code } of [...found.problems, ...found.notices]) warn(code);
  const header = filledHeader(withoutSigns(map, found.zeros));
  return { header, axisTypes: (scope.types ?? []).map((type) => type ?? "other") };
}
