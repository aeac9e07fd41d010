// The boxes of the profile ml.

import type { At } from "../errors.js";
import { type Check, checkOnce, fields, integer, list, number, text } from "./checks.js";
import type { Findings } from "./findings.js";
import { type Scope, sizesOfAxes, under } from "./header-scope.js";
import { INDEX } from "./header-spaces.js";
import { isList, isNumber, type Plain, type PlainMap } from "./plain.js";

type Names = readonly (string | undefined)[];

/** What boxes stand in: the names of its axes, undefined where they cannot be told. */
interface Frame {
  readonly names: Names | undefined;
  /** Sizes per axis of the frame index, where they are known. */
  readonly sizes: readonly number[] | undefined;
}

const UNTOLD: Frame = { names: undefined, sizes: undefined };

const texts = (value: Plain | undefined, key: string): Names | undefined =>
  isList(value)
    ? value.map((map) => under(map, key)).map((name) => (typeof name === "string" && name !== "" ? name : undefined))
    : undefined;

/** The frame of a name; what is not there is `unknown_name`. */
function findFrame(name: Plain | undefined, at: At, header: PlainMap, scope: Scope, found: Findings): Frame {
  if (name === INDEX) return { names: scope.names, sizes: sizesOfAxes(scope) };
  if (typeof name !== "string" || name === "") return UNTOLD;
  const spaces = header.get("spaces") ?? [];
  const names = texts(spaces, "name");
  if (!isList(spaces) || names === undefined) return UNTOLD;
  const space = spaces[names.indexOf(name)];
  if (space !== undefined) return { names: texts(under(space, "axes"), "name"), sizes: undefined };
  if (names.includes(undefined)) return UNTOLD;
  const known = [INDEX, ...names].join(", ");
  found.problem("unknown_name", [...at, "frame"], `there is no space ${name}; a frame is one of ${known}`);
  return UNTOLD;
}

/** Names of axes, each of the frame and there once. */
function checkNames(axes: Plain | undefined, at: At, { names }: Frame, found: Findings): Names | undefined {
  if (!isList(axes) || axes.length === 0) return undefined;
  const given = axes.map((name) => (typeof name === "string" ? name : undefined));
  given.forEach((name, position) => {
    if (names === undefined || name === undefined || name === "" || names.includes(name) || names.includes(undefined)) return;
    found.problem("unknown_name", [...at, position], `the frame has no axis ${name}; its axes are ${names.join(", ")}`);
  });
  checkOnce(given, at, found);
  return given;
}

const label: Check = (value, at, found) => (isNumber(value) ? integer() : text())(value, at, found);

function checkEnds(item: Plain, at: At, found: Findings): void {
  const [min, max] = [under(item, "min"), under(item, "max")];
  if (!isList(min) || !isList(max)) return;
  max.forEach((end, axis) => {
    const begin = min[axis];
    if (!isNumber(begin) || !isNumber(end) || !(end < begin)) return;
    if (!Number.isFinite(Number(begin)) || !Number.isFinite(Number(end))) return;
    found.problem("conflict", [...at, "max", axis], `the box ends at ${end}, below ${begin}, where it begins`);
  });
}

/** Whether any number of a list is beyond what a test allows for its axis. */
const some = (list: Plain | undefined, test: (value: number | bigint, axis: number) => boolean): boolean =>
  isList(list) && list.some((value, axis) => isNumber(value) && test(value, axis));

function checkWithin(item: Plain, at: At, axes: Names | undefined, { names, sizes }: Frame, found: Findings): void {
  if (sizes === undefined || names === undefined || axes === undefined) return;
  const sizeOf = (axis: number): number => sizes[names.indexOf(axes[axis])] ?? Infinity;
  const beyond = some(under(item, "min"), (begin) => begin < 0) || some(under(item, "max"), (end, axis) => end > sizeOf(axis));
  if (beyond) found.notice("out_of_range", at, `the box reaches beyond the array, which has the sizes ${sizes.join(", ")}`);
}

/** The check of boxes, in a header with these axes. */
export const boxes =
  (header: PlainMap, scope: Scope): Check =>
  (value, at, found) => {
    const frame = findFrame(under(value, "frame"), at, header, scope, found);
    const axes = checkNames(under(value, "axes"), [...at, "axes"], frame, found);
    const ends = list(number(), { count: axes?.length });
    const item: Check = (box, where, all) => {
      const right = fields({ min: ends, max: ends }, { label, score: number() })(box, where, all);
      checkEnds(box, where, all);
      if (right) checkWithin(box, where, axes, frame, all);
      return right;
    };
    return fields({ frame: text(), axes: list(text(), { least: 1 }), items: list(item) })(value, at, found);
  };
