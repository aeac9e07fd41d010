from fractions import Fraction
from math import floor

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import interpolate

from miao.finish.resample import _taps, resize_image, resize_labels, take_labels

MODES = {1: "linear", 2: "bilinear", 3: "trilinear"}


def crop(shape, dtype, seed=0, low=0, high=200):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return torch.from_numpy(rng.normal(size=shape).astype(dtype))
    return torch.from_numpy(rng.integers(low, high, shape).astype(dtype))


def torch_says(values, size):
    lead = values.shape[: values.ndim - len(size)]
    folded = values.float().reshape(1, -1, *values.shape[values.ndim - len(size) :])
    return interpolate(folded, size=size, mode=MODES[len(size)], align_corners=False).reshape(*lead, *size)


def exact(profile, p):
    """The rule along one axis, in fractions: x = (j + 1/2) * n / p - 1/2, inside the crop, between two voxels."""
    n = len(profile)
    found = []
    for j in range(p):
        x = min(max((j + Fraction(1, 2)) * Fraction(n, p) - Fraction(1, 2), Fraction(0)), Fraction(n - 1))
        below = floor(x)
        above = min(below + 1, n - 1)
        found.append((1 - (x - below)) * Fraction(profile[below]) + (x - below) * Fraction(profile[above]))
    return found


@pytest.mark.parametrize(
    ("profile", "p", "expected"),
    [
        # n = 4, p = 2: x = 0.5, 2.5: means of neighbours.
        ([0, 4, 8, 100], 2, [2.0, 54.0]),
        # n = 2, p = 4: x = -0.25 -> 0, 0.25, 0.75, 1.25 -> 1.
        ([1, 2], 4, [1.0, 1.25, 1.75, 2.0]),
        # n = 3, p = 1: x = 1, the middle voxel.
        ([7, 11, 13], 1, [11.0]),
        # n = 6, p = 2: x = 1, 4.
        ([0, 10, 20, 30, 40, 50], 2, [10.0, 40.0]),
        # n = 8, p = 2: x = 1.5, 5.5: voxels 1, 2 and 5, 6; the others count nothing.
        ([90, 1, 3, 90, 90, 5, 9, 90], 2, [2.0, 7.0]),
        # n = 3, p = 2: x = 0.25, 1.75.
        ([0, 100, 200], 2, [25.0, 175.0]),
        # n = 1: there is but one voxel.
        ([5], 3, [5.0, 5.0, 5.0]),
        # n = 5, p = 4: x = 0.125, 1.375, 2.625, 3.875.
        ([0, 8, 16, 24, 80], 4, [1.0, 11.0, 21.0, 73.0]),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32", "float64"])
def test_a_profile_is_taken_between_its_voxels(profile, p, expected, dtype):
    found = resize_image(torch.from_numpy(np.array(profile, dtype)), (p,))
    assert found.dtype == torch.float32
    assert found.tolist() == expected


@pytest.mark.parametrize(
    "dtype", ["uint8", "uint16", "int8", "bool", "int16", "int32", "int64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((9,), (7,)),
        ((8, 9), (4, 9)),
        ((8, 9), (5, 12)),
        ((12, 9, 10), (4, 3, 5)),
        ((12, 10, 8), (6, 5, 4)),
        ((12, 9, 10), (8, 6, 7)),
        ((4, 9, 10), (8, 9, 5)),
        ((4, 6, 8), (8, 9, 11)),
        ((16, 12, 8), (4, 12, 8)),
    ],
)
def test_every_dtype_and_rank_gives_what_torch_gives(shape, size, dtype):
    values = crop(shape, dtype, high=2 if dtype == "bool" else 100)
    found = resize_image(values, size)
    assert found.shape == size
    # Sums of a few products: a handful of roundings of float32.
    torch.testing.assert_close(found, torch_says(values, size), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16"])
@pytest.mark.parametrize(
    ("shape", "size"), [((128, 96, 160), (64, 48, 80)), ((30, 40, 48), (10, 10, 48)), ((64, 48, 32), (32, 16, 8))]
)
def test_whole_factors_of_integers_are_bit_equal_to_torch(shape, size, dtype):
    # Sums of up to eight 16-bit integers are exact in float32 (8 * 65535 < 2^24), and so is their division by 2, 4, 8.
    rng = np.random.default_rng(1)
    limits = np.iinfo(dtype)
    array = rng.integers(limits.min, limits.max + 1, shape).astype(dtype)
    values = torch.from_numpy(array)
    assert torch.equal(resize_image(values, size), torch_says(torch.from_numpy(array.astype("float32")), size))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((12, 10, 8), (6, 5, 4)),
        ((12, 10, 8), (4, 5, 8)),
        ((16, 12), (4, 4)),
        ((12, 9, 10), (8, 6, 7)),
        ((4, 9, 10), (8, 9, 5)),
        ((20,), (13,)),
    ],
)
def test_floats_and_signed_integers_are_bit_equal_to_torch(shape, size, dtype):
    values = crop(shape, dtype, seed=3)
    assert torch.equal(resize_image(values, size), torch_says(values, size))


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400))
def test_places_are_those_of_torch(n, p):
    low, high, weights = _taps(n, p, torch.device("cpu"))
    said = interpolate(torch.eye(n)[None], size=p, mode="linear", align_corners=False)[0]
    found = torch.zeros(n, p)
    found[high, torch.arange(p)] += weights
    found[low, torch.arange(p)] += 1 - weights
    # With fused multiplications, which torch uses where there are some, to the bit; else to one of an index.
    torch.testing.assert_close(found, said, rtol=0, atol=4e-5)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.integers(0, 255), min_size=1, max_size=24), st.integers(1, 24))
