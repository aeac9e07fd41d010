from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.errors import ArgumentError, ReadError
from miao.finish.assembling import finish_sample, shapes
from miao.finish.normalise import divisor, normalise, patch_normalise, statistics
from miao.records import FinishPolicy, Normalisation

NAN = float("nan")
RAW = Normalisation(normalize=False)


def finished(images, policy, *, coarsest=0, labels=None, maps=None, channels=None):
    image_shape, label_shape = shapes(policy, len(images), channels)
    image = torch.full(image_shape, -7.0, dtype=getattr(torch, policy.image_dtype))
    label = None if labels is None else torch.full(label_shape, -7, dtype=getattr(torch, policy.label_dtype))
    finish_sample(images, labels, policy, coarsest, image, label, label_maps=maps)
    return image if labels is None else (image, label)


def policy(read="zyx", out="lzyx", patch=(2, 3, 4), dtype="uint8", **rest):
    return FinishPolicy(read, out, patch, dtype, **rest)


def one(values, dtype, rule=Normalisation(), image_dtype="float32"):  # noqa: B008  (frozen)
    array = np.array(values, dtype)
    made = policy("x", "lx", array.shape, array.dtype.name, normalisation=rule, image_dtype=image_dtype)
    return finished([array], made)[0]


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("uint8", [0, 51, 255], [0.0, 51 / 255, 1.0]),
        ("int8", [-128, 0, 127], [-128 / 127, 0.0, 1.0]),
        ("uint16", [0, 13107, 65535], [0.0, 13107 / 65535, 1.0]),
        ("int16", [-32768, 32767], [-32768 / 32767, 1.0]),
        ("uint32", [0, 858993459, 4294967295], [0.0, 0.2, 1.0]),
        ("int32", [-(2**31), 2**31 - 1], [-1.0, 1.0]),
        ("int64", [0, 2**62, 2**63 - 1], [0.0, 0.5, 1.0]),
        ("uint64", [0, 2**63, 2**64 - 1], [0.0, 0.5, 1.0]),
        (">u2", [0, 257, 65535], [0.0, 257 / 65535, 1.0]),
        (">i4", [0, 2**30], [0.0, 0.5]),
        ("bool", [False, True], [0.0, 1.0]),
        ("float16", [-0.5, 3.0], [-0.5, 3.0]),
        ("float32", [-0.5, 300.0], [-0.5, 300.0]),
        ("float64", [-0.5, 1e10], [-0.5, 1e10]),
        (">f4", [1.5, -2.0], [1.5, -2.0]),
    ],
)
def test_integers_are_divided_by_their_largest_value_and_others_stay(dtype, values, expected):
    found = one(values, dtype)
    assert found.dtype == torch.float32
    assert found.tolist() == [float(np.float32(value)) for value in expected]


def test_every_byte_is_divided_and_not_multiplied_by_a_rounded_reciprocal():
    every = np.arange(256, dtype=np.uint8)
    assert torch.equal(one(every, "uint8"), torch.arange(256, dtype=torch.float32) / 255.0)


def test_bounds_clip_and_map_to_0_and_1():
    rule = Normalisation(low=10.0, high=30.0)
    # (x - 10) / 20 of 10, 15, 30 for what lies beyond.
    assert one([0, 10, 15, 30, 200], "uint8", rule).tolist() == [0.0, 0.0, 0.25, 1.0, 1.0]
    assert one([-5.0, 20.0, 99.0], "float32", rule).tolist() == [0.0, 0.5, 1.0]
    assert one([False, True], "bool", Normalisation(low=0.0, high=2.0)).tolist() == [0.0, 0.5]


def test_nan_stays_nan_within_bounds():
    found = one([NAN, 20.0], "float32", Normalisation(low=10.0, high=30.0))
    assert torch.isnan(found).tolist() == [True, False]


def test_normalize_false_wins_over_bounds():
    rule = Normalisation(normalize=False, low=10.0, high=30.0)
    assert one([0, 200], "uint8", rule).tolist() == [0.0, 200.0]


