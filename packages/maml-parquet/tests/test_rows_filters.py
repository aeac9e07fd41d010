"""Filter rules as text: the grammar, its limits, and the place of every error."""

import pytest

from maml_parquet.errors import MamlError
from maml_parquet.rows.filters import parse_filter, parse_rules
from maml_parquet.rows.trees import And, Clause, Literal, Not, Or


def clause(name, op=">", *values):
    return Clause(name, op, tuple(Literal(text, quoted=False) for text in values))


A, B, C = (clause(name, ">", "1") for name in "abc")


@pytest.mark.parametrize(
    ("rule", "tree"),
    [
        ("a > 1", A),
        ("  a\t>\n1 ", A),
        ("a > 1 or b > 1 and c > 1", Or((A, And((B, C))))),
        ("(a > 1 or b > 1) and c > 1", And((Or((A, B)), C))),
        ("a > 1 and b > 1 and c > 1", And((A, B, C))),
        ("not a > 1 and b > 1", And((Not(A), B))),
        ("not not a > 1", Not(Not(A))),
        ("NOT(a > 1)OR(b > 1)", Or((Not(A), B))),
        ("((a > 1))", A),
        ("a IS_Null", clause("a", "is_null")),
        ("a In (1,2 , 3)", clause("a", "in", "1", "2", "3")),
        ("a not_in(1)", clause("a", "not_in", "1")),
        ('a == "x and (y), z"', Clause("a", "==", (Literal("x and (y), z", quoted=True),))),
        ('a == ""', Clause("a", "==", (Literal("", quoted=True),))),
        ('a == "α β"and b > 1', And((Clause("a", "==", (Literal("α β", quoted=True),)), B))),
        ('a in ("x,y" ,"z")', Clause("a", "in", (Literal("x,y", quoted=True), Literal("z", quoted=True)))),
        ("in in (1)", clause("in", "in", "1")),
        ("a,b > 1", clause("a,b", ">", "1")),
        ("s.x /= -1.5e3", clause("s.x", "/=", "-1.5e3")),
    ],
)
def test_a_rule_is_this_tree(rule, tree):
    assert parse_filter(rule) == tree


@pytest.mark.parametrize(
    ("rule", "position", "mentions"),
    [
        ("", 1, "empty"),
        (" \t", 1, "empty"),
        ("()", 1, "empty"),
        ("a", 1, "operator"),
        ("v>3", 1, "blanks"),
        ("a >", 3, "value"),
        ("a > and b > 1", 3, "value"),
        ("a > 1 or", 7, "'or'"),
        ("a > 1 and", 7, "'and'"),
        ("and a > 1", 1, "'and'"),
        ("a > 1 and or b > 1", 7, "'and'"),
        ("not", 1, "'not'"),
        ("a > 1 b > 1", 7, "'b'"),
        ("a > 1 not b > 1", 7, "'not'"),
        ("a b > 1", 3, "'b'"),
        ("a = 1", 3, "=="),
        ("a != 1", 3, "/="),
        ("a is null", 3, "is_null"),
        ("a is_null 1", 11, "'1'"),
        ("a > 1 2", 7, "'2'"),
        ("(", 1, "')'"),
        ("a > 1 and (", 11, "')'"),
        ("(a > 1", 1, "')'"),
        ("a > 1)", 6, "')'"),
        ("(a > 1 b > 1)", 8, "'b'"),
        ("a == 'x'", 6, "double"),
        ('a == "x', 6, "quote"),
        ('a == "x"y"', 10, "quote"),
        ('"a" > 1', 1, "name"),
        ("a > (1)", 3, "value"),
        ("a in 1", 3, "list"),
        ("a in ()", 6, "empty"),
        ("a in (1 2)", 9, "comma"),
        ("a in (1,)", 8, "comma"),
        ("a in (,1)", 7, "comma"),
        ("a in (1,,2)", 9, "comma"),
        ("a in (1", 6, "')'"),
        ("a in ((1))", 6, "')'"),
        ("a\u00a0> 1", 2, "U+00A0"),
        ("a\x00 > 1", 2, "U+0000"),
    ],
)
def test_a_wrong_rule_names_the_place(rule, position, mentions):
    with pytest.raises(MamlError) as caught:
        parse_filter(rule, at=("extra", "filter", 2), line=9)
    (problem,) = caught.value.problems
    assert (problem.code, problem.at, problem.line, problem.column) == ("filter", ("extra", "filter", 2), 9, position)
    assert mentions in problem.message


@pytest.mark.parametrize(
    ("fine", "beyond", "position"),
    [
        # 32 levels, the 33rd at character 33; with `not ` the 33rd begins at 32 * 4 + 1 = 129.
        ("(" * 32 + "a > 1" + ")" * 32, "(" * 33 + "a > 1" + ")" * 33, 33),
        ("not " * 32 + "a > 1", "not " * 33 + "a > 1", 129),
        ("n" * 64 + " > 1", "n" * 65 + " > 1", 1),
        ("a == " + "1" * 512, "a == " + "1" * 513, 6),
        ('a == "' + "é" * 512 + '"', 'a == "' + "é" * 513 + '"', 6),
        ("a > 1".ljust(8192), "a > 1".ljust(8193), 8193),
    ],
)
def test_limits(fine, beyond, position):
    parse_filter(fine)
    with pytest.raises(MamlError) as caught:
        parse_filter(beyond)
    assert caught.value.problems[0].column == position


def test_levels_beside_each_other_do_not_add_up():
    assert len(parse_filter(" and ".join(["(not a > 1)"] * 40)).items) == 40


def test_lists_are_no_levels():
    assert parse_filter("(" * 32 + "a in (1)" + ")" * 32) == parse_filter("a in (1)")


def test_rules_are_joined_and_every_problem_is_told():
    assert parse_rules([]) is None
    assert parse_rules(["a > 1"]) == A
    assert parse_rules(["a > 1 or b > 1", "c > 1"]) == And((Or((A, B)), C))
    with pytest.raises(MamlError) as caught:
        parse_rules(["a >", "b > 1", ""])
    assert [problem.at for problem in caught.value.problems] == [("filter", 0), ("filter", 2)]


def test_rules_together_have_1024_clauses():
    half = " or ".join(["a > 1"] * 512)  # 512 * 5 + 511 * 4 = 4604 characters
    assert parse_rules([half, half]) is not None
    with pytest.raises(MamlError, match="1024") as caught:
        parse_rules([half, half, "b > 1", "c > 1"])
    assert [problem.at for problem in caught.value.problems] == [("filter", 2)]


def test_a_huge_nest_is_an_error_and_no_recursion():
    with pytest.raises(MamlError, match="32 levels"):
        parse_filter("(" * 8000)
