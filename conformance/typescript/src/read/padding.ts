// What stands where there is no data.

import { PlacedError } from "../errors.js";
import { type Element, roundToFloat } from "../resample/index.js";
import { heldInteger } from "../write/index.js";
import { elementOf } from "./elements.js";

/** A value, or `edge` for the nearest stored voxel. */
export type PaddingWanted = number | bigint | boolean | string;

/** An element of the array's dtype, or the border. */
export type Padding = { readonly edge: true } | { readonly edge: false; readonly value: Element };

const wrong = (what: PaddingWanted, rule: string): PlacedError =>
  new PlacedError("not_representable", ["padding"], `padding is ${what}, ${rule}`);

function held(value: number | bigint | boolean, dtype: string): boolean | number | bigint | undefined {
  const number = typeof value === "boolean" ? Number(value) : value;
  if (dtype === "bool") return number == 0 || number == 1 ? number == 1 : undefined;
  if (/^u?int/.test(dtype)) return heldInteger(number, dtype);
  const rounded = roundToFloat(dtype, Number(number));
  const given = typeof number === "bigint" || Number.isFinite(number);
  return given && !Number.isFinite(rounded) ? undefined : rounded;
}

/** Padding of an array of a dtype; `not_representable` at ["padding"] for a value that it does not hold. */
export function paddingOf(wanted: PaddingWanted, dtype: string): Padding {
  if (wanted === "edge") return { edge: true };
  if (typeof wanted === "string") throw wrong(wanted, "but the only word is edge");
  const value = held(wanted, dtype);
  if (value === undefined) throw wrong(wanted, `which ${dtype} does not hold`);
  return { edge: false, value: elementOf(value, dtype) };
}

/** Raises `invalid_argument` at ["padding"] where an array without voxels has no border. */
export function checkEdge(padding: Padding, shape: readonly number[]): void {
  if (!padding.edge || !shape.includes(0)) return;
  const message = `padding is edge, but an array of the shape (${shape.join(", ")}) has no voxel to repeat`;
  throw new PlacedError("invalid_argument", ["padding"], message);
}
