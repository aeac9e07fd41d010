// What a header without problems holds, as records. Keys that the format does not name may stand in each of them.

/** What an axis is an axis of. */
export type AxisType = "space" | "time" | "channel" | "component" | "other";

/** The words of `type`. */
export const AXIS_TYPES: readonly AxisType[] = ["space", "time", "channel", "component", "other"];

/** The words of `increases_toward`, each beside its opposite. */
export const OPPOSITES: readonly (readonly [string, string])[] = [
  ["left", "right"],
  ["anterior", "posterior"],
  ["superior", "inferior"],
  ["east", "west"],
  ["north", "south"],
  ["up", "down"],
];

/** An entry of `axes`: an axis of the array. */
export interface MlaAxis {
  readonly name?: string;
  /** One of `AXIS_TYPES`, or a word of a later version. */
  readonly type?: string;
  /** One text per index. */
  readonly labels?: readonly string[];
  /** The coordinate of index 0, in `unit`; 0 where absent. */
  readonly start?: number;
  /** From one index to the next, in `unit`. */
  readonly step?: number;
  /** One coordinate per index, in `unit`. */
  readonly coordinates?: readonly number[];
  readonly unit?: string;
  /** A UCUM code. */
  readonly unit_code?: string;
  readonly [key: string]: unknown;
}

/** An axis of a space. */
export interface MlaSpaceAxis {
  readonly name: string;
  readonly unit?: string;
  readonly unit_code?: string;
  /** A word of `OPPOSITES`, or one of a later version. */
  readonly increases_toward?: string;
  readonly [key: string]: unknown;
}

/** The frame that a space is: who gives it its name, and the name. */
export interface MlaReference {
  readonly scheme: string;
  readonly id: string;
  readonly [key: string]: unknown;
}

/** The map from indices (integers are centres of voxels) to a space: `matrix`, or `scale` and `translation`. */
export interface MlaFromArray {
  readonly array_axes: readonly string[];
  /** A row per space axis and one more, a column per entry of `array_axes` and one more. */
  readonly matrix?: readonly (readonly number[])[];
  readonly scale?: readonly number[];
  readonly translation?: readonly number[];
  readonly [key: string]: unknown;
}

/** An entry of `spaces`. */
export interface MlaSpace {
  readonly name: string;
  readonly reference?: MlaReference;
  readonly axes: readonly MlaSpaceAxis[];
  readonly from_array: MlaFromArray;
  readonly [key: string]: unknown;
}
