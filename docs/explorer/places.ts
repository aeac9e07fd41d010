// Where in the documents a warning belongs, and what it means there: the library gives a warning's code alone.

import { isList, isObject, type Json, type JsonObject } from "../../conformance/typescript/src/documents/index.js";
import type { At } from "../../conformance/typescript/src/errors.js";
import { objectIn, within } from "./documents.js";

type Texts = ReadonlyMap<string, string>;

interface Node {
  readonly at: At;
  readonly value: JsonObject;
}

interface Item {
  readonly at: At;
  readonly value: Json;
}

/** A dataset of a multiscale by its shortest path, "." for the group itself. */
interface Dataset extends Item {
  readonly name: string;
}

interface Multiscale extends Node {
  readonly datasets: readonly Dataset[];
  /** How many axes it names, 0 where it names none. */
  readonly rank: number;
}

/** A level by its name in a folder; "" is the group. */
export interface Where {
  readonly texts: Texts;
  readonly folder: string;
  readonly name: string;
}

export interface Place {
  readonly at: At;
  readonly message: string;
}

const show = (value: Json | undefined): string =>
  typeof value === "string" ? JSON.stringify(value) : `${value ?? "nothing"}`;

function child({ at, value }: Node, key: string): Item | undefined {
  const found = value[key];
  return found === undefined || found === null ? undefined : { at: [...at, key], value: found };
}

const asNode = (item: Item | undefined): Node | undefined =>
  item && isObject(item.value) ? { at: item.at, value: item.value } : undefined;

const items = (item: Item | undefined): readonly Item[] =>
  item && isList(item.value) ? item.value.map((value, position) => ({ at: [...item.at, position], value })) : [];

/** The attributes of a folder, in each of its documents. */
function attributesOf(texts: Texts, folder: string): readonly Node[] {
  return ["zarr.json", ".zattrs", "attributes.json"].flatMap((name): readonly Node[] => {
    const path = within(folder, name);
    const value = objectIn(texts.get(path) ?? "");
    if (value === undefined) return [];
    const node = { at: [path], value };
    if (name !== "zarr.json") return [node];
    const attributes = asNode(child(node, "attributes"));
    return attributes === undefined ? [] : [attributes];
  });
}

const shortest = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/") || ".";

function datasetOf({ at, value }: Item): readonly Dataset[] {
  const path = isObject(value) ? value["path"] : value;
  return typeof path === "string" ? [{ at, value, name: shortest(path) }] : [];
}

function rankOf(multiscale: Node): number {
  const [system] = items(child(multiscale, "coordinateSystems"));
  const owner = asNode(system) ?? multiscale;
  return items(child(owner, "axes")).length;
}

/** The first multiscale that a folder lists. */
export function multiscaleOf(texts: Texts, folder: string): Multiscale | undefined {
  for (const attributes of attributesOf(texts, folder)) {
    const ome = asNode(child(attributes, "ome"));
    const owner = ome !== undefined && child(ome, "multiscales") ? ome : attributes;
    const first = asNode(items(child(owner, "multiscales"))[0]);
    if (first !== undefined) {
      return { ...first, datasets: items(child(first, "datasets")).flatMap(datasetOf), rank: rankOf(first) };
    }
  }
  return undefined;
}

const TRANSFORMS = "coordinateTransformations";

/** Transforms of a list, those in sequences by themselves. */
function flat(list: Item | undefined): readonly Node[] {
  return items(list).flatMap((item) => {
    const node = asNode(item);
    if (node === undefined) return [];
    return node.value["type"] === "sequence" ? flat(child(node, "transformations")) : [node];
  });
}

/** A level's entry and transforms in the multiscale of its group, and its own attributes. */
function around({ texts, folder, name }: Where): {
  readonly multiscale: Multiscale | undefined;
  readonly dataset: Node | undefined;
  readonly own: readonly Node[];
} {
  const multiscale = multiscaleOf(texts, folder);
  const dataset = multiscale?.datasets.find((one) => one.name === (name || "."));
  return { multiscale, dataset: asNode(dataset), own: attributesOf(texts, within(folder, name)) };
}

function unsupported(where: Where): readonly Place[] {
  const { multiscale, dataset, own } = around(where);
  const lists = [dataset, multiscale].map((node) => node && child(node, TRANSFORMS));
  const transforms = lists
    .flatMap(flat)
    .filter(({ value }) => !["scale", "translation", "identity"].includes(String(value["type"])))
    .map(({ at, value }) => ({
      at,
      message: `A transform of the type ${show(value["type"])} is left out; a scale and a translation place a level.`,
    }));
  const keys = [...own, ...(dataset ? [dataset] : [])].flatMap((node) =>
    ["transform", "scale", "offset"].flatMap((key): readonly Place[] => {
      const found = child(node, key);
      return found ? [{ at: found.at, message: `This ${key} cannot be read here and is left out.` }] : [];
    }),
  );
  return transforms.length > 0 ? transforms : keys.slice(0, 1);
}

