// COSEM's transform: scale and translation of voxel centres, in C order or, where it says so, x first.

import { type Found, type FoundObject, member, objectOf, positiveOf, stringOf, wrong } from "../documents/document.js";
import { isObject } from "../documents/index.js";
import type { Warn } from "../errors.js";
import { trailingNames } from "./axes.js";
import { type Cover, numbers, unitsBeside } from "./lists.js";
import { firstMember } from "./nodes.js";
import type { NamedAxes, Placing } from "./types.js";

/** The transform of attributes or of a dataset; one of another kind is passed over with a warning. */
export function cosemTransform(node: FoundObject, warn: Warn): FoundObject | undefined {
  const found = member(node, "transform");
  if (found === undefined) return undefined;
  if (isObject(found.value) && firstMember(objectOf(found), ["scale", "translate"])) return objectOf(found);
  warn("unsupported");
  return undefined;
}

/** Whether the lists of a transform are x first; `wrong_value` for an order that is neither C nor F. */
function xFirst(transform: FoundObject): boolean {
  const order = firstMember(transform, ["ordering", "order"]);
  if (order === undefined) return false;
  const word = stringOf(order);
  if (word === "C" || word === "F") return word === "F";
  throw wrong("wrong_value", order, "C or F belongs there");
}

/** The names of the axes in a transform. */
export function cosemAxes(transform: FoundObject, count: number): NamedAxes | undefined {
  const found = member(transform, "axes");
  return found && trailingNames(found, count, xFirst(transform));
}

/** Where a transform places an array of `cover.count` axes. */
export function cosemPlace(transform: FoundObject, { count, spatial }: Cover): Placing {
  const cover: Cover = { count, spatial, xFirst: xFirst(transform) };
  const [scale, translate, units] = ["scale", "translate", "units"].map((key): Found | undefined =>
    member(transform, key),
  );
  const none = Array.from({ length: count }, () => undefined);
  const sizes = scale === undefined ? none : numbers(scale, cover, positiveOf);
  const translation = translate === undefined ? none : numbers(translate, cover);
  return {
    by: "cosem",
    voxelSize: sizes,
    translation: translation.map((value, axis) => value ?? (sizes[axis] === undefined ? undefined : 0)),
    declared: translate !== undefined,
    units: units && unitsBeside(units, cover, scale === undefined ? translation : sizes),
  };
}