def test_a_profile_of_integers_is_what_fractions_say(profile, p):
    found = resize_image(torch.tensor(profile, dtype=torch.uint8), (p,))
    # Places are float32 (torch's): an error of 2^-19 voxels at index 16 and above, times a step of at most 255.
    assert found.tolist() == pytest.approx([float(value) for value in exact(profile, p)], abs=2e-3)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_axes_are_resized_one_after_the_other(data):
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(3))
    size = tuple(data.draw(st.integers(1, 9)) for _ in range(3))
    array = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 256, shape)
    weights = [np.array([[float(v) for v in exact(row, p)] for row in np.eye(n, dtype=int).tolist()])
               for n, p in zip(shape, size, strict=True)]  # fmt: skip
    expected = np.einsum("abc,ai,bj,ck->ijk", array, *weights)
    found = resize_image(torch.from_numpy(array.astype("uint8")), size)
    np.testing.assert_allclose(found.numpy(), expected, atol=2e-3)


def test_four_axes_are_resized_too():
    # Along t (2 -> 4): x = 0, 0.25, 0.75, 1 of frames 0 and 40 that are constant: 0, 10, 30, 40.
    frames = torch.stack([torch.full((3, 5, 6), 0.0), torch.full((3, 5, 6), 40.0)])
    found = resize_image(frames, (4, 2, 5, 3))
    assert found.shape == (4, 2, 5, 3)
    assert found[:, 1, 2, 1].tolist() == [0.0, 10.0, 30.0, 40.0]


def test_four_axes_of_different_sizes_equal_three_and_one():
    values = crop((5, 6, 7, 4), "uint8")
    three = torch_says(values, (4, 9, 3))
    expected = torch_says(three.movedim(0, -1).contiguous(), (3,)).movedim(-1, 0)
    torch.testing.assert_close(resize_image(values, (3, 4, 9, 3)), expected, rtol=1e-6, atol=1e-5)


def test_channels_are_resized_each_on_its_own():
    values = crop((3, 8, 9, 10), "uint8")
    found = resize_image(values, (4, 6, 7))
    for channel in range(3):
        assert torch.equal(found[channel], resize_image(values[channel], (4, 6, 7)))


def test_a_view_gives_what_its_copy_gives():
    whole = crop((9, 8, 10, 2), "uint8")
    view = whole.movedim(3, 0)
    for size in ((3, 4, 5), (6, 7, 13)):
        assert torch.equal(resize_image(view, size), resize_image(view.contiguous(), size))


def test_a_crop_of_the_size_is_not_resampled():
    values = crop((4, 5, 6), "float32")
    assert resize_image(values, (4, 5, 6)) is values
    integers = crop((4, 5, 6), "uint8")
    assert torch.equal(resize_image(integers, (4, 5, 6)), integers.float())


def test_nan_reaches_those_who_take_it_and_no_other():
    # 4 -> 2 takes the means of (0, 1) and (2, 3); 6 -> 2 takes voxels 1 and 4 alone.
    nan = float("nan")
    assert torch.isnan(resize_image(torch.tensor([nan, 1.0, 2.0, 4.0]), (2,))).tolist() == [True, False]
    assert resize_image(torch.tensor([nan, 1.0, nan, nan, 4.0, nan]), (2,)).tolist() == [1.0, 4.0]
    # An axis that keeps its size passes nothing on.
    values = torch.zeros(4, 6)
    values[1, 0] = nan
    found = torch.isnan(resize_image(values, (4, 3)))
    assert found.nonzero().tolist() == [[1, 0]]


def test_labels_take_the_first_voxel_of_their_share():
    # floor(j * n / p).
    cases = {(8, 4): [0, 2, 4, 6], (5, 4): [0, 1, 2, 3], (8, 3): [0, 2, 5], (4, 8): [0, 0, 1, 1, 2, 2, 3, 3]}
    for (n, p), expected in cases.items():
        assert resize_labels(np.arange(n), (p,)).tolist() == expected


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 300), st.integers(1, 300))
def test_labels_are_looked_up_in_whole_numbers(n, p):
    assert resize_labels(np.arange(n), (p,)).tolist() == [floor(Fraction(j * n, p)) for j in range(p)]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint16", "int32", "uint32", "int64", "uint64", "bool", ">u4"])
def test_labels_of_every_dtype_stay_as_they_are(dtype):
    top = True if dtype == "bool" else np.iinfo(np.dtype(dtype)).max
    array = np.zeros((4, 6, 9), dtype)
    array[2, 3, 6] = top
    found = resize_labels(array, (2, 2, 3))
    assert found.dtype == np.dtype(dtype)
    # 2 of 4 -> j = 1; 3 of 6 -> j = 1; 6 of 9 -> j = 2.
    assert found[1, 1, 2] == top
    assert np.count_nonzero(found) == 1


def test_ids_above_what_floats_hold_are_kept():
    ids = np.array([2**24 + 1, 2**53 + 1, 2**63 + 3, 2**64 - 1], np.uint64)
    assert resize_labels(ids, (8,)).tolist() == [i for i in ids.tolist() for _ in range(2)]


def test_labels_are_taken_by_position_where_indices_are_given():
    array = np.arange(24).reshape(2, 3, 4)
    # [1, 1], [0, 2], as they are: rows 0 and 2 of plane 1, twice.
    found = take_labels(array, [[1, 1], np.array([0, 2]), None])
    assert found.tolist() == [[[12, 13, 14, 15], [20, 21, 22, 23]]] * 2


def test_labels_in_two_and_four_dimensions():
    assert resize_labels(np.arange(12).reshape(3, 4), (1, 2)).tolist() == [[0, 2]]
    assert resize_labels(np.zeros((4, 3, 2, 5), "u1"), (2, 6, 2, 5)).shape == (2, 6, 2, 5)
