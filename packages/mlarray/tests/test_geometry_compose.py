"""Axes and spaces from what a caller says: what JSON cannot say, and setters against exact arithmetic."""

import copy
import math
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.geometry import derive
from mlarray.geometry.compose import Geometry, axes_documents, columns_wanted, rewritten, space_document
from mlarray.geometry.matrix import expanded

ZYX = [{"name": name, "type": "space"} for name in "zyx"]
SPACES = ["space"] * 3
# Without the signs: z | y | x columns of a patient grid, 2.5, 0.7, 0.6 apart.
PATIENT = [[0.0, 0.0, 0.6, 1.0], [0.0, 0.7, 0.0, 2.0], [2.5, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 1.0]]


def matrix_of(space, names):
    return expanded(space["from_array"], [axis["name"] for axis in space["axes"]], names)


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list) else [value]


# What may be given ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [tuple, list, np.array, lambda v: np.array(v, np.float32), lambda v: np.array(v, np.longdouble),
     lambda v: [np.float64(x) for x in v], lambda v: np.array(v)[::-1][::-1]],
)  # fmt: skip
def test_numbers_come_in_any_shape_that_numpy_knows_and_leave_as_floats(kind):
    # 2.5, 0.75, 0.5 and 1, -2, 3 are whole in every float.
    geometry = Geometry(spacing=kind([2.5, 0.75, 0.5]), origin=kind([1.0, -2.0, 3.0]))
    space = space_document(ZYX, SPACES, geometry)
    assert space["from_array"] == {
        "array_axes": ["z", "y", "x"], "scale": [2.5, 0.75, 0.5], "translation": [1.0, -2.0, 3.0],
    }  # fmt: skip
    assert {type(leaf) for leaf in leaves(space)} == {str, float}


@pytest.mark.parametrize("kind", ["i1", "u8", "i4"])
def test_integers_are_numbers(kind):
    space = space_document(ZYX, SPACES, Geometry(spacing=np.array([1, 2, 3], kind), origin=[4, 5, 6]))
    assert space["from_array"]["scale"] == [1.0, 2.0, 3.0]
    assert {type(leaf) for leaf in leaves(space)} == {str, float}


def test_float32_is_taken_to_the_bit():
    # 0.7 as float32 is 0.699999988079071044921875
    space = space_document(ZYX[:1], ["space"], Geometry(spacing=np.array([0.7], np.float32)))
    assert space["from_array"]["scale"] == [0.699999988079071044921875]


