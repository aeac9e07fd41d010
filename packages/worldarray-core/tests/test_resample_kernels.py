"""What blocks of voxels become: statements of Behaviour 4 with values worked out by hand, and every kind of array."""

import ml_dtypes
import numpy as np
import pytest

from worldarray.errors import ArgumentError
from worldarray.resample import blocks as blocks_module
from worldarray.resample import identity_axis, plan_axis, resample, target_axis


def read(array, sizes, method="linear", windows=None, anchors=None, edge=False):
    """Return `array`, of voxels of 1 with the corner at 0, at target sizes per axis; None keeps an axis."""
    array = np.asarray(array)
    plans = []
    for axis, (n, size) in enumerate(zip(array.shape, sizes, strict=True)):
        target = target_axis(n, 1.0, 1.0 if size is None else size, anchor=anchors and anchors[axis])
        begin, end = (target.first, target.stop) if windows is None else windows[axis]
        plans.append(
            identity_axis(n, begin, end, edge=edge)
            if size is None
            else plan_axis(target, begin, end, method, edge=edge)
        )
    return resample(array[tuple(slice(*plan.source) for plan in plans)], plans)


def test_nearest_takes_the_voxel_that_holds_the_centre_and_a_boundary_belongs_to_the_upper_one():
    assert read(np.arange(8), [2.0], "nearest").tolist() == [1, 3, 5, 7]
    # centres 2.5, 7.5, 12.5, ... nm in voxels of 4 nm
    assert read(np.arange(8), [5 / 4], "nearest").tolist() == [0, 1, 3, 4, 5, 6]
    assert read(np.arange(4), [0.5], "nearest").tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_an_anchored_read_lands_on_the_other_grid_and_its_halves_agree_with_the_whole():
    # 8 nm, corner -4, onto 4 nm with a corner at -2: in voxels of 8 nm, targets of 1/2 from 1/4 on
    array = np.arange(9, dtype=np.uint16)
    whole = read(array, [0.5], "nearest", [(0, 8)], [0.25])
    assert whole.tolist() == [0, 1, 1, 2, 2, 3, 3, 4]
    halves = [read(array, [0.5], "nearest", [window], [0.25]) for window in ((0, 3), (3, 8))]
    assert np.concatenate(halves).tolist() == whole.tolist()


def test_linear_at_a_whole_factor_is_the_block_mean_of_what_the_block_has():
    assert read(np.array([1.0, 2, 4, 7, 9]), [2.0]).tolist() == [1.5, 5.5, 9.0]
    # anchored one voxel in: [1], [2, 4], [7, 9]
    assert read(np.array([1.0, 2, 4, 7, 9]), [2.0], anchors=[1.0]).tolist() == [1.0, 3.0, 8.0]
    # a block as long as the data and more
    assert read(np.array([1.0, 2, 6]), [5.0]).tolist() == [3.0]


def test_a_whole_factor_off_the_source_grid_interpolates():
    # centres at 1.25 and 3.25: 0.75 and 2.75 in voxel centres, so 0.25 * 0 + 0.75 * 4 and 0.25 * 8 + 0.75 * 16
    found = read(np.array([0.0, 4, 8, 16]), [2.0], windows=[(0, 2)], anchors=[0.25])
    assert found.tolist() == [3.0, 14.0]


def test_linear_repeats_the_border_past_the_first_and_the_last_centre():
    # targets of 1/2 at -1/4, 1/4, 3/4, 5/4 in voxel centres
    assert read(np.array([8.0, 16]), [0.5]).tolist() == [8.0, 10.0, 14.0, 16.0]


@pytest.mark.parametrize(
    ("values", "mean"),
    [([0, 1], 0), ([1, 2], 2), ([2, 3], 2), ([-1, 0], 0), ([-2, -1], -2), ([-3, -2], -2), ([-128, -127], -128)],
)
def test_halves_go_to_the_even_neighbour(values, mean):
    assert read(np.array(values, np.int8), [2.0]).tolist() == [mean]
    assert read(np.array(values, np.int64) * 1, [2.0]).tolist() == [mean]


def test_there_is_one_rounding_for_all_axes_together():
    # 3 / 4 is 1, where rounding the rows first, 0.5 to 0 and 1 to 1, would give 0.5 and then 0
    assert read(np.array([[0, 1], [1, 1]], np.uint8), [2.0, 2.0]).tolist() == [[1]]
    # upsampled at the corner (1/4, 1/4): weights 9, 3, 3, 1 over 16: (9 * 0 + 3 * 1 + 3 * 1 + 1 * 2) / 16 = 0.5 -> 0
    found = read(np.array([[0, 1], [1, 2]], np.uint8), [0.5, 0.5])
    assert found[1, 1] == 0
    assert found.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 2, 2], [1, 1, 2, 2]]


