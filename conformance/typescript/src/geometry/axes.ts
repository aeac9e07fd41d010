// Names and types of axes, and which of them are space.

import { PlacedError } from "../errors.js";

const DEFAULT_NAMES = ["t", "c", "z", "y", "x"];
const SPATIAL_NAMES = ["z", "y", "x"];
const TIME_NAMES = ["t", "time"];
const CHANNEL_NAMES = ["c", "channel"];

/** The names of axes that nobody named: the last of t, c, z, y, x, and d0, d1, … in front of them. */
export function defaultAxes(count: number): readonly string[] {
  const more = Array.from({ length: Math.max(0, count - DEFAULT_NAMES.length) }, (_, position) => `d${position}`);
  return [...more, ...DEFAULT_NAMES.slice(Math.max(0, DEFAULT_NAMES.length - count))];
}

/** The type of an axis by its name: space, time, channel, or "" for any other name. */
export function typeByName(name: string): string {
  if (SPATIAL_NAMES.includes(name)) return "space";
  if (TIME_NAMES.includes(name)) return "time";
  return CHANNEL_NAMES.includes(name) ? "channel" : "";
}

/** Whether an axis is time: typed so, or untyped and named so. */
export const isTime = (name: string, type = ""): boolean => (type === "" ? TIME_NAMES.includes(name) : type === "time");

/** Whether an axis is a channel: typed so, or untyped and named so. */
export const isChannel = (name: string, type = ""): boolean =>
  type === "" ? CHANNEL_NAMES.includes(name) : type === "channel";

/**
 * The positions of the spatial axes, in order: those named z, y or x where there is one, else the last three that
 * are neither named nor typed time or channel.
 */
export function spatialAxes(names: readonly string[], types: readonly string[] = []): readonly number[] {
  const positions = names.map((_, axis) => axis);
  const byName = positions.filter((axis) => SPATIAL_NAMES.includes(names[axis] ?? ""));
  if (byName.length > 0) return byName;
  const other = (axis: number): boolean =>
    ["time", "channel"].includes(typeByName(names[axis] ?? "")) || ["time", "channel"].includes(types[axis] ?? "");
  return positions.filter((axis) => !other(axis)).slice(-3);
}

/** Raises `duplicate` at ["axes"] where two axes have one name. */
export function checkNames(names: readonly string[]): void {
  const twice = names.find((name, axis) => names.indexOf(name) !== axis);
  if (twice !== undefined) throw new PlacedError("duplicate", ["axes"], `axes names ${twice} twice`);
}
