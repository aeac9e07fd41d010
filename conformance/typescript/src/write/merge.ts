// Groups that come to list a level.

import { type Found, type FoundObject, member, objectOf, readDocument } from "../documents/document.js";
import { isObject, type Json, type JsonObject, joined, lastOf, shortPath, type Store } from "../documents/index.js";
import { type At, PlacedError, type Warn } from "../errors.js";
import { Fraction } from "../fraction.js";
import { checkAllFinite, checkAllPositive, checkLength, checkWord, type Placed, sameSize } from "../geometry/index.js";
import { type Multiscale, omeMultiscales } from "../placement/multiscales.js";
import { composed, type Step, stepsOf } from "../placement/transforms.js";
import { sameUnit } from "../units/index.js";
import { type UnitsWanted, type WrittenAxes, writtenAxes } from "./axes.js";
import { checkJson, checkPath, sameJson } from "./checks.js";
import { axesJson, datasetJson, multiscaleAttributes, transformsJson } from "./multiscales.js";

/** A level that a group is to list, placed on every axis. */
export interface LevelEntry extends Placed {
  /** The level's path below the group. */
  readonly name: string;
  readonly axes: readonly string[];
  readonly units: UnitsWanted;
  readonly axisTypes?: readonly string[] | undefined;
  /** zarr2 or zarr3; the group's own where absent, and zarr3 for a new one. */
  readonly format?: string | undefined;
  /** Attributes to merge in deeply. */
  readonly groupAttributes?: JsonObject | undefined;
}

type Zarr = "zarr2" | "zarr3";

/** A group as it is: the document that makes it one (undefined for a new one), and its attributes. */
interface Group {
  readonly format: Zarr;
  readonly document: FoundObject | undefined;
  readonly attributes: FoundObject;
}

const VERSION: Readonly<Record<Zarr, string>> = { zarr2: "0.4", zarr3: "0.5" };

/** The format of what stands in a folder; undefined where nothing does. */
function formatOf(store: Store, folder: string): Zarr | undefined {
  const old = [".zgroup", ".zarray"].find((name) => store.has(joined(folder, name)));
  const isNew = store.has(joined(folder, "zarr.json"));
  if (old !== undefined && isNew) {
    throw new PlacedError("conflict", [folder], `${folder} has a ${old} and a zarr.json; a group is of one format`);
  }
  return isNew ? "zarr3" : old === undefined ? undefined : "zarr2";
}

function checkGroup(store: Store, folder: string, document: FoundObject | undefined): void {
  const array = joined(folder, ".zarray");
  const at = store.has(array) ? [array] : document?.value["node_type"] === "array" ? document.at : undefined;
  if (at !== undefined) throw new PlacedError("wrong_value", at, `${folder} is an array; a group holds levels`);
  if (document === undefined || lastOf(String(document.at[0])) !== "zarr.json") return;
  const [format, kind] = [document.value["zarr_format"], document.value["node_type"]];
  if (format === 3 && kind === "group") return;
  const found = `zarr_format ${JSON.stringify(format)} and node_type ${JSON.stringify(kind)}`;
  throw new PlacedError("wrong_value", document.at, `${document.at.join("/")} has ${found}, so it is no zarr v3 group`);
}

function groupAt(store: Store, folder: string, asked: string | undefined): Group {
  if (asked !== undefined) checkWord(asked, ["zarr2", "zarr3"], ["format"]);
  const own = formatOf(store, folder);
  if (own !== undefined && asked !== undefined && asked !== own) {
    throw new PlacedError("conflict", ["format"], `format is ${asked}, but the group ${folder} is ${own}`);
  }
  const format = own ?? (asked === "zarr2" ? "zarr2" : "zarr3");
  const document = readDocument(store, joined(folder, format === "zarr2" ? ".zgroup" : "zarr.json"));
  checkGroup(store, folder, document);
  return { format, document, attributes: attributesAt(store, folder, format, document) };
}

function attributesAt(store: Store, folder: string, format: Zarr, document: FoundObject | undefined): FoundObject {
  const key = joined(folder, format === "zarr2" ? ".zattrs" : "zarr.json");
  if (format === "zarr2") return readDocument(store, key) ?? { value: {}, at: [key] };
  const found = document && member(document, "attributes");
  return found === undefined ? { value: {}, at: [key, "attributes"] } : objectOf(found);
}

/** Raises `unsupported` at a version that is neither the one that a group lists levels in, nor a revision of it. */
function checkOwnVersion(found: Found | undefined, own: string): void {
  const version = found?.value;
  if (found === undefined || version === null || (typeof version === "string" && `${version}.`.startsWith(`${own}.`))) return;
  const message = `${found.at.join("/")} is ${JSON.stringify(version)}, but levels are listed in OME-NGFF ${own} alone`;
  throw new PlacedError("unsupported", found.at, message);
}

