"""Padding: a value the dtype holds or the nearest voxel, and where the data lies in a box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.errors import ArgumentError
from worldarray.reads.padding import check_padding, inside_mask, pad_edge, pad_value, plan_extent


@pytest.mark.parametrize(
    ("padding", "dtype"),
    [
        (0, "uint8"),
        (255, "uint8"),
        (2.0, "uint8"),
        (-128, "int8"),
        (2**64 - 1, "uint64"),
        (-(2**63), "int64"),
        (np.uint64(2**64 - 1), "uint64"),
        (True, "bool"),
        (1, "bool"),
        (0.1, "float32"),
        (float("nan"), "float16"),
        (float("-inf"), "float64"),
        (1 + 2j, "complex64"),
    ],
)
def test_a_value_that_the_dtype_holds_is_taken(padding, dtype):
    value = check_padding(padding, np.dtype(dtype))
    assert value.dtype == np.dtype(dtype)
    np.testing.assert_equal(value, np.dtype(dtype).type(padding))


@pytest.mark.parametrize(
    ("padding", "dtype", "rule"),
    [
        (256, "uint8", "0 to 255"),
        (300, "uint8", "0 to 255"),
        (-1, "uint8", "0 to 255"),
        (1.7, "uint8", "whole numbers"),
        (float("nan"), "int16", "whole numbers"),
        (float("inf"), "int16", "whole numbers"),
        (2**64, "uint64", "0 to 18446744073709551615"),
        (2, "bool", "False, True"),
        (1e39, "float32", "largest finite"),
        (70000, "float16", "largest finite"),
        (1j, "float64", "complex"),
        ("border", "uint8", '"edge"'),
        (None, "float32", "no number"),
        ([1, 2], "float32", "no number"),
        ([1, 2], "uint8", "whole numbers"),
    ],
)
def test_a_value_that_the_dtype_does_not_hold_is_refused_naming_both(padding, dtype, rule):
    with pytest.raises(ArgumentError) as caught:
        check_padding(padding, np.dtype(dtype))
    assert caught.value.code == "not_representable"
    assert repr(padding) in str(caught.value)
    assert dtype in str(caught.value)
    assert rule in str(caught.value)


AXIS = st.tuples(st.integers(1, 5), st.integers(-9, 9), st.integers(0, 9))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(AXIS, min_size=1, max_size=3))
def test_a_padded_box_holds_each_voxel_or_its_fill(axes):
    shape = [n for n, _, _ in axes]
    begin = [b for _, b, _ in axes]
    end = [b + m for _, b, m in axes]
    values = np.arange(1, np.prod(shape) + 1).reshape(shape)
    data = [(0, n) for n in shape]

    extent = plan_extent(data, begin, end, edge=False)
    held = values[tuple(map(slice, extent.lo, extent.hi))]
    padded = pad_value(held, extent, -1) if not extent.empty else np.full(extent.shape, -1)
    mask = inside_mask(extent, data, begin)
    for at in np.ndindex(*extent.shape):
        index = tuple(b + i for b, i in zip(begin, at, strict=True))
        inside = all(0 <= i < n for i, n in zip(index, shape, strict=True))
        assert mask[at] == inside
        assert padded[at] == (values[index] if inside else -1)

    extent = plan_extent(data, begin, end, edge=True)
    if 0 in extent.shape:
        return
    edged = pad_edge(values[tuple(map(slice, extent.lo, extent.hi))], extent)
    assert edged.shape == tuple(extent.shape)
    for at in np.ndindex(*extent.shape):
        index = tuple(min(max(b + i, 0), n - 1) for b, i, n in zip(begin, at, shape, strict=True))
        assert edged[at] == values[index]
