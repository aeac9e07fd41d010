import { readHeader, type TableField } from "../src/maml/index.js";
import type { Input, Ops } from "./op.js";

function columnAnswer({ arraySize, colSize, ...words }: TableField) {
  return { ...words, array_size: arraySize, col_size: colSize };
}

function header(input: Input): unknown {
  const { columns, ...rest } = readHeader(input.items);
  return { columns: columns.map(columnAnswer), ...rest };
}

/** Ops on the keys and values of files. */
export const fileOps: Ops = {
  "maml.header": header,
};
