"""Turning and mirroring: rot90isocube, rot90inplane, draw_rot90, apply_rot90, spatial_dims_for."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Numbers

from miao.augment import apply_rot90, draw_rot90, rot90inplane, rot90isocube, spatial_dims_for
from miao.errors import AugmentError

RNGS = {
    "module": lambda: np.random,
    "RandomState": lambda: np.random.RandomState(3),
    "Generator": lambda: np.random.default_rng(3),
}
DTYPES = [
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.bool,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]
PERMS = list(itertools.permutations(range(3)))
FLIPS = list(itertools.product((False, True), repeat=3))


def cube(n=2):
    """Return voxels (n, n, n) that all differ."""
    return torch.arange(n**3).view(n, n, n)


def oracle(array, perm, flips):
    """Return what the rule says, voxel by voxel: mirrored first, then slot i holds what was slot perm[i]."""
    n = len(array)
    out = np.empty_like(array)
    for place in np.ndindex(array.shape):
        before = [0, 0, 0]
        for slot, source in enumerate(perm):
            before[source] = n - 1 - place[slot] if flips[source] else place[slot]
        out[place] = array[tuple(before)]
    return out


@pytest.mark.parametrize(
    ("axes", "dims"),
    [
        ("lcxyz", (-3, -2, -1)),
        ("lczyx", (-3, -2, -1)),
        ("lzyxc", (-4, -3, -2)),
        ("lzyx", (-3, -2, -1)),
        ("xlzcy", (-5, -3, -1)),  # of five letters x is the first, z the third, y the last
        ("lcyx", (-2, -1)),
        ("lctzyx", (-3, -2, -1)),  # t is no spatial axis of a rotation
        ("blczyx", (-3, -2, -1)),  # counted from the end, so that a batch in front changes nothing
    ],
)
def test_spatial_dims_for_counts_from_the_end_in_the_order_of_the_layout(axes, dims):
    assert spatial_dims_for(axes) == dims


@pytest.mark.parametrize(("axes", "code"), [("lc", "wrong_value"), ("lzzyx", "duplicate"), (5, "wrong_type")])
def test_spatial_dims_for_refuses_what_is_no_layout(axes, code):
    with pytest.raises(AugmentError) as raised:
        spatial_dims_for(axes)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("numbers", "perm", "flips"),
    [
        # 0.5 * 6 = 3: the fourth of (012, 021, 102, 120, 201, 210); then 0.4 is below a half, 0.5 and 0.9 are not.
        ((0.5, 0.4, 0.5, 0.9), (1, 2, 0), (True, False, False)),
        ((0.0, 0.9, 0.9, 0.9), (0, 1, 2), (False, False, False)),
        ((0.999, 0.0, 0.0, 0.0), (2, 1, 0), (True, True, True)),  # 5.99: the sixth
        ((0.166, 0.6, 0.1, 0.6), (0, 1, 2), (False, True, False)),  # 0.996: still the first
        ((0.167, 0.6, 0.6, 0.1), (0, 2, 1), (False, False, True)),  # 1.002: the second
    ],
)
def test_draw_rot90_takes_one_number_for_the_order_and_one_per_mirror(numbers, perm, flips):
    rng = Numbers(*numbers)
    assert draw_rot90(rng) == (perm, flips)
    assert rng.left == []


@pytest.mark.parametrize(
    ("fixed", "first", "perm"),
    [(0, 0.4, (0, 2, 1)), (1, 0.4, (2, 1, 0)), (2, 0.4, (1, 0, 2)), (0, 0.5, (0, 1, 2)), (2, 0.5, (0, 1, 2))],
)
def test_draw_rot90_with_a_fixed_axis_takes_the_exchange_first(fixed, first, perm):
    rng = Numbers(first, 0.9, 0.1, 0.9)
    assert draw_rot90(rng, fixed_axis=fixed) == (perm, (False, True, False))
    assert rng.left == []


def test_apply_rot90_mirrors_first_and_then_permutes():
    # Mirrored along slot 0: [[[4, 5], [6, 7]], [[0, 1], [2, 3]]]. Then slots 0 and 1 exchange.
    assert apply_rot90(cube(), (1, 0, 2), (True, False, False)).tolist() == [[[4, 5], [0, 1]], [[6, 7], [2, 3]]]


def test_apply_rot90_of_a_cycle_takes_slot_i_from_slot_perm_i():
    # out[i][j][k] = in at slot 1 = i, slot 2 = j, slot 0 = k: 4k + 2i + j.
    assert apply_rot90(cube(), (1, 2, 0), (False,) * 3).tolist() == [[[0, 4], [1, 5]], [[2, 6], [3, 7]]]


@pytest.mark.parametrize("flips", FLIPS)
@pytest.mark.parametrize("perm", PERMS)
def test_apply_rot90_equals_the_rule_voxel_by_voxel(perm, flips):
    assert np.array_equal(apply_rot90(cube(3), perm, flips).numpy(), oracle(cube(3).numpy(), perm, flips))


def test_the_48_symmetries_of_a_cube_are_distinct():
    assert len({tuple(apply_rot90(cube(), p, f).flatten().tolist()) for p in PERMS for f in FLIPS}) == 48


def test_rot90isocube_reaches_every_one_of_the_48_alike():
    rng = np.random.default_rng(0)
    seen = {}
    for _ in range(4800):
        (turned,) = rot90isocube(rng, cube())
        key = tuple(turned.flatten().tolist())
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 48
    # 100 each on average, with a deviation of about 10.
    assert min(seen.values()) > 50
    assert max(seen.values()) < 150


@pytest.mark.parametrize("fixed", [0, 1, 2])
def test_rot90inplane_reaches_the_16_symmetries_that_keep_an_axis(fixed):
    rng = np.random.default_rng(1)
    seen = {tuple(rot90inplane(rng, cube(), fixed_axis=fixed)[0].flatten().tolist()) for _ in range(600)}
    kept = {
        tuple(apply_rot90(cube(), perm, flips).flatten().tolist())
        for perm in PERMS
        for flips in FLIPS
        if perm[fixed] == fixed
    }
    assert len(kept) == 16
    assert seen == kept


@pytest.mark.parametrize("kind", RNGS)
def test_every_kind_of_rng_draws_the_same_from_the_same_state(kind):
    def run():
        rng = RNGS[kind]()
        np.random.seed(5)
        return [rot90isocube(rng, cube(3))[0], rot90inplane(rng, cube(3), fixed_axis=1)[0]]

    assert all(torch.equal(a, b) for a, b in zip(run(), run(), strict=True))


def test_the_module_and_a_state_of_its_seed_draw_alike():
    np.random.seed(11)
    (drawn,) = rot90isocube(np.random, cube(3))
    (again,) = rot90isocube(np.random.RandomState(11), cube(3))
    assert torch.equal(drawn, again)


@pytest.mark.parametrize("turn", [rot90isocube, rot90inplane])
def test_a_tuple_comes_back_for_one_tensor_and_for_none(turn):
    assert isinstance(turn(np.random, cube()), tuple)
    assert turn(np.random) == ()


@pytest.mark.parametrize("turn", [rot90isocube, rot90inplane])
def test_one_draw_turns_images_and_labels_alike(turn):
    label = torch.arange(2 * 27).view(2, 3, 3, 3)
    image = torch.stack([label * 10, label * 10 + 1], dim=1)  # (l, c, z, y, x)
    for seed in range(20):
        img, lab = turn(np.random.RandomState(seed), image, label)
        assert torch.equal(img[:, 0], lab * 10)
        assert torch.equal(img[:, 1], lab * 10 + 1)


@pytest.mark.parametrize("turn", [rot90isocube, rot90inplane])
def test_a_list_of_axes_per_tensor_turns_other_layouts_alike(turn):
    label = torch.arange(2 * 27).view(2, 3, 3, 3)
    image = torch.stack([label, label + 100], dim=-1)  # (l, z, y, x, c)
    axes = [spatial_dims_for("lzyxc"), spatial_dims_for("lzyx")]
    for seed in range(20):
        img, lab = turn(np.random.RandomState(seed), image, label, spatial_dims=axes)
        assert torch.equal(img[..., 0], lab)
        assert torch.equal(img[..., 1], lab + 100)


def test_channels_and_scales_stay_where_they_are():
    image = torch.arange(2 * 3 * 8).view(2, 3, 2, 2, 2)
    (turned,) = rot90isocube(np.random.default_rng(4), image)
    assert torch.equal(turned.flatten(2).sort().values, image.flatten(2).sort().values)


def test_the_slots_follow_the_order_that_spatial_dims_lists():
    # The slots (x, y, z) are the axes -1, -2, -3 of a tensor (z, y, x); exchanging slots 0 and 1 exchanges x and y.
    turned = apply_rot90(cube(), (1, 0, 2), (False, False, False), spatial_dims=(-1, -2, -3))
    assert torch.equal(turned, cube().permute(0, 2, 1))


def test_axes_may_be_counted_from_the_front():
    image = torch.arange(16).view(2, 2, 2, 2)
    back = apply_rot90(image, (2, 0, 1), (True, False, True), spatial_dims=(-4, -3, -2))
    assert torch.equal(apply_rot90(image, (2, 0, 1), (True, False, True), spatial_dims=(0, 1, 2)), back)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_kept_with_its_values(dtype):
    values = cube().to(dtype)
    turned = apply_rot90(values, (1, 0, 2), (True, False, False))
    assert turned.dtype == dtype
    assert torch.equal(turned, torch.tensor([[[4, 5], [0, 1]], [[6, 7], [2, 3]]]).to(dtype))
    # Mirroring along the last axis too: each pair the other way round.
    turned = apply_rot90(values, (1, 0, 2), (True, False, True))
    assert torch.equal(turned, torch.tensor([[[5, 4], [1, 0]], [[7, 6], [3, 2]]]).to(dtype))


@pytest.mark.parametrize("flips", [(False, False, False), (True, False, True)])
@pytest.mark.parametrize("perm", [(0, 1, 2), (2, 1, 0)])
def test_inputs_are_never_changed_and_never_shared(perm, flips):
    values = cube()
    turned = apply_rot90(values, perm, flips)
    turned += 100
    assert torch.equal(values, cube())
    assert turned.is_contiguous()


def test_a_tensor_that_is_not_contiguous_comes_back_contiguous():
    values = cube(3).permute(2, 0, 1)
    turned = apply_rot90(values, (0, 1, 2), (False, False, False))
    assert torch.equal(turned, values)
    assert turned.is_contiguous()


def test_tensors_stay_on_their_device():
    image, label = torch.empty(1, 1, 4, 4, 4, device="meta"), torch.empty(1, 4, 4, 4, device="meta")
    for turned in (*rot90isocube(np.random, image, label), *rot90inplane(np.random, image, label)):
        assert turned.device.type == "meta"


@pytest.mark.parametrize("turn", [rot90isocube, rot90inplane])
def test_a_patch_that_is_no_cube_is_refused_whichever_rotation(turn):
    with pytest.raises(AugmentError, match=r"tensors\[1\]: has \(8, 32, 32\) voxels .* cubic patch") as raised:
        turn(np.random, torch.ones(1, 1, 32, 32, 32), torch.ones(1, 8, 32, 32))
    assert raised.value.code == "wrong_value"
    turn(np.random, torch.ones(1, 1, 32, 32, 32), torch.ones(1, 32, 32, 32))


@pytest.mark.parametrize("kind", [ValueError, AssertionError])
def test_a_broken_precondition_is_a_value_error_and_an_assertion_error(kind):
    with pytest.raises(kind):
        rot90isocube(np.random, torch.ones(2, 3, 3))


@pytest.mark.parametrize(
    "pixel_size",
    [
        (8, 8, 8),
        [8.0, 8.0, 8.0 * (1 + 5e-7)],  # equal within a relative 1e-6
        np.array([[8, 8, 8], [16, 16, 16]], np.float32),
        torch.tensor([[8.0, 8.0, 8.0], [32.0, 32.0, 32.0]]),
        torch.full((4, 2, 3), 8.0),
        None,
    ],
)
def test_cubic_voxels_pass_rot90isocube(pixel_size):
    (turned,) = rot90isocube(np.random, torch.ones(2, 1, 4, 4, 4), pixel_size=pixel_size)
    assert torch.equal(turned, torch.ones(2, 1, 4, 4, 4))


@pytest.mark.parametrize(
    "pixel_size",
    [(40, 8, 8), (8, 8, 8.0001), [[8, 8, 8], [16, 16, 32]], torch.tensor([[8.0, 9.0, 8.0]])],
)
def test_voxels_that_are_not_cubic_are_refused_by_rot90isocube_at_any_scale(pixel_size):
    with pytest.raises(AugmentError, match=r"pixel_size: is .* rot90inplane keeps one axis in place"):
        rot90isocube(np.random, torch.ones(2, 1, 4, 4, 4), pixel_size=pixel_size)


@pytest.mark.parametrize(
    ("fixed", "passes", "fails"),
    [
        (0, (40, 8, 8), (40, 8, 9)),
        (1, (8, 40, 8), (40, 8, 8)),
        (2, (8, 8, 40), (8, 40, 8)),
    ],
)
def test_rot90inplane_asks_for_one_size_along_the_two_free_axes(fixed, passes, fails):
    image = torch.ones(1, 1, 4, 4, 4)
    rot90inplane(np.random, image, fixed_axis=fixed, pixel_size=passes)
    with pytest.raises(AugmentError, match=r"pixel_size: is .* exchanged"):
        rot90inplane(np.random, image, fixed_axis=fixed, pixel_size=fails)


@pytest.mark.parametrize(
    ("pixel_size", "code"),
    [
        ((8, 8), "wrong_length"),
        ([[8, 8, 8, 8]], "wrong_length"),
        ((), "wrong_length"),
        ("8nm", "wrong_type"),
        ([(8, 8, 8), (8, 8)], "wrong_type"),
        (8.0, "wrong_type"),
        ((8, 8, float("nan")), "not_positive"),
        ((0, 0, 0), "not_positive"),
    ],
)
def test_what_is_no_voxel_size_is_refused(pixel_size, code):
    with pytest.raises(AugmentError) as raised:
        rot90isocube(np.random, torch.ones(4, 4, 4), pixel_size=pixel_size)
    assert raised.value.code == code
    assert raised.value.at == ("pixel_size",)


@pytest.mark.parametrize("fixed", [3, -1, True, None, 0.5, "z"])
def test_a_fixed_axis_is_one_of_three_slots(fixed):
    with pytest.raises(AugmentError, match=r"fixed_axis: is .* give 0, 1 or 2"):
        rot90inplane(np.random, torch.ones(4, 4, 4), fixed_axis=fixed)
    rot90inplane(np.random, torch.ones(4, 4, 4), fixed_axis=np.int64(2))


@pytest.mark.parametrize(
    ("dims", "code", "at"),
    [
        ((-2, -1), "wrong_length", ("spatial_dims",)),  # of a layout with two axes
        ((-6, -2, -1), "out_of_range", ("spatial_dims",)),
        ((-3, -3, -1), "duplicate", ("spatial_dims",)),
        ((2, -3, -1), "duplicate", ("spatial_dims",)),  # axis 2 of five is axis -3
        ([(-3, -2, -1)], "wrong_length", ("spatial_dims",)),  # one list for two tensors
        ([(-3, -2, -1), (-4, -3)], "wrong_length", ("spatial_dims", 1)),
        ([(-3, -2, -1), (-5, -2, -1)], "out_of_range", ("spatial_dims", 1)),
        ([(-3, -2, -1), "zyx"], "wrong_type", ("spatial_dims", 1)),
        ("lczyx", "wrong_type", ("spatial_dims",)),
        (None, "wrong_type", ("spatial_dims",)),
        ((-3.0, -2.0, -1.0), "wrong_type", ("spatial_dims",)),
    ],
)
def test_spatial_dims_that_do_not_fit_are_refused(dims, code, at):
    image, label = torch.ones(1, 1, 4, 4, 4), torch.ones(1, 4, 4, 4)
    with pytest.raises(AugmentError) as raised:
        rot90isocube(np.random, image, label, spatial_dims=dims)
    assert (raised.value.code, raised.value.at) == (code, at)


def test_the_empty_label_of_a_volume_without_labels_is_said_to_be_left_out():
    with pytest.raises(AugmentError, match="leave out the empty label"):
        rot90isocube(np.random, torch.ones(1, 1, 4, 4, 4), torch.empty(0, dtype=torch.int64))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((torch.ones(4, 4, 4),), "rng: is Tensor; the first argument is np.random"),
        ((np.random, np.ones((4, 4, 4))), r"tensors\[0\]: is ndarray; .* torch.from_numpy"),
        ((np.random, [torch.ones(4, 4, 4)]), r"tensors\[0\]: is list; .* one by one"),
        ((np.random, None), r"tensors\[0\]: is NoneType"),
        ((np.random, torch.ones(4, 4, 4, dtype=torch.complex64)), r"tensors\[0\]: is torch.complex64"),
    ],
)
def test_what_is_no_rng_and_no_tensor_is_said(arguments, match):
    with pytest.raises(AugmentError, match=match):
        rot90isocube(*arguments)


def test_nothing_is_drawn_where_a_precondition_is_broken():
    rng = Numbers(0.1, 0.2, 0.3, 0.4)
    with pytest.raises(AugmentError):
        rot90isocube(rng, torch.ones(4, 4, 4), torch.ones(4, 4, 5))
    assert len(rng.left) == 4


@pytest.mark.parametrize("perm", [(0, 1), (0, 0, 1), (1, 2, 3), "zyx"])
def test_perm_is_an_order_of_the_slots(perm):
    with pytest.raises(AugmentError, match="perm: is"):
        apply_rot90(cube(), perm, (False, False, False))


def test_flips_are_three():
    with pytest.raises(AugmentError, match="flips: has 2"):
        apply_rot90(cube(), (0, 1, 2), (True, False))
    apply_rot90(cube(), [0, 1, 2], [True, False, True])


def test_a_recorded_draw_is_replayed_over_tensors_of_other_layouts():
    perm, flips = draw_rot90(np.random.default_rng(8))
    levels = [torch.arange(27).view(3, 3, 3), torch.arange(64).view(4, 4, 4)]
    turned = [apply_rot90(level, perm, flips) for level in levels]
    with_channel = apply_rot90(levels[1][..., None], perm, flips, spatial_dims=(-4, -3, -2))
    assert torch.equal(with_channel[..., 0], turned[1])
    assert np.array_equal(turned[0].numpy(), oracle(levels[0].numpy(), perm, flips))


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(3)), st.tuples(*[st.booleans()] * 3), st.integers(1, 4))
def test_a_symmetry_moves_voxels_and_changes_none(perm, flips, n):
    turned = apply_rot90(cube(n), perm, flips)
    assert sorted(turned.flatten().tolist()) == list(range(n**3))
    assert np.array_equal(turned.numpy(), oracle(cube(n).numpy(), perm, flips))