function missingKey(where: Where): readonly Place[] {
  const { multiscale, dataset } = around(where);
  if (multiscale === undefined) return [];
  if (dataset === undefined) {
    const at = [...multiscale.at, "datasets"];
    return [{ at, message: `${where.name} is not listed here, so the group does not place it.` }];
  }
  return [
    { at: [...dataset.at, TRANSFORMS], message: `${where.name} has no scale here, so its group does not place it.` },
  ];
}

/** Keys beside an entry, or spelt twice. */
function conflict(where: Where): readonly Place[] {
  const { dataset, own } = around(where);
  const against = dataset === undefined ? "another key for the same." : "the transforms of its group, which count.";
  const found = own.flatMap((node) =>
    ["voxel_size", "resolution", "pixelResolution", "offset"].flatMap((key): readonly Place[] => {
      const item = child(node, key);
      return item ? [{ at: item.at, message: `This ${key} disagrees with ${against}` }] : [];
    }),
  );
  return found.slice(0, 1);
}

function order(where: Where): readonly Place[] {
  const { dataset } = around(where);
  const transforms = flat(dataset && child(dataset, TRANSFORMS));
  const first = transforms.find(({ value }) => value["type"] === "translation");
  const words = "A translation before its scale; both are taken in the order in which they stand.";
  return first ? [{ at: first.at, message: words }] : [];
}

function duplicate({ texts, folder }: Where): readonly Place[] {
  const datasets = multiscaleOf(texts, folder)?.datasets ?? [];
  return datasets
    .filter(({ name }, position) => datasets.findIndex((one) => one.name === name) < position)
    .map(({ at, name }) => ({ at, message: `${name} is listed before; the first entry counts.` }));
}

/** A fill value in quotes. */
function wrongType({ texts, folder, name }: Where): readonly Place[] {
  return [".zarray", "zarr.json"].flatMap((document): readonly Place[] => {
    const path = within(within(folder, name), document);
    const value = objectIn(texts.get(path) ?? "");
    if (typeof value?.["fill_value"] !== "string") return [];
    return [{ at: [path, "fill_value"], message: "A number in quotes; it is taken as the number." }];
  });
}

/** The part of a level's transforms that says where it begins. */
function translation(where: Where): readonly Place[] {
  const { dataset } = around(where);
  if (dataset === undefined) return [];
  const last = flat(child(dataset, TRANSFORMS))
    .filter(({ value }) => value["type"] === "translation")
    .at(-1);
  const transform = asNode(child(dataset, "transform"));
  const found =
    (last && child(last, "translation")) ?? (transform && child(transform, "translate")) ?? child(dataset, TRANSFORMS);
  return [{ at: found?.at ?? dataset.at, message: "" }];
}

/** What names the axes of a group, else the document of a level. */
function axes({ texts, folder, name }: Where): readonly Place[] {
  const multiscale = multiscaleOf(texts, folder);
  const [system] = multiscale ? items(child(multiscale, "coordinateSystems")) : [];
  const owner = asNode(system) ?? multiscale;
  const found = owner && child(owner, "axes");
  const [own] = [folder, within(folder, name)].flatMap((one) => attributesOf(texts, one));
  return [{ at: found?.at ?? own?.at.slice(0, 1) ?? [within(folder, name)], message: "" }];
}

const PLACES: Readonly<Record<string, (where: Where) => readonly Place[]>> = {
  unsupported,
  missing_key: missingKey,
  conflict,
  order,
  duplicate,
  wrong_type: wrongType,
  translation,
  axes,
};

const WORDS: Readonly<Record<string, string>> = {
  unsupported: "Something here cannot be read and is left out.",
  missing_key: "Something that would place this level is missing.",
  conflict: "Two values that should agree do not.",
};

/** Where a warning of a level belongs; the level itself where no key is to be blamed. */
export function placesOf(code: string, where: Where): readonly Place[] {
  const found = PLACES[code]?.(where) ?? [];
  if (found.length > 0) return found;
  return [
    {
      at: [within(where.folder, where.name) || "the volume"],
      message: WORDS[code] ?? `There is something odd (${code}).`,
    },
  ];
}