@pytest.mark.parametrize(
    "value",
    [[Decimal("0.5")] * 3, [Fraction(1, 2)] * 3, ["1", "2", "3"], [True, True, True], [1j, 2, 3], [None, 1, 2],
     {"z": 1}, object(), [[1], [1, 2], [3]], np.array([1, 2, 3], "M8[s]")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["spacing", "origin", "direction", "matrix"])
def test_what_holds_no_numbers_is_refused_by_the_name_of_the_argument(name, value):
    with pytest.raises(ArgumentTypeError) as caught:
        space_document(ZYX, SPACES, Geometry(**{name: value}))
    assert (caught.value.code, caught.value.at) == ("wrong_type", (name,))
    with pytest.raises(ArgumentTypeError):
        columns_wanted(Geometry(**{name: value}), None)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan"), np.longdouble("1e4000")])
@pytest.mark.parametrize("name", ["spacing", "origin"])
def test_every_number_is_finite_as_a_double(name, value):
    with pytest.raises(ArgumentError) as caught:
        space_document(ZYX, SPACES, Geometry(**{name: [1.0, value, 2.0]}))
    assert (caught.value.code, caught.value.at) == ("not_finite", (name,))


@pytest.mark.parametrize("name", ["spacing", "origin", "direction", "matrix"])
@pytest.mark.parametrize("value", [5, 2.5, [], [[]], np.zeros((2, 2, 2))])
def test_other_shapes_are_refused(name, value):
    with pytest.raises(ArgumentError) as caught:
        space_document(ZYX, SPACES, Geometry(**{name: value}))
    assert (caught.value.code, caught.value.at) == ("wrong_length", (name,))


def test_what_is_given_is_neither_changed_nor_shared():
    axes = [{"name": "z", "type": "space"}, {"name": "y"}, "x"]
    before = copy.deepcopy(axes)
    made = axes_documents(axes, 3)
    made[1]["type"] = "space"
    matrix = np.array(PATIENT)
    space = space_document(made, SPACES, Geometry(matrix=matrix), "patient")
    space["from_array"]["matrix"][0][0] = 9.0
    space["axes"][0]["unit"] = "meter"
    assert axes == before
    assert matrix.tolist() == PATIENT
    assert space_document(ZYX, SPACES, Geometry(matrix=PATIENT), "patient")["axes"][0]["unit"] == "millimeter"


# The patient space ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations("zyx")))
def test_without_a_direction_patient_axes_are_matched_by_name(order):
    sizes, letters = {"z": 2.5, "y": 0.7, "x": 0.6}, {"z": "S", "y": "P", "x": "L"}
    geometry = Geometry(spacing=[sizes[name] for name in order], origin=(1, 2, 3))
    axes = [{"name": name, "type": "space"} for name in order]
    space = space_document(axes, SPACES, geometry, "patient")
    # row x has 0.6 in the column of x and 1 at its end, and so on
    expected = [
        [*(sizes[row] if row == name else 0.0 for name in order), at]
        for row, at in zip("xyz", (1.0, 2.0, 3.0), strict=True)
    ]
    assert matrix_of(space, order) == [*expected, [0.0, 0.0, 0.0, 1.0]]
    words = [axis["increases_toward"] for axis in space["axes"]]
    assert derive.letter_codes(matrix_of(space, order), words) == "".join(letters[name] for name in order)
    assert ("scale" in space["from_array"]) == (order == ("x", "y", "z"))


def test_axes_that_are_not_of_type_space_have_no_column():
    axes = [{"name": "z"}, {"name": "t"}, {"name": "y"}, {"name": "c"}, {"name": "x"}]
    types = ["space", "time", "space", "channel", "space"]
    space = space_document(axes, types, Geometry(spacing=(2.5, 0.7, 0.6), origin=(1, 2, 3)), "patient")
    assert space["from_array"] == {"array_axes": ["z", "y", "x"], "matrix": PATIENT}


def test_other_axes_come_in_where_none_is_of_type_space():
    axes = [{"name": name} for name in "abcde"]
    space = space_document(axes, ["other"] * 5, Geometry(spacing=(2, 3)))
    assert space["from_array"]["array_axes"] == ["d", "e"]
    assert space_document(axes, ["other"] * 5, Geometry(matrix=PATIENT), "patient")["from_array"]["array_axes"] == list(
        "cde"
    )
    with pytest.raises(ArgumentError) as caught:  # one of the last two has a type
        space_document([*axes[:4], {"name": "e", "type": "other"}], ["other"] * 5, Geometry(spacing=(2, 3)))
    assert caught.value.code == "missing_field"
    with pytest.raises(ArgumentError):  # nothing says how many
        space_document(axes, ["other"] * 5, Geometry())


def test_how_many_axes_a_geometry_is_about():
    assert columns_wanted(Geometry(), "patient") == 3
    assert columns_wanted(Geometry(), "world") == 0
    assert columns_wanted(Geometry(spacing=(1, 2)), None) == 2
    assert columns_wanted(Geometry(matrix=np.zeros((4, 3))), None) == 2
    assert columns_wanted(Geometry(direction=np.zeros((3, 2)), origin=(1, 2, 3)), None) == 2
    assert columns_wanted(Geometry(origin=(1, 2, 3, 4)), None) == 4


# Setters -------------------------------------------------------------------------------------------------------------

numbers = st.floats(-1e3, 1e3).filter(lambda value: value == 0 or abs(value) > 1e-3)
sizes = st.floats(1e-3, 1e3)


@st.composite
def grids(draw):
    """A well-conditioned matrix: a permutation with sizes, and a little of everything else."""
    order, lengths = draw(st.permutations(range(3))), draw(st.lists(sizes, min_size=3, max_size=3))
    small = draw(st.lists(st.floats(-0.2, 0.2).filter(lambda v: v == 0 or abs(v) > 1e-6), min_size=9, max_size=9))
    matrix = [[small[3 * row + column] * lengths[column] for column in range(3)] for row in range(3)]
    for column, row in enumerate(order):
        matrix[row][column] = lengths[column] * draw(st.sampled_from([1, -1]))
    shift = draw(st.lists(numbers, min_size=3, max_size=3))
    return [*([*row, move] for row, move in zip(matrix, shift, strict=True)), [0.0, 0.0, 0.0, 1.0]]


NAMES = ["z", "y", "x"]


@settings(max_examples=100, deadline=None)
@given(grids(), st.lists(numbers, min_size=3, max_size=3))
def test_a_new_origin_leaves_the_rest_to_the_bit(matrix, origin):
    space = space_document(ZYX, SPACES, Geometry(matrix=matrix), "patient")
    found = matrix_of(rewritten(space, NAMES, Geometry(origin=origin)), NAMES)
    assert [row[:3] for row in found] == [[value + 0.0 for value in row[:3]] for row in matrix]
    assert derive.origin(found) == [value + 0.0 for value in origin]


@settings(max_examples=100, deadline=None)
@given(grids(), st.lists(sizes, min_size=3, max_size=3))
def test_a_new_spacing_keeps_origin_and_direction(matrix, spacing):
    space = space_document(ZYX, SPACES, Geometry(matrix=matrix), "patient")
    found = matrix_of(rewritten(space, NAMES, Geometry(spacing=spacing)), NAMES)
    assert derive.origin(found) == derive.origin(matrix)
    for row, old in zip(found[:3], derive.direction(matrix), strict=True):
        assert row[:3] == [float(Fraction(a) * Fraction(b)) for a, b in zip(old, spacing, strict=True)]
    np.testing.assert_allclose(derive.spacing(found), spacing, rtol=1e-15)
    np.testing.assert_allclose(derive.direction(found), derive.direction(matrix), rtol=1e-15)


@settings(max_examples=100, deadline=None)
@given(grids(), grids())
def test_a_new_direction_keeps_origin_and_spacing(matrix, other):
    space = space_document(ZYX, SPACES, Geometry(matrix=matrix), "patient")
    found = matrix_of(rewritten(space, NAMES, Geometry(direction=derive.direction(other))), NAMES)
    assert derive.origin(found) == derive.origin(matrix)
    np.testing.assert_allclose(derive.spacing(found), derive.spacing(matrix), rtol=1e-15)
    np.testing.assert_allclose(derive.direction(found), derive.direction(other), rtol=1e-15)


@settings(max_examples=50, deadline=None)
@given(grids(), st.permutations(NAMES))
def test_setting_what_is_there_changes_nothing_beyond_the_last_place(matrix, listed):
    order = [NAMES.index(name) for name in listed]
    space = {
        "name": "s",
        "axes": [{"name": name} for name in "xyz"],
        "from_array": {"array_axes": list(listed), "matrix": [[*(row[i] for i in order), row[3]] for row in matrix]},
    }
    given_back = Geometry(spacing=derive.spacing(matrix), origin=derive.origin(matrix))
    found = matrix_of(rewritten(space, NAMES, given_back), NAMES)
    np.testing.assert_array_max_ulp(np.array(found), np.array(matrix) + 0.0, maxulp=1)


def test_a_setter_leaves_the_space_it_was_given_alone():
    space = space_document(ZYX, SPACES, Geometry(matrix=PATIENT), "patient")
    before = copy.deepcopy(space)
    rewritten(space, NAMES, Geometry(spacing=(1, 2, 3), origin=(4, 5, 6)))
    assert space == before


def test_a_setter_takes_what_a_getter_gave_for_a_slice():
    axes, names = ZYX[1:], ["y", "x"]
    slanted = [[0.0, 0.25, 10.0], [0.3, 0.0, 20.0], [0.4, 0.0, 30.0], [0.0, 0.0, 1.0]]
    space = space_document(axes, SPACES[1:], Geometry(matrix=slanted))
    # 0.5 (0, 0.6, 0.8) becomes 5 (0, 0.6, 0.8)
    found = matrix_of(rewritten(space, names, Geometry(spacing=(5, 0.25))), names)
    np.testing.assert_allclose(found, [[0, 0.25, 10], [3, 0, 20], [4, 0, 30], [0, 0, 1]], rtol=1e-15)


# Length of directions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "good"), [(1, True), (1 + 9e-4, True), (1 - 9e-4, True), (1.0011, False), (0.998, False)]
)
def test_columns_of_direction_have_the_length_1_to_within_a_thousandth(length, good):
    direction = [[0.6 * length, -0.8], [0.8 * length, 0.6]]
    if good:
        found = space_document(ZYX[1:], SPACES[1:], Geometry(direction=direction))
        assert found["from_array"]["matrix"][0][0] == 0.6 * length  # as it is given
        return
    with pytest.raises(ArgumentError) as caught:
        space_document(ZYX[1:], SPACES[1:], Geometry(direction=direction))
    assert (caught.value.code, caught.value.at) == ("wrong_value", ("direction",))
