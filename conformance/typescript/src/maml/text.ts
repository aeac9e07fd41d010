// The characters and lines of a MAML.

import { Report, type Problem } from "./problem.js";

declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

const MOST_BYTES = 4 * 2 ** 20;
const MOST_CHARACTERS = 1024;
const MOST_PROBLEMS = 1000;

/** Characters that no MAML holds: controls except the tab, other line ends, marks, halves and what is no character. */
const REFUSED = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/u;

/** Characters that no escape brings in: as above, without line ends. */
const REFUSED_ESCAPED =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]|\p{Surrogate}/u;

/** Whether a value holds a character that is refused wherever it comes from. */
export function hasRefused(text: string): boolean {
  return REFUSED_ESCAPED.test(text);
}

/** A text, or what is wrong with its characters and lines. */
export type TextResult = { readonly text: string } | { readonly problems: readonly Problem[] };

/** How many bytes a text has in UTF-8, as far as one more than the limit tells. */
function utf8Length(text: string): number {
  return text.length > MOST_BYTES ? text.length : new TextEncoder().encode(text).length;
}

/** The lines of bytes, undefined where one is no UTF-8. */
function byteLines(bytes: Uint8Array): (string | undefined)[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines: (string | undefined)[] = [];
  let start = 0;
  while (start <= bytes.length) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    try {
      lines.push(decoder.decode(bytes.subarray(start, end)));
    } catch {
      lines.push(undefined);
    }
    start = end + 1;
  }
  return lines;
}

/**
 * The text of a MAML with LF at the ends of lines and no mark at its beginning, by "Maml text" of the specification.
 *
 * @param source a text, or bytes.
 */
export function readText(source: string | Uint8Array): TextResult {
  const report = new Report();
  const size = typeof source === "string" ? utf8Length(source) : source.length;
  if (size > MOST_BYTES) {
    report.add("limit", [], { line: 1, column: 1 }, `a MAML has at most ${MOST_BYTES} bytes, not ${size}`);
    return { problems: report.found() };
  }
  const lines = typeof source === "string" ? source.split("\n") : byteLines(source);
  const kept = lines.map((line, index) => checkedLine(line, index, lines.length, report));
  const problems = report.found();
  return problems.length > 0 ? { problems: problems.slice(0, MOST_PROBLEMS) } : { text: kept.join("\n") };
}

function checkedLine(line: string | undefined, index: number, count: number, report: Report): string {
  const place = { line: index + 1, column: 1 };
  if (line === undefined) {
    report.add("encoding", [], place, "these bytes are not UTF-8");
    return "";
  }
  let kept = index === 0 && line.startsWith("\ufeff") ? line.slice(1) : line;
  if (index < count - 1 && kept.endsWith("\r")) kept = kept.slice(0, -1);
  if (kept.length > MOST_CHARACTERS) {
    const length = Array.from(kept).length;
    if (length > MOST_CHARACTERS) {
      report.add("line-too-long", [], place, `a line has at most ${MOST_CHARACTERS} characters, not ${length}`);
    }
  }
  const wrong = REFUSED.exec(kept);
  if (wrong !== null) {
    const code = (wrong[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    report.add("encoding", [], { line: index + 1, column: wrong.index + 1 }, `U+${code} is refused`);
  }
  return kept;
}
