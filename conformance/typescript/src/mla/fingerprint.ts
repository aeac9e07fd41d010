// Hashes by which content and geometry of an array are recognised.

import { dtypeCode } from "./dtype.js";
import type { MlaAxis, MlaReference, MlaSpace } from "./records.js";
import { Sha256 } from "./sha256.js";
import { spaceMatrix } from "./space-matrix.js";
import { encodeUtf8 } from "./utf8.js";
import { fillUnit } from "./units.js";

const lines = (...texts: readonly string[]): Uint8Array => encodeUtf8(texts.map((text) => `${text}\n`).join(""));

/**
 * The hash of the content of an array: `sha256:` and 64 hexadecimal digits in lower case.
 * `elements` are its bytes, little-endian, in C order.
 */
export function dataFingerprint(dtype: string, shape: readonly number[], elements: Uint8Array): string {
  const head = lines("mla-data-1", dtypeCode(dtype), shape.join(","));
  return `sha256:${new Sha256().update(head).update(elements).digest()}`;
}

const joined = (...texts: readonly string[]): string => texts.join("\u001f");

const referenceLine = (reference: MlaReference | undefined): string => joined(reference?.scheme ?? "", reference?.id ?? "");

function bigEndian(rows: readonly (readonly number[])[]): Uint8Array {
  const numbers = rows.flat();
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((number, position) => view.setFloat64(8 * position, number));
  return new Uint8Array(view.buffer);
}

/** The hash of the first space: its reference, units, directions, columns and matrix. Names do not count. */
export function geometryFingerprint(axes: readonly MlaAxis[], spaces: readonly MlaSpace[]): string {
  const hash = new Sha256();
  const [space] = spaces;
  if (space === undefined) return `sha256:${hash.update(lines("mla-geometry-1", referenceLine(undefined), "")).digest()}`;
  const { columns, rows } = spaceMatrix(axes, space);
  const axisLines = space.axes.map((axis) => {
    const { unit, unit_code: code } = fillUnit(axis.unit, axis.unit_code);
    return joined(code ?? unit ?? "", axis.increases_toward ?? "");
  });
  hash.update(lines("mla-geometry-1", referenceLine(space.reference), ...axisLines, columns.join(",")));
  return `sha256:${hash.update(bigEndian(rows)).digest()}`;
}
