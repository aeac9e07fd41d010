import { detect, type Storage, type Store, storeOf } from "../src/documents/index.js";
import type { Warn } from "../src/errors.js";
import {
  type ArrayRecord,
  convertUnits,
  type Placement,
  readArray,
  readPyramid,
  type ReadOptions,
} from "../src/placement/index.js";
import { storeBytes } from "./values.js";
import type { Input, Ops } from "./op.js";

const stored = (store: Input): Store => storeOf(storeBytes(store));

const optionsOf = ({ conflicts, dimension_separator: separator }: Input): ReadOptions => ({ conflicts, separator });

function detected(store: Store, path: string): unknown {
  const found = detect(store, path);
  if (found === undefined) return null;
  const { format, kind, path: folder, documents, scaleKey } = found;
  return { format, kind, path: folder, documents, scale_key: scaleKey };
}

/** What chunk keys need beside shapes. */
function storageOf(storage: Storage): unknown {
  if (storage.format === "zarr2") return { separator: storage.separator };
  if (storage.format === "zarr3") return { encoding: storage.encoding, separator: storage.separator };
  return storage.format === "precomputed" ? { origin: storage.origin } : null;
}

const read = (input: Input, warn: Warn): ArrayRecord =>
  readArray(stored(input.store), input.path, optionsOf(input), warn);

function record(input: Input, warn: Warn): unknown {
  const array = read(input, warn);
  return {
    format: array.format,
    shape: array.shape,
    dtype: array.dtype,
    chunk_shape: array.chunkShape,
    shard_shape: array.shardShape,
    fill_value: array.fillValue,
    storage: storageOf(array.storage),
    axes: array.axes,
    axes_named: array.axesNamed,
    axis_types: array.axisTypes,
    spatial: array.spatial,
    units: array.units,
    voxel_size: array.voxelSize,
    translation: array.translation,
    corner: array.corner,
    translation_declared: array.translationDeclared,
    placed_by: array.placedBy,
  };
}

function attributes(input: Input, warn: Warn): unknown {
  const { path, parent, attributes: attrs, groupAttributes, outerTransforms } = read(input, warn);
  return { path, parent, attrs, group_attrs: groupAttributes, outer_transforms: outerTransforms };
}

function placed(placement: Placement): unknown {
  const { axes, units, voxelSize, translation, placedBy } = placement;
  return { axes, units, voxel_size: voxelSize, translation, placed_by: placedBy };
}

function pyramid(input: Input, warn: Warn): unknown {
  const { path, format, opened, levels } = readPyramid(stored(input.store), input.path, optionsOf(input), warn);
  const found = levels.map((level) => ({ name: level.name, placed: level.placed && placed(level.placed) }));
  return { path, format, opened, levels: found };
}

function convert(input: Input, warn: Warn): unknown {
  const { axes, axis_types: axisTypes, units, voxel_size: voxelSize, translation, wanted, strict = true } = input;
  const found = convertUnits({ axes, axisTypes, units, voxelSize, translation }, wanted, { strict }, warn);
  return { units: found.units, voxel_size: found.voxelSize, translation: found.translation };
}

export const ops: Ops = {
  "placement.detect": ({ store, path }) => detected(stored(store), path),
  "placement.read": record,
  "placement.attributes": attributes,
  "placement.pyramid": pyramid,
  "placement.convert": convert,
};
