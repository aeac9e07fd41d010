// Units of .mla files: names beside UCUM codes.

import { PlacedError, type At } from "../errors.js";

/** Name and UCUM code of a unit; what is not known is null. */
export interface MlaUnit {
  readonly unit: string | null;
  readonly unit_code: string | null;
}

const LISTED = `
picometer pm, nanometer nm, micrometer um, millimeter mm, centimeter cm, decimeter dm, meter m, kilometer km, angstrom Ao,
inch [in_i], foot [ft_i], mile [mi_i], nanosecond ns, microsecond us, millisecond ms, second s, minute min, hour h, day d,
week wk, year a, hertz Hz, kilohertz kHz, megahertz MHz, gigahertz GHz, degree deg, radian rad, milliradian mrad,
arcminute ', arcsecond '', dimensionless 1, percent %, parts_per_million [ppm], counts {counts}, counts_per_second {counts}/s,
arbitrary [arb'U], decibel dB, pixel {pixel}, hounsfield_unit [hnsf'U], kelvin K, degree_celsius Cel, degree_fahrenheit [degF],
square_millimeter mm2, square_centimeter cm2, square_meter m2, cubic_millimeter mm3, cubic_centimeter cm3, cubic_meter m3,
microliter uL, milliliter mL, liter L, microgram ug, milligram mg, gram g, kilogram kg, milligram_per_milliliter mg/mL,
gram_per_cubic_centimeter g/cm3, milligram_per_cubic_centimeter mg/cm3, gram_per_milliliter g/mL, millimole_per_liter mmol/L,
mole_per_liter mol/L, meter_per_second m/s, centimeter_per_second cm/s, millimeter_per_second mm/s,
meter_per_square_second m/s2, per_second /s, per_millisecond /ms, per_millimeter /mm, per_centimeter /cm, per_meter /m,
square_millimeter_per_second mm2/s, second_per_square_millimeter s/mm2, milliliter_per_minute mL/min,
milliliter_per_second mL/s, milliliter_per_minute_per_100_gram mL/min/(100.g), milliliter_per_100_gram mL/(100.g), tesla T,
millitesla mT, microtesla uT, gauss G, millitesla_per_meter mT/m, volt V, millivolt mV, microvolt uV, ampere A,
milliampere mA, ohm Ohm, pascal Pa, kilopascal kPa, millimeter_of_mercury mm[Hg], newton N, joule J, watt W, electronvolt eV,
kiloelectronvolt keV, becquerel Bq, kilobecquerel kBq, megabecquerel MBq, becquerel_per_milliliter Bq/mL,
kilobecquerel_per_milliliter kBq/mL, suv_body_weight {SUVbw}g/mL, gray Gy, centigray cGy, milligray mGy, sievert Sv,
millisievert mSv, lux lx, candela_per_square_meter cd/m2, watt_per_square_meter W/m2,
watt_per_square_meter_per_steradian W/(m2.sr), bit bit, byte By`;

const rows = LISTED.trim()
  .split(/,\s+/)
  .map((row) => row.split(" ") as [string, string]);

/** Every listed unit: name to UCUM code. */
export const MLA_UNITS: ReadonlyMap<string, string> = new Map(rows);

const NAMES: ReadonlyMap<string, string> = new Map(rows.map(([name, code]) => [code, name]));

/** The code that a name which is listed should have had; undefined where nothing is wrong. */
export function codeInConflict(unit: string, code: string): string | undefined {
  const listed = MLA_UNITS.get(unit);
  return listed === undefined || listed === code ? undefined : listed;
}

/** Name and code, what is missing filled in from the table; nothing is checked. */
export function fillUnit(unit: string | null | undefined, code: string | null | undefined): MlaUnit {
  return {
    unit: unit ?? NAMES.get(code ?? "") ?? null,
    unit_code: code ?? MLA_UNITS.get(unit ?? "") ?? null,
  };
}

function text(value: unknown, at: At): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new PlacedError("wrong_type", at, `${String(value)} is no text; a unit is text`);
  if (value === "") throw new PlacedError("wrong_value", at, "the text is empty; leave the field out where there is no unit");
  return value;
}

/**
 * Name and code of a unit, what is missing filled in.
 * Errors: `wrong_type` and `wrong_value` (empty text) at the field; `conflict` at `["unit_code"]` for a listed name with
 * another code.
 */
export function resolveUnit(unit: unknown, code: unknown): MlaUnit {
  const [name, ucum] = [text(unit, ["unit"]), text(code, ["unit_code"])];
  const listed = name === undefined || ucum === undefined ? undefined : codeInConflict(name, ucum);
  if (listed === undefined) return fillUnit(name, ucum);
  throw new PlacedError("conflict", ["unit_code"], `the unit ${name} has the code ${listed}, not ${ucum}`);
}
