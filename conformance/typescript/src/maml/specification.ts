// What the versions of the specification ask for beside the rules of parquet.

import type { At } from "../errors.js";
import { isNumber } from "./numbers.js";
import type { Place, Report } from "./problem.js";
import type { Context } from "./record.js";
import { pairOf, said, strip, type Table, type Text, type Tree } from "./tree.js";

/** What a value is by the core rules of YAML 1.2. */
type Kind = "null" | "truth" | "number" | "text" | "list" | "map";

const TRUTHS = ["true", "True", "TRUE", "false", "False", "FALSE"];
const NUMBERS = [
  /^[-+]?[0-9]+$/,
  /^0o[0-7]+$/,
  /^0x[0-9a-fA-F]+$/,
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/,
  /^[-+]?\.(?:inf|Inf|INF)$/,
  /^\.(?:nan|NaN|NAN)$/,
];
const TAGS: Readonly<Record<string, Kind>> = { null: "null", bool: "truth", int: "number", float: "number" };

function textKind(text: Text): Kind {
  if (text.tag !== undefined) {
    const word = text.tag.replace(/^.*:/, "");
    return Object.hasOwn(TAGS, word) ? (TAGS[word] ?? "text") : "text";
  }
  if (text.style !== "plain") return "text";
  if (["", "null", "Null", "NULL", "~"].includes(text.raw)) return "null";
  if (TRUTHS.includes(text.raw)) return "truth";
  return NUMBERS.some((pattern) => pattern.test(text.raw)) ? "number" : "text";
}

const kindOf = (value: Tree): Kind => (value.kind === "text" ? textKind(value) : value.kind);

/** What a value may be, and whether something has to be there. */
interface Rule {
  readonly kinds: readonly Kind[];
  readonly required?: boolean;
  /** What items of a list may be; absent: lists are not allowed. */
  readonly items?: readonly Kind[];
}

const TEXT: Rule = { kinds: ["text"] };
const NEEDED: Rule = { kinds: ["text"], required: true };
const OPTIONAL: Rule = { kinds: ["text", "null"] };
const EITHER: Rule = { kinds: ["text", "number"] };
const TEXTS: Rule = { kinds: ["text", "null"], items: ["text"] };
const BOUND: Rule = { kinds: ["text", "number", "null"] };

const SECTIONS: Readonly<Record<string, Rule>> = {
  survey: TEXT,
  dataset: TEXT,
  table: TEXT,
  version: { kinds: ["text", "number"], required: true },
  date: NEEDED,
  author: NEEDED,
  coauthors: TEXTS,
  description: TEXT,
  comments: TEXTS,
  license: OPTIONAL,
  keywords: TEXTS,
};

const ITEMS: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  dois: { doi: NEEDED, type: NEEDED },
  depends: { survey: TEXT, dataset: TEXT, table: NEEDED, version: EITHER },
  keyarray: {
    key: NEEDED,
    value: { kinds: ["text", "number"], required: true, items: ["text", "number"] },
    comment: NEEDED,
  },
  fields: {
    name: TEXT,
    data_type: TEXT,
    unit: OPTIONAL,
    info: OPTIONAL,
    ucd: TEXTS,
  },
};

const QUALITY = ["min", "max", "miss"];

/** How keys are spelled, where it is not in small letters. */
const SPELLED: Readonly<Record<string, string>> = { dois: "DOIs", maml_version: "MAML_version" };

/** Keys of sections that a version does not have. */
const LATER = ["keyarray", "extra"];

class Checker {
  constructor(
    private readonly context: Context,
    private readonly report: Report,
  ) {}

  root(root: Table): void {
    this.report.tellOnce();
    for (const key of ["version", "date", "author"]) {
      if (pairOf(root, key) === undefined) this.missing([key], { line: 1, column: 0 });
    }
    for (const pair of root.pairs) {
      this.spelling(pair.written, SPELLED[pair.key] ?? pair.key, [pair.key], pair);
      if (!(this.context.version === 0 && LATER.includes(pair.key))) this.section(pair.key, pair.value);
      else this.report.add("section-unknown", [pair.key], pair, `${pair.key} is of a later version`);
    }
  }