/** Raises `conflict` at multiscales of the version that belongs to the other format, `unsupported` at any other version. */
function checkVersion({ format, attributes }: Group): void {
  const ome = member(attributes, "ome");
  if (ome !== undefined && format === "zarr3") checkOwnVersion(member(objectOf(ome), "version"), VERSION.zarr3);
  const inner = ome === undefined ? undefined : member(objectOf(ome), "multiscales");
  const foreign = format === "zarr2" ? inner : inner === undefined ? member(attributes, "multiscales") : undefined;
  if (foreign === undefined) return;
  const [other, own] = format === "zarr2" ? ["0.5", "0.4"] : ["0.4", "0.5"];
  const message = `${foreign.at.join("/")} is of OME-NGFF ${other}, but a ${format} group lists levels in ${own}`;
  throw new PlacedError("conflict", foreign.at, message);
}

/** Raises `invalid_argument` at what would write over the multiscales. */
function checkExtra(extra: JsonObject): void {
  checkJson(extra, ["group_attrs"]);
  const ome = extra["ome"];
  const at: At | undefined = Object.hasOwn(extra, "multiscales")
    ? ["group_attrs", "multiscales"]
    : ome === undefined
      ? undefined
      : !isObject(ome)
        ? ["group_attrs", "ome"]
        : Object.hasOwn(ome, "multiscales")
          ? ["group_attrs", "ome", "multiscales"]
          : undefined;
  if (at === undefined) return;
  throw new PlacedError(
    "invalid_argument",
    at,
    `${at.join(".")} would write over the multiscales, which list the levels`,
  );
}

/** An object with another one merged in, objects in it likewise. */
function merged(into: JsonObject, extra: JsonObject): JsonObject {
  const found = Object.assign(Object.create(null) as Record<string, Json>, into);
  for (const [key, value] of Object.entries(extra)) {
    const own = Object.hasOwn(found, key) ? found[key] : undefined;
    found[key] = isObject(own) && isObject(value) ? merged(own, value) : value;
  }
  return found;
}

function checkAxes({ found }: Multiscale, axes: WrittenAxes): void {
  const listed = member(found, "axes");
  const entries = Array.isArray(listed?.value) ? (listed.value as readonly Json[]) : [];
  const names = entries.map((one) => (isObject(one) ? one["name"] : one));
  if (
    !sameJson(
      names.map((name) => name ?? null),
      axes.names,
    )
  ) {
    const message = `the level's axes are ${axes.names.join(", ")}, but those of the group ${names.join(", ")}`;
    throw new PlacedError("conflict", ["axes"], message);
  }
  entries.forEach((one, axis) => {
    const text = (key: string): string => (isObject(one) && typeof one[key] === "string" ? one[key] : "");
    const [unit, type] = [text("unit"), text("type")];
    if (!sameUnit(unit, axes.units[axis])) {
      const [own, other] = [axes.units[axis] || "no unit", unit || "no unit"];
      const message = `the level is in ${own} on the axis ${axes.names[axis]}, but the group in ${other}`;
      throw new PlacedError("conflict", ["units", axis], message);
    }
    if (type === "" || !axes.types[axis] || type === axes.types[axis]) return;
    const message = `the axis ${axes.names[axis]} is of type ${axes.types[axis]}, but ${type} in the group`;
    throw new PlacedError("conflict", ["axis_types", axis], message);
  });
}

/** A placement as it is before the steps of a whole multiscale, exactly, rounded once. */
function before(placed: Placed, steps: readonly Step[]): Placed {
  const size = placed.voxelSize.map(Fraction.from);
  const centre = placed.translation.map(Fraction.from);
  for (const { kind, values } of [...steps].reverse()) {
    values.forEach((value, axis) => {
      const exact = Fraction.from(value);
      const [one, other] = [size[axis] ?? exact, centre[axis] ?? exact];
      if (kind === "scale") size[axis] = one.div(exact);
      centre[axis] = kind === "scale" ? other.div(exact) : other.sub(exact);
    });
  }
  return { voxelSize: size.map((one) => one.toNumber()), translation: centre.map((one) => one.toNumber()) };
}

const volume = (sizes: readonly number[]): number => sizes.reduce((whole, size) => whole * size, 1);

/** The voxel size that a dataset's own transforms give; undefined where they give none. */
function sizeOf(dataset: FoundObject, count: number, warn: Warn): readonly number[] | undefined {
  const steps = stepsOf(member(dataset, "coordinateTransformations"), { count, lenient: true, warn });
  return steps.some(({ kind }) => kind === "scale") ? composed(steps, count, dataset.at).voxelSize : undefined;
}

