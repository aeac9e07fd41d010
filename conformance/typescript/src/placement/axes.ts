// Names and types of an array's axes, settled before anything is placed.

import { type Found, listOf, member, wrong } from "../documents/document.js";
import type { FoundObject } from "../documents/document.js";
import { PlacedError } from "../errors.js";
import { defaultAxes, spatialAxes } from "../geometry/index.js";
import { type Cover, nullableString, trailing } from "./lists.js";
import type { NamedAxes } from "./types.js";

/** The axes of an array: every name filled in, `types` null where no axis has one. */
export interface Axes {
  readonly names: readonly string[];
  readonly named: boolean;
  readonly types: readonly string[] | null;
  readonly spatial: readonly number[];
}

/** Names with the defaults of their places for those that are missing, or d and a number where a default is taken. */
export function filledNames(given: readonly (string | null)[]): readonly string[] {
  const defaults = defaultAxes(given.length);
  return given.map((name, axis) => {
    if (name) return name;
    const usual = defaults[axis] ?? `d${axis}`;
    return given.includes(usual) ? `d${axis}` : usual;
  });
}

/** Raises `duplicate` at a list of names that repeats one. */
export function checkRepeats(names: readonly (string | null)[], found: Pick<Found, "at">): void {
  const twice = names.find((name, axis) => name && names.indexOf(name) !== axis);
  if (twice)
    throw new PlacedError(
      "duplicate",
      found.at,
      `${found.at.join("/")} names ${twice} twice; axes have names of their own`,
    );
}

/** A list of names, for every axis or the trailing ones. */
export function trailingNames(found: Found, count: number, xFirst = false): NamedAxes {
  const entries = listOf(found).map(nullableString);
  if (entries.length === 0) return { names: Array.from({ length: count }, () => null) };
  return { names: trailing(found, entries, count, xFirst).map((name) => name ?? null) };
}

/** A list of names with an entry for every axis. */
export function everyName(found: Found, count: number): NamedAxes {
  const names = listOf(found).map(nullableString);
  if (names.length !== count) {
    throw wrong("wrong_length", found, `it has ${names.length} names, and the array ${count} axes`);
  }
  return { names };
}

/** The types that attributes give, one per axis or none at all, else those that names ending in ^ tell. */
export function funlibTypes(
  nodes: readonly FoundObject[],
  names: readonly (string | null)[],
): readonly string[] | undefined {
  for (const attributes of nodes) {
    const found = member(attributes, "types");
    if (found !== undefined) {
      const types = listOf(found).map(nullableString);
      return types.length === names.length ? types.map((type) => type ?? "") : undefined;
    }
  }
  if (!names.some((name) => name?.endsWith("^"))) return undefined;
  return names.map((name) => (name?.endsWith("^") ? "channel" : "space"));
}

/** Axes with every name, from what names them and what types them. */
export function settledAxes(given: NamedAxes | undefined, count: number, types?: readonly string[]): Axes {
  const names = filledNames(given?.names ?? Array.from({ length: count }, () => null));
  const typed = types?.some((type) => type !== "") ? types : null;
  return {
    names,
    named: given?.names.some((name) => Boolean(name)) ?? false,
    types: typed,
    spatial: spatialAxes(names, typed ?? []),
  };
}

/** The axes that lists of an array cover, by their types. */
export const coverOf = ({ names, types, spatial }: Axes): Cover => ({
  count: names.length,
  spatial,
  space: types?.flatMap((type, axis) => (type === "space" ? [axis] : [])),
});
