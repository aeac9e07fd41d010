// Compressors of zarr v2 and codecs of zarr v3, with what is left out filled in.

import { isList, isObject, type Json, type JsonObject } from "../documents/index.js";
import { type At, PlacedError } from "../errors.js";
import { given } from "./checks.js";

/** What codecs are given as: a word, or JSON of the format. */
export type CodecsWanted = Json;

/** A member of a codec: its value where it is left out (undefined: none), and the range of a level. */
interface Member {
  readonly absent?: Json | undefined;
  readonly range?: readonly [number, number];
}

type Members = Readonly<Record<string, Member>>;

const ZSTD_LEVELS = [-131072, 22] as const;

const ZARR2: Readonly<Record<string, Members>> = {
  blosc: {
    cname: { absent: "lz4" },
    clevel: { absent: 5, range: [0, 9] },
    shuffle: { absent: 1, range: [-1, 2] },
    blocksize: { absent: 0 },
  },
  bz2: { level: { absent: 1, range: [1, 9] } },
  gzip: { level: { absent: 1, range: [0, 9] } },
  lz4: { acceleration: { absent: 1 } },
  zlib: { level: { absent: 1, range: [-1, 9] } },
  zstd: { level: { absent: 0, range: ZSTD_LEVELS }, checksum: {} },
};

/** How many bytes an element of a dtype has; of a complex one, too. */
const bytesOf = (dtype: string): number => (dtype === "bool" ? 1 : Number(/\d+$/.exec(dtype)?.[0]) / 8);

const zarr3Members = (dtype: string): Readonly<Record<string, Members>> => ({
  blosc: {
    cname: { absent: "lz4" },
    clevel: { absent: 5, range: [0, 9] },
    shuffle: { absent: bytesOf(dtype) === 1 ? "bitshuffle" : "shuffle" },
    blocksize: { absent: 0 },
    typesize: { absent: bytesOf(dtype) },
  },
  bytes: { endian: { absent: "little" } },
  crc32c: {},
  gzip: { level: { absent: 6, range: [0, 9] } },
  transpose: { order: {} },
  zstd: { level: { absent: 3, range: ZSTD_LEVELS }, checksum: { absent: false } },
});

/** The members of a codec, those that are left out filled in; errors are at the member below `at`. */
function filled(found: JsonObject, members: Members, at: At): JsonObject {
  for (const [name, value] of Object.entries(found)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined) {
      const known = Object.keys(members).join(", ") || "none";
      throw new PlacedError("unsupported", [...at, name], `${name} is no member of this codec; it has ${known}`);
    }
    const [low, high] = member.range ?? [-Infinity, Infinity];
    if (member.range !== undefined && !(Number.isInteger(value) && Number(value) >= low && Number(value) <= high)) {
      const message = `${name} is ${String(value)}, but a whole number from ${low} to ${high} belongs there`;
      throw new PlacedError("wrong_value", [...at, name], message);
    }
  }
  const absent = Object.entries(members).filter(([name]) => !Object.hasOwn(found, name));
  return { ...found, ...given(Object.fromEntries(absent.map(([name, member]) => [name, member.absent]))) };
}

const word = (codecs: string): PlacedError =>
  new PlacedError("wrong_value", ["codecs"], `codecs is ${codecs}; the words are zstd and none`);

const otherFormat = (what: string): PlacedError =>
  new PlacedError("wrong_type", ["codecs"], `codecs is of another format; ${what} belongs there`);

const unknown = (name: Json | undefined, known: Readonly<Record<string, Members>>, at: At): PlacedError =>
  new PlacedError("unsupported", at, `the codec ${String(name)} is not written; ${Object.keys(known).join(", ")} are`);

/** The compressor of a zarr v2 array, null for none. */
export function compressorJson(codecs: CodecsWanted = "zstd"): JsonObject | null {
  if (codecs === "zstd") return { id: "zstd", level: 3 };
  if (codecs === "none" || codecs === null) return null;
  if (typeof codecs === "string") throw word(codecs);
  if (!isObject(codecs) || typeof codecs["id"] !== "string") throw otherFormat("a compressor with an id");
  const { id, ...members } = codecs;
  const known = Object.hasOwn(ZARR2, id as string) ? ZARR2[id as string] : undefined;
  if (known === undefined) throw unknown(id, ZARR2, ["codecs", "id"]);
  return { id: id as Json, ...filled(members, known, ["codecs"]) };
}

const COMPRESSED = ["blosc", "crc32c", "gzip", "zstd"];

function codec(entry: Json, dtype: string, at: At): JsonObject {
  const object = typeof entry === "string" ? { name: entry } : entry;
  if (!isObject(object) || typeof object["name"] !== "string") throw otherFormat("a list of codecs with names");
  const known = zarr3Members(dtype);
  const name = object["name"];
  const members = Object.hasOwn(known, name) ? known[name] : undefined;
  if (name === "sharding_indexed") {
    throw new PlacedError(
      "unsupported",
      at,
      "sharding_indexed is not given as a codec; shards are given by their shape",
    );
  }
  if (members === undefined) throw unknown(name, known, at);
  const configuration = object["configuration"] ?? {};
  if (!isObject(configuration)) {
    throw new PlacedError("wrong_type", [...at, "configuration"], "the configuration of a codec is an object");
  }
  const all = filled(configuration, members, [...at, "configuration"]);
  return { name, ...(Object.keys(all).length > 0 ? { configuration: all } : {}) };
}

function checkOrder(names: readonly string[]): void {
  const bytes = names.indexOf("bytes");
  const wrong = names.findIndex((name, position) =>
    COMPRESSED.includes(name) ? position < bytes : bytes >= 0 && position > bytes,
  );
  if (wrong < 0) return;
  const rule = "codecs of arrays stand before bytes, compressors behind it";
  throw new PlacedError("order", ["codecs", wrong], `${names[wrong]} stands on the wrong side of bytes; ${rule}`);
}

/**
 * The codecs of a zarr v3 array, or of its inner chunks, with `bytes` before the compressors.
 *
 * Raises `wrong_value` and `wrong_type` at ["codecs"], `unsupported` and `order` at ["codecs", position], and below
 * that `unsupported` at a member and `wrong_value` at a level.
 */
export function codecsJson(codecs: CodecsWanted = "zstd", dtype: string): readonly JsonObject[] {
  if (typeof codecs === "string" && codecs !== "zstd" && codecs !== "none") throw word(codecs);
  const entries = codecs === "zstd" ? ["zstd"] : codecs === "none" ? [] : codecs;
  if (!isList(entries)) throw otherFormat("a list of codecs");
  const found = entries.map((entry, position) => codec(entry, dtype, ["codecs", position]));
  const names = found.map(({ name }) => String(name));
  checkOrder(names);
  if (names.includes("bytes")) return found;
  const first = names.findIndex((name) => COMPRESSED.includes(name));
  const at = first < 0 ? found.length : first;
  return [...found.slice(0, at), codec("bytes", dtype, ["codecs"]), ...found.slice(at)];
}
