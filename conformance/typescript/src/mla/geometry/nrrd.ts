// The fields of an NRRD header that place an image.

import { parseUnit } from "../../units/index.js";
import { fillUnit, MLA_UNITS, type MlaUnit } from "../units.js";
import type { Rows } from "./linear.js";

/** Fields of an NRRD header, as they stand in it. */
export interface NrrdHeader {
  readonly space?: string;
  readonly "space directions"?: string;
  readonly "space origin"?: string;
  readonly "space units"?: string;
  readonly kinds?: string;
}

/** The vectors of a field: `(1,0) (0,1)`. */
function vectors(text: string | undefined): Rows {
  const found = [...(text ?? "").matchAll(/\(([^)]*)\)/g)];
  return found.map(([, inside = ""]) => inside.split(",").map((number) => Number(number.trim() || NaN)));
}

const fits = (vector: readonly number[], count: number): boolean => vector.length === count && vector.every(Number.isFinite);

/** The columns and the origin of an image, per axis, x first. */
export interface Placing {
  readonly columns: Rows;
  readonly origin: readonly number[];
}

/** Directions by spacings and origin as a header has them; undefined where one has not a number per axis. */
export function nrrdPlacing(header: NrrdHeader, count: number): Placing | undefined {
  const columns = vectors(header["space directions"]);
  if (columns.length !== count || !columns.every((column) => fits(column, count))) return undefined;
  const [origin = columns.map(() => 0)] = vectors(header["space origin"]);
  return fits(origin, count) ? { columns, origin } : undefined;
}

/** The name of a space in small letters, without the time that may stand behind it. */
export const spaceName = (space: string | undefined): string =>
  (space ?? "").trim().toLowerCase().replace(/-time$|(?<=^[rl][ap]s)t$/, "");

const BODY = /^(?:(left|right)-(anterior|posterior)-superior|([lr])([ap])s)$/;

/** Which of the rows x and y are turned round, so that they grow toward left and posterior; undefined for no space of a body. */
export function bodyFlips(space: string | undefined): readonly [boolean, boolean] | undefined {
  const found = BODY.exec(spaceName(space));
  if (found === null) return undefined;
  const [, side = "", face = "", sideLetter = "", faceLetter = ""] = found;
  return [(side || sideLetter).startsWith("r"), (face || faceLetter).startsWith("a")];
}

/** The unit of a text: a code or name that is listed, another spelling of a length that is, else a name. */
function unitOf(text: string): MlaUnit | undefined {
  if (text === "") return undefined;
  const byCode = fillUnit(undefined, text);
  if (byCode.unit !== null) return byCode;
  const name = parseUnit(text)?.name ?? text;
  return fillUnit(MLA_UNITS.has(text) ? text : name, undefined);
}

/** The units of a header, one per axis of its space; undefined where there is none. */
export const nrrdUnits = (header: NrrdHeader | undefined): readonly (MlaUnit | undefined)[] =>
  [...(header?.["space units"] ?? "").matchAll(/"([^"]*)"/g)].map(([, text = ""]) => unitOf(text.trim()));
