// The MAML of a file that was written.

import type { HeaderEntry } from "./header.js";
import { baseWord, type FileColumn } from "./metadata.js";
import { READERS, readEntries } from "./sections.js";
import { Report } from "./problem.js";
import { isNull, pairOf, said, strip, type Pair, type Table, type Tree } from "./tree.js";
import { WrittenPairs, writeYaml, type Written } from "./yaml-write.js";

/** Bounds of a column in the words of a MAML. */
export interface WrittenQuality {
  readonly min?: string;
  readonly max?: string;
  readonly miss?: string;
}

/** What was written. */
export interface Sidecar {
  /** The MAML by which it was; absent where there was none. */
  readonly root?: Table;
  readonly columns: readonly FileColumn[];
  /** Entries that the MAML does not have. */
  readonly added: readonly HeaderEntry[];
  /** By column. */
  readonly qc: Readonly<Record<string, WrittenQuality>>;
}

type WrittenPair = readonly [key: string, value: Written];

const SPELLED: Readonly<Record<string, string>> = { dois: "DOIs", maml_version: "MAML_version" };
const WRITE = { role: "write", profile: "parquet", version: undefined, words: undefined, expands: false } as const;

/** A value as it stands; keys too. */
function asItStands(value: Tree): Written {
  if (value.kind === "text") return isNull(value) ? null : value.raw;
  if (value.kind === "list") return value.items.map(asItStands);
  return new WrittenPairs(value.pairs.map((pair): WrittenPair => [strip(pair.written), asItStands(pair.value)]));
}

function fieldOf(column: FileColumn, qc: WrittenQuality | undefined): WrittenPairs {
  const said = ["unit", "info", "ucd"] as const;
  const words = said.filter((word) => column[word] !== "").map((word): WrittenPair => [word, column[word]]);
  const isString = baseWord(column.dataType) === "string";
  const quality = Object.entries(qc ?? {}).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new WrittenPairs([
    ["name", column.name],
    ...words,
    ["data_type", column.dataType],
    ...(isString ? [["array_size", String(column.arraySize)] as const] : []),
    ...(column.colSize === 1 ? [] : [["col_size", String(column.colSize)] as const]),
    ...(qc === undefined ? [] : [["qc", new WrittenPairs(quality)] as const]),
  ]);
}

/** An item of keyarray. */
function itemOf(entry: { key: string; value: string; description: string }): WrittenPairs {
  const comment: WrittenPair[] = entry.description === "" ? [] : [["comment", entry.description]];
  return new WrittenPairs([["key", entry.key], ["value", entry.value], ...comment]);
}

/** The items of a list of columns that were written. */
function keptNames(value: Tree, names: ReadonlySet<string>): string[] {
  const items = value.kind === "list" ? value.items : [];
  const texts = items.map((item) => (item.kind === "text" ? said(item) : ""));
  const found =
    value.kind === "text"
      ? said(value)
          .split(";")
          .map((name) => name.trim())
      : texts;
  return found.filter((name) => names.has(name));
}

function keptRenames(value: Tree, names: ReadonlySet<string>): Written[] {
  const items = value.kind === "list" ? value.items : [];
  return items.flatMap((item) => {
    const pair = item.kind === "map" ? item.pairs[0] : undefined;
    return pair?.value.kind === "text" && names.has(said(pair.value)) ? [asItStands(item)] : [];
  });
}

function extraOf(value: Tree, names: ReadonlySet<string>): Written {
  if (value.kind !== "map") return asItStands(value);
  const pairs = value.pairs.map((pair): WrittenPair => {
    if (pair.key === "col_map") return [pair.key, keptRenames(pair.value, names)];
    const isNames = pair.key === "protected_cols" || pair.key === "nullable_cols";
    return [strip(pair.written), isNames ? keptNames(pair.value, names) : asItStands(pair.value)];
  });
  return new WrittenPairs(pairs);
}

class Writer {
  private readonly names: ReadonlySet<string>;

  constructor(private readonly sidecar: Sidecar) {
    this.names = new Set(sidecar.columns.map((column) => column.name));
  }

  /** All sections; `added` as items of keyarray. */
  sections(root: Table, added: readonly Written[]): WrittenPair[] {
    const written: WrittenPair[] = [];
    const own = this.ownItems(root);
    const place = pairOf(root, "keyarray") ?? this.lastWithEntries(root);
    for (const pair of root.pairs) {
      const isArray = pair.key === "keyarray";
      if (!isArray) written.push([SPELLED[pair.key] ?? pair.key, this.section(pair)]);
      if (pair !== place) continue;
      const items = isArray ? [...own, ...added] : added;
      if (items.length > 0) written.push(["keyarray", items]);
    }
    return written;
  }

  private section(pair: Pair): Written {
    if (pair.key === "fields") return this.fields();
    return pair.key === "extra" ? extraOf(pair.value, this.names) : asItStands(pair.value);
  }

  fields(): Written {
    return this.sidecar.columns.map((column) => {
      const qc = Object.hasOwn(this.sidecar.qc, column.name) ? this.sidecar.qc[column.name] : undefined;
      return fieldOf(column, qc);
    });
  }

  private entriesOf(pairs: readonly Pair[]): { key: string; value: string; description: string }[] {
    return readEntries({ kind: "map", pairs, line: 1, column: 1 }, WRITE, new Report());
  }

  private ownItems(root: Table): Written[] {
    return this.entriesOf(root.pairs.filter((pair) => pair.key === "keyarray")).map(itemOf);
  }

  private lastWithEntries(root: Table): Pair | undefined {
    const found = root.pairs.filter((pair) => Object.hasOwn(READERS, pair.key) && this.entriesOf([pair]).length > 0);
    return found[found.length - 1];
  }
}

/**
 * The text of the MAML of a file, by "Maml sidecars" of the specification: its fields are the columns that were
 * written, and what was added stands in keyarray. No line has more than 1024 characters.
 */
export function writeSidecar(sidecar: Sidecar): string {
  const writer = new Writer(sidecar);
  if (sidecar.root !== undefined) {
    return writeYaml(new WrittenPairs(writer.sections(sidecar.root, sidecar.added.map(itemOf))));
  }
  const table = sidecar.added.find((entry) => entry.key === "table");
  const others = sidecar.added.filter((entry) => entry !== table).map(itemOf);
  return writeYaml(
    new WrittenPairs([
      ["table", table?.value ?? "table"],
      ...(others.length === 0 ? [] : [["keyarray", others] as const]),
      ["fields", writer.fields()],
    ]),
  );
}
