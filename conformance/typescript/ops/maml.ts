import {
  checkUser,
  checkValues,
  parseBound,
  parseMaml,
  parseSize,
  parseType,
  type DataType,
} from "../src/maml/index.js";
import type { Field, Maml, ParseResult, Problem, Quality, ReadOptions, Rename } from "../src/maml/index.js";
import { fileOps } from "./maml-files.js";
import { rowOps } from "./maml-rows.js";
import type { Input, Ops } from "./op.js";

const told = (problems: readonly Problem[]) => problems.map(({ code, at, line }) => ({ code, at, line }));

function optionsOf(input: Input): ReadOptions {
  const { dialect, role, profile, datamap } = input;
  return {
    ...(dialect === undefined ? {} : { dialect }),
    ...(role === undefined ? {} : { role }),
    ...(profile === undefined ? {} : { profile }),
    ...(datamap === undefined ? {} : { words: datamap }),
  };
}

const parsed = (input: Input): ParseResult => parseMaml(input.text, optionsOf(input));

function qualityAnswer(qc: Quality | null) {
  return qc === null ? null : { min: qc.min, max: qc.max, miss: qc.miss };
}

function fieldAnswer(field: Field) {
  return {
    name: field.name,
    data_type: field.dataType,
    col_size: field.colSize,
    array_size: field.arraySize,
    unit: field.unit,
    info: field.info,
    ucd: field.ucd,
    qc: qualityAnswer(field.qc),
    source: field.source,
    line: field.line,
  };
}

const renameAnswer = ({ internal, external }: Rename) => ({ internal, external });

function mamlAnswer(maml: Maml) {
  return {
    sections: maml.sections,
    fields: maml.fields.map(fieldAnswer),
    col_map: maml.colMap.map(renameAnswer),
    protected_cols: maml.protectedCols,
    nullable_cols: maml.nullableCols,
    remap: maml.remap.map(renameAnswer),
    filter: maml.filter,
    sort: maml.sort,
  };
}

function problems(input: Input): unknown {
  const result = parsed(input);
  if ("problems" in result) return { problems: told(result.problems), notices: [] };
  return { problems: [], notices: told(result.notices) };
}

function answer(result: ParseResult, of: (maml: Maml) => unknown): unknown {
  return "problems" in result ? { problems: told(result.problems) } : of(result.maml);
}

function typeOf(word: string): DataType {
  const type = parseType(word);
  if (type === null) throw new Error(`${word} is no type`);
  return type;
}

/** A MAML without problems of its own. */
function mamlOf(text: string): Maml {
  const result = parseMaml(text);
  if ("problems" in result) throw new Error(result.problems.map(({ message }) => message).join("; "));
  return result.maml;
}

function user(input: Input): unknown {
  const own = mamlOf(input.user);
  const found = checkUser(own, new Set(mamlOf(input.base).fields.map((field) => field.name)));
  return found.length > 0 ? { problems: told(found) } : own.colMap.map(renameAnswer);
}

export const ops: Ops = {
  ...fileOps,
  ...rowOps,
  "maml.problems": problems,
  "maml.parse": (input) => answer(parsed(input), mamlAnswer),
  "maml.entries": (input) =>
    answer(parsed(input), (maml) => maml.entries.map(({ key, value, description }) => ({ key, value, description }))),
  "maml.type": (input) => parseType(input.text),
  "maml.size": (input) => parseSize(input.text),
  "maml.qc_bound": (input) =>
    parseBound(input.text, input.side, input.data_type === undefined ? null : typeOf(input.data_type)),
  "maml.qc_check": (input) => checkValues(typeOf(input.data_type), input.chunks, input),
  "maml.user": user,
};
