"""Row groups that are left unread: never one with a row that passes."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.rows.filters import Stats, bind, evaluate, keeps, parse_filter
from maml_parquet.rows.kinds import Kind

KINDS = {
    "f": Kind.of("float64"),
    "i": Kind.of("int64"),
    "u": Kind.of("uint8"),
    "h": Kind.of("float16"),
    "s": Kind.of("string"),
    "b": Kind.of("boolean"),
    "d": Kind.of("date"),
}


def kept(rule, **stats):
    return keeps(bind(parse_filter(rule), KINDS), stats)


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("i > 7", False),
        ("i > 6", True),
        ("i >= 8", False),
        ("i >= 7", True),
        ("i < 3", False),
        ("i < 4", True),
        ("i <= 2", False),
        ("i <= 3", True),
        ("i == 2", False),
        ("i == 5", True),
        ("i in (1, 9)", False),
        ("i in (1, 7)", True),
        ("i /= 5", True),
        ("not i <= 7", False),
        ("not i <= 6", True),
        ("not i > 2", False),
        ("not (i > 2 or s is_null)", False),
        ("not (i > 2 and s is_null)", True),
        ("i > 7 or i < 3", False),
        ("i > 7 or s is_null", True),
        ("i > 7 and s is_null", False),
        ("i is_null", False),
        ("i is_not_null", True),
        ("not i is_not_null", False),
    ],
)
def test_bounds_from_3_to_7_without_nulls(rule, answer):
    assert kept(rule, i=Stats(10, 0, 3, 7)) is answer


@pytest.mark.parametrize(
    ("rule", "stats", "answer"),
    [
        ("f > 5", Stats(4, 0, 5.0, 5.0), False),
        ("not f > 5", Stats(4, 0, 6.0, 6.0), True),
        ("f /= 5", Stats(4, 0, 5.0, 5.0), True),
        ("f not_in (5)", Stats(4, 0, 5.0, 5.0), True),
        ("not f == 5", Stats(4, 0, 5.0, 5.0), True),
        ("i /= 5", Stats(4, 0, 5, 5), False),
        ("i not_in (4, 5)", Stats(4, 0, 5, 5), False),
        ("not i in (4, 5)", Stats(4, 0, 5, 5), False),
        ("f is_nan", Stats(4, 0, 5.0, 5.0), True),
        ("f is_not_nan", Stats(4, 0, 5.0, 5.0), True),
        ("f == 0", Stats(4, 0, -0.0, -0.0), True),
        ("f > 5", Stats(4, 0, math.nan, math.nan), True),
        ("f > 5", Stats(4, 0), True),
        ("f > 5", Stats(4, 4), False),
        ("not f > 5", Stats(4, 4), False),
        ("f is_null", Stats(4, 4), True),
        ("f is_not_null", Stats(4, 4), False),
        ("f > 5", Stats(4, None, 1.0, 2.0), False),
        ("f is_null", Stats(4, None, 1.0, 2.0), True),
        ("f is_null", Stats(4, 9, 1.0, 2.0), True),
        ("i > 5", Stats(4, 0, 2, None), True),
        ("i > 5", Stats(4, 0, 2, 1), True),
        ("i > 5", Stats(4, 0, "2", "3"), True),
        ("u > 5", Stats(4, 0, 1, 2), True),
        ("h > 5", Stats(4, 0, 1.0, 2.0), True),
        ('s == "m"', Stats(4, 0, "a", "c"), False),
        ('s == "b"', Stats(4, 0, "a", "c"), True),
        ('s == "b"', Stats(4, 0, b"m", b"n"), True),
        ("b == true", Stats(4, 0, False, False), False),
        ("b /= true", Stats(4, 0, False, False), True),
        ("b == true", Stats(4, 0, 0, 0), True),
        ('d > "1970-01-05"', Stats(4, 0, 1, 4), False),
        ('d > "1970-01-04"', Stats(4, 0, 1, 4), True),
        ("i > 5", Stats(0, 0), False),
    ],
)
def test_statistics_of_one_column(rule, stats, answer):
    assert kept(rule, **{rule.removeprefix("not ")[0]: stats}) is answer


def test_what_has_no_statistics_is_read():
    assert kept("i > 5") is True


FLOATS = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.0, math.inf, -math.inf, math.nan])
LITERALS = {
    "f": st.sampled_from(["-2", "-1.5", "0", "1", "1.5", "2", "inf", "-inf"]),
    "i": st.sampled_from(["-1", "0", "1", "2"]),
    "s": st.sampled_from(['"a"', '"b"', '"c"']),
    "b": st.sampled_from(["true", "false"]),
}
VALUES = {"f": FLOATS, "i": st.integers(-1, 2), "s": st.sampled_from("abc"), "b": st.booleans()}
OPS = {
    name: ["==", "/=", "in", "not_in", "is_null", "is_not_null"]
    + ([] if name == "b" else [">", ">=", "<", "<="])
    + (["is_nan", "is_not_nan", "is_finite", "is_not_finite"] if name == "f" else [])
    for name in LITERALS
}


@st.composite
def clauses(draw):
    name = draw(st.sampled_from("fisb"))
    op = draw(st.sampled_from(OPS[name]))
    if op.startswith("is"):
        return f"{name} {op}"
    if op.endswith("in"):
        return f"{name} {op} ({', '.join(draw(st.lists(LITERALS[name], min_size=1, max_size=3)))})"
    return f"{name} {op} {draw(LITERALS[name])}"


RULES = st.recursive(
    clauses(),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: "({}) {} ({})".format(*parts)),
    ),
    max_leaves=6,
)
GROUPS = st.lists(
    st.fixed_dictionaries({name: st.none() | values for name, values in VALUES.items()}), min_size=0, max_size=4
)


def statistics(values, count, bounds):
    """What a writer says of a column: bounds of what is neither Null nor NaN, or nothing of it."""
    known = [one for one in values if one is not None and not (isinstance(one, float) and math.isnan(one))]
    low, high = (min(known), max(known)) if known and bounds else (None, None)
    return Stats(len(values), sum(one is None for one in values) if count else None, low, high)


@settings(max_examples=150, deadline=None)
@given(RULES, GROUPS, st.booleans(), st.booleans())
def test_a_group_that_is_left_out_has_no_row_that_passes(rule, rows, count, bounds):
    bound = bind(parse_filter(rule), KINDS)
    stats = {name: statistics([row[name] for row in rows], count, bounds) for name in VALUES}
    if not keeps(bound, stats):
        assert [row for row in rows if evaluate(bound, row) is True] == []


@settings(max_examples=150, deadline=None)
@given(RULES, GROUPS)
def test_not_not_and_de_morgan(rule, rows):
    same = [bind(parse_filter(text), KINDS) for text in (rule, f"not not ({rule})", f"not (not ({rule}) and i > 0)")]
    other = bind(parse_filter(f"({rule}) or not i > 0"), KINDS)
    for row in rows:
        first, second, third = (evaluate(one, row) for one in same)
        assert first is second
        assert third is evaluate(other, row)
