"""Every resampled value against an oracle in exact fractions, written from the rule alone (Behaviour 4)."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.resample import identity_axis, plan_axis, resample, target_axis

HALF = Fraction(1, 2)

# source size, target size, and the ratio that a person would say
SIZES = [
    (1.0, 1.0, Fraction(1)),
    (4.0, 5.0, Fraction(5, 4)),
    (10.48, 5.24, HALF),
    (4.56, 4.0, Fraction(400, 456)),
    (4.0, 8.0, Fraction(2)),
    (0.1, 0.3, Fraction(3)),
    (7.0, 21.0000001, Fraction(3)),
    (3.0, 1.0, Fraction(1, 3)),
    (2.0, 7.0, Fraction(7, 2)),
    (5.0, 40.0, Fraction(8)),
    (1.0, 0.37173, Fraction(37173, 100000)),
    (1.23457, 2.0, Fraction(200000, 123457)),
]
# the anchor, in source voxels above the source's corner
SHIFTS = [None, Fraction(0), HALF, Fraction(-3), Fraction(1, 4), Fraction(5), Fraction(7, 3)]
INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "bool"]
FLOATS = {"float16": 2.0**-10, "float32": 2.0**-22, "float64": 2.0**-50}


class Axis:
    """One axis of a case, and the oracle of it: `terms(j)` are (source voxel, weight) of target voxel j."""

    def __init__(self, n, sizes, shift, method):
        source, target, self.ratio = sizes
        self.n, self.method = n, method
        self.shift = Fraction(0) if shift is None else shift
        corner = 3.5
        anchor = None if shift is None else corner + float(shift) * source
        self.axis = target_axis(n, source, target, corner=corner, anchor=anchor)
        on_grid = self.ratio.denominator == self.shift.denominator == 1
        self.mean = method == "linear" and self.ratio >= 2 and on_grid

    def inside(self, j):
        low, high = self.shift + j * self.ratio, self.shift + (j + 1) * self.ratio
        return (high > 0 and low < self.n) if self.mean else 0 <= (low + high) / 2 < self.n

    def terms(self, j):
        low, high = self.shift + j * self.ratio, self.shift + (j + 1) * self.ratio
        if self.mean:
            held = range(max(int(low), 0), min(int(high), self.n))
            return [(i, Fraction(1, len(held))) for i in held]
        centre = (low + high) / 2
        if self.method == "nearest":
            return [(min(max(math.floor(centre), 0), self.n - 1), Fraction(1))]
        lower = math.floor(centre - HALF)
        weight = centre - HALF - lower
        found = [(min(max(i, 0), self.n - 1), w) for i, w in ((lower, 1 - weight), (lower + 1, weight)) if w]
        return found if len({i for i, _ in found}) == len(found) else [(found[0][0], Fraction(1))]

    def plan(self, begin, end, edge=False):
        return plan_axis(self.axis, begin, end, self.method, edge=edge)


def exact(array, axes, target):
    total = 0
    for terms in itertools.product(*(axis.terms(j) for axis, j in zip(axes, target, strict=True))):
        total += math.prod(w for _, w in terms) * Fraction(array[tuple(i for i, _ in terms)].item())
    return total


def read(array, plans):
    block = array[tuple(slice(*plan.source) for plan in plans)]
    return resample(block, plans)


@st.composite
def axes_and_windows(draw, max_axes=3):
    axes, windows = [], []
    for _ in range(draw(st.integers(1, max_axes))):
        n = draw(st.integers(1, 11))
        axis = Axis(
            n, draw(st.sampled_from(SIZES)), draw(st.sampled_from(SHIFTS)), draw(st.sampled_from(["nearest", "linear"]))
        )
        begin = draw(st.integers(axis.axis.first - 2, axis.axis.stop))
        axes.append(axis)
        windows.append((begin, draw(st.integers(begin, begin + 6))))
    return axes, windows


def values(draw, dtype, shape):
    dtype = np.dtype(dtype)
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    if dtype.kind == "b":
        return seed.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if draw(st.booleans()):  # few values near the limits: ties, and sums that no float64 holds
            return seed.choice(np.array([limits.max, limits.max - 1, limits.min, limits.min + 1], dtype), shape)
        return seed.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return seed.normal(size=shape).astype(dtype)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_integers_are_the_exact_value_rounded_half_to_even_once(data):
    axes, windows = data.draw(axes_and_windows())
    array = values(data.draw, data.draw(st.sampled_from(INTEGERS)), [axis.n for axis in axes])
    plans = [axis.plan(*window) for axis, window in zip(axes, windows, strict=True)]
    for axis, plan, window in zip(axes, plans, windows, strict=True):
        assert [j for j in range(*window) if axis.inside(j)] == list(range(*plan.inside))
        assert [plan.data[0] <= j < plan.data[1] for j in range(*window)] == [axis.inside(j) for j in range(*window)]
    found = read(array, plans)
    targets = itertools.product(*(range(*plan.inside) for plan in plans))
    assert found.dtype == array.dtype
    assert found.ravel().tolist() == [round(exact(array, axes, target)) for target in targets]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_floats_are_the_exact_value_to_the_dtypes_precision(data):
    axes, windows = data.draw(axes_and_windows())
    dtype = data.draw(st.sampled_from(list(FLOATS)))
    array = values(data.draw, dtype, [axis.n for axis in axes])
    plans = [axis.plan(*window) for axis, window in zip(axes, windows, strict=True)]
    found = read(array, plans)
    targets = itertools.product(*(range(*plan.inside) for plan in plans))
    wanted = np.array([float(exact(array, axes, target)) for target in targets])
    scale = np.abs(array).max(initial=0)
    assert np.all(np.abs(found.ravel() - wanted) <= FLOATS[dtype] * scale)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_edge_repeats_the_border_voxel_and_the_last_block_that_holds_data(data):
    axes, windows = data.draw(axes_and_windows(max_axes=2))
    array = values(data.draw, data.draw(st.sampled_from(["uint8", "int64"])), [axis.n for axis in axes])
    plans = [axis.plan(*window, edge=True) for axis, window in zip(axes, windows, strict=True)]
    assert [plan.inside for plan in plans] == windows
    found = read(array, plans)

    def nearest_block(axis, j):
        return min((k for k in range(j - 30, j + 30) if axis.inside(k)), key=lambda k: abs(k - j)) if axis.mean else j

    targets = itertools.product(*(range(*window) for window in windows))
    wanted = [
        round(exact(array, axes, [nearest_block(axis, j) for axis, j in zip(axes, target, strict=True)]))
        for target in targets
    ]
    assert found.ravel().tolist() == wanted


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_adjoining_reads_agree_bit_for_bit_with_one_read_across_both(data):
    axes, windows = data.draw(axes_and_windows())
    dtype = data.draw(st.sampled_from([*INTEGERS, *FLOATS, "complex64", "complex128", ">f4", ">u2"]))
    array = values(data.draw, np.dtype(dtype).newbyteorder("="), [axis.n for axis in axes]).astype(dtype)
    if array.dtype.kind in "fc" and data.draw(st.booleans()):
        array.ravel()[:: data.draw(st.integers(2, 9))] = np.nan
    edge = data.draw(st.booleans())
    along = data.draw(st.integers(0, len(axes) - 1))
    split = data.draw(st.integers(*windows[along]))
    left, right = list(windows), list(windows)
    left[along], right[along] = (windows[along][0], split), (split, windows[along][1])
    whole, first, second = (
        read(array, [axis.plan(*window, edge=edge) for axis, window in zip(axes, part, strict=True)])
        for part in (windows, left, right)
    )
    joined = np.concatenate([first, second], axis=along)
    assert joined.dtype == whole.dtype
    assert joined.tobytes() == whole.tobytes()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_nan_and_infinity_reach_only_the_targets_whose_kernel_holds_them(data):
    axes, windows = data.draw(axes_and_windows())
    dtype = data.draw(st.sampled_from(list(FLOATS)))
    array = values(data.draw, dtype, [axis.n for axis in axes])
    bad = tuple(data.draw(st.integers(0, axis.n - 1)) for axis in axes)
    plans = [axis.plan(*window) for axis, window in zip(axes, windows, strict=True)]
    clean = read(array, plans)
    array[bad] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    found = read(array, plans)
    for at, target in zip(
        np.ndindex(found.shape), itertools.product(*(range(*plan.inside) for plan in plans)), strict=True
    ):
        if all(i in dict(axis.terms(j)) for axis, j, i in zip(axes, target, bad, strict=True)):
            assert np.array_equal(found[at], array[bad], equal_nan=True)
        else:
            assert found[at] == clean[at]


@pytest.mark.parametrize("window", [(-5, -2), (9, 12), (2, 2), (-2, 3), (3, 9), (0, 7)])
@pytest.mark.parametrize("edge", [False, True])
def test_an_axis_that_is_not_resampled_reads_its_own_voxels(window, edge):
    array = np.arange(10, 17)
    plan = identity_axis(7, *window, edge=edge)
    held = [j for j in range(*window) if edge or 0 <= j < 7]
    assert list(range(*plan.inside)) == held
    assert read(array, [plan]).tolist() == [10 + min(max(j, 0), 6) for j in held]
