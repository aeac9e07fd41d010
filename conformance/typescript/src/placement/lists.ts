// Lists of documents per axis: short ones cover the trailing axes, and one value stands for several.

import { type Found, finiteOf, listOf, wrong } from "../documents/document.js";
import { isList } from "../documents/index.js";

/** Which axes lists cover: `space` are those that a short list is for, where types tell; x first lists are turned. */
export interface Cover {
  readonly count: number;
  readonly spatial: readonly number[];
  readonly space?: readonly number[] | undefined;
  readonly xFirst?: boolean;
}

/** The value as a string, or null where it is null; else `wrong_type`. */
export function nullableString(found: Found): string | null {
  if (found.value === null || typeof found.value === "string") return found.value;
  throw wrong("wrong_type", found, "a string or null belongs there");
}

/** The axes that a list of some length covers. */
function covered(found: Found, length: number, { count, space }: Cover): readonly number[] {
  if (length === 0 || length > count) {
    throw wrong("wrong_length", found, `it has ${length} entries, and the array ${count} axes`);
  }
  const axes = Array.from({ length: count }, (_, axis) => axis);
  if (length === count) return axes;
  return space !== undefined && length <= space.length ? space.slice(-length) : axes.slice(-length);
}

/** Entries on the axes that they cover, undefined on others; `wrong_length` for none and for too many. */
export function spread<T>(found: Found, entries: readonly T[], cover: Cover): readonly (T | undefined)[] {
  const axes = covered(found, entries.length, cover);
  const ordered = cover.xFirst ? [...entries].reverse() : entries;
  const result: (T | undefined)[] = Array.from({ length: cover.count }, () => undefined);
  axes.forEach((axis, position) => {
    result[axis] = ordered[position];
  });
  return result;
}

/** Entries on the trailing axes. */
export const trailing = <T>(
  found: Found,
  entries: readonly T[],
  count: number,
  xFirst = false,
): readonly (T | undefined)[] => spread(found, entries, { count, spatial: [], xFirst });

/** Numbers per axis: a list, or one number for every spatial axis. */
export function numbers(
  found: Found,
  cover: Cover,
  read: (entry: Found) => number = finiteOf,
): readonly (number | undefined)[] {
  if (isList(found.value)) return spread(found, listOf(found).map(read), cover);
  const value = read(found);
  return Array.from({ length: cover.count }, (_, axis) => (cover.spatial.includes(axis) ? value : undefined));
}

/** Units per axis, "" for none: a list, or one string for every axis that `beside`, the numbers, covers. */
export function unitsBeside(found: Found, cover: Cover, beside: readonly (number | undefined)[]): readonly string[] {
  if (isList(found.value) && found.value.length === 0) return beside.map(() => "");
  if (isList(found.value)) return spread(found, listOf(found).map(nullableString), cover).map((unit) => unit ?? "");
  const unit = nullableString(found) ?? "";
  return beside.map((number) => (number === undefined ? "" : unit));
}
