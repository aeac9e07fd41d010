"""The matrix of a space: order of columns, scale and translation, rank."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.geometry.matrix import columns_of, expanded, full_rank, matching

# x grows along the columns i by 2, j by 3, k by 5; y by 7, 11, 13; z by 17, 19, 23. 29, 31, 37 is the origin.
COLUMNS = {"i": (2.0, 7.0, 17.0), "j": (3.0, 11.0, 19.0), "k": (5.0, 13.0, 23.0)}
ORIGIN = (29.0, 31.0, 37.0)


def written(order):
    rows = [[*(COLUMNS[name][row] for name in order), ORIGIN[row]] for row in range(3)]
    return {"array_axes": list(order), "matrix": [*rows, [0.0, 0.0, 0.0, 1.0]]}


@pytest.mark.parametrize("listed", list(permutations("ijk")))
@pytest.mark.parametrize("array", [("i", "j", "k"), ("k", "i", "j"), ("k", "t", "j", "i"), ("c", "j", "k", "i", "t")])
def test_columns_stand_in_the_order_of_the_array_whatever_order_array_axes_has(listed, array):
    used = [name for name in array if name in COLUMNS]
    assert expanded(written(listed), ["x", "y", "z"], array) == written(used)["matrix"]
    assert columns_of(listed, array) == tuple(array.index(name) for name in used)


@pytest.mark.parametrize("space", list(permutations("xyz")))
@pytest.mark.parametrize("listed", list(permutations("xyz")))
def test_scale_and_translation_belong_to_the_space_axis_of_their_name(space, listed):
    scale, shift = {"x": 2.0, "y": -3.0, "z": 5.0}, {"x": 7.0, "y": 11.0, "z": 13.0}
    from_array = {
        "array_axes": list(listed), "scale": [scale[n] for n in listed], "translation": [shift[n] for n in listed],
    }  # fmt: skip
    expected = [[*(scale[row] if row == column else 0.0 for column in "zyx"), shift[row]] for row in space]
    assert expanded(from_array, space, ["z", "y", "x"]) == [*expected, [0.0, 0.0, 0.0, 1.0]]


def test_scale_belongs_by_position_where_no_name_is_shared():
    # array_axes lists k first, so k belongs to x; the array has j first.
    from_array = {"array_axes": ["k", "j"], "scale": [2, 3], "translation": [5, 7]}
    assert expanded(from_array, ["x", "y"], ["j", "k"]) == [[0.0, 2.0, 5.0], [3.0, 0.0, 7.0], [0.0, 0.0, 1.0]]


def test_translation_is_zero_where_absent():
    from_array = {"array_axes": ["y", "x"], "scale": [2, 3]}
    assert expanded(from_array, ["y", "x"], ["y", "x"]) == [[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.0]]


def test_no_negative_zero_and_no_integer_is_left():
    from_array = {"array_axes": ["y", "x"], "matrix": [[-0.0, 2, -0.0], [3, -0.0, 4], [0, 0, 1]]}
    found = expanded(from_array, ["x", "y"], ["y", "x"])
    assert {type(value) for row in found for value in row} == {float}
    assert not np.signbit(np.array(found)).any()


@pytest.mark.parametrize(
    ("array_axes", "space_axes", "expected"),
    [
        (("z", "y", "x"), ("x", "y", "z"), (2, 1, 0)),
        (("x", "y", "z"), ("x", "y", "z"), (0, 1, 2)),
        (("i", "j"), ("x", "y"), (0, 1)),
        (("y", "j"), ("x", "y"), None),
        (("x",), ("x", "y"), None),
    ],
)
def test_names_match_as_sets_or_not_at_all(array_axes, space_axes, expected):
    assert matching(array_axes, space_axes) == expected


def with_last_row(linear):
    return [*([*row, 0.0] for row in linear), [0.0] * len(linear[0]) + [1.0]]


@pytest.mark.parametrize(
    ("linear", "expected"),
    [
        ([[1, 0], [0, 1e-8]], True),
        ([[1, 0], [0, 1e-9]], False),  # not above 1e-9 of the largest
        ([[1, 0], [0, 1.1e-9]], True),
        ([[1e300, 0], [0, 1e292]], True),
        ([[1e-300, 0], [0, 1e-308]], True),
        ([[0, 0], [0, 0]], False),
        ([[1, 0], [0, 0]], False),
        ([[0, 3], [2, 0]], True),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], False),  # the third column is twice the second less the first
        ([[1, 2, 3], [4, 5, 6], [7, 8, 10]], True),
        ([[1, 1], [1, 1 + 1e-12]], False),
        ([[1, 1], [1, 1 + 1e-6]], True),
        ([[1e200, 1e200], [1e200, -1e200]], True),  # squares would overflow
        ([[1e-200, 1e-200], [1e-200, -1e-200]], True),  # and here vanish
        ([[1, 0], [0, 0], [0, 2]], True),  # a plane in a volume
        ([[1, 2], [2, 4], [3, 6]], False),
        ([[1, 0, 0], [0, 1, 0]], False),  # three columns in a plane
        ([[1, 2]], False),
        ([[3], [4]], True),
        ([[1, 0], [1e-10, 0], [0, 1]], True),  # the first column is 1 long, not 1e-10
    ],
)
def test_rank_is_full_where_no_singular_value_is_below_a_billionth_of_the_largest(linear, expected):
    assert full_rank(with_last_row(linear)) is expected


@settings(max_examples=200, deadline=None)
@given(st.permutations(range(3)), st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3), st.data())
def test_a_matrix_with_one_number_per_row_and_column_is_judged_as_any_other(order, sizes, data):
    linear = [[0.0] * 3 for _ in range(3)]
    for row, column in enumerate(order):
        linear[row][column] = sizes[row] * data.draw(st.sampled_from([1, -1, 0]))
    values = np.linalg.svd(np.array(linear), compute_uv=False)
    ratio = values[-1] / values[0] if values[0] else 0.0
    if not 0.999e-9 < ratio < 1.001e-9:
        assert full_rank(with_last_row(linear)) == (ratio > 1e-9)
