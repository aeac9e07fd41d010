// What the parts of a header need to know of each other, and of the array.

import { axisNameOf, isList, isMap, type Plain, type PlainMap } from "./plain.js";
import { AXIS_TYPES, type AxisType } from "./records.js";

/** The array that a header belongs to; what is absent is not compared with. */
export interface ArrayFacts {
  /** Sizes per axis. */
  readonly shape?: readonly number[];
  readonly dtype?: string;
}

/** The axes of the array as a header tells them. */
export interface Scope extends ArrayFacts {
  /** Name of each axis, filled in; undefined where it cannot be told. No list: the axes cannot be told. */
  readonly names?: readonly (string | undefined)[];
  /** What each axis reads as; undefined where it cannot be told. */
  readonly types?: readonly (AxisType | undefined)[];
  /** Which axes a space uses. */
  readonly used: ReadonlySet<string>;
}

/** The value under a key of what may be a map. */
export const under = (value: Plain | undefined, key: string): Plain | undefined => (isMap(value) ? value.get(key) : undefined);

const entries = (value: Plain | undefined): readonly Plain[] => (isList(value) ? value : []);

/** The names that the spaces of a header map. */
function usedNames(header: PlainMap): Set<string> {
  const names = entries(header.get("spaces")).flatMap((space) => entries(under(under(space, "from_array"), "array_axes")));
  return new Set(names.filter((name): name is string => typeof name === "string"));
}

const isType = (value: Plain): value is AxisType => (AXIS_TYPES as readonly Plain[]).includes(value);

function readType(type: Plain | undefined, used: boolean, later: boolean): AxisType | undefined {
  if (type === undefined) return used ? "space" : "other";
  if (isType(type)) return type;
  return later && typeof type === "string" ? "other" : undefined;
}

/** What a header tells of the axes, whatever else is wrong with it. */
export function scopeOf(header: PlainMap, later: boolean, facts: ArrayFacts): Scope {
  const used = usedNames(header);
  const axes = header.get("axes");
  if (!isList(axes)) return { ...facts, used };
  const names = axes.map(axisNameOf);
  const types = axes.map((axis, position) => {
    const uses = used.has(names[position] ?? "");
    return isMap(axis) ? readType(axis.get("type"), uses, later) : undefined;
  });
  return { ...facts, names, types, used };
}

/** How many axes are of a type; undefined where that cannot be told. */
export function countOfType({ types }: Scope, type: AxisType): number | undefined {
  if (types === undefined || types.includes(undefined)) return undefined;
  return types.filter((one) => one === type).length;
}

/** The size of each axis, where header and array have as many axes. */
export const sizesOfAxes = ({ names, shape }: Scope): readonly number[] | undefined =>
  names?.length === shape?.length ? shape : undefined;
