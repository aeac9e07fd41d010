// The dimension_units of zarr v3: a voxel size and a unit per axis, the corner at the origin.

import { exactly, type Found, member, positiveOf, wrong } from "../documents/document.js";
import type { FoundObject } from "../documents/document.js";
import { isList } from "../documents/index.js";
import { nullableString } from "./lists.js";

/** A quantity: how many of which unit. */
export interface Quantity {
  readonly size: number;
  readonly unit: string;
}

const QUANTITY = /^\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)?\s*(.*?)\s*$/su;

/** `4 nm`, `nm`, [4, "nm"], 4 or nothing: null and "". */
function quantity(found: Found): Quantity | undefined {
  const { value, at } = found;
  if (value === null || value === "") return undefined;
  if (typeof value === "string") {
    const [, digits, unit = ""] = QUANTITY.exec(value) ?? [];
    return { size: positiveOf({ value: Number(digits ?? 1), at }), unit };
  }
  if (isList(value)) {
    const [size, unit] = exactly(found, 2, (entry) => entry);
    return size && unit && { size: positiveOf(size), unit: nullableString(unit) ?? "" };
  }
  if (typeof value !== "number" && typeof value !== "bigint") {
    throw wrong("wrong_type", found, 'text such as "4 nm", a number, a number and a unit, or null belongs there');
  }
  return { size: positiveOf(found), unit: "" };
}

/** The quantity of each axis, undefined where nothing is said; undefined as a whole where nothing is said of any. */
export function dimensionUnits(attributes: FoundObject, count: number): readonly (Quantity | undefined)[] | undefined {
  const found = member(attributes, "dimension_units");
  const quantities = found && exactly(found, count, quantity);
  return quantities?.some((one) => one !== undefined) ? quantities : undefined;
}
