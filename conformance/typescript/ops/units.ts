import { convertValue, parseUnit, sameUnit, unitAbbreviation } from "../src/units/index.js";
import type { Ops } from "./op.js";

function parse(text: string | null): unknown {
  const unit = parseUnit(text);
  if (unit === undefined) return null;
  const { name, abbreviation, dimension, factor } = unit;
  return { name, abbreviation, dimension, factor: [factor.numerator, factor.denominator] };
}

export const ops: Ops = {
  "units.parse": ({ text }) => parse(text),
  "units.convert": ({ value, source, target }) => convertValue(value, source, target),
  "units.abbreviation": ({ text }) => unitAbbreviation(text),
  "units.same": ({ a, b }) => sameUnit(a, b),
};