  private section(key: string, value: Tree): void {
    const rule = Object.hasOwn(SECTIONS, key) ? SECTIONS[key] : undefined;
    const keys = Object.hasOwn(ITEMS, key) ? ITEMS[key] : undefined;
    if (rule !== undefined) this.value(rule, value, [key]);
    else if (key === "maml_version") this.number(value);
    else if (key === "extra" && value.kind !== "map") this.shape(["extra"], value);
    else if (keys !== undefined) this.items(key, keys, value);
  }

  private missing(at: At, place: Place): void {
    this.report.add("key-missing", at, place, `the specification asks for ${at[at.length - 1]}`);
  }

  private shape(at: At, place: Place): void {
    this.report.add("shape", at, place, "the specification allows no such value here");
  }

  private spelling(written: string, spelled: string, at: At, place: Place): void {
    if (strip(written) === spelled) return;
    this.report.add("section-unknown", at, place, `the specification spells this key ${spelled}`);
  }

  private value(rule: Rule, value: Tree, at: At): void {
    const kind = kindOf(value);
    const isEmpty = value.kind === "text" && (kind === "null" || said(value) === "");
    if (rule.required === true && isEmpty) this.missing(at, value);
    else if (value.kind === "list" && rule.items !== undefined) {
      const allowed = rule.items;
      value.items.forEach((item, index) => {
        if (!allowed.includes(kindOf(item))) this.shape([...at, index], item);
      });
    } else if (!rule.kinds.includes(kind) && !(at.length === 1 && at[0] === "table" && isEmpty)) this.shape(at, value);
  }

  private number(value: Tree): void {
    const isOne = value.kind === "text" && kindOf(value) === "number";
    const numerator = 10 + (this.context.version ?? 0);
    if (!isOne || !isNumber(value.raw, numerator, 10)) this.shape(["maml_version"], value);
  }

  private items(key: string, keys: Readonly<Record<string, Rule>>, value: Tree): void {
    if (value.kind !== "list") {
      if (key !== "fields") this.shape([key], value);
      return;
    }
    value.items.forEach((item, index) => {
      const at = [key, index];
      if (item.kind === "map") this.item(key, keys, item, at);
      else if (key !== "fields") this.shape(at, item);
    });
  }

  private item(section: string, keys: Readonly<Record<string, Rule>>, table: Table, at: At): void {
    for (const [key, rule] of Object.entries(keys)) {
      const pair = pairOf(table, key);
      if (pair === undefined) {
        if (rule.required === true) this.missing([...at, key], table);
        continue;
      }
      const isSaid = !(section === "fields" && pair.value.kind === "text" && said(pair.value) === "");
      if (isSaid || rule.kinds.includes("null")) this.value(rule, pair.value, [...at, key]);
    }
    for (const pair of table.pairs) {
      const isKnown = Object.hasOwn(keys, pair.key) || section === "fields";
      if (isKnown) this.spelling(pair.written, pair.key === "doi" ? "DOI" : pair.key, [...at, pair.key], pair);
    }
    const quality = section === "fields" ? pairOf(table, "qc")?.value : undefined;
    if (quality?.kind === "map" && quality.pairs.length > 0) this.quality(quality, [...at, "qc"]);
  }

  private quality(table: Table, at: At): void {
    for (const key of QUALITY) {
      const value = pairOf(table, key)?.value;
      if (value === undefined) this.missing([...at, key], table);
      else this.value(BOUND, value, [...at, key]);
    }
  }
}

/** Tells of what a version of the specification does not allow; from here on a place has one problem. */
export function checkSpecification(root: Table, context: Context, report: Report): void {
  new Checker(context, report).root(root);
}