@pytest.mark.parametrize(
    ("dtype", "values", "mean"),
    [
        ("int64", [2**53, 2**53 + 2], 2**53 + 1),
        ("int64", [2**63 - 1, 2**63 - 3], 2**63 - 2),
        ("int64", [-(2**63), -(2**63) + 1], -(2**63)),  # a half, to even
        ("int64", [-(2**63), 2**63 - 1], 0),  # -1/2 to even
        ("uint64", [2**64 - 1, 2**64 - 1], 2**64 - 1),
        ("uint64", [2**64 - 1, 2**64 - 2], 2**64 - 2),
        ("uint64", [2**53 + 1, 2**53 + 1], 2**53 + 1),
        ("int32", [2**31 - 1, 2**31 - 1], 2**31 - 1),
    ],
)
def test_large_integers_pass_through_no_float(dtype, values, mean):
    array = np.array(values, dtype)
    assert read(array, [2.0]).tolist() == [mean]
    assert read(np.repeat(array[:, None], 3, 1), [2.0, 3.0]).tolist() == [[mean]]


def test_large_integers_interpolate_exactly():
    array = np.array([2**64 - 5, 2**64 - 1], np.uint64)
    # weights 3/4, 1/4: 2^64 - 4; 1/4, 3/4: 2^64 - 2
    assert read(array, [0.5]).tolist() == [2**64 - 5, 2**64 - 4, 2**64 - 2, 2**64 - 1]
    # a ratio of 37173/100000 on three axes: denominators past 2^31; a constant stays what it is
    cube = np.full((2, 2, 2), 2**64 - 3, np.uint64)
    assert np.unique(read(cube, [0.37173] * 3)).tolist() == [2**64 - 3]


def test_bool_means_are_majorities_and_halves_are_false():
    assert read(np.array([True, False, True, True, False]), [2.0]).tolist() == [False, True, False]
    assert read(np.array([True, False, True]), [3.0]).dtype == bool


def test_axes_have_kernels_of_their_own():
    # mean over 2, kept, interpolated to 1/2
    array = np.array([[[0, 8], [100, 108]], [[2, 10], [102, 110]]], np.uint8)
    assert read(array, [2.0, None, 0.5]).tolist() == [[[1, 3, 7, 9], [101, 103, 107, 109]]]


def test_complex_parts_do_not_touch():
    found = read(np.array([1 + 2j, complex(3, np.inf), 5, 7], np.complex64), [2.0])
    assert found.dtype == np.complex64
    assert found.tolist() == [complex(2, np.inf), 6]
    # infinity on one part, a weight on both: no NaN on the other
    found = read(np.array([complex(np.inf, 1), 5]), [0.5])
    assert found.imag.tolist() == [1.0, 0.75, 0.25, 0.0]


