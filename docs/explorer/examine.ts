// From documents to levels: what is known of each, and what is odd or wrong, with its place.

import { type Format, isList, isObject, type JsonObject } from "../../conformance/typescript/src/documents/index.js";
import { type At, PlacedError } from "../../conformance/typescript/src/errors.js";
import { checkPyramid } from "../../conformance/typescript/src/levels/index.js";
import {
  type ArrayRecord,
  type Placement,
  type Pyramid,
  readArray,
  readPyramid,
  type ReadOptions,
} from "../../conformance/typescript/src/placement/index.js";
import { parseUnit } from "../../conformance/typescript/src/units/index.js";
import { consolidated, type Document, folderOf, nameOf, NAMES, objectIn, within } from "./documents.js";
import { impliedArray, impliedDocuments } from "./implied.js";
import { multiscaleOf, placesOf } from "./places.js";

/** What is wrong or odd: `at` is a document's path, then keys and positions. */
export interface Finding {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly at: At;
  readonly message: string;
}

/**
 * A level: `placed` is null where its own documents would tell, or where they are wrong, which `failed` says; `shape`
 * and `dtype` are null where they are not given.
 */
export interface Level {
  readonly name: string;
  readonly path: string;
  readonly placed: Placement | null;
  readonly shape: readonly number[] | null;
  readonly dtype: string | null;
  readonly failed: boolean;
}

export interface Examined {
  readonly format: Format | null;
  readonly path: string;
  readonly levels: readonly Level[];
  readonly findings: readonly Finding[];
}

/** The folder of the store in which the documents are put: a mark that no document has makes it findable in texts. */
const ROOT = "\u200bvolume";

const ENCODER = new TextEncoder();

type Texts = ReadonlyMap<string, string>;

const bytesOf = (texts: Texts): ReadonlyMap<string, Uint8Array> =>
  new Map([...texts].map(([path, text]) => [`${ROOT}/${path}`, ENCODER.encode(text)]));

/** A text of the library without the folder that was put above everything. */
const plain = (text: string): string => text.replaceAll(`${ROOT}/`, "").replaceAll(ROOT, "the volume");

const plainAt = ([first, ...rest]: At): At => (first === undefined ? [] : [plain(String(first)), ...rest]);

function asError(error: unknown): Finding {
  if (!(error instanceof PlacedError)) throw error;
  return { severity: "error", code: error.code, at: plainAt(error.at), message: plain(error.message) };
}

/** What a call gives, or the error that it ends with, and the codes it warned of. */
type Attempt<T> =
  | { readonly value: T; readonly error: undefined; readonly codes: readonly string[] }
  | { readonly value: undefined; readonly error: Finding; readonly codes: readonly string[] };

function attempt<T>(call: (warn: (code: string) => void) => T): Attempt<T> {
  const codes: string[] = [];
  try {
    return { value: call((code) => codes.push(code)), error: undefined, codes };
  } catch (error) {
    return { value: undefined, error: asError(error), codes };
  }
}

/** Documents whose path says nothing that is read. */
const misnamed = (documents: readonly Document[]): readonly Finding[] =>
  documents
    .filter(({ path }) => !NAMES.includes(nameOf(path)) && nameOf(path) !== ".zmetadata")
    .map(({ path }) => ({
      severity: "error" as const,
      code: "wrong_value",
      at: [path],
      message: `${path || "A document"} is not read: a path ends with one of ${NAMES.join(", ")}`,
    }));

/** Folders that hold a volume or a pyramid, else folders that hold arrays below none of them; "" is the top. */
export function volumesIn(documents: readonly Document[]): readonly string[] {
  const all = [...documents, ...consolidated(documents)];
  const objects = all.map(({ path, text }) => ({ folder: folderOf(path), name: nameOf(path), value: objectIn(text) }));
  const listing = objects.filter(({ name, value }) => name === "info" || (value && listsLevels(value)));
  const groups = [...new Set(listing.map(({ folder }) => folder))];
  const below = (folder: string): boolean =>
    groups.some((group) => group === "" || `${folder}/`.startsWith(`${group}/`));
  const others = objects.filter(({ folder }) => !below(folder)).map(({ folder }) => folder);
  const alone = [...new Set(others)].filter((folder) => holdsArray(objects, folder));
  const found = [...groups, ...alone].sort();
  return found.length > 0 ? found : [""];
}

type Objects = readonly { readonly folder: string; readonly name: string; readonly value: JsonObject | undefined }[];

const holdsArray = (objects: Objects, folder: string): boolean =>
  objects.some(
    ({ folder: own, value }) =>
      own === folder && value && ("shape" in value || "dimensions" in value || "resolution" in value),
  );

