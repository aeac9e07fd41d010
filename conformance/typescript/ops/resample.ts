import type { Fraction } from "../src/fraction.js";
import { type AxisSizes, type NdArray, resampleArray, resampleAxis, targetAxis } from "../src/resample/index.js";
import type { Element } from "./values.js";
import type { Input, Ops } from "./op.js";
import { ArrayValue } from "./values.js";

const optional = (value: number | bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
const pair = ({ numerator, denominator }: Fraction): readonly bigint[] => [numerator, denominator];

const array = ({ dtype, shape, data }: NdArray): ArrayValue =>
  new ArrayValue(dtype, shape, Array.from(data) as Element[]);

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
    return { data: data[0], values: array(values) };
  },
  "resample.array": (input) => {
    const { axes, begin, end, method, edge } = input;
    const given = axes.map((axis: Input) => (axis === null ? null : sizes(axis)));
    const asked = { begin: begin.map(Number), end: end.map(Number), method, edge };
    const { data, values } = resampleArray(input.array, given, asked);
    return { data, values: array(values) };
  },
};
