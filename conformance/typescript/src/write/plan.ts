// Which write units a box covers.

import { type At, PlacedError } from "../errors.js";
import { checkLength, checkShape, checkUnit, checkWhole, defaultAxes, entry } from "../geometry/index.js";
import { indicesIn } from "../grid/index.js";

/** A write: lists in voxels and C order; begin and end are over the axes that are not selected. */
export interface WritePlan {
  readonly shape: readonly number[];
  /** The write unit: the shard, else the chunk. */
  readonly unit: readonly number[];
  readonly begin: readonly number[];
  readonly end: readonly number[];
  /** t, c, z, y, x from the back where absent. */
  readonly axes?: readonly string[] | undefined;
  /** Axes pinned to one index, by name. */
  readonly select?: Readonly<Record<string, number>> | undefined;
  /** Whether units may be cut; false where absent. */
  readonly partial?: boolean | undefined;
}

/** What is written along one axis, [begin, end) of n voxels in units of `unit`, and what errors call it. */
interface Span {
  readonly name: string;
  readonly axis: number;
  readonly begin: number;
  readonly end: number;
  readonly n: number;
  readonly unit: number;
  readonly selected: boolean;
}

function checkSelect(select: Readonly<Record<string, number>>, axes: readonly string[]): void {
  for (const [name, index] of Object.entries(select)) {
    if (!axes.includes(name)) {
      const message = `select names ${name}, but the axes are ${axes.join(", ")}`;
      throw new PlacedError("invalid_argument", ["select", name], message);
    }
    checkWhole([index], ["select", axes.indexOf(name)]);
  }
}

function spans(plan: WritePlan): readonly Span[] {
  const { shape, unit, begin, end, axes = defaultAxes(shape.length), select = {} } = plan;
  checkShape(shape, ["shape"]);
  checkLength(unit, shape.length, ["unit"]);
  checkUnit(unit, ["unit"]);
  checkLength(axes, shape.length, ["axes"]);
  checkSelect(select, axes);
  const free = axes.filter((name) => !Object.hasOwn(select, name));
  for (const [field, values] of [
    ["begin", begin],
    ["end", end],
  ] as const) {
    checkLength(values, free.length, [field]);
    checkWhole(values, [field]);
  }
  return axes.map((name, axis) => {
    const index = Object.hasOwn(select, name) ? select[name] : undefined;
    const of = { name, axis, n: entry(shape, axis), unit: entry(unit, axis), selected: index !== undefined };
    if (index !== undefined) return { ...of, begin: index, end: index + 1 };
    const position = free.indexOf(name);
    return { ...of, begin: entry(begin, position), end: entry(end, position) };
  });
}

const atOf = ({ selected, axis }: Span, field: string): At => [selected ? "select" : field, axis];

function checkBounds(span: Span): void {
  const { name, begin, end, n } = span;
  if (end < begin) {
    throw new PlacedError("order", atOf(span, "end"), `the end ${end} lies before the begin ${begin} on axis ${name}`);
  }
  const bad = begin < 0 || begin > n ? "begin" : end > n ? "end" : undefined;
  if (bad === undefined) return;
  const value = bad === "begin" ? begin : end;
  throw new PlacedError("out_of_range", atOf(span, bad), `${bad} is ${value} on axis ${name}, outside its ${n} voxels`);
}

function checkAligned(span: Span): void {
  const { name, begin, end, n, unit, selected } = span;
  const bad = begin % unit !== 0 ? "begin" : end % unit !== 0 && end !== n ? "end" : undefined;
  if (bad === undefined) return;
  const what = selected ? `the index ${begin} shares` : `${bad} ${bad === "begin" ? begin : end} cuts`;
  throw new PlacedError(
    "not_aligned",
    atOf(span, bad),
    `${what} a write unit on axis ${name}, where units are ${unit} voxels`,
  );
}

/**
 * The indices of the write units that a box touches, in C order; an empty box touches none.
 *
 * Raises `order` at ["end", axis]; `out_of_range` and, unless it is partial, `not_aligned` at ["begin", axis],
 * ["end", axis] or ["select", axis], axes counted with the selected ones; `invalid_argument` at ["select", name].
 */
export function writeUnits(plan: WritePlan): readonly (readonly number[])[] {
  const along = spans(plan);
  along.forEach(checkBounds);
  if (along.some(({ begin, end }) => begin === end)) return [];
  if (plan.partial !== true) along.forEach(checkAligned);
  return indicesIn({
    begin: along.map(({ begin, unit }) => Math.floor(begin / unit)),
    end: along.map(({ end, unit }) => Math.ceil(end / unit)),
  });
}
