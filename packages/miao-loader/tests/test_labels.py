"""erode_labels and affinities."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from miao.errors import AugmentError
from miao.labels import NEAREST_NEIGHBORHOOD, affinities, erode_labels

DTYPES = [
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.float32,
]
SMALL = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=3, max_dims=3, min_side=1, max_side=5), elements=st.integers(0, 2)
)


def row(*values):
    """Return labels (1, 1, n)."""
    return torch.tensor([[values]])


@pytest.mark.parametrize(
    ("steps", "eroded"),
    [
        (0, (1, 1, 1, 1, 2, 2, 2, 2)),
        (1, (1, 1, 1, 0, 0, 2, 2, 2)),
        (2, (1, 1, 0, 0, 0, 0, 2, 2)),
        (3, (1, 0, 0, 0, 0, 0, 0, 2)),
        (4, (0, 0, 0, 0, 0, 0, 0, 0)),
        (9, (0, 0, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_a_gap_of_steps_voxels_opens_on_each_side_of_a_touch(steps, eroded):
    assert erode_labels(row(1, 1, 1, 1, 2, 2, 2, 2), steps).tolist() == [[list(eroded)]]


def test_the_side_to_the_background_is_a_border_too_and_a_face_of_the_volume_is_none():
    assert erode_labels(row(1, 1, 1, 0, 0, 3, 3, 3)).tolist() == [[[1, 1, 0, 0, 0, 0, 3, 3]]]


def test_a_thin_object_is_gone():
    assert erode_labels(row(1, 1, 1, 5, 1, 1, 1)).tolist() == [[[1, 1, 0, 0, 0, 1, 1]]]


def test_neighbours_are_six_those_at_a_corner_do_not_count():
    labels = torch.ones(3, 3, 3, dtype=torch.int64)
    labels[0, 0, 0] = 2
    # The voxel itself and its neighbours along z, y and x.
    gone = {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert {tuple(place) for place in (erode_labels(labels) == 0).nonzero().tolist()} == gone


def test_only_xy_compares_within_a_plane():
    labels = torch.ones(3, 3, 3, dtype=torch.int64)
    labels[0] = 2
    labels[2, :, 2] = 3
    # Planes 0 and 1 touch, which does not count; in plane 2 columns 1 and 2 touch.
    expected = labels.clone()
    expected[2, :, 1:] = 0
    assert torch.equal(erode_labels(labels, only_xy=True), expected)
    assert erode_labels(labels)[:2].count_nonzero() == 0


def test_a_volume_of_one_label_or_of_one_voxel_or_of_none_has_no_border():
    for labels in (torch.full((2, 3, 4), 7), row(7), torch.zeros(0, 3, 4, dtype=torch.int64)):
        assert torch.equal(erode_labels(labels, 3), labels)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_kept_and_the_input_is_not_changed(dtype):
    labels = row(1, 1, 1, 2, 2, 2).to(dtype)
    before = labels.clone()
    eroded = erode_labels(labels)
    assert eroded.dtype == dtype
    assert eroded.to(torch.int64).tolist() == [[[1, 1, 0, 0, 2, 2]]]
    maps = affinities(labels)
    assert maps.dtype == torch.float32
    assert maps[2].tolist() == [[[0, 1, 1, 0, 1, 1]]]
    assert torch.equal(labels, before)
    assert not np.shares_memory(erode_labels(labels, 0).numpy(), labels.numpy())


def test_ids_beyond_float32_and_beyond_int64_are_told_apart():
    # 2**24 and 2**24 + 1 are one float32, 2**63 and 2**63 + 1 one float64.
    for base, dtype in ((2**24, torch.int64), (2**63, torch.uint64)):
        labels = torch.tensor([[[base, base, base, base + 1, base + 1, base + 1]]], dtype=dtype)
        assert erode_labels(labels)[0, 0].tolist() == [base, base, 0, 0, base + 1, base + 1]
        assert affinities(labels)[2].tolist() == [[[0, 1, 1, 0, 1, 1]]]


@settings(max_examples=100, deadline=None)
@given(SMALL, st.integers(0, 3), st.booleans())
def test_erosion_equals_the_rule_voxel_by_voxel(labels, steps, only_xy):
    expected = labels
    for _ in range(steps):
        before, expected = expected, expected.copy()
        for place in np.ndindex(before.shape):
            for axis in range(1 if only_xy else 0, 3):
                for step in (-1, 1):
                    other = list(place)
                    other[axis] += step
                    if 0 <= other[axis] < before.shape[axis] and before[tuple(other)] != before[place]:
                        expected[place] = 0
    assert np.array_equal(erode_labels(torch.from_numpy(labels), steps, only_xy).numpy(), expected)


def test_affinities_are_1_where_a_voxel_and_its_neighbour_share_a_label_that_is_not_0():
    labels = torch.tensor([[[1, 1, 0], [1, 2, 0]], [[1, 2, 0], [0, 2, 2]]])
    maps = affinities(labels)
    assert maps.shape == (3, 2, 2, 3)
    assert maps.dtype == torch.float32
    # The voxel before along z: plane 0 has none; of plane 1 voxels (0, 0) and (1, 1) are as above.
    assert maps[0].tolist() == [[[0, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 1, 0]]]
    # Along y: row 0 has none; (0, 1, 0) is 1 like (0, 0, 0), and (1, 1, 1) is 2 like (1, 0, 1). Both 0 is no affinity.
    assert maps[1].tolist() == [[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]]]
    # Along x: (0, 0, 1) is 1 like the one before, and (1, 1, 2) is 2.
    assert maps[2].tolist() == [[[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 1]]]


def test_the_nearest_neighbourhood_is_the_voxel_before_along_each_axis():
    assert NEAREST_NEIGHBORHOOD == ((-1, 0, 0), (0, -1, 0), (0, 0, -1))


def test_one_map_per_offset_in_their_order_of_any_length_and_sign():
    labels = row(1, 1, 2, 1, 1, 0)
    maps = affinities(labels, [(0, 0, 2), (0, 0, -3), (0, 0, 0)])
    # v + 2: 1-2, 1-1, 2-1, 1-0. v - 3: 1 of index 3 with index 0, index 4 with 1, index 5 is 0. v itself: foreground.
    assert maps[:, 0, 0].tolist() == [[0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0], [1, 1, 1, 1, 1, 0]]


def test_an_offset_of_the_size_of_an_axis_or_more_is_0_everywhere():
    labels = torch.ones(2, 3, 4, dtype=torch.int64)
    maps = affinities(labels, [(2, 0, 0), (0, -3, 0), (0, 0, 100), (-1, 0, 3)])
    assert maps[:3].count_nonzero() == 0
    # One of two planes and one of four columns are left: three voxels.
    assert maps[3].count_nonzero() == 3


@settings(max_examples=100, deadline=None)
@given(SMALL, st.lists(st.tuples(*[st.integers(-6, 6)] * 3), max_size=4))
def test_affinities_equal_the_rule_voxel_by_voxel(labels, offsets):
    expected = np.zeros((len(offsets), *labels.shape))
    for number, offset in enumerate(offsets):
        for place in np.ndindex(labels.shape):
            other = tuple(int(p + o) for p, o in zip(place, offset, strict=True))
            inside = all(0 <= o < n for o, n in zip(other, labels.shape, strict=True))
            expected[(number, *place)] = inside and labels[place] == labels[other] != 0
    assert np.array_equal(affinities(torch.from_numpy(labels), offsets).numpy(), expected)


def test_negative_labels_are_foreground():
    assert affinities(row(-1, -1, 0, 0))[2].tolist() == [[[0, 1, 0, 0]]]


@pytest.mark.parametrize("neighborhood", [np.array([[0, 0, -1]]), torch.tensor([[0, 0, -1]]), (np.array([0, 0, -1]),)])
def test_offsets_may_be_arrays_and_tensors(neighborhood):
    assert affinities(row(4, 4), neighborhood).tolist() == [[[[0, 1]]]]


def test_results_are_where_the_labels_are():
    labels = torch.empty(2, 3, 4, dtype=torch.int64, device="meta")
    assert affinities(labels).device.type == "meta"
    assert erode_labels(labels, 2).device.type == "meta"


def test_both_are_composed_over_the_scales_of_a_sample():
    label = torch.stack([row(1, 1, 1, 2, 2, 2), row(1, 1, 2, 2, 2, 2)])
    eroded = torch.stack([erode_labels(scale) for scale in label])
    maps = torch.stack([affinities(scale) for scale in eroded])
    assert eroded[:, 0, 0].tolist() == [[1, 1, 0, 0, 2, 2], [1, 0, 0, 2, 2, 2]]
    assert maps.shape == (2, 3, 1, 1, 6)
    assert maps[:, 2, 0, 0].tolist() == [[0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1]]


@pytest.mark.parametrize("target", [erode_labels, affinities])
@pytest.mark.parametrize(
    ("labels", "match"),
    [
        (
            torch.ones(2, 3, 4, 5),
            r"labels: has 4 axes, \(2, 3, 4, 5\); give one volume, 3 axes .* loop over the scales",
        ),
        (torch.empty(0, dtype=torch.int64), r"labels: has 1 axes, \(0,\); .* leave out the empty label"),
        (np.ones((2, 3, 4)), r"labels: is ndarray; .* torch\.from_numpy"),
        (torch.ones(2, 3, 4, dtype=torch.complex64), r"labels: is torch\.complex64"),
    ],
)
def test_what_is_no_volume_is_refused(target, labels, match):
    with pytest.raises(AugmentError, match=match):
        target(labels)
    target(torch.ones(2, 3, 4))


@pytest.mark.parametrize("steps", [-1, 1.5, True, None, "2"])
def test_steps_are_a_whole_number(steps):
    with pytest.raises(AugmentError, match="steps: is"):
        erode_labels(row(1, 2), steps)
    erode_labels(row(1, 2), np.int64(1))


@pytest.mark.parametrize(
    ("neighborhood", "code", "at"),
    [
        ([(0, 0, -1), (0, -1)], "wrong_length", ("neighborhood", 1)),
        ((0, 0, -1), "wrong_type", ("neighborhood",)),
        ([(0, 0, 0.5)], "wrong_type", ("neighborhood",)),
        (None, "wrong_type", ("neighborhood",)),
    ],
)
def test_offsets_are_three_whole_numbers(neighborhood, code, at):
    with pytest.raises(AugmentError) as raised:
        affinities(row(1, 2), neighborhood)
    assert (raised.value.code, raised.value.at) == (code, at)
