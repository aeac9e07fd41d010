"""shift_sections and drop_sections."""

import numpy as np
import pytest
import torch
from scripted import Numbers

from miao.augment import drop_sections, shift_sections, spatial_dims_for
from miao.errors import AugmentError

DTYPES = [torch.uint8, torch.int16, torch.int64, torch.uint16, torch.uint32, torch.bool, torch.float16, torch.float32]


def volume(*shape):
    """Return voxels that all differ."""
    return torch.arange(int(np.prod(shape))).view(shape)


def test_shift_sections_moves_one_section_along_both_axes_of_its_plane():
    image = volume(2, 3, 4)
    # Slot int(0.1 * 3) = 0. Section 0: 0.9, not below 0.5. Section 1: 0.4 is; with a magnitude of 2 one of five
    # offsets each: int(0.7 * 5) - 2 = 1 along y and int(0.99 * 5) - 2 = 2 along x.
    rng = Numbers(0.1, 0.9, 0.4, 0.7, 0.99)
    (moved,) = shift_sections(rng, image, prob=0.5, magnitude=2)
    assert rng.left == []
    assert torch.equal(moved[0], image[0])
    # Rows 12..15, 16..19, 20..23: down by one, so that the last comes first, and right by two.
    assert moved[1].tolist() == [[22, 23, 20, 21], [14, 15, 12, 13], [18, 19, 16, 17]]


def test_shift_sections_across_the_last_axis_moves_along_the_first_two():
    image = volume(2, 3, 2)
    # Slot int(0.7 * 3) = 2; section 0 moves by int(0.9 * 3) - 1 = 1 along z and int(0.0 * 3) - 1 = -1 along y.
    (moved,) = shift_sections(Numbers(0.7, 0.0, 0.9, 0.0, 1.0), image, prob=0.5, magnitude=1)
    # At x = 0 rows 0, 2, 4 and 6, 8, 10: exchanged, then each one to the front.
    assert moved[..., 0].tolist() == [[8, 10, 6], [2, 4, 0]]
    assert torch.equal(moved[..., 1], image[..., 1])


def test_offsets_are_the_whole_numbers_from_minus_to_plus_the_magnitude_each_as_likely():
    section = torch.zeros(1, 9, 9, dtype=torch.int64)
    section[0, 0, 0] = 1
    rng = np.random.default_rng(2)
    counts = np.zeros((7, 7), int)
    for _ in range(4900):
        # The slot 0, its only section, and two numbers for the offsets.
        (moved,) = shift_sections(Numbers(0.0, 0.0, rng.random(), rng.random()), section, prob=1, magnitude=3)
        y, x = (int(i) for i in moved[0].nonzero()[0])
        counts[(y + 3) % 9, (x + 3) % 9] += 1
    # 49 pairs, 100 each on average, with a deviation of about 10.
    assert counts.sum() == 4900
    assert counts.min() > 55
    assert counts.max() < 150


def test_all_tensors_scales_and_channels_move_alike():
    label = volume(2, 5, 6, 7)
    image = torch.stack([label * 10, label * 10 + 1], dim=1)
    for seed in range(10):
        img, lab = shift_sections(np.random.RandomState(seed), image, label, prob=0.5, magnitude=3)
        assert not torch.equal(lab, label)
        assert torch.equal(img[:, 0], lab * 10)
        assert torch.equal(img[:, 1], lab * 10 + 1)
        # A roll keeps what is in each section.
        assert torch.equal(lab.flatten().sort().values, label.flatten())


def test_other_layouts_move_alike():
    label = volume(2, 5, 6, 7)
    image = torch.stack([label, label + 1000], dim=-1)
    axes = [spatial_dims_for("lzyxc"), spatial_dims_for("lzyx")]
    for seed in range(10):
        img, lab = shift_sections(np.random.RandomState(seed), image, label, prob=0.5, spatial_dims=axes)
        assert torch.equal(img[..., 0], lab)
        assert torch.equal(img[..., 1], lab + 1000)


def test_every_axis_is_drawn_and_about_the_share_of_sections_that_prob_says_moves():
    image = volume(20, 30, 40)
    moved_along = [0, 0, 0]
    sections = 0
    for seed in range(300):
        (moved,) = shift_sections(np.random.RandomState(seed), image, prob=0.25, magnitude=5)
        changed = [
            [not torch.equal(a, b) for a, b in zip(moved.unbind(d), image.unbind(d), strict=True)] for d in range(3)
        ]
        # Across the axis that was drawn some sections stay; across the others all of them hold voxels that moved.
        drawn = [d for d in range(3) if not all(changed[d])]
        assert len(drawn) == 1
        moved_along[drawn[0]] += 1
        sections += sum(changed[drawn[0]]) / len(changed[drawn[0]])
    assert min(moved_along) > 60
    # A quarter, less the one in 121 that moves by nothing.
    assert sections / 300 == pytest.approx(0.25 * 120 / 121, abs=0.02)