@pytest.mark.parametrize("image_dtype", ["float16", "bfloat16"])
def test_values_are_scaled_in_float32_and_cast_last(image_dtype):
    # 65535 is beyond float16, and bfloat16 has 8 bits: 63000 of it would be off by up to 128 counts.
    found = one([0, 63000, 65535], "uint16", image_dtype=image_dtype)
    assert found.dtype == getattr(torch, image_dtype)
    assert torch.equal(found, (torch.tensor([0.0, 63000.0, 65535.0]) / 65535.0).to(found.dtype))
    found = one([0, 65535], "uint16", Normalisation(low=0.0, high=65535.0), image_dtype)
    assert found.tolist() == [0.0, 1.0]
    # Raw counts are rounded once, half to even: 257 lies between 256 and 258 of bfloat16.
    assert one([257, 259], "uint16", RAW, "bfloat16").tolist() == [256.0, 260.0]


@pytest.mark.parametrize("image_dtype", ["float16", "bfloat16"])
def test_statistics_are_taken_before_the_cast(image_dtype):
    values = np.array([60000, 60001, 60002, 60003], np.uint16)
    found = one(values, "uint16", Normalisation(normalize=False, per_patch=True), image_dtype)
    # Mean 60001.5, unbiased variance (2.25 + .25 + .25 + 2.25) / 3 = 5 / 3.
    expected = torch.tensor([-1.5, -0.5, 0.5, 1.5]) / (5 / 3) ** 0.5
    assert torch.equal(found, expected.to(found.dtype))


def test_scales_are_standardised_by_the_coarsest():
    fine = np.array([[1, 3]], np.uint8)
    coarse = np.array([[4, 8]], np.uint8)
    made = policy("yx", "lyx", (1, 2), normalisation=Normalisation(normalize=False, per_patch=True))
    found = finished([fine, coarse], made, coarsest=1)
    # Mean 6, variance (4 + 4) / 1 = 8.
    root = 8**0.5
    torch.testing.assert_close(found, torch.tensor([[[-5 / root, -3 / root]], [[-2 / root, 2 / root]]]))


def test_statistics_are_of_all_channels_together():
    made = policy("cx", "lcx", (2,), normalisation=Normalisation(normalize=False, per_patch=True))
    found = finished([np.array([[0, 2], [4, 6]], np.uint8)], made, channels=2)
    # Mean 3, variance (9 + 1 + 1 + 9) / 3.
    torch.testing.assert_close(found, (torch.tensor([[[0.0, 2.0], [4.0, 6.0]]]) - 3) / (20 / 3) ** 0.5)


def test_statistics_leave_nan_out():
    mean, spread = statistics(torch.tensor([[1.0, NAN, 3.0, NAN, 8.0], [2.0, 2.0, 2.0, 2.0, 4.0]]))
    # (1 + 3 + 8) / 3 = 4, variance (9 + 1 + 16) / 2 = 13; (8 + 4) / 5 = 2.4, variance (4 * .16 + 2.56) / 4 = 0.8.
    assert mean.tolist() == pytest.approx([4.0, 2.4], rel=1e-15)
    assert spread.tolist() == pytest.approx([13**0.5, 0.8**0.5], rel=1e-15)
    found = patch_normalise(torch.tensor([[1.0, NAN, 3.0, NAN, 8.0]]), 0, 0)
    assert torch.isnan(found)[0].tolist() == [False, True, False, True, False]


def test_a_constant_patch_and_a_single_voxel_become_0():
    for value in (0.7, 1e-3, 12345.678):
        assert patch_normalise(torch.full((1, 999), value), 0, 0).abs().max() == 0
    assert patch_normalise(torch.tensor([[3.5]]), 0, 0).tolist() == [[0.0]]
    assert patch_normalise(torch.tensor([[3.5, NAN]]), 0, 0)[0, 0] == 0


def test_a_patch_of_nan_stays_nan():
    assert torch.isnan(patch_normalise(torch.full((2, 3), NAN), 0, 1)).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30))
def test_statistics_are_what_fractions_say(values):
    mean, spread = statistics(torch.tensor([values], dtype=torch.float32))
    exact = Fraction(sum(values), len(values))
    variance = sum((value - exact) ** 2 for value in values) / (len(values) - 1)
    assert float(mean) == pytest.approx(float(exact), rel=1e-12, abs=1e-12)
    assert float(spread) == pytest.approx(max(float(variance) ** 0.5, 1e-8), rel=1e-12)


def test_images_of_other_values_are_refused():
    assert divisor("bool", Normalisation()) is None
    with pytest.raises(ArgumentError, match="complex64") as caught:
        divisor("complex64", Normalisation())
    assert caught.value.code == "unsupported"


