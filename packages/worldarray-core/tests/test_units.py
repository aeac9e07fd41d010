"""Units: a unit is a dimension and a rational factor, compared by meaning and converted exactly."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray import units
from worldarray.errors import ArgumentError, ArgumentTypeError, UnitError

# OME-NGFF 0.5, axes metadata: the units that it lists
LENGTHS = {
    "yoctometer": -24, "zeptometer": -21, "attometer": -18, "femtometer": -15, "picometer": -12, "nanometer": -9,
    "micrometer": -6, "millimeter": -3, "centimeter": -2, "decimeter": -1, "meter": 0, "hectometer": 2,
    "kilometer": 3, "megameter": 6, "gigameter": 9, "terameter": 12, "petameter": 15, "exameter": 18,
    "zettameter": 21, "yottameter": 24, "angstrom": -10,
}  # fmt: skip
TIMES = {name.replace("meter", "second"): power for name, power in LENGTHS.items() if name.endswith("meter")}
OTHER_LENGTHS = {  # metres
    "inch": Fraction(254, 10000), "foot": Fraction(3048, 10000), "yard": Fraction(9144, 10000),
    "mile": Fraction(1609344, 1000), "parsec": Fraction(30856775814913673),
}  # fmt: skip
OTHER_TIMES = {"minute": 60, "hour": 3600, "day": 86400}


@pytest.mark.parametrize(
    ("dimension", "name", "factor"),
    [
        *[("length", name, Fraction(10) ** power) for name, power in LENGTHS.items()],
        *[("time", name, Fraction(10) ** power) for name, power in TIMES.items()],
        *[("length", name, factor) for name, factor in OTHER_LENGTHS.items()],
        *[("time", name, Fraction(factor)) for name, factor in OTHER_TIMES.items()],
    ],
)
def test_every_unit_of_ome_ngff_is_known_with_its_exact_factor(dimension, name, factor):
    unit = units.parse(name)
    assert (unit.name, unit.dimension, unit.factor) == (name, dimension, factor)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("nm", "nanometer"), ("nanometre", "nanometer"), ("Nanometers", "nanometer"), ("NANOMETRES", "nanometer"),
        ("um", "micrometer"), ("\u00b5m", "micrometer"), ("\u03bcm", "micrometer"), ("micron", "micrometer"),
        ("Microns", "micrometer"), ("micrometre", "micrometer"), ("mm", "millimeter"), ("Mm", "megameter"),
        ("pm", "picometer"), ("Pm", "petameter"), ("m", "meter"), ("metres", "meter"), ("cm", "centimeter"),
        ("\u00c5", "angstrom"), ("\u212b", "angstrom"), ("Angstroms", "angstrom"), ("ångström", "angstrom"),
        ("inches", "inch"), ("feet", "foot"), ("in", "inch"), ("s", "second"), ("sec", "second"),
        ("ms", "millisecond"), ("Ms", "megasecond"), ("us", "microsecond"), ("\u00b5s", "microsecond"),
        ("\u03bcs", "microsecond"), ("ns", "nanosecond"), ("min", "minute"), ("h", "hour"), ("hr", "hour"),
        ("d", "day"), ("Days", "day"), ("as", "attosecond"),
    ],
)  # fmt: skip
def test_symbols_are_case_sensitive_and_full_names_are_not(spelling, name):
    assert units.ome_name(spelling) == name


@pytest.mark.parametrize(
    "text",
    [
        "pixel",
        "NM",
        "Um",
        "uM",
        "nms",
        "ums",
        "metress",
        "inchess",
        "degrees_north",
        " nm",
        "nm ",
        "S",
        "1",
        "Å s",
        "µ",
    ],
)
def test_a_plural_s_belongs_to_full_names_only_and_other_text_is_unknown(text):
    assert units.parse(text) is None
    with pytest.raises(UnitError) as caught:
        units.lookup(text, ("em.zarr/.zattrs", "units", 1))
    assert caught.value.code == "unknown_unit"
    assert caught.value.at == ("em.zarr/.zattrs", "units", 1)
    assert repr(text) in str(caught.value)


def test_an_unknown_unit_near_a_known_one_names_it():
    with pytest.raises(UnitError, match="did you mean 'nanometer'"):
        units.lookup("nanomter")
    with pytest.raises(UnitError, match="did you mean 'nm'"):
        units.lookup("NM")


@pytest.mark.parametrize("text", ["", None])
def test_null_and_the_empty_string_are_no_unit(text):
    assert units.is_missing(text)
    assert units.parse(text) is None
    assert not units.is_missing("pixel")


def test_the_table_says_metres_and_seconds_per_unit():
    assert set(units.TABLE) == {"length", "time"}
    assert units.TABLE["length"]["nm"] == 1e-9
    assert units.TABLE["length"]["micrometre"] == 1e-6
    assert units.TABLE["length"]["\u03bcm"] == 1e-6
    assert units.TABLE["time"]["hour"] == 3600.0
    assert "s" not in units.TABLE["length"]
    with pytest.raises(TypeError):
        units.TABLE["length"]["ell"] = 1.143


@pytest.mark.parametrize("dimension", ["length", "time"])
def test_every_spelling_of_the_table_has_an_abbreviation_that_means_the_same(dimension):
    for spelling, factor in units.TABLE[dimension].items():
        short = units.abbreviation(spelling)
        assert units.same(short, spelling)
        assert units.TABLE[dimension][short] == factor
        assert float(units.lookup(units.ome_name(spelling)).factor) == factor


@pytest.mark.parametrize(
    ("spelling", "short"),
    [
        ("nanometre", "nm"),
        ("um", "\u00b5m"),
        ("angstrom", "\u00c5"),
        ("parsec", "pc"),
        ("minute", "min"),
        ("days", "d"),
    ],
)
def test_abbreviation_is_the_short_form_of_ome(spelling, short):
    assert units.abbreviation(spelling) == short


def test_abbreviation_refuses_what_the_table_does_not_know():
    with pytest.raises(UnitError):
        units.abbreviation("pixel")
    with pytest.raises(UnitError):
        units.abbreviation("")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("nm", "Nanometre", True), ("um", "micron", True), ("mm", "Mm", False), ("s", "m", False),
        ("", None, True), ("", "nm", False), (None, "pixel", False), ("pixel", "pixel", True),
        ("pixel", "Pixel", False), ("m", "meter", True), ("h", "hour", True),
    ],
)  # fmt: skip
def test_units_are_compared_by_meaning(a, b, expected):
    assert units.same(a, b) is expected
    assert units.same(b, a) is expected


def test_four_thousandths_of_a_micrometer_are_exactly_four_nanometers():
    assert units.convert(0.004, units.factor("micrometer", "nm")) == 4.0
    assert units.convert(4.0, units.factor("nm", "micrometer")) == 0.004


known = st.sampled_from(sorted(set(units.TABLE["length"])))


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e60, max_value=1e60), known, known)
def test_a_conversion_is_the_exact_product_rounded_once(value, source, target):
    factor = units.factor(source, target)
    assert units.convert(value, factor) == float(Fraction(value) * factor)


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_an_infinite_value_stays_infinite(value):
    assert units.convert(value, units.factor("inch", "nm")) == value


def test_a_length_is_no_time():
    with pytest.raises(UnitError) as caught:
        units.factor("nm", "s")
    assert caught.value.code == "wrong_value"
    assert units.factor("ms", "s") == Fraction(1, 1000)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (None, {}),
        ({}, {}),
        ("nm", {"space": "nanometer"}),
        ({"space": "\u00b5m", "time": "ms"}, {"space": "micrometer", "time": "millisecond"}),
        ({"space": None, "time": "s"}, {"time": "second"}),
    ],
)
def test_the_units_argument_is_a_unit_of_space_or_one_per_kind(given_, expected):
    assert units.normalise(given_) == expected


@pytest.mark.parametrize(
    ("given_", "error", "code"),
    [
        ("pixel", UnitError, "unknown_unit"),
        ("", UnitError, "unknown_unit"),
        ("second", UnitError, "wrong_value"),
        ({"time": "nm"}, UnitError, "wrong_value"),
        ({"channel": "nm"}, ArgumentError, "invalid_argument"),
        ({"space": 4}, ArgumentTypeError, "wrong_type"),
        (4, ArgumentTypeError, "wrong_type"),
    ],
)
def test_units_that_cannot_be_asked_for_are_refused(given_, error, code):
    with pytest.raises(error) as caught:
        units.normalise(given_)
    assert caught.value.code == code
