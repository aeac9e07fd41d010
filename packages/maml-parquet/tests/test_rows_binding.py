"""Values and operators against the kinds of columns, and rules on rows."""

import math

import pytest

from maml_parquet.errors import MamlError
from maml_parquet.rows.binding import leaves
from maml_parquet.rows.filters import bind, bind_rules, evaluate, parse_filter
from maml_parquet.rows.kinds import Kind

NAN = math.nan
INF = math.inf


def bound(rule, **kinds):
    return bind(parse_filter(rule), {name: Kind.of(token) for name, token in kinds.items()})


def value(rule, token):
    (one,) = bound(rule, x=token).values
    return one


@pytest.mark.parametrize(
    ("token", "literal", "expected"),
    [
        ("int32", "2147483647", 2147483647),
        ("int32", "-2147483648", -2147483648),
        ("int32", "1e3", 1000),
        ("int32", "5.0", 5),
        ("int32", "+7", 7),
        ("int32", "120e-1", 12),
        ("int32", "0.0012e4", 12),
        ("int32", "1e00000000001", 10),
        ("int32", "0e99999999999999999999", 0),
        ("int32", "-0", 0),
        ("int64", "9223372036854775807", 9223372036854775807),
        ("int64", "9007199254740993", 2**53 + 1),
        ("uint64", "18446744073709551615", 2**64 - 1),
        ("float64", "0.1", 0.1),
        ("float32", "1e300", 1e300),
        ("float64", ".5", 0.5),
        ("float64", "-INF", -INF),
        ("float64", "infinity", INF),
        ("boolean", "TRUE", True),
        ("boolean", "false", False),
        ("string", '"1"', "1"),
        ("string", '"NULL"', "NULL"),
        # 2024-01-31: 54 years since 1970 with 13 leap days (1972, ..., 2020), then 30 days: 54 * 365 + 13 + 30 = 19753.
        ("date", '"2024-01-31"', 19753),
        ("date", '"1969-12-31"', -1),
        ("time[ms]", '"01:02:03.5"', 3723500),
        ("time[ns]", '"00:01"', 60 * 10**9),
        ("timestamp[us]", '"1970-01-02"', 86400 * 10**6),
        ("timestamp[us]", '"1970-01-01 00:00:01.000002"', 1000002),
        ("timestamp[us,utc]", '"1969-12-31T23:59:59.9"', -100000),
        ("timestamp[ms]", '"1970-01-01T00:00:00.1230"', 123),
        ("timestamp[ns]", '"1970-01-01T00:00:00.123456789"', 123456789),
        ("timestamp[ms]", '"9999-12-31T23:59:59"', 253402300799000),
    ],
)
def test_a_literal_is_this_value(token, literal, expected):
    found = value(f"x == {literal}", token)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("token", "clause", "position", "mentions"),
    [
        ("int32", "x > 3.5", 5, "3.5"),
        ("int32", "x > 1e-99999999999999", 5, "fraction"),
        ("int32", "x > 2147483648", 5, "2147483647"),
        ("int32", "x > 1e99999999999999", 5, "2147483647"),
        ("int64", "x > 9223372036854775808", 5, "9223372036854775807"),
        ("uint8", "x > -1", 5, "255"),
        ("int32", "x > inf", 5, "inf"),
        ("int32", "x > 0x10", 5, "0x10"),
        ("int32", "x > 1_0", 5, "1_0"),
        ("int32", "x > ٣", 5, "٣"),
        ("int32", 'x > "5"', 5, "quotes"),
        ("float64", "x > nan", 5, "is_nan"),
        ("float64", "x in (1, NaN)", 10, "is_nan"),
        ("float64", "x > 1e999", 5, "inf"),
        ("float64", "x > five", 5, "five"),
        ("float64", 'x > "5"', 5, "quotes"),
        ("float64", "x > 1d3", 5, "1d3"),
        ("boolean", "x == 1", 6, "true"),
        ("boolean", 'x == "true"', 6, "quotes"),
        ("boolean", "x > true", 1, "=="),
        ("string", "x == abc", 6, '"abc"'),
        ("string", "x is_nan", 1, "is_nan"),
        ("int64", "x is_finite", 1, "int64"),
        ("date", "x > 2024-01-01", 5, "quotes"),
        ("date", 'x > "2024-01-01T00:00"', 5, "time"),
        ("date", 'x > "2023-02-29"', 5, "calendar"),
        ("date", 'x > "2024-1-1"', 5, "2024-01-31"),
        ("time[us]", 'x > "24:00"', 5, "23:59:59"),
        ("time[us]", 'x > "2024-01-01 10:00"', 5, "date"),
        ("time[ms]", 'x > "10:00:00.0001"', 5, "ms"),
        ("timestamp[us]", 'x > "2024-01-01T00:00:00.1234567"', 5, "us"),
        ("timestamp[us,utc]", 'x > "2024-01-01T00:00:00Z"', 5, "zone"),
        ("timestamp[us]", 'x > "2024-01-01T00:00:00+02:00"', 5, "zone"),
        ("timestamp[ns]", 'x > "2262-04-12"', 5, "2262-04-11"),
        ("timestamp[ms]", 'x > "10000-01-01"', 5, "is no timestamp"),
        ("timestamp[ms]", 'x > "soon"', 5, "soon"),
        ("vector", "x is_null", 1, "vector"),
        ("list", "x is_null", 1, "list"),
    ],
)
def test_a_literal_or_operator_that_does_not_go_with_the_column(token, clause, position, mentions):
    with pytest.raises(MamlError) as caught:
        bound(clause, x=token)
    (problem,) = caught.value.problems
    assert (problem.code, problem.column) == ("filter", position)
    assert mentions in problem.message