@pytest.mark.parametrize("given", [{"prob": 0}, {"magnitude": 0, "prob": 1}])
def test_where_nothing_moves_the_tensors_themselves_come_back(given):
    image, label = volume(1, 1, 4, 5, 6), volume(1, 4, 5, 6)
    moved = shift_sections(np.random, image, label, **given)
    assert isinstance(moved, tuple)
    assert moved[0] is image
    assert moved[1] is label
    assert shift_sections(np.random) == ()


def test_drop_sections_blanks_sections_across_one_axis():
    image = volume(2, 3, 4) + 1
    # Slot int(0.4 * 3) = 1; of three sections the first and the last are below 0.3.
    rng = Numbers(0.4, 0.2, 0.3, 0.1)
    dropped = drop_sections(rng, image, prob=0.3)
    assert rng.left == []
    assert torch.equal(dropped[:, 1], image[:, 1])
    assert dropped[:, [0, 2]].count_nonzero() == 0


def test_drop_sections_blanks_all_scales_and_channels_wherever_the_axes_are():
    image = torch.ones(2, 4, 5, 6, 3)
    dropped = drop_sections(Numbers(0.9, *[1, 1, 0, 1, 1, 1]), image, prob=0.5, spatial_dims=spatial_dims_for("lzyxc"))
    assert dropped[:, :, :, 2].count_nonzero() == 0
    assert dropped.sum() == image.sum() * 5 / 6


def test_drop_sections_gives_the_image_itself_where_none_is_lost():
    image = volume(4, 5, 6)
    assert drop_sections(np.random, image, prob=0) is image
    assert drop_sections(np.random, image, prob=1).count_nonzero() == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs_are_never_changed_and_every_dtype_is_kept(dtype):
    image = volume(3, 4, 5).to(dtype)
    before = image.clone()
    dropped = drop_sections(np.random, image, prob=1)
    (moved,) = shift_sections(np.random.default_rng(0), image, prob=1, magnitude=3)
    assert torch.equal(image, before)
    assert (dropped.dtype, moved.dtype) == (dtype, dtype)
    assert torch.equal(moved.to(torch.float64).sum(), before.to(torch.float64).sum())


def test_tensors_stay_on_their_device():
    image = torch.empty(1, 4, 5, 6, device="meta")
    assert drop_sections(np.random, image, prob=1).device.type == "meta"
    assert shift_sections(np.random, image, prob=1)[0].device.type == "meta"


@pytest.mark.parametrize("rng", [np.random, np.random.RandomState(1), np.random.default_rng(1)])
def test_every_kind_of_rng_of_numpy_draws(rng):
    (shifted,) = shift_sections(rng, volume(3, 4, 5), prob=1)
    # Sections are rolled within their plane: no voxel is lost.
    assert torch.equal(shifted.flatten().sort().values, volume(3, 4, 5).flatten().sort().values)
    assert not drop_sections(rng, volume(3, 4, 5), prob=1).any()


@pytest.mark.parametrize("prob", [-0.1, 1.1, float("nan"), "often", None])
def test_prob_is_a_probability(prob):
    for change in (shift_sections, drop_sections):
        with pytest.raises(AugmentError, match="prob: is"):
            change(np.random, volume(3, 4, 5), prob=prob)


@pytest.mark.parametrize("magnitude", [-1, 1.5, float("inf"), "far"])
def test_magnitude_is_a_whole_number_of_voxels(magnitude):
    with pytest.raises(AugmentError, match="magnitude: is"):
        shift_sections(np.random, volume(3, 4, 5), magnitude=magnitude)
    shift_sections(np.random, volume(3, 4, 5), magnitude=2.0)


def test_a_magnitude_beyond_the_plane_goes_around():
    # Four along y of three rows, and zero along x: int(0.99 * 9) - 4 = 4 and int(0.5 * 9) - 4 = 0.
    (moved,) = shift_sections(Numbers(0.0, 0.0, 0.99, 0.5), volume(1, 3, 2), prob=1, magnitude=4)
    assert moved.tolist() == [[[4, 5], [0, 1], [2, 3]]]


def test_tensors_of_other_spatial_shapes_are_refused():
    with pytest.raises(AugmentError, match=r"tensors: have spatial shapes .* one call for each shape"):
        shift_sections(np.random, volume(1, 4, 5, 6), volume(4, 5, 7))
    shift_sections(np.random, volume(1, 4, 5, 6), volume(4, 5, 6))


def test_what_is_no_rng_is_said():
    for change in (shift_sections, drop_sections):
        with pytest.raises(AugmentError, match="rng: is Tensor"):
            change(volume(3, 4, 5), volume(3, 4, 5))
