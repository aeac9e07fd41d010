// What a MAML says, as records.

import type { Bound, Miss } from "./bounds.js";
import type { Place } from "./problem.js";
import type { DataMap, DataType, Size } from "./types.js";
import type { Dialect } from "./tree.js";

/** A table to be written, a file that exists, or the type of a table. */
export type Role = "write" | "read" | "table-type";

/** The rules of parquet files, or of a version of the specification. */
export type Profile = "parquet" | "spec-1.0" | "spec-1.1" | "spec-1.2";

/** How a text is read; where absent: yaml, write, parquet, and no other words for types. */
export interface ReadOptions {
  readonly dialect?: Dialect;
  readonly role?: Role;
  readonly profile?: Profile;
  readonly words?: DataMap;
}

/** The bounds of a field. */
export interface Quality {
  readonly min: Bound | null;
  readonly max: Bound | null;
  readonly miss: Miss;
  /** The texts of the bounds without blanks around them; empty where there is none. */
  readonly texts: { readonly min: string; readonly max: string };
  /** Where the bounds stand. */
  readonly places: { readonly min: Place; readonly max: Place };
}

/** A column. */
export interface Field {
  readonly name: string;
  /** null where none is said, or none that is a type. */
  readonly dataType: DataType | null;
  readonly colSize: Size;
  readonly arraySize: Size;
  /** Whether array_size is a number that is written. */
  readonly isLimited: boolean;
  readonly unit: string;
  /** Whether it is said that there is no unit. */
  readonly isUnitless: boolean;
  readonly info: string;
  readonly ucd: string;
  readonly qc: Quality | null;
  readonly source: "file" | "computed";
  /** Where the field begins. */
  readonly line: number;
  /** The position in the list, and where the name stands: several columns may share them. */
  readonly position: number;
  readonly namePlace: Place;
}

/** A name of the program and one of the file. */
export interface Rename extends Place {
  readonly internal: string;
  readonly external: string;
  /** The position in the list. */
  readonly position: number;
}

/** An entry of a table's metadata. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly description: string;
}

/** What extra asks for. */
export interface Requests {
  readonly colMap: readonly Rename[];
  readonly protectedCols: readonly string[];
  readonly nullableCols: readonly string[];
  readonly remap: readonly Rename[];
  readonly filter: readonly string[];
  readonly sort: readonly string[];
  /** Where the rules and keys stand. */
  readonly places: { readonly filter: readonly Place[]; readonly sort: readonly Place[] };
}

/** A MAML without problems. */
export interface Maml extends Requests {
  /** Names of sections in small letters, in their order, without those that say nothing. */
  readonly sections: readonly string[];
  readonly fields: readonly Field[];
  readonly entries: readonly Entry[];
}

/** What the rules of a section need to know. */
export interface Context {
  readonly role: Role;
  readonly profile: Profile;
  /** 0, 1 or 2 for 1.0, 1.1 and 1.2; undefined for parquet. */
  readonly version: number | undefined;
  readonly words: DataMap | undefined;
  /** Whether MAML_version is 1.2. */
  readonly expands: boolean;
}
