import type { Fraction } from "../src/fraction.js";
import { type AxisSizes, type NdArray, resampleArray, resampleAxis, targetAxis } from "../src/resample/index.js";
import type { ArrayValue, Element } from "../values.mjs";
import type { Input, Ops } from "./op.js";

const optional = (value: number | bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
const pair = ({ numerator, denominator }: Fraction): readonly bigint[] => [numerator, denominator];

/** The values as an array of the class that the runner decoded the input to. */
function value({ dtype, shape, data }: NdArray, like: ArrayValue): ArrayValue {
  const Class = like.constructor as typeof ArrayValue;
  return new Class(dtype, shape, Array.from(data) as Element[]);
}

const sizes = (given: Input): AxisSizes => ({
  sourceSize: Number(given.source_size),
  targetSize: Number(given.target_size),
  corner: optional(given.corner),
  anchor: optional(given.anchor),
});

export const ops: Ops = {
  "resample.target": (input) => {
    const { ratio, shift, first, stop } = targetAxis({ ...sizes(input), n: Number(input.n) });
    return { ratio: pair(ratio), shift: pair(shift), first, stop };
  },
  "resample.axis": (input) => {
    const { begin, end, method, edge } = input;
    const asked = { begin: [Number(begin)], end: [Number(end)], method, edge };
    const { data, values } = resampleAxis(input.array, sizes(input), asked);
    return { data: data[0], values: value(values, input.array) };
  },
  "resample.array": (input) => {
    const { array, axes, begin, end, method, edge } = input;
    const given = axes.map((axis: Input) => (axis === null ? null : sizes(axis)));
    const asked = { begin: begin.map(Number), end: end.map(Number), method, edge };
    const { data, values } = resampleArray(array, given, asked);
    return { data, values: value(values, input.array) };
  },
};
