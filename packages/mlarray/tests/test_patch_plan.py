"""Patches against an array that is padded far out on every side."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.geometry.patch import integers, plan_patch

ROOM = 12


def read(array, plan, pad):
    """What a reader does with a plan."""
    out = np.full(plan.size, pad)
    if not plan.empty:
        out[plan.target] = array[tuple(slice(a, b) for a, b in zip(plan.begin, plan.end, strict=True))]
    return out


@st.composite
def patches(draw):
    ndim = draw(st.integers(0, 4))
    lists = [st.integers(0, 5), st.integers(-7, 7), st.integers(0, 5)]
    return tuple(tuple(draw(st.lists(each, min_size=ndim, max_size=ndim))) for each in lists)


@settings(max_examples=200, deadline=None)
@given(patches())
def test_a_patch_is_that_of_the_padded_array(case):
    shape, start, size = case
    array = np.arange(1, 1 + math.prod(shape)).reshape(shape)
    padded = np.pad(array, ROOM, constant_values=-1) if shape else array
    plan = plan_patch(start, size, shape)
    expected = padded[tuple(slice(ROOM + a, ROOM + a + n) for a, n in zip(start, size, strict=True))]
    np.testing.assert_array_equal(read(array, plan, -1), expected)
    assert plan.pads == bool((expected == -1).any())
    assert plan.size == size


@settings(max_examples=200, deadline=None)
@given(patches())
def test_the_box_lies_inside_of_array_and_patch(case):
    shape, start, size = case
    plan = plan_patch(start, size, shape)
    for a, b, into, n, full in zip(plan.begin, plan.end, plan.into, size, shape, strict=True):
        assert 0 <= a <= b <= full
        assert 0 <= into <= into + b - a <= n
    if not plan.empty:
        assert plan.into == tuple(a - s for a, s in zip(plan.begin, start, strict=True))


def test_numbers_may_be_of_any_size():
    plan = plan_patch((-(10**20), 10**20), (10**20 + 2, 3), (4, 6))
    assert (plan.begin[0], plan.end[0], plan.into[0]) == (0, 2, 10**20)
    assert plan.empty
    assert plan.pads


@pytest.mark.parametrize(
    "kind", [tuple, list, np.array, lambda v: np.array(v, "u1"), lambda v: [np.int16(x) for x in v], iter]
)
def test_whole_numbers_of_any_kind_are_taken(kind):
    plan = plan_patch(kind([1, 2]), kind([2, 3]), (4, 6))
    assert (plan.begin, plan.end, plan.into, plan.size, plan.pads) == ((1, 2), (3, 5), (0, 0), (2, 3), False)
    assert {type(value) for field in (plan.begin, plan.end, plan.into, plan.size) for value in field} == {int}


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ([1, 2.0], ("start", 1)),
        ((np.float32(1), 2), ("start", 0)),
        (["1", 2], ("start", 0)),
        ([1, None], ("start", 1)),
        (5, ("start",)),
        (None, ("start",)),
        (np.array([1.5, 2]), ("start",)),
        ("12", ("start",)),
    ],
)
def test_what_is_no_whole_number_is_refused_where_it_stands(value, at):
    with pytest.raises(ArgumentTypeError) as caught:
        integers(value, "start", 2)
    assert (caught.value.code, caught.value.at) == ("wrong_type", at)


@pytest.mark.parametrize(
    ("start", "size", "name"), [((1,), (2, 3), "start"), ((1, 2), (2, 3, 4), "size"), ((), (1, 1), "start")]
)
def test_one_number_per_axis(start, size, name):
    with pytest.raises(ArgumentError) as caught:
        plan_patch(start, size, (4, 6))
    assert (caught.value.code, caught.value.at) == ("wrong_length", (name,))


def test_a_size_is_at_least_zero():
    assert plan_patch((0, 0), (0, 0), (4, 6)).empty
    with pytest.raises(ArgumentError) as caught:
        plan_patch((0, 0), (1, -1), (4, 6))
    assert (caught.value.code, caught.value.at) == ("out_of_range", ("size", 1))
