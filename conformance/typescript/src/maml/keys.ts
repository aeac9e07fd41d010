// The keys and values of a file that is written.

import type { HeaderEntry, Item } from "./header.js";
import { baseWord, checkMetadata, fileName, keysOf, typeSaid, type FileColumn, type FileMetadata } from "./metadata.js";
import { votableText } from "./votable-write.js";

function columnItems(column: FileColumn): Item[] {
  const words: Item[] = [
    ["unit", column.unit],
    ["description", column.info],
    ["ucd", column.ucd],
    ["datatype", baseWord(column.dataType)],
    ["array_size", String(column.arraySize)],
    ["col_size", String(column.colSize)],
  ];
  return words.map(([word, value]) => [`column.${column.name}.${word}`, value]);
}

function entryItems(entry: HeaderEntry, keys: ReadonlySet<string>): Item[] {
  const type = typeSaid(entry, keys);
  const own: Item = [entry.key, entry.value];
  return type === "" ? [own] : [own, [`${entry.key}.datatype`, type]];
}

/** The keys and values of a file in their order, by "Maml keys" of the specification; as checkMetadata throws. */
export function fileItems(metadata: FileMetadata): Item[] {
  checkMetadata(metadata);
  const { columns, entries, date, maml } = metadata;
  const keys = keysOf(entries);
  const strings = columns.filter((column) => baseWord(column.dataType) === "string");
  const content: Item[] = columns.length === 0 ? [] : [["IVOA.VOTable-Parquet.content", votableText(metadata)]];
  const document: Item[] = maml === undefined ? [] : [["maml", maml]];
  return [
    ...content,
    ["IVOA.VOTable-Parquet.version", "1.0"],
    ["DATE", date],
    ["name", fileName(entries)],
    ...entries.flatMap((entry) => entryItems(entry, keys)),
    ...columns.flatMap(columnItems),
    ...document,
    ...strings.map((column): Item => [`table::len::${column.name}`, String(column.arraySize)]),
  ];
}
