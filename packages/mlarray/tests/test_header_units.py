"""Units: 112 names, each with its UCUM code."""

import pytest

from mlarray.errors import Problem
from mlarray.header.parse import filled
from mlarray.header.units import codes, disagreement, names, resolve

# Name and code of every unit, by what it measures.
LISTED = {
    "length": "picometer pm, nanometer nm, micrometer um, millimeter mm, centimeter cm, decimeter dm, meter m, "
    "kilometer km, angstrom Ao, inch [in_i], foot [ft_i], mile [mi_i]",
    "time": "nanosecond ns, microsecond us, millisecond ms, second s, minute min, hour h, day d, week wk, year a, "
    "hertz Hz, kilohertz kHz, megahertz MHz, gigahertz GHz",
    "angle": "degree deg, radian rad, milliradian mrad, arcminute ', arcsecond ''",
    "none": "dimensionless 1, percent %, parts_per_million [ppm], counts {counts}, counts_per_second {counts}/s, "
    "arbitrary [arb'U], decibel dB, pixel {pixel}",
    "temperature": "hounsfield_unit [hnsf'U], kelvin K, degree_celsius Cel, degree_fahrenheit [degF]",
    "area and volume": "square_millimeter mm2, square_centimeter cm2, square_meter m2, cubic_millimeter mm3, "
    "cubic_centimeter cm3, cubic_meter m3, microliter uL, milliliter mL, liter L",
    "mass": "microgram ug, milligram mg, gram g, kilogram kg",
    "density": "milligram_per_milliliter mg/mL, gram_per_cubic_centimeter g/cm3, "
    "milligram_per_cubic_centimeter mg/cm3, gram_per_milliliter g/mL, millimole_per_liter mmol/L, mole_per_liter mol/L",
    "motion": "meter_per_second m/s, centimeter_per_second cm/s, millimeter_per_second mm/s, "
    "meter_per_square_second m/s2",
    "rates": "per_second /s, per_millisecond /ms, per_millimeter /mm, per_centimeter /cm, per_meter /m",
    "diffusion and flow": "square_millimeter_per_second mm2/s, second_per_square_millimeter s/mm2, "
    "milliliter_per_minute mL/min, milliliter_per_second mL/s, milliliter_per_minute_per_100_gram mL/min/(100.g), "
    "milliliter_per_100_gram mL/(100.g)",
    "magnetism": "tesla T, millitesla mT, microtesla uT, gauss G, millitesla_per_meter mT/m",
    "electricity": "volt V, millivolt mV, microvolt uV, ampere A, milliampere mA, ohm Ohm",
    "mechanics": "pascal Pa, kilopascal kPa, millimeter_of_mercury mm[Hg], newton N, joule J, watt W, electronvolt eV, "
    "kiloelectronvolt keV",
    "radiation": "becquerel Bq, kilobecquerel kBq, megabecquerel MBq, becquerel_per_milliliter Bq/mL, "
    "kilobecquerel_per_milliliter kBq/mL, suv_body_weight {SUVbw}g/mL, gray Gy, centigray cGy, milligray mGy, "
    "sievert Sv, millisievert mSv",
    "light": "lux lx, candela_per_square_meter cd/m2, watt_per_square_meter W/m2, "
    "watt_per_square_meter_per_steradian W/(m2.sr)",
    "information": "bit bit, byte By",
}
UNITS = dict(unit.split(" ") for line in LISTED.values() for unit in line.split(", "))


def test_there_are_112_units_with_a_code_each():
    assert dict(codes()) == UNITS
    assert len(UNITS) == len(set(UNITS.values())) == 112
    assert dict(names()) == {code: name for name, code in UNITS.items()}


@pytest.mark.parametrize(("name", "code"), UNITS.items())
def test_a_listed_unit_is_known_by_its_name_or_its_code(name, code):
    assert resolve(name, None) == resolve(None, code) == resolve(name, code) == (name, code)
    assert disagreement(name, code, ()) is None
    assert disagreement(name, code + "x", ("values", "unit_code")) == Problem(
        "conflict",
        ("values", "unit_code"),
        f"the unit {name!r} has the code {code!r}, and unit_code says {code + 'x'!r}; leave unit_code out",
    )


def test_no_code_is_invented_for_other_names_and_no_name_for_other_codes():
    assert resolve("furlong", None) == ("furlong", None)
    assert resolve(None, "[fur_us]") == (None, "[fur_us]")
    assert resolve("furlong", "[fur_us]") == ("furlong", "[fur_us]")
    assert resolve("furlong", "mm") == ("furlong", "mm")
    assert resolve(None, None) == (None, None)
    assert disagreement("furlong", "mm", ()) is None


@pytest.mark.parametrize("name", ["Millimeter", "MILLIMETER", "millimetre", "mm", "millimeter ", "micron"])
def test_names_are_spelt_in_one_way(name):
    assert resolve(name, None) == (name, None)


def test_names_and_codes_are_filled_in_wherever_a_unit_stands():
    document = {
        "version": "1.0",
        "axes": [{"name": "t", "unit": "second"}, {"name": "b", "unit_code": "s/mm2"}, {"name": "x"}],
        "spaces": [
            {
                "name": "w",
                "axes": [{"name": "x", "unit": "micrometer"}],
                "from_array": {"array_axes": ["x"], "scale": [2]},
            }
        ],
        "values": {"unit": "furlong"},
    }
    found = filled(document)
    assert found["axes"][0] == {"name": "t", "unit": "second", "unit_code": "s"}
    assert found["axes"][1] == {"name": "b", "unit_code": "s/mm2", "unit": "second_per_square_millimeter"}
    assert found["axes"][2] == {"name": "x"}
    assert found["spaces"][0]["axes"] == [{"name": "x", "unit": "micrometer", "unit_code": "um"}]
    assert found["values"] == {"unit": "furlong", "kind": "measurement"}
    assert document["axes"][0] == {"name": "t", "unit": "second"}
