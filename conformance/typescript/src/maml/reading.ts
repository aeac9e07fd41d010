// A table that is read from a file: what a MAML and what a caller asks for, together.

import type { At } from "../errors.js";
import { checkValues, parseBound, parseMiss, type Cell, type Limits, type Side } from "./bounds.js";
import { bindRules, type Clause, type Tree } from "./filter.js";
import { clauseBudget, type ClauseBudget } from "./filter-parse.js";
import { Report } from "./problem.js";
import type { Field, Maml, Quality } from "./record.js";
import { remapColumns, type RemapPair } from "./remap.js";
import { filterRows, sortRows, type Row } from "./rows.js";
import { bindSortKeys, MOST_KEYS, type SortKey } from "./sort.js";
import { parseType, type DataType } from "./types.js";

/** A file that holds its rows. */
export interface FileTable {
  /** By column, in the order of the file, the word of its type. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
  /** What the file says, by its columns. */
  readonly units?: Readonly<Record<string, string>>;
}

/** What a caller asks for, by names of the program. */
export interface Request {
  /** Absent: all. */
  readonly columns?: readonly string[];
  readonly filter?: readonly string[];
  readonly sort?: readonly string[];
  /** The first row and the one after the last. */
  readonly range?: readonly number[];
  readonly checks?: Readonly<Record<string, Limits>>;
}

/** What a table is. */
export interface TableRead {
  /** Names of the program. */
  readonly columns: readonly string[];
  readonly units: readonly string[];
  /** Positions in the file. */
  readonly rows: readonly number[];
}

/** What is wrong with what is asked for, or with values. */
export interface ReadProblem {
  readonly code: string;
  readonly at: At;
  readonly message: string;
}

/** A table, or why there is none. */
export type TableResult = TableRead | { readonly problems: readonly ReadProblem[] };

const SIDES: readonly Side[] = ["min", "max"];

/** A clause or key on a part of a row that holds both views of it. */
function within(part: "file" | "table", tree: Tree): Tree {
  if (tree.kind === "clause") {
    const clause: Clause = { ...tree.clause, column: [part, ...tree.clause.column] };
    return { kind: "clause", clause };
  }
  if (tree.kind === "not") return { kind: "not", part: within(part, tree.part) };
  return { kind: tree.kind, parts: tree.parts.map((inner) => within(part, inner)) };
}

const keyWithin = (part: "file" | "table", key: SortKey): SortKey => ({ ...key, column: [part, ...key.column] });

function typeOf(kind: string | undefined): DataType | null {
  return kind === undefined ? null : parseType(kind);
}

/** What is asked for, bound to columns. */
interface Plan {
  readonly pairs: readonly RemapPair[];
  readonly rules: readonly Tree[];
  readonly keys: readonly SortKey[];
}

/** Binds what the MAML asks for; tells of what does not go with the file. */
function planOfMaml(maml: Maml | undefined, file: FileTable, budget: ClauseBudget, report: Report): Plan {
  const names = Object.keys(file.kinds);
  const items = maml?.remap.map(({ internal, external }): RemapPair => [internal, external]) ?? [];
  const remapped = remapColumns(names, items);
  const rules = bindRules(maml?.filter ?? [], file.kinds, budget);
  const keys = bindSortKeys(maml?.sort ?? [], file.kinds);
  const root = { line: 1, column: 1 };
  if ("problems" in remapped) {
    for (const { position, message } of remapped.problems) {
      report.add("remap", ["extra", "remap", position], maml?.remap[position] ?? root, message);
    }
  }
  if ("problems" in rules) {
    for (const { position, message } of rules.problems) {
      report.add("filter", ["extra", "filter", position], maml?.places.filter[position] ?? root, message);
    }
  }
  if ("problems" in keys) {
    for (const { position, message } of keys.problems) {
      report.add("sort", ["extra", "sort", position], maml?.places.sort[position] ?? root, message);
    }
  }
  for (const field of maml?.fields ?? []) tellBounds(field, file, report);
  return {
    pairs: "pairs" in remapped ? remapped.pairs : [],
    rules: "made" in rules ? rules.made : [],
    keys: "made" in keys ? keys.made : [],
  };
}