def test_values_are_normalised_into_any_strides():
    values = torch.arange(6, dtype=torch.uint8).view(2, 3)
    out = torch.empty(3, 2)
    assert normalise(values, "uint8", Normalisation(), out.t()) is not None
    assert torch.equal(out, (torch.arange(6.0).view(2, 3) / 255.0).t())


AXES = [
    ("zyx", "lzyx"),
    ("zyx", "lxyz"),
    ("zyx", "lczyx"),
    ("zyx", "xlzyc"),
    ("zyx", "zcyxl"),
    ("xyz", "lzxy"),
    ("yx", "lxy"),
    ("tzyx", "lzytx"),
    ("czyx", "lcxyz"),
    ("czyx", "lzyxc"),
    ("zyxc", "lczyx"),
    ("zcyx", "xclyz"),
    ("x", "xl"),
]


def oracle(crop, read, out, scales):
    """The crop of every scale, its axes put where the output has them."""
    letters = [axis for axis in out if axis != "l"]
    block = crop if "c" in read or "c" not in out else crop[None]
    names = read if "c" in read or "c" not in out else "c" + read
    moved = block.transpose([names.index(axis) for axis in letters])
    return np.stack([moved] * scales, axis=out.index("l"))


@pytest.mark.parametrize(("read", "out"), AXES)
@pytest.mark.parametrize("large", [False, True])
def test_axes_come_in_the_order_of_the_output(read, out, large):
    size = dict(zip("ctzyx", (2, 3, 20, 25, 38) if large else (2, 3, 4, 5, 6), strict=True))
    crop = np.random.default_rng(5).integers(0, 256, [size[axis] for axis in read]).astype(np.uint8)
    spatial = read.replace("c", "")
    made = policy(read, out, tuple(size[axis] for axis in spatial), normalisation=RAW, label_dtype="int16")
    label = crop.max(read.index("c")) if "c" in read else crop
    image, labels = finished([crop, crop], made, labels=[label, label], channels=2 if "c" in read else None)
    assert image.is_contiguous()
    np.testing.assert_array_equal(image.numpy(), oracle(crop, read, out, 2))
    np.testing.assert_array_equal(labels.numpy(), oracle(label, spatial, out.replace("c", ""), 2))


@pytest.mark.parametrize(("read", "out"), AXES)
def test_resampled_axes_come_in_the_order_of_the_output(read, out):
    size = dict(zip("ctzyx", (2, 2, 6, 8, 10), strict=True))
    patch = dict(zip("tzyx", (2, 3, 4, 5), strict=True))
    crop = np.random.default_rng(6).integers(0, 256, [size[axis] for axis in read]).astype(np.uint8)
    spatial = read.replace("c", "")
    made = policy(read, out, tuple(patch[axis] for axis in spatial), normalisation=RAW, label_dtype="int16")
    label = crop.max(read.index("c")) if "c" in read else crop
    image, labels = finished([crop], made, labels=[label], channels=2 if "c" in read else None)
    mean = crop.astype(np.float64)
    for axis, letter in enumerate(read):
        if letter in "zyx":
            # Factor 2: the mean of two.
            mean = (mean.take(range(0, size[letter], 2), axis) + mean.take(range(1, size[letter], 2), axis)) / 2
    np.testing.assert_array_equal(image.numpy(), oracle(mean, read, out, 1))
    first = label[tuple(slice(None, None, 2) if letter in "zyx" else slice(None) for letter in spatial)]
    np.testing.assert_array_equal(labels.numpy(), oracle(first, spatial, out.replace("c", ""), 1))


def test_a_stored_channel_that_is_one_long_is_dropped():
    crop = np.arange(24, dtype=np.uint8).reshape(2, 3, 1, 4)
    found = finished([crop], policy("zycx", "lzyx", normalisation=RAW))
    assert torch.equal(found[0], torch.arange(24.0).view(2, 3, 4))


def test_scales_of_different_sizes_become_one_patch():
    images = [np.full((2, 3, 4), 10, np.uint8), np.full((4, 3, 8), 20, np.uint8), np.full((1, 5, 3), 30, np.uint8)]
    found = finished(images, policy(normalisation=RAW))
    assert found.flatten(1).unique(dim=1).tolist() == [[10.0], [20.0], [30.0]]