/** The datasets with the level among them: replaced where it stands, else before the first that is coarser. */
function withLevel(multiscale: Multiscale, name: string, placed: Placed, warn: Warn): readonly JsonObject[] {
  const entries = multiscale.datasets();
  const values = entries.map(({ found }) => found?.value ?? {});
  const own = entries.findIndex(({ path }) => path === name);
  if (own >= 0) {
    const entry = { ...values[own], coordinateTransformations: transformsJson(placed) };
    return values.map((value, position) => (position === own ? entry : value));
  }
  const count = placed.voxelSize.length;
  const coarser = entries.findIndex(({ found }) => {
    const size = found && sizeOf(found, count, warn);
    return (
      size !== undefined && volume(size) > volume(placed.voxelSize) && !sameSize(volume(size), volume(placed.voxelSize))
    );
  });
  const at = coarser < 0 ? values.length : coarser;
  return [...values.slice(0, at), datasetJson(name, placed), ...values.slice(at)];
}

/** The first multiscale with the level in it. */
function amended(first: Multiscale, axes: WrittenAxes, own: string, level: LevelEntry, warn: Warn): JsonObject {
  checkOwnVersion(member(first.found, "version"), own);
  const systems = member(first.found, "coordinateSystems");
  if (systems !== undefined) {
    const message = `${systems.at.join("/")} are of OME-NGFF 0.6, but levels are listed in OME-NGFF ${own} alone`;
    throw new PlacedError("unsupported", systems.at, message);
  }
  checkAxes(first, axes);
  const outer = stepsOf(member(first.found, "coordinateTransformations"), {
    count: axes.names.length,
    lenient: true,
    warn,
  });
  return { ...first.found.value, datasets: withLevel(first, level.name, before(level, outer), warn) };
}

/** Attributes whose multiscales are others. */
function replaced(attributes: JsonObject, multiscales: readonly Json[]): JsonObject {
  const ome = attributes["ome"];
  if (isObject(ome) && Object.hasOwn(ome, "multiscales")) return { ...attributes, ome: { ...ome, multiscales } };
  return { ...attributes, multiscales };
}

function listing(group: Group, axes: WrittenAxes, level: LevelEntry, warn: Warn): JsonObject {
  const [first, ...others] = omeMultiscales(group.attributes);
  const { value } = group.attributes;
  if (first !== undefined)
    return replaced(value, [amended(first, axes, VERSION[group.format], level, warn), ...others.map(({ found }) => found.value)]);
  const multiscale = { axes: axesJson(axes), datasets: [datasetJson(level.name, level)] };
  return merged(value, multiscaleAttributes(multiscale, VERSION[group.format]));
}

function documentsOf(
  { format, document, attributes: old }: Group,
  attributes: JsonObject,
): Readonly<Record<string, JsonObject>> {
  const changed = document === undefined || !sameJson(old.value, attributes);
  if (!changed) return {};
  if (format === "zarr2")
    return { ...(document === undefined ? { ".zgroup": { zarr_format: 2 } } : {}), ".zattrs": attributes };
  return { "zarr.json": { zarr_format: 3, node_type: "group", ...document?.value, attributes } };
}

function checkLevel(level: LevelEntry, axes: WrittenAxes): void {
  checkPath(level.name, ["name"]);
  checkLength(level.voxelSize, axes.names.length, ["voxel_size"]);
  checkLength(level.translation, axes.names.length, ["translation"]);
  checkAllPositive(level.voxelSize, ["voxel_size"]);
  checkAllFinite(level.translation, ["translation"]);
}

/**
 * The documents to write so that the group at a path lists a level, by their names in its folder; none where it does.
 *
 * Only the level's entry of the first multiscale changes, and what is merged in. Raises what `writtenAxes` raises;
 * `wrong_value` at ["name"], at the document of an array; `conflict` at ["format"], ["axes"], ["units", axis], the
 * path (both formats) and multiscales of the other format's version; `invalid_argument` in ["group_attrs"].
 */
export function mergedGroup(
  store: Store,
  path: string,
  level: LevelEntry,
  warn: Warn,
): Readonly<Record<string, JsonObject>> {
  const axes = writtenAxes(level);
  checkLevel(level, axes);
  const extra = level.groupAttributes ?? {};
  checkExtra(extra);
  const group = groupAt(store, shortPath(path), level.format);
  checkVersion(group);
  return documentsOf(group, merged(listing(group, axes, level, warn), extra));
}