/** Tells of bounds of a field that are none of the type that the file's column has. */
function tellBounds({ name, qc, position }: Field, file: FileTable, report: Report): void {
  const kind = Object.hasOwn(file.kinds, name) ? file.kinds[name] : undefined;
  if (qc === null || kind === undefined) return;
  for (const side of SIDES) {
    const found = parseBound(qc.texts[side], side, typeOf(kind));
    if (found === null || !("code" in found)) continue;
    const message = `${qc.texts[side]} is no ${side} of a column of type ${kind}`;
    report.add(found.code, ["fields", position, "qc", side], qc.places[side], message);
  }
}

/** What a caller asks for, bound to the columns of the table. */
class Caller {
  readonly problems: ReadProblem[] = [];
  private readonly kinds: Record<string, string>;

  constructor(
    private readonly request: Request,
    private readonly file: FileTable,
    private readonly pairs: readonly RemapPair[],
  ) {
    this.kinds = Object.fromEntries(pairs.map(([internal, external]) => [internal, file.kinds[external] ?? "other"]));
  }

  private tell(code: string, at: At, message: string): void {
    this.problems.push({ code, at, message });
  }

  /** The columns of the table that are asked for. */
  columns(): RemapPair[] {
    const { columns } = this.request;
    if (columns === undefined) return [...this.pairs];
    return columns.flatMap((name, position) => {
      const pair = this.pairs.find(([internal]) => internal === name);
      if (pair === undefined) this.tell("column", ["columns", position], `the table has no column ${name}`);
      return pair === undefined ? [] : [pair];
    });
  }

  rules(budget: ClauseBudget): readonly Tree[] {
    const bound = bindRules(this.request.filter ?? [], this.kinds, budget);
    if ("made" in bound) return bound.made;
    for (const { position, message } of bound.problems) this.tell("filter", ["filter", position], message);
    return [];
  }

  keys(before: number): readonly SortKey[] {
    const sort = this.request.sort ?? [];
    const bound = bindSortKeys(sort, this.kinds);
    if ("problems" in bound) {
      for (const { position, message } of bound.problems) this.tell("sort", ["sort", position], message);
      return [];
    }
    const count = before + sort.length;
    if (count > MOST_KEYS) this.tell("sort", ["sort"], `there are at most ${MOST_KEYS} sort keys, not ${count}`);
    return bound.made;
  }

  /** The rows that are looked at. */
  range(): readonly [number, number] {
    const count = this.file.rows.length;
    const [start = 0, end = count] = this.request.range ?? [];
    if (start < 0 || end < start || end > count) {
      this.tell("argument", ["rows"], `rows ${start} to ${end} are not within the ${count} of the file`);
    }
    return [start, end];
  }

  /** Tells of bounds that are none; those of columns that the MAML bounds do not count. */
  checks(bounded: ReadonlyMap<string, Quality>): void {
    for (const [name, limits] of Object.entries(this.request.checks ?? {})) {
      const pair = this.pairs.find(([internal]) => internal === name);
      if (pair === undefined || bounded.has(pair[1])) continue;
      for (const side of SIDES) {
        const found = parseBound(limits[side] ?? "", side, typeOf(this.kinds[name]));
        if (found === null || !("code" in found)) continue;
        this.tell(found.code, ["checks", name, side], `${limits[side]} is no ${side} of the column ${name}`);
      }
      if (limits.miss !== undefined && parseMiss(limits.miss) === undefined) {
        this.tell("qc-miss", ["checks", name, "miss"], `miss is Null, NA or blank, not ${limits.miss}`);
      }
    }
  }
}

function limitsOf(qc: Quality): Limits {
  const miss = { unchecked: {}, expected: { miss: "Null" }, unexpected: { miss: "" } }[qc.miss];
  return { min: qc.texts.min, max: qc.texts.max, ...miss };
}

