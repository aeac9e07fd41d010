// Which array of a path is opened.

import { detect, joined, lastOf, shortPath, type Store } from "../documents/index.js";
import { PlacedError, type Warn } from "../errors.js";
import { listedLevels, selectLevel } from "../levels/index.js";
import { type Pyramid, type PyramidLevel, readArray, type ReadOptions, readPyramid } from "../placement/index.js";
import { type Converting, converted, type InUnits, inUnitsOf, onSpatial, rescaled, sizesAsked } from "./sizes.js";
import type { OpenOptions } from "./types.js";

/** An array that is opened: its path, its level's name, the pyramid around it, and whether the path named it itself. */
export interface Chosen {
  readonly path: string;
  readonly name: string;
  readonly levels: Levels;
  readonly isArray: boolean;
}

/** The levels of a pyramid, placed as they are asked for: in units, and rescaled to a base. */
export class Levels {
  constructor(
    private readonly store: Store,
    readonly pyramid: Pyramid,
    private readonly options: OpenOptions,
    private readonly reading: ReadOptions,
  ) {}

  /** The path of a level's array. */
  pathOf(name: string): string {
    if (name === ".") return this.pyramid.path;
    return joined(this.pyramid.path, name);
  }

  /** How a level's placement is converted. */
  converting(path: string): Converting {
    return { asked: this.options.units, strict: this.options.strictUnits ?? true, path };
  }

  private placed({ name, placed }: PyramidLevel): InUnits {
    const path = this.pathOf(name);
    const found = placed ?? readArray(this.store, path, this.reading, () => undefined);
    return converted(found, this.converting(path), () => undefined);
  }

  /** A placement, already in the units asked for, of a pyramid whose first level has the base size. */
  rebased<P extends InUnits>(placed: P): P {
    const { baseVoxelSize, baseUnits } = this.options;
    const first = this.pyramid.levels[0];
    if (baseVoxelSize === undefined || first === undefined) return placed;
    const base = this.placed(first);
    const sizes = sizesAsked(baseVoxelSize, placed, ["base_voxel_size"]);
    return rescaled(placed, onSpatial(base.voxelSize, base), inUnitsOf(sizes, baseUnits, base, ["base_units"]));
  }

  /** Names and sizes of every level. */
  sized(): readonly { readonly name: string; readonly voxelSize: readonly number[] }[] {
    return this.pyramid.levels.map((level) => {
      const placed = this.rebased(this.placed(level));
      return { name: level.name, voxelSize: onSpatial(placed.voxelSize, placed) };
    });
  }

  get names(): readonly string[] {
    return this.pyramid.levels.map(({ name }) => name);
  }
}

/** The level of a name or a position, or `first`. */
function named(levels: Levels, level: string | number | bigint, path: string): string {
  const { names } = levels;
  const short = typeof level === "string" ? shortPath(level) : "";
  const found =
    typeof level === "string"
      ? (names.find((name) => name === level || name === short) ?? (level === "first" ? names[0] : undefined))
      : Number.isInteger(Number(level)) && level >= 0
        ? names[Number(level)]
        : undefined;
  if (found !== undefined) return found;
  throw new PlacedError("unknown_level", [path], `${path} has no level ${level}; its levels are ${names.join(", ")}`);
}

/** The level of a size, as the mode picks it. */
function ofSize(levels: Levels, { voxelSize = 0, levelMode = "floor" }: OpenOptions): string {
  const sized = levels.sized();
  const spatial = (sized[0]?.voxelSize ?? []).map((_, axis) => axis);
  return selectLevel(sized, sizesAsked(voxelSize, { spatial }, ["voxel_size"]), levelMode).name;
}

function nameIn(levels: Levels, path: string, options: OpenOptions): string {
  if (options.level !== undefined) return named(levels, options.level, path);
  if (options.voxelSize !== undefined) return ofSize(levels, options);
  const [first, second] = levels.names;
  if (first !== undefined && second === undefined) return first;
  const message = `${path} is a group; a level or a voxel size chooses one of ${levels.names.join(", ")}`;
  throw new PlacedError("level_required", [path], message);
}

/** The pyramid of an array; that of the array alone where what is around it cannot be read. */
function pyramidOf(store: Store, path: string, reading: ReadOptions, isArray: boolean): Pyramid {
  try {
    return readPyramid(store, path, reading, () => undefined);
  } catch (error) {
    if (!isArray || !(error instanceof PlacedError)) throw error;
    const short = shortPath(path);
    const name = lastOf(short);
    const folder = short.slice(0, Math.max(0, short.length - name.length - 1));
    return { path: folder, format: "zarr3", opened: name, levels: [{ name, placed: null }] };
  }
}

/**
 * The array that a path and the options name.
 *
 * Raises `not_found`, `unknown_level` and `level_required` at the path, `no_level` at ["voxel_size"], and errors of
 * documents. Warns `invalid_argument` of a level beside an array path.
 */
export function choose(store: Store, path: string, options: OpenOptions, reading: ReadOptions, warn: Warn): Chosen {
  const found = detect(store, path);
  const isArray = found?.kind === "array";
  const levels = new Levels(store, pyramidOf(store, path, reading, isArray), options, reading);
  if (!isArray) {
    const name = nameIn(levels, path, options);
    return { path: levels.pathOf(name), name, levels, isArray };
  }
  const { level } = options;
  if (level !== undefined && level !== "first" && level != 0) warn("invalid_argument");
  return { path, name: levels.pyramid.opened ?? lastOf(shortPath(path)), levels, isArray };
}

/** The error for a size that no level, or an array that was named itself, has. */
export function noSize(
  { levels, name, isArray }: Chosen,
  own: readonly number[],
  asked: readonly number[],
  path: string,
): PlacedError {
  const there = isArray ? [{ name, voxelSize: own }] : levels.sized();
  const message = `nothing at ${path} has the voxel size (${asked.join(", ")}); there is ${listedLevels(there)}`;
  return new PlacedError("no_level", [path], message);
}
