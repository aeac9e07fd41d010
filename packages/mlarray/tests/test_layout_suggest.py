"""Chunks and blocks for patches: what conformance cases cannot say, and properties of every layout."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.layout.suggest import patch_axes, patch_shape, suggest_layout, whole_numbers

KIB = 1024


@pytest.mark.parametrize(
    "given", [64, np.int64(64), np.uint8(64), [64, 64], (np.int32(64), 64), np.array([64, 64]), np.array(64)]
)
def test_a_patch_size_is_any_integer_or_list_of_them(given):
    # 12288 numbers of 2 bytes: 64 * 64 = 4096 is the whole patch.
    assert suggest_layout((100, 200), "int16", given) == ((64, 64), (64, 64))


@pytest.mark.parametrize(
    ("wrong", "error", "code"),
    [
        (0, ArgumentError, "not_positive"),
        (-5, ArgumentError, "not_positive"),
        ([4, 0], ArgumentError, "not_positive"),
        (2.5, ArgumentTypeError, "wrong_type"),
        (4.0, ArgumentTypeError, "wrong_type"),
        (np.float32(4), ArgumentTypeError, "wrong_type"),
        (np.array([4.0, 4.0]), ArgumentTypeError, "wrong_type"),
        (True, ArgumentTypeError, "wrong_type"),
        ([4, True], ArgumentTypeError, "wrong_type"),
        ([4, "4"], ArgumentTypeError, "wrong_type"),
        ([[4], [4, 4]], ArgumentTypeError, "wrong_type"),
        (None, ArgumentTypeError, "wrong_type"),
        ({4}, ArgumentTypeError, "wrong_type"),
        ("big", ArgumentError, "wrong_value"),
        ([4], ArgumentError, "wrong_length"),
        ([4, 4, 4], ArgumentError, "wrong_length"),
    ],
)
def test_a_wrong_patch_size_is_one_clear_error(wrong, error, code):
    with pytest.raises(error, match=r"patch_size|expected 2") as caught:
        suggest_layout((100, 200), "int16", wrong)
    assert (caught.value.code, caught.value.at) == (code, ("patch_size",))


@pytest.mark.parametrize(
    ("arguments", "code", "at"),
    [
        ({"shape": (-1, 2)}, "out_of_range", ("shape",)),
        ({"shape": (1.5, 2)}, "wrong_type", ("shape",)),
        ({"dtype": "no dtype"}, "wrong_type", ("dtype",)),
        ({"axes": "zy"}, "wrong_type", ("axes",)),
        ({"axes": 2}, "wrong_type", ("axes",)),
        ({"axes": ["z", 1]}, "wrong_type", ("axes", 1)),
        ({"axes": ["z"]}, "wrong_length", ("axes",)),
        ({"block_budget": -1}, "not_positive", ("block_budget",)),
        ({"chunk_budget": 1e6}, "wrong_type", ("chunk_budget",)),
    ],
)
def test_other_wrong_arguments(arguments, code, at):
    right = {"shape": (3, 2), "dtype": "int16", "axes": ["z", "y"]}
    assert suggest_layout(**right) == ((3, 2), (3, 2))
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        suggest_layout(**{**right, **arguments})
    assert (caught.value.code, caught.value.at) == (code, at)


def test_a_shape_may_be_one_number():
    assert suggest_layout(5, "int16", 3) == ((3,), (3,))


def test_a_peer_s_slices_are_whole_chunks():
    """A patch (1, 512, 512) of (30, 512, 512) meets one chunk, not 256 of [6, 2, 512]."""
    chunk, block = suggest_layout((30, 512, 512), np.float32, (1, 512, 512), ["z", "y", "x"])
    # 32 KiB are 8192 numbers of 4 bytes: 16 rows of 512. 1 MiB are 262144: the slice.
    assert (chunk, block) == ((1, 512, 512), (1, 16, 512))


def test_big_numbers_cost_no_time():
    chunk, block = suggest_layout((10**30,) * 3, "uint8", (10**20,) * 3)
    assert math.prod(chunk) == 256 * KIB
    assert math.prod(block) == 16 * KIB


def test_the_axes_that_have_a_length():
    assert patch_axes(["channel", "space", "time", "space"]) == (1, 3)
    assert patch_axes(["channel", "time"]) == (0, 1)
    assert patch_axes([]) == ()


def test_192_is_the_default_per_axis_of_type_space():
    assert patch_shape("default", ["channel", "space", "space"]) == (192, 192)


def test_whole_numbers_are_python_s():
    assert [type(n) for n in whole_numbers(np.array([3, 4]), "size", None, "")] == [int, int]


TYPES = st.sampled_from(["space", "space", "space", "channel", "component", "time", "other"])


@st.composite
def questions(draw):
    types = draw(st.lists(TYPES, min_size=1, max_size=5))
    shape = [draw(st.integers(1, 40 if kind == "channel" else 700)) for kind in types]
    patch = [draw(st.integers(1, 300)) for _ in patch_axes(types)]
    return types, shape, patch, draw(st.sampled_from(["u1", "i2", "f4", "f8", "c16"]))


def goals(types, shape, patch):
    """Return how far each axis may grow, and the axes that do."""
    along = patch_axes(types)
    whole = {"channel", "component"}
    goal = [n if kind in whole and n <= 16 else 1 for kind, n in zip(types, shape, strict=True)]
    for axis, length in zip(along, patch, strict=True):
        goal[axis] = min(length, shape[axis])
    return goal, along


@settings(max_examples=200)
@given(questions())
def test_lengths_stay_within_patch_array_and_chunk(question):
    types, shape, patch, dtype = question
    chunk, block = suggest_layout(shape, dtype, patch, [{"type": kind} for kind in types])
    goal, _ = goals(types, shape, patch)
    for inner, outer, most, size in zip(block, chunk, goal, shape, strict=True):
        assert 1 <= inner <= outer <= most <= size
        assert outer % inner == 0 or outer == size


@settings(max_examples=200)
@given(questions())
def test_budgets_hold_and_are_used_up(question):
    """Within the budget, unless what stands whole is beyond it; no axis could take its next step."""
    types, shape, patch, dtype = question
    chunk, block = suggest_layout(shape, dtype, patch, [{"type": kind} for kind in types])
    goal, along = goals(types, shape, patch)
    thin = any(length == 1 < shape[axis] for axis, length in zip(along, patch, strict=True))
    itemsize = np.dtype(dtype).itemsize
    fixed = math.prod(n for axis, n in enumerate(goal) if axis not in along)
    units = [1] * len(shape)
    for lengths, unit, budget in ((block, units, 32 if thin else 24), (chunk, block, 1024 if thin else 256)):
        held = math.prod(lengths)
        assert held * itemsize <= max(budget * KIB, fixed * itemsize)
        for axis in along:
            longer = min(2 * lengths[axis], goal[axis])
            longer = longer if longer == shape[axis] else longer // unit[axis] * unit[axis]
            further = Fraction(held * longer, lengths[axis]) * itemsize
            assert longer <= lengths[axis] or further > budget * KIB


@settings(max_examples=100)
@given(st.integers(1, 300), st.integers(1, 3), st.sampled_from(["u1", "i2", "f4"]))
def test_blocks_of_a_cube_are_cubes_but_for_one_step(patch, ndim, dtype):
    _, block = suggest_layout((301,) * ndim, dtype, patch)
    if patch > 1:
        assert max(block) <= 2 * min(block) or max(block) == patch
        assert list(block) == sorted(block), "of equal parts the last axis grows first"


@settings(max_examples=100)
@given(questions(), st.randoms(use_true_random=False))
def test_other_axes_do_not_change_what_patches_have(question, random):
    """An axis of type time more, wherever it stands, has length 1 and changes nothing else."""
    types, shape, patch, dtype = question
    if "space" not in types:
        return
    chunk, block = suggest_layout(shape, dtype, patch, [{"type": kind} for kind in types])
    at = random.randint(0, len(types))
    wider = [*types[:at], "time", *types[at:]]
    found = suggest_layout([*shape[:at], 9, *shape[at:]], dtype, patch, [{"type": kind} for kind in wider])
    assert found == ((*chunk[:at], 1, *chunk[at:]), (*block[:at], 1, *block[at:]))
