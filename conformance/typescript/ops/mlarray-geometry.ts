import * as mla from "../src/mla/geometry/index.js";
import type { Input, Ops } from "./op.js";
import { ArrayValue } from "./values.js";

const points = (rows: Input): mla.Rows => rows.map((row: Input) => row.map(Number));
const indexMap = ({ axes, flip }: Input): mla.IndexMap => ({ axes: axes.map(Number), flip });
const array = ({ dtype, shape, data }: mla.MlaArray<Input>): ArrayValue => new ArrayValue(dtype, shape, Array.from(data));

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
  "mlarray.geometry.compose": ({ ndim, axes, ...said }) => mla.composeGeometry(Number(ndim), axes, said),
  "mlarray.geometry.change": ({ axes, spaces, ...said }) => mla.changeGeometry(axes, spaces, said),
  "mlarray.axis.coordinates": ({ axis, size }) => mla.axisCoordinates(axis, Number(size)),
  "mlarray.index_map.apply": (input) => array(mla.applyIndexMap(indexMap(input.index_map), input.array)),
  "mlarray.index_map.invert": (input) => array(mla.invertIndexMap(indexMap(input.index_map), input.array)),
  "mlarray.patch.plan": ({ start, size, shape }) => mla.planPatch(start, size, shape.map(Number)),
  "mlarray.patch.read": (input) =>
    array(mla.readPatch(input.array, input.start, input.size, { padValue: input.pad_value, fill: input.fill })),
};
