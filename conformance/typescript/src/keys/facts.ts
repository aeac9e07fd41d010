// What is known of an array whose write units have keys, and whether it can be.

import { PlacedError } from "../errors.js";
import { checkLength, checkShape, checkUnit, checkWhole, checkWord } from "../geometry/index.js";

/** The formats that have keys. */
export const KEY_FORMATS = ["zarr2", "zarr3", "n5", "precomputed"] as const;

/** What names a key's form; lists are in C order. */
export interface KeyFacts {
  /** zarr2, zarr3, n5 or precomputed. */
  readonly format: string;
  /** `.` or `/`; the format's own where absent. */
  readonly separator?: string | undefined;
  /** zarr v3's chunk_key_encoding, default or v2; default where absent. */
  readonly encoding?: string | undefined;
  /** The write unit in voxels. */
  readonly chunkShape?: readonly number[] | undefined;
  /** The array in voxels. */
  readonly shape?: readonly number[] | undefined;
  /** Precomputed's voxel_offset on z, y and x; 0 where absent. */
  readonly origin?: readonly number[] | undefined;
  /** The number of axes; any where neither this nor a shape is given. */
  readonly ndim?: number | undefined;
}

/** How indices are joined: `prefix`, then the indices, turned round where x comes first. */
export interface Joined {
  readonly prefix: string;
  readonly separator: string;
  readonly xFirst: boolean;
  /** The key of an array without axes; undefined where there can be none. */
  readonly noAxes: string | undefined;
}

/** A volume whose keys are ranges of voxels; lists on z, y and x. */
export interface Ranges {
  readonly chunk: readonly number[];
  readonly shape: readonly number[];
  readonly origin: readonly number[];
  /** Whether a channel axis, of one chunk, stands in front. */
  readonly channels: boolean;
}

/** How keys are made, how many units there are on each axis (where that is known), and how many axes. */
export interface KeyForm {
  readonly form: Joined | Ranges;
  readonly grid: readonly number[] | undefined;
  readonly ndim: number | undefined;
}

const invalid = (field: string, message: string): PlacedError => new PlacedError("invalid_argument", [field], message);

/** The encodings of a format; the first is meant where none is given. */
const ENCODINGS: Readonly<Record<string, readonly string[]>> = {
  zarr2: ["default", "v2"],
  zarr3: ["default", "v2"],
  n5: ["default"],
  precomputed: ["default"],
};

/** The most axes that an array has. */
const MOST_AXES = 64;

function joined({ format, encoding = "default", separator }: KeyFacts): Joined {
  if (format === "n5") {
    if (separator !== undefined && separator !== "/")
      throw invalid("separator", `separator is ${separator}, but that of n5 is /`);
    return { prefix: "", separator: "/", xFirst: true, noAxes: undefined };
  }
  return format === "zarr3" && encoding === "default"
    ? { prefix: "c", separator: separator ?? "/", xFirst: false, noAxes: "c" }
    : { prefix: "", separator: separator ?? ".", xFirst: false, noAxes: "0" };
}

const SPATIAL = 3;

function ranges({ shape, chunkShape, origin = [0, 0, 0] }: KeyFacts): Ranges {
  if (shape === undefined || chunkShape === undefined) {
    throw invalid("shape", "a key of precomputed needs shape and chunk_shape, which are the ends of its ranges");
  }
  const channels = shape.length === SPATIAL + 1;
  checkLength(shape, SPATIAL + Number(channels), ["shape"]);
  checkLength(origin, SPATIAL, ["origin"]);
  checkWhole(origin, ["origin"]);
  return { chunk: chunkShape.slice(-SPATIAL), shape: shape.slice(-SPATIAL), origin, channels };
}

function grid({ shape, chunkShape }: KeyFacts, channels: boolean): readonly number[] | undefined {
  if (shape === undefined || chunkShape === undefined) return undefined;
  return shape.map((size, axis) => (channels && axis === 0 ? 1 : Math.ceil(size / (chunkShape[axis] ?? NaN))));
}

function checkAxes(ndim: number, known: readonly number[] | undefined): void {
  if (!Number.isInteger(ndim)) throw new PlacedError("wrong_type", ["ndim"], `ndim is ${ndim}, but axes are counted`);
  if (ndim < 0 || ndim > MOST_AXES) {
    throw new PlacedError("out_of_range", ["ndim"], `ndim is ${ndim}; an array has 0 to ${MOST_AXES} axes`);
  }
  if (known === undefined || ndim === known.length) return;
  throw new PlacedError("wrong_length", ["ndim"], `ndim is ${ndim}, but the shape has ${known.length} entries`);
}

function checkFacts({ format, encoding = "default", separator, shape, chunkShape, ndim }: KeyFacts): void {
  checkWord(format, KEY_FORMATS, ["format"], "invalid_argument");
  checkWord(encoding, ENCODINGS[format] ?? [], ["format"], "invalid_argument");
  if (separator !== undefined) checkWord(separator, [".", "/"], ["separator"], "invalid_argument");
  if (shape !== undefined) checkShape(shape, ["shape"]);
  if (chunkShape !== undefined) {
    if (shape !== undefined) checkLength(chunkShape, shape.length, ["chunk_shape"]);
    checkUnit(chunkShape, ["chunk_shape"]);
  }
  if (ndim !== undefined) checkAxes(ndim, shape ?? chunkShape);
}

/**
 * How the keys of an array are made.
 *
 * Raises `invalid_argument` at ["format"] (also for an encoding), ["separator"] and, where precomputed lacks a shape,
 * at ["shape"]; `wrong_length`, `out_of_range` and `wrong_type` at ["ndim"]; and errors of sizes at their lists.
 */
export function keyForm(facts: KeyFacts): KeyForm {
  checkFacts(facts);
  const form = facts.format === "precomputed" ? ranges(facts) : joined(facts);
  const ndim = (facts.shape ?? facts.chunkShape)?.length ?? facts.ndim;
  return { form, grid: grid(facts, "chunk" in form && form.channels), ndim };
}
