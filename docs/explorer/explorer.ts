// The page: documents in, levels out.

import { boxOf } from "./boxes.js";
import type { Document } from "./documents.js";
import { type Drawn, drawing, planesOf } from "./drawing.js";
import { type Examined, examine, type Finding, volumesIn } from "./examine.js";
import { type Example, EXAMPLES } from "./examples.js";
import { dropped, isDocument, type Named, pasted, type Taken, textsOf, withMore } from "./given.js";
import { spanOf } from "./spans.js";
import { findingItem, levelTable, summary, tag } from "./view.js";

interface Editor {
  readonly path: HTMLInputElement;
  readonly text: HTMLTextAreaElement;
}

const COLOURS = 8;
const WAIT = 120;

function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found as T;
}

let editors: Editor[] = [];
/** Whether what is shown is an example, which documents of one's own replace. */
let isExample = false;
let plane = "";
const hidden = new Set<string>();

const documents = (): readonly Document[] =>
  editors.map(({ path, text }) => ({ path: path.value.trim().replace(/^(\.?\/)+/, ""), text: text.value }));

/** Replaces children, and keeps the keyboard's place where an element of the same key comes back. */
function fill(parent: HTMLElement, ...children: readonly (Node | string)[]): void {
  const key = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
  parent.replaceChildren(...children);
  if (key !== undefined) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** Goes to the place of a finding in its document. */
function show({ at: [path, ...steps] }: Finding): (() => void) | undefined {
  const editor = editors.find((one) => one.path.value === path);
  if (editor === undefined) return undefined;
  return () => {
    const { text } = editor;
    text.closest("details")?.setAttribute("open", "");
    text.focus();
    const span = spanOf(text.value, steps);
    if (span === undefined) return;
    text.setSelectionRange(...span);
    const line = text.value.slice(0, span[0]).split("\n").length;
    const lines = text.value.split("\n").length;
    text.scrollTop = (text.scrollHeight * (line - 1)) / lines - text.clientHeight / 2;
  };
}

function renderVolumes(found: readonly string[]): string {
  const select = byId<HTMLSelectElement>("volume");
  const chosen = found.includes(select.value) ? select.value : (found[0] ?? "");
  fill(select, ...found.map((folder) => tag("option", { value: folder }, folder || "(top)")));
  select.value = chosen;
  byId("volume-choice").hidden = found.length < 2;
  return chosen;
}

function choice(
  type: string,
  key: string,
  checked: boolean,
  act: (on: boolean) => void,
  ...content: Node[]
): HTMLElement {
  const input = tag("input", { type, "data-key": key, ...(type === "radio" ? { name: "plane" } : {}) });
  input.checked = checked;
  input.addEventListener("change", () => act(input.checked));
  return tag("label", {}, input, ...content);
}

function renderPlanes(names: readonly string[]): void {
  if (!names.includes(plane)) plane = names[0] ?? "";
  const radios = names.map((name) => {
    const choose = (): void => {
      plane = name;
      render();
    };
    return choice("radio", `plane ${name}`, name === plane, choose, document.createTextNode(name.replace(" ", "")));
  });
  fill(byId("planes"), tag("legend", {}, "Plane"), ...radios);
}

function renderLegend(boxes: readonly Drawn[]): void {
  const boxesOf = boxes.map(({ name, colour }) => {
    const toggle = (on: boolean): void => {
      if (on) hidden.delete(name);
      else hidden.add(name);
      render();
    };
    const swatch = tag("span", { class: `swatch level-${colour}`, "aria-hidden": "true" });
    const words = document.createTextNode(name === "." ? "this array" : name);
    return choice("checkbox", `level ${name}`, !hidden.has(name), toggle, swatch, words);
  });
  fill(byId("legend"), tag("legend", {}, "Levels drawn"), ...boxesOf);
}

function renderDrawings(boxes: readonly Drawn[]): void {
  const planes = planesOf(boxes);
  const placed = boxes.filter(({ axes }) => axes.length > 0);
  byId("drawings").hidden = planes.length === 0;
  renderPlanes(planes.map((pair) => pair.join(" ")));
  renderLegend(placed);
  const pair = planes.find((one) => one.join(" ") === plane);
  if (pair === undefined) return;
  const shown = placed.filter(({ name }) => !hidden.has(name));
  const none = (words: string): HTMLElement => tag("p", { class: "unknown" }, words);
  byId("extents").replaceChildren(
    drawing(shown, pair, true) ?? none("No shape is known, so there is no extent to draw."),
  );
  byId("voxels").replaceChildren(drawing(shown, pair, false) ?? none("No level is chosen."));
}

function render(): void {
  const given = documents();
  const folder = renderVolumes(volumesIn(given));
  const lenient = byId<HTMLInputElement>("lenient").checked;
  const found: Examined = examine(given, folder, lenient ? { conflicts: "warn" } : {});
  const unit = byId<HTMLSelectElement>("unit").value;
  const boxes = found.levels.map((level, position) => ({ ...boxOf(level, unit), colour: position % COLOURS }));
  const words = given.length === 0 ? "No document yet. An example shows what there will be." : summary(found);
  const status = byId("summary");
  if (status.textContent !== words) status.textContent = words;
  byId("findings").replaceChildren(...found.findings.map((finding) => findingItem(finding, show(finding))));
  byId("table").hidden = found.levels.length === 0;
  byId("table").replaceChildren(...(found.levels.length > 0 ? [levelTable(found.levels, boxes)] : []));
  renderDrawings(boxes);
}

let timer: number | undefined;

function renderSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(render, WAIT);
}

