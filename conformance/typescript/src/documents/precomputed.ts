// The info of a Neuroglancer precomputed volume, whose lists are x first.

import { PlacedError } from "../errors.js";
import {
  checkCount,
  exactly,
  type Found,
  type FoundObject,
  listOf,
  member,
  needed,
  objectOf,
  reversed,
  stringOf,
  positiveOf,
  wholeOf,
  wrong,
} from "./document.js";
import { type ArrayFacts, chunkOf, dtypeOf } from "./facts.js";
import { shown } from "./json.js";

const VOLUME = "neuroglancer_multiscale_volume";

/** Whether a document called info is that of a volume. */
export function isVolume({ value }: FoundObject): boolean {
  if ("@type" in value) return value["@type"] === VOLUME;
  return "scales" in value || value["type"] === "image" || value["type"] === "segmentation";
}

/** `wrong_value` for an info of another kind. */
export function noVolume(info: FoundObject): Error {
  const what = info.value["@type"] ?? info.value["type"];
  const kind = what === undefined ? "it holds no scales" : `it is of the type ${shown(what)}`;
  return wrong(
    "wrong_value",
    { value: {}, at: info.at },
    `${kind}, and only the info of an image or a segmentation is read`,
  );
}

/** The scales of a volume, in order; `missing_key` where there is none. */
export function scalesOf(info: FoundObject): readonly FoundObject[] {
  const scales = listOf(needed(info, "scales")).map(objectOf);
  if (scales.length > 0) return scales;
  const at = [...info.at, "scales"];
  throw new PlacedError("missing_key", at, `${at.join("/")} is empty; a volume has a scale`);
}

/** The key of a scale. */
export const scaleKey = (scale: FoundObject): string => stringOf(needed(scale, "key"));

/** The scale that a name means: by its key, else s<N> by position. */
export function namedScale(info: FoundObject, name: string): FoundObject | undefined {
  const scales = scalesOf(info);
  const position = /^s(0|[1-9][0-9]*)$/.exec(name)?.[1];
  return (
    scales.find((scale) => scaleKey(scale) === name) ?? (position === undefined ? undefined : scales[Number(position)])
  );
}

/** How many channels a volume has. */
export function channelsOf(info: FoundObject): number {
  const found = member(info, "num_channels");
  if (found === undefined) return 1;
  positiveOf(found);
  return wholeOf(found);
}

/** The voxel offset of a scale, z first; undefined where none is given. */
export function voxelOffset(scale: FoundObject): readonly number[] | undefined {
  const found = member(scale, "voxel_offset");
  return found && reversed(exactly(found, 3, (entry) => wholeOf(entry)));
}

function chunkSize(found: Found): readonly number[] {
  const [first] = listOf(found);
  if (first !== undefined) return reversed(exactly(first, 3, chunkOf));
  checkCount(found, 0, 1);
  return [];
}

/** What an info says of one of its scales, in C order: c, z, y, x for several channels, else z, y, x. */
export function precomputedFacts(info: FoundObject, scale: FoundObject): ArrayFacts {
  const channels = channelsOf(info);
  const leading = channels > 1 ? [channels] : [];
  const size = reversed(exactly(needed(scale, "size"), 3, (entry) => wholeOf(entry, 0)));
  const encoding = member(scale, "encoding");
  return {
    shape: [...leading, ...size],
    dtype: dtypeOf(needed(info, "data_type")),
    chunkShape: [...leading, ...chunkSize(needed(scale, "chunk_sizes"))],
    shardShape: null,
    fillValue: null,
    storage: {
      format: "precomputed",
      origin: [...leading.map(() => 0), ...(voxelOffset(scale) ?? [0, 0, 0])],
      encoding: encoding === undefined ? "raw" : stringOf(encoding),
      channels,
      scale: scale.value,
    },
  };
}
