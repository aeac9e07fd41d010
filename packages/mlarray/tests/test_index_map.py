"""Stored arrays and the index order of their source, element by element."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.errors import ArgumentError
from mlarray.geometry.index_map import apply, document, invert


@st.composite
def maps(draw):
    ndim = draw(st.integers(0, 5))
    shape = draw(st.lists(st.integers(0, 4), min_size=ndim, max_size=ndim))
    axes = draw(st.permutations(range(ndim)))
    flip = draw(st.lists(st.booleans(), min_size=ndim, max_size=ndim))
    return tuple(shape), {"axes": list(axes), "flip": flip}


@settings(max_examples=100, deadline=None)
@given(maps())
def test_stored_axis_k_is_source_axis_axes_k_turned_round_where_flip_says(case):
    shape, index_map = case
    source = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape)
    stored = apply(index_map, source)
    assert stored.shape == tuple(shape[axis] for axis in index_map["axes"])
    for index in product(*map(range, stored.shape)):
        at = [0] * len(shape)
        for i, axis, flip in zip(index, index_map["axes"], index_map["flip"], strict=True):
            at[axis] = shape[axis] - 1 - i if flip else i
        assert stored[index] == source[tuple(at)]


@settings(max_examples=100, deadline=None)
@given(maps())
def test_invert_undoes_apply_and_apply_undoes_invert(case):
    shape, index_map = case
    source = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape)
    stored = apply(index_map, source)
    np.testing.assert_array_equal(invert(index_map, stored), source)
    assert invert(index_map, stored).shape == shape
    np.testing.assert_array_equal(apply(index_map, invert(index_map, stored)), stored)


def test_the_example_of_the_format():
    # stored = flip(transpose(src, axes)): axes (1, 0) of [[1, 2, 3], [4, 5, 6]] are [[1, 4], [2, 5], [3, 6]]
    index_map = document((1, 0), (False, True))
    assert index_map == {"axes": [1, 0], "flip": [False, True]}
    assert apply(index_map, np.array([[1, 2, 3], [4, 5, 6]])).tolist() == [[4, 1], [5, 2], [6, 3]]
    assert document((2, 1, 0)) == {"axes": [2, 1, 0], "flip": [False, False, False]}


def test_nothing_is_copied():
    source = np.arange(24).reshape(2, 3, 4)
    stored = apply({"axes": [2, 0, 1], "flip": [True, False, True]}, source)
    assert np.shares_memory(stored, source)
    assert np.shares_memory(invert({"axes": [2, 0, 1], "flip": [True, False, True]}, stored), source)


def test_an_array_without_axes_stays_an_array():
    for call in (apply, invert):
        found = call({"axes": [], "flip": []}, np.array(7))
        assert isinstance(found, np.ndarray)
        assert found.shape == ()


@pytest.mark.parametrize(
    ("axes", "flip", "code", "at"),
    [
        ([0], [False], "wrong_length", "axes"),
        ([0, 1, 2], [False] * 3, "wrong_length", "axes"),
        ([1, 0], [False], "wrong_length", "flip"),
        ([1, 1], [False] * 2, "wrong_value", "axes"),
        ([-1, 0], [False] * 2, "wrong_value", "axes"),
        ([1, 2], [False] * 2, "wrong_value", "axes"),
    ],
)
@pytest.mark.parametrize("call", [apply, invert])
def test_what_is_no_order_of_the_axes_is_refused(call, axes, flip, code, at):
    with pytest.raises(ArgumentError) as caught:
        call({"axes": axes, "flip": flip}, np.zeros((2, 3)))
    assert (caught.value.code, caught.value.at) == (code, ("index_map", at))
