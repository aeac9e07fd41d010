// What is shown of levels and findings: a sentence, a list, a table.

import type { At } from "../../conformance/typescript/src/errors.js";
import { type Axis, type Box, digits, short } from "./boxes.js";
import type { Examined, Finding, Level } from "./examine.js";

type Content = string | Node | undefined;

/** A new element with attributes and what is in it. */
export function tag<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  found.append(...content.filter((one) => one !== undefined));
  return found;
}

const FORMATS: Readonly<Record<string, string>> = {
  zarr2: "zarr v2",
  zarr3: "zarr v3",
  n5: "N5",
  precomputed: "Neuroglancer precomputed",
};

const DOCUMENTS: Readonly<Record<string, string>> = { zarr2: ".zarray", zarr3: "zarr.json", n5: "attributes.json" };

const RULES: Readonly<Record<string, string>> = {
  ome: "OME-NGFF transforms",
  cosem: "a COSEM transform",
  funlib: "funlib's keys",
  n5: "N5's keys",
  precomputed: "the info",
  dimension_units: "dimension_units",
};

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;

/** What is found, in a sentence or two. */
export function summary({ format, levels, findings }: Examined): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.filter(({ severity }) => severity === "warning").length;
  const odd = [errors ? count(errors, "error") : "", warnings ? count(warnings, "warning") : ""].filter(Boolean);
  const problems = odd.length > 0 ? ` ${odd.join(", ")}.` : "";
  if (levels.length === 0) return `No level is found.${problems}`;
  const unknown = levels.filter(({ shape, failed }) => shape === null && !failed).map(({ name }) => name);
  const what = `${count(levels.length, "level")} of ${FORMATS[format ?? ""] ?? "a volume"}.${problems}`;
  if (unknown.length === 0) return what;
  const document = DOCUMENTS[format ?? ""] ?? "document";
  const theirs = unknown.length > 1 ? "their" : "its";
  return `${what} The shape of ${unknown.join(", ")} is not known: add ${theirs} ${document} to see extents.`;
}

const pathOf = (at: At): HTMLElement =>
  tag(
    "code",
    { class: "path" },
    ...at.flatMap((part, place) => [place ? tag("span", { class: "step" }, "/") : "", String(part)]),
  );

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** An error, a warning or a note with its place; `show` goes there, where there is such a document. */
export function findingItem({ severity, code, at, message }: Finding, show: (() => void) | undefined): HTMLLIElement {
  const item = tag("li", { class: `finding ${severity}`, "data-code": code });
  const button = show && tag("button", { type: "button", class: "small" }, "Show");
  button?.setAttribute("aria-label", `Show ${at.join("/")}`);
  button?.addEventListener("click", () => show?.());
  const head = tag("div", { class: "head" }, tag("strong", {}, severity), pathOf(at), button);
  const prefix = `${at.join("/")} `;
  const words = message.startsWith(prefix) ? capital(message.slice(prefix.length)) : message;
  item.append(head, tag("p", {}, words, " ", tag("code", { class: "code" }, code)));
  return item;
}

/** The headings, and what they mean. */
const COLUMNS: readonly (readonly [string, string?])[] = [
  ["Level"],
  ["Axis"],
  ["Voxels"],
  ["Voxel size"],
  ["Translation", "centre of voxel 0"],
  ["Corner", "of voxel 0"],
  ["Extent", "corner to corner"],
  ["Unit"],
];

function numberCell(value: number | null): HTMLTableCellElement {
  if (value === null) return tag("td", { class: "number unknown" }, "?");
  const text = digits(value);
  return tag("td", { class: "number", ...(text === String(value) ? {} : { title: String(value) }) }, text);
}

function extentCell({ corner, end, spatial }: Axis): HTMLTableCellElement {
  if (!spatial) return tag("td", { class: "number" }, "–");
  if (end === null) return tag("td", { class: "number unknown" }, `${digits(corner)} to ?`);
  return tag("td", { class: "number" }, `${digits(corner)} to ${digits(end)}`);
}

function axisRow(axis: Axis): HTMLTableRowElement {
  return tag(
    "tr",
    { "data-axis": axis.name },
    tag("th", { scope: "row" }, axis.name),
    numberCell(axis.length),
    numberCell(axis.size),
    numberCell(axis.translation),
    axis.spatial ? numberCell(axis.corner) : tag("td", { class: "number" }, "–"),
    extentCell(axis),
    tag("td", { title: axis.unit }, axis.unit === "" ? "–" : short(axis.unit)),
  );
}

function levelHead({ name, dtype, placed }: Level, rows: number, colour: number): HTMLTableCellElement {
  const by = placed === null ? undefined : (RULES[placed.placedBy ?? ""] ?? "nothing: voxels of 1 at the origin");
  const from = placed && !placed.translationDeclared && placed.placedBy !== null ? "; no position is given" : "";
  const facts = [dtype ?? undefined, by && `placed by ${by}${from}`].filter((one) => one !== undefined);
  return tag(
    "th",
    { scope: "rowgroup", rowspan: String(rows) },
    tag("span", { class: `swatch level-${colour}`, "aria-hidden": "true" }),
    tag("span", { class: "level" }, name === "." ? "this array" : name),
    ...facts.map((fact) => tag("span", { class: "fact" }, fact)),
  );
}

/** The table of levels: a row for each axis. */
export function levelTable(levels: readonly Level[], boxes: readonly Box[]): HTMLTableElement {
  const head = tag(
    "tr",
    {},
    ...COLUMNS.map(([name, more]) => tag("th", { scope: "col" }, name, more && tag("span", { class: "fact" }, more))),
  );
  const bodies = levels.map((level, position) => {
    const axes = boxes[position]?.axes ?? [];
    const body = tag("tbody", { "data-level": level.name });
    const first = levelHead(level, Math.max(1, axes.length), position % 8);
    if (axes.length === 0) {
      const words = level.failed
        ? "It cannot be read: see its error."
        : "Nothing that is given here places it; its own document would.";
      body.append(tag("tr", {}, first, tag("td", { colspan: String(COLUMNS.length - 1), class: "unknown" }, words)));
      return body;
    }
    body.append(...axes.map(axisRow));
    body.rows[0]?.prepend(first);
    return body;
  });
  const caption = tag("caption", {}, "Axes in the order of the array; numbers along each axis in its unit.");
  return tag("table", {}, caption, tag("thead", {}, head), ...bodies);
}