/** Tells of columns whose values break their bounds. */
function broken(
  columns: readonly RemapPair[],
  rows: readonly Row[],
  file: FileTable,
  limits: (pair: RemapPair) => Limits | undefined,
): ReadProblem[] {
  return columns.flatMap((pair) => {
    const [internal, external] = pair;
    const type = typeOf(file.kinds[external]);
    const own = limits(pair);
    if (type === null || own === undefined) return [];
    const cells = rows.map((row) => (row[external] ?? null) as Cell);
    const { told, nulls, outside } = checkValues(type, [cells], own);
    if (told.length === 0) return [];
    const message = `${nulls} values of ${internal} are Null and ${outside} out of bounds`;
    return [{ code: "qc", at: [internal], message }];
  });
}

function unitOf(external: string, maml: Maml | undefined, file: FileTable): string {
  const field = maml?.fields.find((other) => other.name === external);
  if (field !== undefined && (field.isUnitless || field.unit !== "")) return field.unit;
  return (Object.hasOwn(file.units ?? {}, external) ? file.units?.[external] : undefined) ?? "";
}

/** A sort beside a range of rows. */
function refusedSort(maml: Maml | undefined, request: Request): ReadProblem[] {
  if (request.range === undefined) return [];
  const message = "a range of rows has no order of all rows";
  if ((maml?.sort.length ?? 0) > 0) return [{ code: "sort", at: ["extra", "sort"], message }];
  return (request.sort?.length ?? 0) > 0 ? [{ code: "sort", at: ["sort"], message }] : [];
}

/**
 * The columns and rows of a table that is read from a file, by "Maml reading" of the specification.
 *
 * @param maml what describes the file, read in the role `read`.
 * @returns else problems: those of the MAML alone, else those of the caller, else those of values.
 */
export function readTable(file: FileTable, maml: Maml | undefined, request: Request): TableResult {
  const early = refusedSort(maml, request);
  if (early.length > 0) return { problems: early };
  const [budget, report] = [clauseBudget(), new Report()];
  const plan = planOfMaml(maml, file, budget, report);
  const wrong = report.found();
  if (wrong.length > 0) return { problems: wrong };
  const caller = new Caller(request, file, plan.pairs);
  const qualities = maml?.fields.flatMap(({ name, qc }) => (qc === null ? [] : [[name, qc] as const])) ?? [];
  const bounded = new Map(qualities);
  const columns = caller.columns();
  const rules = caller.rules(budget);
  const keys = caller.keys(plan.keys.length);
  const [start, end] = caller.range();
  caller.checks(bounded);
  if (caller.problems.length > 0) return { problems: caller.problems };
  const views = file.rows.slice(start, end).map((row) => ({ file: row, table: tableRow(row, plan.pairs) }));
  const allRules = [...plan.rules.map((rule) => within("file", rule)), ...rules.map((rule) => within("table", rule))];
  const allKeys = [...plan.keys.map((key) => keyWithin("file", key)), ...keys.map((key) => keyWithin("table", key))];
  const passed = filterRows(allRules, views);
  const kept = passed.map((index) => file.rows[start + index] ?? {});
  const problems = broken(columns, kept, file, ([internal, external]) => {
    const qc = bounded.get(external);
    return qc === undefined ? request.checks?.[internal] : limitsOf(qc);
  });
  if (problems.length > 0) return { problems };
  const order = sortRows(
    allKeys,
    passed.map((index) => views[index] ?? {}),
  );
  return {
    columns: columns.map(([internal]) => internal),
    units: columns.map(([, external]) => unitOf(external, maml, file)),
    rows: order.map((index) => start + (passed[index] ?? 0)),
  };
}

/** A row by the names of the table. */
function tableRow(row: Row, pairs: readonly RemapPair[]): Row {
  return Object.fromEntries(pairs.map(([internal, external]) => [internal, row[external] ?? null]));
}