function edited(): void {
  isExample = false;
  markExample("");
  renderSoon();
}

/** The fields of a document; `open` unfolds it. */
function editor({ path, text }: Document, number: number, open: boolean): readonly [Editor, HTMLElement] {
  const name = tag("input", { id: `path-${number}`, type: "text", spellcheck: "false", autocomplete: "off" });
  name.value = path;
  const area = tag("textarea", { id: `text-${number}`, spellcheck: "false", autocomplete: "off" });
  area.value = text;
  area.rows = Math.min(24, Math.max(6, text.split("\n").length));
  const title = tag("span", { class: "title" }, path || "A document");
  const remove = tag("button", { type: "button", class: "small" }, "Remove");
  const found: Editor = { path: name, text: area };
  name.addEventListener("input", () => {
    title.textContent = name.value || "A document";
    edited();
  });
  area.addEventListener("input", edited);
  remove.addEventListener("click", () => {
    edit(documents().filter((_, position) => editors[position] !== found));
    byId("add").focus();
  });
  const fields = tag(
    "div",
    { class: "fields" },
    tag("label", { for: name.id }, "Path in the volume"),
    tag("div", { class: "row" }, name, remove),
    tag("label", { for: area.id }, "Text"),
    area,
  );
  const details = tag("details", {}, tag("summary", {}, title), fields);
  details.open = open;
  return [found, details];
}

/** Puts documents in place of those that are shown. */
function edit(given: readonly Document[]): void {
  const made = given.map((one, number) => editor(one, number, number === 0 || given.length <= 2));
  editors = made.map(([found]) => found);
  byId("documents").replaceChildren(...made.map(([, shown]) => shown));
  hidden.clear();
  render();
}

function notice(words: string): void {
  byId("notice").textContent = words;
}

function markExample(id: string): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-example]")) {
    button.setAttribute("aria-pressed", String(button.dataset["example"] === id));
  }
}

function load({ id, documents: given }: Example): void {
  isExample = true;
  notice("");
  edit(given);
  markExample(id);
  history.replaceState(null, "", `#${id}`);
}

/** Documents that arrive, beside those that are there or in place of an example. */
function arrived({ documents: more, left }: Taken): void {
  if (more.length === 0) {
    notice(left || "There is no document in that.");
    return;
  }
  const before = isExample ? [] : documents();
  const all = withMore(before, more);
  const known = new Map(before.map(({ path, text }) => [path, text]));
  const taken = all.filter(({ path, text }) => known.get(path) !== text).map(({ path }) => path);
  isExample = false;
  edit(all);
  markExample("");
  notice(`${taken.length > 0 ? `Taken as ${taken.join(", ")}.` : "These documents are there already."} ${left}`);
}

const files = (named: readonly Named[]): void => void textsOf(named).then(arrived);

function onDrop(event: DragEvent): void {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const data = event.dataTransfer;
  if (data === null) return;
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const text = data.getData("text/plain");
  if (entries.length > 0) void dropped(entries).then(arrived);
  else if (data.files.length > 0) files([...data.files].map((file) => ({ path: file.name, file })));
  else if (text !== "") arrived({ documents: pasted(text), left: "" });
}

function onPaste(event: ClipboardEvent): void {
  const data = event.clipboardData;
  if (data === null || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return;
  const text = data.getData("text/plain");
  if (data.files.length > 0) files([...data.files].map((file) => ({ path: file.name, file })));
  else if (text.trim() !== "") arrived({ documents: pasted(text), left: "" });
}

function choose(button: string, input: string): void {
  const field = byId<HTMLInputElement>(input);
  byId(button).addEventListener("click", () => field.click());
  field.addEventListener("change", () => {
    const chosen = [...(field.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    const inFolder = chosen.filter(({ file }) => file.webkitRelativePath !== "");
    files(inFolder.length > 0 ? inFolder.filter(({ path }) => isDocument(path)) : chosen);
    field.value = "";
  });
}

function start(): void {
  for (const example of EXAMPLES) {
    const button = tag(
      "button",
      { type: "button", "data-example": example.id, "aria-pressed": "false" },
      example.label,
    );
    button.addEventListener("click", () => load(example));
    byId(example.flawed ? "flawed" : "examples").append(button);
  }
  choose("choose-files", "files");
  choose("choose-folder", "folder");
  byId("add").addEventListener("click", () => {
    edit([...(isExample ? [] : documents()), { path: "", text: "" }]);
    isExample = false;
    markExample("");
    const added = editors.at(-1);
    added?.path.closest("details")?.setAttribute("open", "");
    added?.path.focus();
  });
  byId("clear").addEventListener("click", () => {
    notice("");
    markExample("");
    edit([]);
  });
  for (const id of ["volume", "unit", "lenient"]) byId(id).addEventListener("change", render);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dragging");
  });
  document.addEventListener("drop", onDrop);
  document.addEventListener("paste", onPaste);
  const asked = EXAMPLES.find(({ id }) => `#${id}` === location.hash) ?? EXAMPLES[0];
  if (asked !== undefined) load(asked);
}

start();
