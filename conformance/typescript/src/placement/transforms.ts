// Scales and translations of OME-NGFF, composed exactly.

import {
  exactly,
  type Found,
  type FoundObject,
  finiteOf,
  listOf,
  needed,
  objectOf,
  positiveOf,
  stringOf,
  wrong,
} from "../documents/document.js";
import { type At, PlacedError } from "../errors.js";
import { Fraction } from "../fraction.js";
import type { Reading } from "./types.js";

/** One step from indices towards the world: factors or shifts, one per axis. */
export interface Step {
  readonly kind: "scale" | "translation";
  readonly values: readonly number[];
  readonly found: FoundObject;
}

/** Voxel size and first centre that steps lead to; `declared` where one of them is a translation. */
export interface Composed {
  readonly voxelSize: readonly number[];
  readonly translation: readonly number[];
  readonly declared: boolean;
}

function step(found: FoundObject, { count, warn }: Reading): readonly Step[] {
  const kind = stringOf(needed(found, "type"));
  if (kind === "scale") return [{ kind, values: exactly(needed(found, kind), count, positiveOf), found }];
  if (kind === "translation") return [{ kind, values: exactly(needed(found, kind), count, finiteOf), found }];
  if (kind !== "identity") warn("unsupported");
  return [];
}

/** The steps of a list of transforms: sequences are unpacked, other types left out with a warning. */
export function stepsOf(transforms: Found | undefined, reading: Reading): readonly Step[] {
  if (transforms === undefined) return [];
  return listOf(transforms)
    .map(objectOf)
    .flatMap((found) =>
      stringOf(needed(found, "type")) === "sequence"
        ? stepsOf(needed(found, "transformations"), reading)
        : step(found, reading),
    );
}

/** Raises `duplicate` or `order` unless there is one scale and at most one translation after it. */
export function checkDataset(steps: readonly Step[], { lenient, warn }: Reading): void {
  for (const kind of ["scale", "translation"] as const) {
    const [, second] = steps.filter((one) => one.kind === kind);
    if (second !== undefined) {
      throw new PlacedError("duplicate", second.found.at, `${second.found.at.join("/")} is a second ${kind}`);
    }
  }
  const [first, second] = steps;
  if (first?.kind !== "translation" || second === undefined) return;
  if (!lenient) throw wrong("order", second.found, "a scale stands before the translation");
  warn("order");
}

/** The voxel size and translation of steps in the order written, each rounded once; `not_finite` at `at`. */
export function composed(steps: readonly Step[], count: number, at: At): Composed {
  const scale = Array.from({ length: count }, () => Fraction.of(1));
  const shift = Array.from({ length: count }, () => Fraction.of(0));
  for (const { kind, values } of steps) {
    values.forEach((value, axis) => {
      const [exact, size, from] = [Fraction.from(value), scale[axis], shift[axis]];
      if (size === undefined || from === undefined) return;
      if (kind === "scale") scale[axis] = size.mul(exact);
      shift[axis] = kind === "scale" ? from.mul(exact) : from.add(exact);
    });
  }
  const [voxelSize, translation] = [scale.map((one) => one.toNumber()), shift.map((one) => one.toNumber())];
  if (!voxelSize.every((size) => Number.isFinite(size) && size > 0) || !translation.every(Number.isFinite)) {
    const sizes = `voxels of ${voxelSize.join(", ")} at ${translation.join(", ")}`;
    const message = `${at.join("/")} leads to ${sizes}, beyond floats`;
    throw new PlacedError("not_finite", at, message);
  }
  return { voxelSize, translation, declared: steps.some(({ kind }) => kind === "translation") };
}
