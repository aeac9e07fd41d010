"""Names that a table gives the columns of a file: who is renamed, shadowed, doubled, and in which order."""

import pytest

from maml_parquet.errors import MamlError
from maml_parquet.rows.remap import check_names, remap

FILE = ["id", "ra", "dec", "z"]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], [("id", "id"), ("ra", "ra"), ("dec", "dec"), ("z", "z")]),
        ([("redshift", "z")], [("id", "id"), ("ra", "ra"), ("dec", "dec"), ("redshift", "z")]),
        # ra reads dec; the file's own ra has no name left.
        ([("ra", "dec")], [("id", "id"), ("ra", "dec"), ("z", "z")]),
        # It has one where another item points at it.
        ([("ra", "dec"), ("old", "ra")], [("id", "id"), ("old", "ra"), ("ra", "dec"), ("z", "z")]),
        ([("ra", "dec"), ("dec", "ra")], [("id", "id"), ("dec", "ra"), ("ra", "dec"), ("z", "z")]),
        # Two names read one column, in the order of the items; the order of the file comes first.
        ([("b", "z"), ("a", "z"), ("n", "id")], [("n", "id"), ("ra", "ra"), ("dec", "dec"), ("b", "z"), ("a", "z")]),
        # A column loses its own name unless an item gives it.
        ([("z", "z"), ("copy", "z")], [("id", "id"), ("ra", "ra"), ("dec", "dec"), ("z", "z"), ("copy", "z")]),
    ],
)
def test_columns_of_the_table(items, expected):
    assert remap(FILE, items) == tuple(expected)


def test_every_problem_is_told():
    with pytest.raises(MamlError) as caught:
        remap(FILE, [("a", "RA"), ("b", "mass"), ("b", "z"), ("", "z"), ("c", "")], at=("extra", "remap"))
    problems = caught.value.problems
    assert [problem.at[2] for problem in problems] == [0, 1, 2, 3, 4]
    assert {problem.code for problem in problems} == {"remap"}
    assert "'ra'" in problems[0].message
    assert "'mass'" in problems[1].message
    assert "'mass', then to 'z'" in problems[2].message


def test_names_are_checked_before_the_file_is_open():
    check_names([("a", "no such column")])
    with pytest.raises(MamlError, match="twice"):
        check_names([("a", "x"), ("a", "y")])


def test_a_column_that_the_file_has_twice_cannot_be_meant():
    assert remap(["x", "x", "y"], [("b", "y")]) == (("x", "x"), ("x", "x"), ("b", "y"))
    with pytest.raises(MamlError, match="2 columns"):
        remap(["x", "x", "y"], [("b", "x")])