function listsLevels(value: JsonObject): boolean {
  const attributes = isObject(value["attributes"]) ? value["attributes"] : value;
  const ome = isObject(attributes["ome"]) ? attributes["ome"] : attributes;
  const lists = [ome["multiscales"], attributes["multiscales"], attributes["scales"]];
  return lists.some(isList) || (isList(attributes["downsamplingFactors"]) && !("dimensions" in value));
}

/** The names of levels that a group lists, of those that can be read. */
function listedNames(texts: Texts, folder: string): readonly string[] {
  const datasets = multiscaleOf(texts, folder)?.datasets ?? [];
  return [...new Set(datasets.map(({ name }) => name))];
}

/** Spatial axes without a unit, or in one that cannot be converted. */
function unitFindings(levels: readonly Level[], texts: Texts, folder: string): readonly Finding[] {
  const placed = levels.find((level) => level.placed)?.placed;
  if (!placed) return [];
  const at = placesOf("axes", { texts, folder, name: levels[0]?.name ?? "" })[0]?.at ?? [folder];
  const [none, unknown] = [(unit: string) => unit === "", (unit: string) => unit !== "" && !parseUnit(unit)].map(
    (odd) =>
      placed.spatial
        .filter((axis) => odd(placed.units[axis] ?? ""))
        .map((axis) => [placed.axes[axis], placed.units[axis]]),
  );
  const found: Finding[] = (unknown ?? []).map(([name, unit]) => {
    const message = `Axis ${name} is in ${JSON.stringify(unit)}, which is no known unit of length; it stays as stored.`;
    return { severity: "warning", code: "unknown_unit", at, message };
  });
  if (none === undefined || none.length === 0) return found;
  const names = none.map(([name]) => name).join(", ");
  const message = `No unit is given on ${names}; where another is asked for, it is taken for nanometer.`;
  return [...found, { severity: "note", code: "missing_field", at, message }];
}

/** Levels that do not share the corner of the finest one nor, where a document gives it, its centre. */
function misplaced(levels: readonly Level[], texts: Texts, folder: string): readonly Finding[] {
  const known = levels.flatMap(({ name, placed }) => (placed?.placedBy ? [{ name, placed }] : []));
  const [first] = known;
  if (first === undefined || known.some(({ placed }) => placed.axes.length !== first.placed.axes.length)) return [];
  const { axes, spatial } = first.placed;
  const pick = (values: readonly number[]): readonly number[] => spatial.map((axis) => values[axis] ?? 0);
  const found = attempt((warn) =>
    checkPyramid(
      known.map(({ name, placed }) => ({
        name,
        voxelSize: pick(placed.voxelSize),
        translation: pick(placed.translation),
        declared: placed.translationDeclared,
      })),
      warn,
    ),
  );
  const names = spatial.map((axis) => axes[axis]).join(", ");
  const declared = new Set(known.filter(({ placed }) => placed.translationDeclared).map(({ name }) => name));
  return (found.value ?? []).map(({ name, translation, blockMeanTranslation }) => {
    const said = declared.has(name)
      ? `${name} shares neither corner nor centre with the finest level: it lies at`
      : `${name} does not say where it lies, so the centre of its voxel 0 is taken for`;
    return {
      severity: "warning" as const,
      code: "conflict",
      at: placesOf("translation", { texts, folder, name })[0]?.at ?? [within(folder, name)],
      message:
        `${said} ${names} = ${translation.join(", ")}; ` +
        `a mean of blocks lies at ${blockMeanTranslation.join(", ")}.`,
    };
  });
}

/** The warnings of a level, each at its places in the documents. */
function warned(codes: readonly string[], texts: Texts, folder: string, name: string): readonly Finding[] {
  return [...new Set(codes)].flatMap((code) =>
    placesOf(code, { texts, folder, name }).map(({ at, message }) => ({
      severity: "warning" as const,
      code,
      at,
      message,
    })),
  );
}

const unique = (findings: readonly Finding[]): readonly Finding[] => {
  const keys = new Set<string>();
  return findings.filter(({ severity, code, at, message }) => {
    const key = [severity, code, ...at, message].join("\n");
    return !keys.has(key) && Boolean(keys.add(key));
  });
};

interface Read {
  readonly level: Level;
  readonly findings: readonly Finding[];
}

/** The path at which a level is read: a scale of a volume by its position where its key has folders. */
function readPath(pyramid: Pick<Pyramid, "format" | "path">, name: string, position: number): string {
  if (pyramid.format === "precomputed" && name.includes("/")) return `${pyramid.path}/s${position}`;
  return pyramid.path === "" ? name : `${pyramid.path}/${name === "." ? "" : name}`;
}

