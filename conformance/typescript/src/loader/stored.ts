// The pyramids of a volume as its stores describe them: one letter per axis, in one unit.

import { detect, isList, isObject, joined, shortPath, type Format, type Json, type Store } from "../documents/index.js";
import { PlacedError, type At, type Warn } from "../errors.js";
import { convertUnits, readArray, readPyramid, type ArrayRecord } from "../placement/index.js";
import { fail } from "./check.js";

/** One level of a stored pyramid; lists per stored axis. */
export interface StoredLevel {
  readonly name: string;
  readonly path: string;
  readonly shape: readonly number[];
  readonly chunk: readonly number[];
  readonly dtype: string;
  readonly voxel: readonly number[];
  /** The centre of voxel 0; null where no document gives one. */
  readonly translation: readonly number[] | null;
}

/** A stored pyramid. */
export interface StoredPyramid {
  readonly path: string;
  readonly format: Format;
  /** The axes as stored, by name and by letter. */
  readonly names: readonly string[];
  readonly letters: readonly string[];
  readonly spatial: readonly number[];
  readonly units: readonly string[];
  readonly levels: readonly StoredLevel[];
  /** Whether the multiscale has a scale other than 1 of its own. */
  readonly scaledOutside: boolean;
}

const LETTERS: Readonly<Record<string, string>> = { z: "z", y: "y", x: "x", t: "t", c: "c", time: "t", channel: "c" };
const TYPES: Readonly<Record<string, string>> = { time: "t", channel: "c" };

/** The letters of stored axes: by name in any case, else by type. */
function lettersOf({ axes, axisTypes }: ArrayRecord, at: At): string[] {
  const letters = axes.map((name, axis) => {
    const lower = name.toLowerCase();
    const letter = Object.hasOwn(LETTERS, lower) ? LETTERS[lower] : TYPES[axisTypes?.[axis] ?? ""];
    return letter ?? fail("unsupported", at, `the axis ${JSON.stringify(name)} is none of z, y, x, time and channel`);
  });
  const twice = letters.find((letter, axis) => letters.indexOf(letter) < axis);
  return twice === undefined ? letters : fail("unsupported", at, `of the axes ${axes.join(", ")} two are ${twice}`);
}

/** Whether any scale in a list of transforms is other than 1. */
function scales(transforms: readonly Json[]): boolean {
  return transforms.some((transform) => {
    if (!isObject(transform)) return false;
    const { scale, transformations } = transform;
    if (scale !== undefined && isList(scale) && scale.some((factor) => factor !== 1)) return true;
    return transformations !== undefined && isList(transformations) && scales(transformations);
  });
}

/** What a document says that is wrong, at the key of the configuration that leads to it. */
function atKey<Value>(at: At, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PlacedError)) throw error;
    return fail(error.code, at, `${error.at.join(".")}: ${error.message}`);
  }
}

/** The group at a path, or an error at its key. */
function groupAt(store: Store, path: string, at: At): Format {
  const found = detect(store, path);
  if (found === undefined) return fail("not_found", at, `nothing stands at ${path}; a multiscale group belongs there`);
  if (found.kind === "array" || found.scaleKey !== null) {
    fail("wrong_type", at, `${path} is an array; the group of its pyramid belongs here`);
  }
  return found.format;
}

/** A record in another unit along its spatial axes. */
function inUnits(
  record: ArrayRecord,
  units: string | null,
  at: At,
  warn: Warn,
): Pick<ArrayRecord, "units" | "voxelSize" | "translation"> {
  return units === null ? record : convertUnits(record, { space: units }, { at }, warn);
}

function levelOf(name: string, record: ArrayRecord, units: string | null, at: At, warn: Warn): StoredLevel {
  const { voxelSize, translation } = inUnits(record, units, at, warn);
  return {
    name,
    path: record.path,
    shape: record.shape,
    chunk: record.chunkShape,
    dtype: record.dtype,
    voxel: voxelSize,
    translation: record.translationDeclared ? translation : null,
  };
}

/** Raises `missing_key` where one of several levels has no size of voxels; of one level alone it is 1, with a warning. */
function checkSizes(path: string, records: readonly ArrayRecord[], at: At, warn: Warn): void {
  const bare = records.find(({ placedBy }) => placedBy === null);
  if (bare === undefined) return;
  const said = `no document of ${path} says how large the voxels of ${bare.path} are`;
  if (records.length > 1) fail("missing_key", at, `${said}, and there are ${records.length} levels`);
  warn("missing_key");
}

function pyramidAt(store: Store, path: string, at: At, units: string | null, warn: Warn): StoredPyramid {
  const format = groupAt(store, path, at);
  const silent = (): void => undefined;
  const group = readPyramid(store, path, {}, silent);
  const names = group.levels.map(({ name }) => name);
  const records = names.map((name) => readArray(store, joined(group.path, name), {}, silent));
  checkSizes(path, records, at, warn);
  const [first] = records;
  if (first === undefined) return fail("not_found", at, `${path} lists no level`);
  for (const { axes, path: level } of records) {
    if (axes.join() !== first.axes.join()) {
      fail("wrong_value", at, `${level} has the axes ${axes.join(", ")}, level 0 has ${first.axes.join(", ")}`);
    }
  }
  return {
    path: group.path,
    format,
    names: first.axes,
    letters: lettersOf(first, at),
    spatial: first.spatial,
    units: inUnits(first, units, at, silent).units,
    levels: records.map((record, level) => levelOf(names[level]!, record, units, at, level === 0 ? warn : silent)),
    scaledOutside: scales(first.outerTransforms),
  };
}

/**
 * The pyramid of a group.
 *
 * @param folder the path of a volume in the store, and
 * @param key that of the group in it; `""` and `"."` are the volume itself
 * @param at where the key stands in the configuration: errors are there
 * @param units the unit to convert spatial axes to; null leaves what is stored
 * @throws PlacedError `not_found` for nothing, `wrong_type` for an array, `unsupported` for other axes than z, y, x,
 *   time and channel, and what is wrong with a document
 */
export function storedPyramid(
  store: Store,
  folder: string,
  key: string,
  at: At,
  units: string | null,
  warn: Warn,
): StoredPyramid {
  const short = shortPath(key);
  const path = short === "" ? folder : joined(folder, short);
  return atKey(at, () => pyramidAt(store, path, at, units, warn));
}