def test_arrays_that_torch_does_not_take_are_finished_too():
    crop = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    frozen = crop.copy()
    frozen.flags.writeable = False
    backwards = np.ascontiguousarray(crop[::-1])[::-1]
    for given_ in (frozen, backwards, np.asfortranarray(crop)):
        found = finished([given_], policy(normalisation=RAW, label_dtype="int16"), labels=[given_])
        assert torch.equal(found[0][0], torch.arange(24.0).view(2, 3, 4))
        assert torch.equal(found[1][0].long(), torch.arange(24).view(2, 3, 4))


@pytest.mark.parametrize(
    ("stored", "returned", "values"),
    [
        ("bool", "int8", [0, 1]),
        ("int8", "int8", [-1, 127]),
        ("uint8", "int16", [0, 255]),
        ("uint16", "int32", [1, 65535]),
        ("uint16", "int64", [1, 65535]),
        ("uint32", "int64", [2**24 + 1, 2**32 - 1]),
        ("int64", "int64", [-5, 2**63 - 1]),
        ("uint64", "int64", [2**53 + 1, 2**63 - 1]),
        (">u4", "int64", [7, 2**32 - 1]),
        ("float32", "int64", [-3, 16777216]),
        ("float64", "int64", [0, 2**53]),
    ],
)
@pytest.mark.parametrize("read", [2, 4, 3])
def test_labels_keep_their_values(stored, returned, values, read):
    array = np.array(values).astype(stored)
    crop = array[[0, 0, 1, 1]] if read == 4 else array[[0, 1, 1]] if read == 3 else array
    made = policy("x", "lx", (2,), label_dtype=returned)
    _, found = finished([np.zeros(2, np.uint8)], made, labels=[crop])
    assert found.dtype == getattr(torch, returned)
    assert found.tolist() == [values]


def test_ids_beyond_int64_come_back_negative():
    made = policy("x", "lx", (1,))
    _, found = finished([np.zeros(1, np.uint8)], made, labels=[np.array([2**63 + 5], np.uint64)])
    assert found.tolist() == [[-(2**63) + 5]]


@pytest.mark.parametrize("value", [3.5, NAN, float("inf"), 2.0**63])
def test_a_label_that_is_no_whole_number_is_refused(value):
    made = policy("x", "lx", (2,))
    with pytest.raises(ReadError, match="label") as caught:
        finished([np.zeros(2, np.uint8)], made, labels=[np.array([1.0, value])])
    assert caught.value.code == "wrong_value"
    _, found = finished([np.zeros(2, np.uint8)], made, labels=[np.array([1.0, 3.0])])
    assert found.tolist() == [[1, 3]]


def test_labels_are_looked_up_by_position_where_maps_are_given():
    made = policy("yx", "lxy", (2, 3), label_dtype="int16")
    crop = np.array([[1, 2], [3, 4]], np.uint8)
    maps = [[np.array([1, 0]), np.array([0, 0, 1])]]
    _, found = finished([np.zeros((2, 3), np.uint8)], made, labels=[crop], maps=maps)
    # Rows 1, 0 and columns 0, 0, 1: [[3, 3, 4], [1, 1, 2]], then x before y.
    assert found.tolist() == [[[3, 1], [3, 1], [4, 2]]]


def test_torch_uses_as_many_threads_as_before():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        finished([np.zeros((4, 6, 8), np.uint8)], policy())
        assert torch.get_num_threads() == 3
        with pytest.raises(ReadError):
            finished([np.zeros((4, 6, 8), np.uint8)], policy(), labels=[np.full((2, 3, 4), 0.5)])
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_the_default_dtype_of_torch_changes_nothing():
    crop = np.random.default_rng(7).integers(0, 256, (3, 4, 5)).astype(np.uint8)
    expected = finished([crop], policy())
    torch.set_default_dtype(torch.float64)
    try:
        image = torch.empty(1, 2, 3, 4, dtype=torch.float32)
        finish_sample([crop], None, policy(), 0, image, None)
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(image, expected)


def test_crops_are_not_changed():
    rule = Normalisation(low=3.0, high=9.0, per_patch=True)
    crop = np.random.default_rng(8).normal(size=(2, 3, 4)).astype(np.float32)
    kept = crop.copy()
    finished([crop], policy(dtype="float32", normalisation=rule))
    np.testing.assert_array_equal(crop, kept)