/** Whether the document that tells a level's shape is given; one that is no JSON is, and is an error. */
function isGiven(given: Texts, folder: string): boolean {
  if ([".zarray", "zarr.json"].some((name) => given.has(within(folder, name)))) return true;
  const text = given.get(within(folder, "attributes.json"));
  const value = text === undefined ? undefined : objectIn(text);
  return text !== undefined && (value === undefined || "dimensions" in value);
}

interface Asked {
  /** The documents that people gave, and these with those that follow from them. */
  readonly given: Texts;
  readonly texts: Texts;
  readonly folder: string;
  readonly pyramid: Pick<Pyramid, "format" | "path">;
  readonly options: ReadOptions;
}

/** A level from its own documents, or from the group's alone where they are not given. */
function readLevel(asked: Asked, name: string, placed: Placement | null, position: number): Read {
  const { texts, folder, pyramid, options } = asked;
  const own = within(folder, name);
  const path = pyramid.path === "" ? "" : own;
  const level: Level = {
    name: plain(name) === "the volume" ? "." : name,
    path,
    placed,
    shape: null,
    dtype: null,
    failed: false,
  };
  const given = pyramid.format === "precomputed" || isGiven(asked.given, path);
  const known = given || isGiven(texts, path);
  const more = known ? new Map<string, string>() : impliedArray(texts, path, pyramid.format, placed);
  if (!known && more.size === 0) return { level, findings: [] };
  const store = bytesOf(new Map([...texts, ...more]));
  const found = attempt((warn) => readArray(store, readPath(pyramid, name, position), options, warn));
  const codes = found.codes;
  if (found.error !== undefined) return { level: { ...level, placed: null, failed: true }, findings: [found.error] };
  const array: ArrayRecord = found.value;
  return {
    level: { ...level, placed: array, shape: given ? array.shape : null, dtype: given ? array.dtype : null },
    findings: warned(codes, texts, folder, name),
  };
}

const NO_LEVEL: Omit<Examined, "findings"> = { format: null, path: "", levels: [] };

/** What documents say of the volume in a folder of theirs, "" for the top. */
export function examine(documents: readonly Document[], folder: string, options: ReadOptions): Examined {
  const wrong = misnamed(documents);
  const read = documents.filter(({ path }) => NAMES.includes(nameOf(path)) || nameOf(path) === ".zmetadata");
  if (read.length === 0) return { ...NO_LEVEL, findings: wrong };
  const copies = consolidated(read);
  const given: Texts = new Map([...read, ...copies].map(({ path, text }) => [path, text]));
  const texts: Texts = new Map([...given, ...impliedDocuments(given)]);
  const notes: Finding[] = [];
  if (copies.length > 0) {
    const message = `${copies.length} documents are taken from the consolidated metadata, not from the levels.`;
    notes.push({ severity: "note", code: "consolidated", at: [read[0]?.path ?? ""], message });
  }
  const opened = attempt((warn) =>
    readPyramid(bytesOf(texts), folder === "" ? ROOT : `${ROOT}/${folder}`, options, warn),
  );
  const format = opened.value?.format ?? formatOf(texts, folder);
  const pyramid = opened.value ?? { format, path: folder === "" ? ROOT : `${ROOT}/${folder}` };
  const base = pyramid.path === ROOT || pyramid.path === "" ? "" : plain(pyramid.path);
  const names = opened.value?.levels ?? listedNames(texts, base).map((name) => ({ name, placed: null }));
  const levels = names.map(({ name, placed }, position) =>
    readLevel({ given, texts, folder: base, pyramid, options }, name, placed, position),
  );
  const found = levels.map(({ level }) => level);
  const ofGroup = opened.codes.filter((code) => code === "duplicate");
  const findings = [
    ...wrong,
    ...(opened.error === undefined ? [] : [opened.error]),
    ...levels.flatMap(({ findings: own }) => own),
    ...warned(ofGroup, texts, base, ""),
    ...misplaced(found, texts, base),
    ...unitFindings(found, texts, base),
    ...notes,
  ];
  return { format, path: base, levels: found, findings: unique(findings) };
}

/** The format of a folder by the names of its documents. */
function formatOf(texts: Texts, folder: string): Format {
  const has = (name: string): boolean => texts.has(within(folder, name));
  if (has("zarr.json")) return "zarr3";
  if (has("info")) return "precomputed";
  return has("attributes.json") ? "n5" : "zarr2";
}