def test_sums_of_large_floats_do_not_overflow():
    top = np.finfo(np.float64).max
    assert read(np.full(8, top), [8.0]).tolist() == [top]
    assert read(np.array([top, -np.inf, 1.0, 2.0]), [2.0]).tolist() == [-np.inf, 1.5]
    top = np.finfo(np.float16).max
    assert read(np.full(8, top, np.float16), [8.0]).tolist() == [top]


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"])
def test_extension_dtypes_are_averaged_and_kept(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    array = np.array([1, 3, 4, 6, 7], dtype)
    found = read(array, [2.0])
    assert found.dtype == dtype
    assert found.astype(float).tolist() == [2.0, 5.0, 7.0]
    assert read(array, [0.5]).astype(float).tolist()[:2] == [1.0, 1.5 if "float" in name else 2.0]
    padded = read(array, [2.0], windows=[(-2, 5)], edge=True)
    assert padded.astype(float).tolist() == [2.0, 2.0, 2.0, 5.0, 7.0, 7.0, 7.0]
    assert read(array, [2.0], "nearest").astype(float).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("dtype", ["S3", "U2", [("a", "u1"), ("b", "f4")], "V4"])
def test_values_without_a_mean_are_picked_but_not_averaged(dtype):
    array = np.zeros(6, dtype)
    assert read(array, [2.0], "nearest").dtype == array.dtype
    for size in (2.0, 0.7):
        with pytest.raises(ArgumentError) as caught:
            read(array, [size])
        assert caught.value.code == "unsupported"


@pytest.mark.parametrize("method", ["nearest", "linear"])
@pytest.mark.parametrize("dtype", [">u2", ">i8", ">f4", ">c8", ">f2", "<u4"])
@pytest.mark.parametrize("sizes", [(2.0, 3.0), (0.5, 1.3), (None, 0.7), (None, None)])
def test_results_are_native_contiguous_and_writable_whatever_the_block_is(method, dtype, sizes):
    plain = np.random.default_rng(3).integers(0, 99, (6, 7)).astype(np.dtype(dtype).newbyteorder("="))
    wanted = read(plain, sizes, method)
    odd = np.zeros((14, 12), dtype)[::2, ::2].T
    odd[...] = plain
    odd.flags.writeable = False
    found = read(odd, sizes, method)
    assert found.dtype == plain.dtype
    assert found.dtype.isnative
    assert found.flags.c_contiguous
    assert found.flags.writeable
    assert found.tobytes() == wanted.tobytes()
    assert odd.tolist() == plain.tolist()


def test_a_block_that_nothing_is_done_to_comes_back_itself():
    block = np.arange(12).reshape(3, 4)
    assert resample(block, [identity_axis(3, 0, 3), identity_axis(4, 0, 4)]) is block


def test_a_block_of_another_shape_than_planned_is_refused():
    with pytest.raises(ArgumentError) as caught:
        resample(np.zeros((3, 4)), [identity_axis(3, 0, 3), identity_axis(4, 0, 3)])
    assert caught.value.code == "wrong_length"


@pytest.mark.parametrize("method", ["nearest", "linear"])
@pytest.mark.parametrize("sizes", [(2.0, 2.0), (0.7, 2.0), (None, 0.5)])
def test_axes_without_voxels_and_windows_without_targets_give_empty_arrays(method, sizes):
    assert read(np.zeros((0, 6), np.uint8), sizes, method).shape[0] == 0
    assert read(np.zeros((4, 6), np.uint8), sizes, method, [(1, 1), (0, 2)]).shape == (0, 2)


def test_an_array_without_axes_comes_back():
    assert resample(np.array(7.0), []).tolist() == 7.0


@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint64", "float32", "float64", "complex128", "bool"])
@pytest.mark.parametrize(
    "sizes", [(2.0, 3.0, 5.0), (0.5, 0.25, 0.75), (2.0, 0.3, None), (1.7, 4.0, 0.37173), (7.5, 1.25, 3.0)]
)
def test_the_parts_that_a_block_is_worked_on_in_do_not_show(monkeypatch, dtype, sizes):
    array = np.random.default_rng(5).normal(size=(11, 9, 14)) * 100
    array = (array > 0) if dtype == "bool" else np.abs(array).astype(dtype)
    whole = read(array, sizes)
    for room in (300, 3000):
        monkeypatch.setattr(blocks_module, "_TILE_BYTES", room)
        assert read(array, sizes).tobytes() == whole.tobytes()


@pytest.mark.parametrize("factor", [2, 4, 8])
def test_means_of_whole_volumes_are_what_numpy_says(factor):
    array = np.random.default_rng(5).integers(0, 256, (16, 24, 40), np.uint8)
    shape = [part for n in array.shape for part in (n // factor, factor)]
    wanted = np.rint(array.reshape(shape).mean((1, 3, 5)))  # exact in float64: sums are small, divisors powers of 2
    assert np.array_equal(read(array, [float(factor)] * 3), wanted)


def test_labels_read_at_half_their_size_hold_no_new_values():
    labels = np.random.default_rng(5).choice(np.array([0, 3, 2**40, 2**63], np.uint64), (5, 6, 7))
    found = read(labels, [0.5] * 3, "nearest")
    assert np.array_equal(found, labels.repeat(2, 0).repeat(2, 1).repeat(2, 2))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_weight_of_zero_keeps_a_bad_neighbour_out(bad):
    # targets of 1/3: -1/3, 0, 1/3, 2/3, 1, ... in voxel centres, so every third one is a voxel itself
    array = np.zeros(12)
    array[5] = bad
    found = read(array, [1 / 3])
    assert np.flatnonzero(~np.isfinite(found)).tolist() == [14, 15, 16, 17, 18]  # 4 1/3 .. 5 2/3
    assert np.array_equal(read(array[:, None], [1 / 3, None])[:, 0], found, equal_nan=True)


def test_ties_are_ties_whatever_floats_make_of_the_weights():
    # a ratio of 314159265358978 / 10^15, anchored so that target 0 is centred on 1, half way from voxel 0 to voxel 1:
    # on the other axes the weights add up to 1 only in exact arithmetic
    ratio = 0.314159265358978
    middle = 0.842920367320511  # 1 - ratio / 2
    for low, high, even in ((0, 1, 0), (1, 2, 2), (255, 254, 254)):
        array = np.empty((2, 9, 9), np.uint8)
        array[0], array[1] = low, high
        found = read(array, [ratio] * 3, windows=[(0, 1), (0, 26), (0, 26)], anchors=[middle, None, None])
        assert np.unique(found).tolist() == [even]
