// A header in the form in which it is written: which keys stand there, and their order.

import { isList, isMap, type Plain, type PlainMap } from "./plain.js";
import { MAJOR, parseVersion } from "./version.js";

/** Puts the keys of a value in order; what has another type stays as it is. */
type Order = (value: Plain) => Plain;

const asItStands: Order = (value) => value;

/** A map whose keys of the format come first, each with the order of its value; the others follow as they came. */
const keys =
  (orders: Readonly<Record<string, Order>>): Order =>
  (value) => {
    if (!isMap(value)) return value;
    const ordered = new Map<string, Plain>();
    for (const [key, order] of Object.entries(orders)) {
      const item = value.get(key);
      if (item !== undefined) ordered.set(key, order(item));
    }
    for (const [key, item] of value) if (!ordered.has(key)) ordered.set(key, item);
    return ordered;
  };

/** Keys whose values stay as they stand. */
const names = (...plain: readonly string[]): Readonly<Record<string, Order>> =>
  Object.fromEntries(plain.map((key) => [key, asItStands]));

const each =
  (order: Order): Order =>
  (value) =>
    isList(value) ? value.map(order) : value;

/** A map whose keys stay in their order. */
const eachValue =
  (order: Order): Order =>
  (value) =>
    isMap(value) ? new Map([...value].map(([key, item]) => [key, order(item)])) : value;

const axis = keys(names("name", "type", "labels", "start", "step", "coordinates", "unit", "unit_code"));

const space = keys({
  name: asItStands,
  reference: keys(names("scheme", "id")),
  axes: each(keys(names("name", "unit", "unit_code", "increases_toward"))),
  from_array: keys(names("array_axes", "matrix", "scale", "translation")),
});

const label = keys({ ...names("name", "color"), code: keys(names("scheme", "value", "meaning")) });

const values = keys({
  ...names("kind", "unit", "unit_code", "scale", "offset", "fill"),
  labels: eachValue(label),
  label_layout: asItStands,
});

const ml = keys({
  profile_version: asItStands,
  statistics: keys(names("min", "max", "mean", "median", "standard_deviation", "percentiles")),
  boxes: keys({ ...names("frame", "axes"), items: each(keys(names("min", "max", "label", "score"))) }),
  ...names("patch_size", "split"),
});

const medical = keys(names("profile_version", "dicom"));

/** Profiles stay in their order, as percentiles, labels and dicom do. */
function profiles(value: Plain): Plain {
  if (!isMap(value)) return value;
  const orders: ReadonlyMap<string, Order> = new Map([
    ["ml", ml],
    ["medical", medical],
  ]);
  return new Map([...value].map(([name, profile]) => [name, (orders.get(name) ?? asItStands)(profile)]));
}

const history = each(keys(names("action", "tool", "time", "from", "warnings")));

const storage = keys({
  ...names("chunk_size", "block_size", "patch_size"),
  compression: keys(names("codec", "level", "filters", "filters_meta")),
});

const header = keys({ ...names("version", "writer"), axes: each(axis), spaces: each(space), values, profiles, history, storage });

/** What stands at the top only where it is not empty, or where the file held it. */
const OPTIONAL: readonly (readonly [string, () => Plain])[] = [
  ["spaces", () => []],
  ["profiles", () => new Map()],
  ["history", () => []],
];

const isEmpty = (value: Plain | undefined): boolean => (isList(value) ? value.length === 0 : isMap(value) && value.size === 0);

/** The greater of a header's version and this one's. */
function versionOf(version: Plain | undefined): string {
  const own = typeof version === "string" ? parseVersion(version) : undefined;
  return own !== undefined && String(own.major) === MAJOR ? `${own.major}.${own.minor}` : `${MAJOR}.0`;
}

/**
 * The header as it is written; nothing is checked.
 * `writer` is the software that writes, `held` the keys at the top that the file held before.
 */
export function writtenHeader(map: PlainMap, writer: string, held: readonly string[] = []): PlainMap {
  const whole = new Map<string, Plain>([["axes", []], ["values", new Map()], ["storage", new Map()], ...map]);
  whole.set("version", versionOf(map.get("version"))).set("writer", writer);
  for (const [key, empty] of OPTIONAL) {
    if (held.includes(key) && !whole.has(key)) whole.set(key, empty());
    if (isEmpty(whole.get(key)) && !held.includes(key)) whole.delete(key);
  }
  return header(whole) as PlainMap;
}
