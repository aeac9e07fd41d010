// What is asked of opening and reading, and what is open.

import type { Separator, Store } from "../documents/index.js";
import type { Each, Placed } from "../geometry/index.js";
import type { ArrayRecord } from "../placement/index.js";
import type { NdArray } from "../resample/index.js";
import type { Padding, PaddingWanted } from "./padding.js";
import type { Selection } from "./select.js";
import type { UnitsAsked } from "./sizes.js";

/** The arguments of opening; sizes are over the spatial axes, in the units asked for. */
export interface OpenOptions {
  /** A name, or a position in the list of levels. */
  readonly level?: string | number | bigint | undefined;
  readonly voxelSize?: Each | undefined;
  /** floor where absent: floor, finer, exact, nearest or resample. */
  readonly levelMode?: string | undefined;
  /** error where absent: error, resample, relabel or keep. */
  readonly onMismatch?: string | undefined;
  /** 0 where absent. */
  readonly padding?: PaddingWanted | undefined;
  /** nearest where absent, or linear. */
  readonly method?: string | undefined;
  /** Axes that are not spatial, pinned by name. */
  readonly select?: Readonly<Record<string, number>> | undefined;
  /** nanometer on spatial axes where absent; null for the store's own. */
  readonly units?: UnitsAsked | undefined;
  /** The true size of the pyramid's first level. */
  readonly baseVoxelSize?: Each | undefined;
  /** Those asked for where absent. */
  readonly baseUnits?: string | undefined;
  /** A corner of the target grid; the data's where absent. */
  readonly anchor?: Each | undefined;
  /** Whether an unknown unit is an error; true where absent. */
  readonly strictUnits?: boolean | undefined;
  /** Of zarr v2 chunks, in place of the declared one. */
  readonly separator?: Separator | undefined;
}

/** What is open: a record, and where its voxels lie, per axis and in the units asked for. */
export interface Volume extends Placed {
  readonly store: Store;
  readonly record: ArrayRecord;
  /** The level's name. */
  readonly level: string;
  readonly units: readonly string[];
  /** The stored size on the spatial axes, before any relabelling. */
  readonly sourceVoxelSize: readonly number[];
  /** The size on the spatial axes to which world reads are resampled; undefined for the stored one. */
  readonly target: readonly number[] | undefined;
  /** A corner of the target grid on the spatial axes; the data's where undefined. */
  readonly anchor: readonly number[] | undefined;
  readonly padding: Padding;
  readonly method: string;
  readonly selection: Selection;
}

/** What every read may be told; the volume's own where absent. */
export interface ReadAsked {
  readonly padding?: PaddingWanted | undefined;
  readonly method?: string | undefined;
  /** Whether to answer which voxels hold data; false where absent. */
  readonly mask?: boolean | undefined;
  readonly select?: Readonly<Record<string, number>> | undefined;
}

/** Voxels in C order, and which of them hold data. */
export interface ReadAnswer {
  readonly array: NdArray;
  readonly mask?: NdArray;
}
