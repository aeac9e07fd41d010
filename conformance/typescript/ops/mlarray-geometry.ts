import * as mla from "../src/mla/geometry/index.js";
import type { Input, Ops } from "./op.js";

const points = (rows: Input): mla.Rows => rows.map((row: Input) => row.map(Number));

function derive({ axes, spaces, space }: Input): unknown {
  const found = mla.deriveGeometry(axes, spaces, space);
  if (found === null) return null;
  const { letterCodes, ...rest } = found;
  return { ...rest, letter_codes: letterCodes };
}

export const ops: Ops = {
  "mlarray.geometry.derive": derive,
  "mlarray.geometry.to_space": ({ axes, spaces, space, index }) => mla.indexToSpace(axes, spaces, points(index), space),
  "mlarray.geometry.to_index": ({ axes, spaces, space, coord }) => mla.spaceToIndex(axes, spaces, points(coord), space),
};
