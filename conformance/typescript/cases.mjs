// Case files read into plain objects; the tables of ops and capabilities read from the schemas.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { CaseFileError, parse } from "./strict-json.mjs";
import { decode } from "./values.mjs";

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const FILE_KEYS = ["$schema", "suite", "op", "description", "spec", "defaults", "cases"];
const CASE_KEYS = [
  "id", "description", "input", "expect", "error", "warnings", "requires", "compare", "status", "source",
];
const STATUSES = ["required", "provisional", "retired"];

const read = (file) => parse(readFileSync(file, "utf8"), path.basename(file));

/** The closed tables: every op, and every capability word. */
export function tables() {
  const schema = path.join(ROOT, "schema");
  const families = read(path.join(schema, "ops.schema.json")).allOf.map((row) => read(path.join(schema, row.$ref)));
  return {
    ops: families.flatMap((family) => Object.keys(family.properties)),
    capabilities: read(path.join(schema, "values.schema.json")).$defs.capability.enum,
  };
}

/** Every case below a folder that is not retired, in the order of files and of cases in them. */
export function load(folder = path.join(ROOT, "cases")) {
  const known = tables();
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".json")).sort();
  return files.flatMap((name) => loadFile(path.join(folder, name), folder, known));
}

/** The cases of one file that are not retired. */
export function loadFile(file, folder, known = tables()) {
  const name = path.relative(folder, file).replaceAll(path.sep, "/").replace(/\.json$/, "");
  const document = members(parse(readFileSync(file, "utf8"), name), name, FILE_KEYS, FILE_KEYS.filter((k) => k !== "defaults"));
  if (document.suite !== 1) throw new CaseFileError(`${name}: suite is 1, not ${document.suite}`);
  if (!known.ops.includes(document.op)) throw new CaseFileError(`${name}: the op ${document.op} is in no table`);
  if (!Array.isArray(document.cases) || document.cases.length === 0) {
    throw new CaseFileError(`${name}: cases is a list of at least one case`);
  }
  const cases = document.cases.map((raw, index) => readCase(raw, `${name}: cases[${index}]`, name, document, known));
  const ids = cases.map((item) => item.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new CaseFileError(`${name}: the id ${twice} is given twice`);
  return cases.filter((item) => item.status !== "retired");
}

function readCase(raw, place, name, document, known) {
  const fields = members(raw, place, CASE_KEYS, ["id", "description", "input"]);
  if (typeof fields.id !== "string" || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(fields.id)) {
    throw new CaseFileError(`${place}: the id ${JSON.stringify(fields.id)} is not kebab-case`);
  }
  const where = `${name}/${fields.id}`;
  const fails = Object.hasOwn(fields, "error");
  if (fails === Object.hasOwn(fields, "expect")) throw new CaseFileError(`${where}: a case has one of expect and error`);
  if (fails && (fields.warnings !== undefined || fields.compare !== undefined)) {
    throw new CaseFileError(`${where}: a case that expects an error has neither warnings nor compare`);
  }
  if (fails) members(fields.error, `${where}.error`, ["code", "at", "mentions"], ["code", "at", "mentions"]);
  if (!STATUSES.includes(fields.status ?? "required")) throw new CaseFileError(`${where}: unknown status ${fields.status}`);
  const unknown = (fields.requires ?? []).filter((word) => !known.capabilities.includes(word));
  if (unknown.length) throw new CaseFileError(`${where}: the capabilities ${unknown} are in no table`);
  return {
    key: where,
    op: document.op,
    id: fields.id,
    description: fields.description,
    input: decode({ ...document.defaults, ...fields.input }, where),
    expect: fails ? undefined : decode(fields.expect, where),
    error: fields.error,
    warnings: fields.warnings ?? [],
    requires: fields.requires ?? [],
    compare: { rel: 0, abs: 0, ...members(fields.compare ?? {}, `${where}.compare`, ["rel", "abs"], []) },
    status: fields.status ?? "required",
  };
}

function members(raw, where, allowed, required) {
  if (raw === null || typeof raw !== "object" || Array.isArray(raw)) throw new CaseFileError(`${where}: an object belongs here`);
  const keys = Object.keys(raw);
  const unknown = keys.filter((key) => !allowed.includes(key));
  if (unknown.length) throw new CaseFileError(`${where}: the keys ${unknown} are unknown; known are ${allowed}`);
  const missing = required.filter((key) => !keys.includes(key));
  if (missing.length) throw new CaseFileError(`${where}: the keys ${missing} are missing`);
  return raw;
}
