// The table of units: what each spelling means, exactly.

import { Fraction } from "../fraction.js";

export type Dimension = "length" | "time";

/** A unit: OME-NGFF's name, its short form, and exactly how many metres or seconds it is. */
export interface Unit {
  readonly name: string;
  readonly abbreviation: string;
  readonly dimension: Dimension;
  readonly factor: Fraction;
}

/** SI prefixes: name, symbol (micro as U+00B5), power of ten. */
const PREFIXES: readonly (readonly [string, string, number])[] = [
  ["yocto", "y", -24],
  ["zepto", "z", -21],
  ["atto", "a", -18],
  ["femto", "f", -15],
  ["pico", "p", -12],
  ["nano", "n", -9],
  ["micro", "\u00b5", -6],
  ["milli", "m", -3],
  ["centi", "c", -2],
  ["deci", "d", -1],
  ["", "", 0],
  ["hecto", "h", 2],
  ["kilo", "k", 3],
  ["mega", "M", 6],
  ["giga", "G", 9],
  ["tera", "T", 12],
  ["peta", "P", 15],
  ["exa", "E", 18],
  ["zetta", "Z", 21],
  ["yotta", "Y", 24],
];

/** Units that take no prefix: name, symbol, dimension, metres or seconds. */
const OTHERS: readonly (readonly [string, string, Dimension, bigint, bigint])[] = [
  ["angstrom", "\u00c5", "length", 1n, 10_000_000_000n],
  ["inch", "in", "length", 127n, 5_000n],
  ["foot", "ft", "length", 381n, 1_250n],
  ["yard", "yd", "length", 1_143n, 1_250n],
  ["mile", "mi", "length", 201_168n, 125n],
  ["parsec", "pc", "length", 30_856_775_814_913_673n, 1n],
  ["minute", "min", "time", 60n, 1n],
  ["hour", "h", "time", 3_600n, 1n],
  ["day", "d", "time", 86_400n, 1n],
];

const power = (exponent: number): Fraction =>
  exponent < 0 ? Fraction.of(1n, 10n ** BigInt(-exponent)) : Fraction.of(10n ** BigInt(exponent));

function allUnits(): Unit[] {
  const prefixed = PREFIXES.flatMap(([prefix, symbol, exponent]): Unit[] => [
    { name: `${prefix}meter`, abbreviation: `${symbol}m`, dimension: "length", factor: power(exponent) },
    { name: `${prefix}second`, abbreviation: `${symbol}s`, dimension: "time", factor: power(exponent) },
  ]);
  const others = OTHERS.map(([name, abbreviation, dimension, numerator, denominator]): Unit => ({
    name,
    abbreviation,
    dimension,
    factor: Fraction.of(numerator, denominator),
  }));
  return [...prefixed, ...others];
}

/** The full names of a unit in lower case, without the regular plural. */
function fullNames({ name }: Unit): string[] {
  const names = [name];
  if (name.endsWith("meter")) names.push(`${name.slice(0, -2)}re`);
  if (name === "micrometer") names.push("micron");
  return names;
}

const IRREGULAR: readonly (readonly [string, string])[] = [
  ["inches", "inch"],
  ["feet", "foot"],
];

function nameTable(units: readonly Unit[]): Map<string, Unit> {
  const table = new Map<string, Unit>();
  for (const unit of units) {
    for (const name of fullNames(unit)) table.set(name, unit).set(`${name}s`, unit);
  }
  for (const [plural, name] of IRREGULAR) {
    const unit = table.get(name);
    if (unit !== undefined) table.set(plural, unit);
  }
  return table;
}

const UNITS = allUnits();
const BY_SYMBOL = new Map(UNITS.map((unit) => [unit.abbreviation, unit]));
const BY_NAME = nameTable(UNITS);

/** A symbol with U+00B5 and U+00C5 for the other code points of micro and angstrom. */
function canonicalSymbol(text: string): string {
  const letters = text.replace("\u03bc", "\u00b5").replace("\u212b", "\u00c5");
  return /^u[ms]$/.test(letters) ? `\u00b5${letters.slice(1)}` : letters;
}

/** What a text means as a unit; undefined for no unit and for a text that is in no table. */
export function parseUnit(text: string | null | undefined): Unit | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  return BY_SYMBOL.get(canonicalSymbol(text)) ?? BY_NAME.get(text.toLowerCase());
}