def test_every_problem_of_a_rule_is_told_at_once():
    with pytest.raises(MamlError) as caught:
        bound('ra > "5" or not (id in (1, 2.5, 3.5) and nothing == 1)', ra="float64", id="int32")
    # nothing begins at 42: `ra > "5" or not (` has 17 characters, `id in (1, 2.5, 3.5)` 19, ` and ` 5.
    assert [problem.column for problem in caught.value.problems] == [6, 28, 33, 42]


def test_the_problems_of_every_rule_are_told_whether_of_text_or_of_columns():
    kinds = {"ra": Kind.of("float64")}
    assert evaluate(bind_rules(["ra > 5", "ra < 7"], kinds), {"ra": 6.0}) is True
    with pytest.raises(MamlError) as caught:
        bind_rules(["ra >", "ra > 5", "dec > 5 or ra > nan"], kinds, lines=[7, 8, 9])
    assert [(problem.at, problem.line, problem.column) for problem in caught.value.problems] == [
        (("filter", 0), 7, 4),
        (("filter", 2), 9, 1),
        (("filter", 2), 9, 17),
    ]


def test_case_of_a_name_counts():
    with pytest.raises(MamlError, match="'RA'"):
        bound("ra > 5", RA="float64")


def test_a_name_is_a_column_before_it_is_a_path():
    inner = {"b": Kind.of("int32"), "c.d": Kind.of("string")}
    kinds = {"a": inner, "a.b": Kind.of("float64"), "e.f": inner}
    assert bind(parse_filter("a.b > 1.5"), kinds).path == ("a.b",)
    assert bind(parse_filter('a.c.d == "x"'), kinds).path == ("a", "c.d")
    assert bind(parse_filter("e.f.b > 1"), kinds).path == ("e.f", "b")
    for name in ("a", "a.x", "a.", ".a", "a.b.c"):
        with pytest.raises(MamlError):
            bind(parse_filter(f"{name} is_null"), kinds)


def test_a_path_goes_through_nulls():
    rule = bind(parse_filter("s.x > 1"), {"s": {"x": Kind.of("int32")}})
    assert [evaluate(rule, {"s": one}) for one in ({"x": 2}, {"x": None}, None)] == [True, None, None]


def test_leaves_name_the_columns_to_read():
    assert [leaf.name for leaf in leaves(bound("not (a > 1 or b > 2) and a < 9", a="int32", b="int32"))] == [
        "a",
        "b",
        "a",
    ]


ROWS = (4.0, 5.0, 6.0, NAN, INF, None)


@pytest.mark.parametrize(
    ("rule", "answers"),
    [
        ("x > 5", (False, False, True, False, True, None)),
        ("not x > 5", (True, True, False, True, False, None)),
        ("x >= 5", (False, True, True, False, True, None)),
        ("x < 5", (True, False, False, False, False, None)),
        ("x <= 5", (True, True, False, False, False, None)),
        ("x == 5", (False, True, False, False, False, None)),
        ("x /= 5", (True, False, True, True, True, None)),
        ("x in (5, inf)", (False, True, False, False, True, None)),
        ("x not_in (5, inf)", (True, False, True, True, False, None)),
        ("x is_nan", (False, False, False, True, False, None)),
        ("x is_not_nan", (True, True, True, False, True, None)),
        ("x is_finite", (True, True, True, False, False, None)),
        ("x is_not_finite", (False, False, False, True, True, None)),
        ("x is_null", (False, False, False, False, False, True)),
        ("x is_not_null", (True, True, True, True, True, False)),
        ("not x is_null", (True, True, True, True, True, False)),
        # Unknown or True is True; unknown and False is False; otherwise it stays unknown.
        ("x > 5 or x is_null", (False, False, True, False, True, True)),
        ("x > 5 or x is_not_null", (True, True, True, True, True, None)),
        ("x > 5 and x is_not_null", (False, False, True, False, True, False)),
        ("x > 5 and x is_null", (False, False, False, False, False, None)),
    ],
)
def test_a_rule_on_values_nan_and_null(rule, answers):
    rule = bound(rule, x="float64")
    assert tuple(evaluate(rule, {"x": one}) for one in ROWS) == answers


def test_zeros_of_both_signs_are_equal():
    assert evaluate(bound("x in (0.0)", x="float64"), {"x": -0.0}) is True


def test_whole_numbers_are_compared_exactly():
    # As doubles 2^53 + 1 and 2^53 would be equal.
    assert evaluate(bound("x == 9007199254740992", x="int64"), {"x": 2**53 + 1}) is False


def test_float32_is_compared_as_a_double():
    # The float32 nearest to 0.1 is 0.100000001490116...
    assert evaluate(bound("x == 0.1", x="float32"), {"x": 0.100000001490116119384765625}) is False
    assert evaluate(bound("x == 0.5", x="float32"), {"x": 0.5}) is True


def test_strings_are_ordered_by_their_bytes():
    # Z is 5A and a is 61; U+FF5E is EF BD 9E and U+1F600 F0 9F 98 80, though UTF-16 has the latter first.
    assert evaluate(bound('x < "a"', x="string"), {"x": "Z"}) is True
    assert evaluate(bound('x > "～"', x="string"), {"x": "😀"}) is True


def test_a_row_without_the_column_is_an_error():
    with pytest.raises(MamlError, match="'x'") as caught:
        evaluate(bound("x is_null", x="int32"), {"y": 1})
    assert caught.value.code == "argument"


def test_a_kind_is_a_word_of_the_table():
    assert str(Kind.of("timestamp[ns,utc]")) == "timestamp[ns,utc]"
    for token in ("time[us,utc]", "timestamp[s]", "date[us]", "int128", "time"):
        with pytest.raises(ValueError, match="no kind"):
            Kind.of(token)
