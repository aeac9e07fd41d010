// The defaults of a header, filled in. What is wrong stays as it is.

import type { At } from "../errors.js";
import { withUnit } from "./compose-axes.js";
import { MEASUREMENT } from "./header-values.js";
import { isList, isMap, type Plain, type PlainMap } from "./plain.js";

type Change = (value: Plain, position: number) => Plain;

const onMaps =
  (change: (map: PlainMap, position: number) => PlainMap): Change =>
  (value, position) =>
    isMap(value) ? change(value, position) : value;

const inList = (value: Plain, change: Change): Plain => (isList(value) ? value.map(change) : value);

/** A map with the value under a key changed, where the key is there. */
function changed(map: PlainMap, key: string, change: (value: Plain) => Plain): PlainMap {
  const value = map.get(key);
  return value === undefined ? map : new Map([...map]).set(key, change(value));
}

const withDefault = (map: PlainMap, key: string, value: Plain): PlainMap =>
  map.has(key) ? map : new Map([...map, [key, value]]);

const filledAxis = onMaps((axis, position) => withUnit(withDefault(axis, "name", `axis_${position}`)));

const filledSpace = onMaps((space) => changed(space, "axes", (axes) => inList(axes, onMaps(withUnit))));

const filledValues = (values: Plain): Plain => (isMap(values) ? withUnit(withDefault(values, "kind", MEASUREMENT)) : values);

/** A value with 0 in place of what stands at a path. */
function zeroAt(value: Plain, [part, ...rest]: At): Plain {
  if (part === undefined) return 0;
  if (isMap(value)) return changed(value, String(part), (item) => zeroAt(item, rest));
  return inList(value, (item, position) => (position === part ? zeroAt(item, rest) : item));
}

/** A map with 0 in place of each -0 that is a whole number. */
export const withoutSigns = (map: PlainMap, zeros: readonly At[]): PlainMap =>
  zeros.reduce((value, at) => zeroAt(value, at) as PlainMap, map);

/** A header with names of axes, units and the kind of values filled in. */
export function filledHeader(header: PlainMap): PlainMap {
  const axes = changed(header, "axes", (value) => inList(value, filledAxis));
  const spaces = changed(axes, "spaces", (value) => inList(value, filledSpace));
  return changed(withDefault(spaces, "values", new Map()), "values", filledValues);
}
