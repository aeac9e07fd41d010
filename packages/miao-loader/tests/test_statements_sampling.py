"""What a dataset draws and walks over, seen in the boxes, sizes and values of its samples."""

from itertools import product

import numpy as np
import pytest
import torch
from miao_stores import config, group2, positions, ramp_pyramid
from torch.utils.data import DataLoader

import miao
from miao.errors import MiaoWarning, PlanError, VolumeError

VOXEL = (8.0, 6.0, 4.0)
SIZES = np.array([VOXEL, [16.0, 12.0, 8.0], [32.0, 24.0, 16.0]])


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, *, seed=3, **more):
    return miao.VolumeDataset(config(path, **more), seed=seed, verbose=False)


def corners(sample):
    """Return lower and upper corners of what each scale read, float64 (L, 2, 3), of a pyramid placed by centres."""
    levels = sample["meta"]["source_levels"]
    return miao.extent(sample["bbox"].double().numpy(), SIZES[levels])


def test_the_global_generator_is_used_in_the_order_volume_centre_window(ramp):
    """Level 0: 40 x 48 x 56 at patch 8, 10, 12; level 1: 20 x 24 x 28. With sample_windows the fine one goes anywhere.

    Centres from 4 5 6 to 36 43 50. The coarse origin, in voxels of twice the size, covers the fine window [o, o + n):
    from ceil((o + n) / 2) - n to floor(o / 2), within 0 and N - n.
    """
    dataset = made(ramp, seed=None, sample_windows=True, resolutions=[[8, 6, 4], [16, 12, 8]])
    np.random.seed(11)
    samples = [dataset[0], dataset[0]]
    rng = np.random.RandomState(11)
    for sample in samples:
        assert rng.choice(1, p=[1.0]) == 0
        centre = [rng.randint(low, high + 1) for low, high in ((4, 36), (5, 43), (6, 50))]
        assert sample["meta"]["coordinate"] == centre
        origin = []
        for c, n, whole in zip(centre, (8, 10, 12), (20, 24, 28), strict=True):
            o = c - n // 2
            low, high = max(0, -(-(o + n) // 2) - n), min(whole - n, o // 2)
            origin.append(rng.randint(low, high + 1))
        assert corners(sample)[1, 0].tolist() == [
            o * v - f / 2 for o, v, f in zip(origin, SIZES[1], VOXEL, strict=True)
        ]


def test_windows_of_coarser_scales_cover_the_one_before_and_move(ramp):
    dataset = made(ramp, samples_per_epoch=60, sample_windows=True, resolutions=SIZES.tolist(), patch_size=[6, 8, 8])
    offsets = set()
    for index in range(60):
        boxes = corners(dataset[index])
        assert (boxes[1:, 0] <= boxes[:-1, 0] + 1e-9).all()
        assert (boxes[1:, 1] >= boxes[:-1, 1] - 1e-9).all()
        offsets.add(tuple(boxes[1, 0] - boxes[0, 0]))
    assert len(offsets) > 30


@pytest.mark.parametrize("windows", [False, True])
def test_a_bounding_box_confines_what_every_scale_reads(ramp, windows):
    """[4, 36) by [6, 42) by [8, 52) voxels of level 0, whose corner is half a voxel below 0."""
    box = [[4, 36], [6, 42], [8, 52]]
    dataset = made(
        ramp,
        volume={"bounding_box": box},
        sample_windows=windows,
        resolutions=[[8, 6, 4], [16, 12, 8]],
        samples_per_epoch=60,
    )
    low = np.array([(lo - 0.5) * v for (lo, _), v in zip(box, VOXEL, strict=True)])
    high = np.array([(hi - 0.5) * v for (_, hi), v in zip(box, VOXEL, strict=True)])
    found = np.array([corners(dataset[index]) for index in range(60)])
    assert (found[:, :, 0] >= low).all()
    assert (found[:, :, 1] <= high).all()
    # 16 voxels of level 0 along z fit 17 times into 32, of even origins; 60 draws meet one end at least.
    assert found[:, 1, 0, 0].min() < low[0] + 32


def test_a_bounding_box_that_leaves_the_volume_is_clipped_with_a_warning(ramp):
    with pytest.warns(MiaoWarning, match="clipped"):
        dataset = made(ramp, volume={"bounding_box": [[-5, 20], [0, 1000], [0, 56]]})
    assert dataset.volumes[0].bounding_box == ((0, 20), (0, 48), (0, 56))


def test_a_bounding_box_of_exactly_a_window_has_one_sample(ramp):
    dataset = made(ramp, volume={"bounding_box": [[8, 16], [10, 20], [12, 24]]}, samples_per_epoch=3)
    assert [dataset[index]["meta"]["coordinate"] for index in range(3)] == [[12, 15, 18]] * 3
    assert "size=960 reachable" in dataset.summary()
    with pytest.raises(PlanError, match="bounding_box"):
        made(ramp, volume={"bounding_box": [[8, 15], [10, 20], [12, 24]]})


def test_scales_that_share_a_centre_keep_the_first_from_the_border_unless_it_is_clamped(ramp):
    """Along z the origin at level 1, ceil((8 c - 8) / 16 - 4) = ceil(c / 2 - 4.5), is 0 to 20 - 8: c is 8 to 33."""
    more = {"resolutions": [[8, 6, 4], [16, 12, 8]], "samples_per_epoch": 300}
    confined, clamped = made(ramp, **more), made(ramp, border="clamp", **more)
    for dataset, least, most in ((confined, 8, 33), (clamped, 4, 36)):
        planes = [dataset.plan(index).centre[0] for index in range(300)]
        # Of a 26th or 33rd each: 300 draws miss an end 1 time in 10^4.
        assert (min(planes), max(planes)) == (least, most)
    # 40 * 48 * 56.
    assert "size=107520 reachable" in clamped.summary()


def test_resolutions_are_drawn_for_each_sample_and_said(ramp):
    sampling = {"ranges": [[[1], [2]], [[4], [8]]], "n_scales": [1, 2]}
    dataset = made(ramp, resolutions=None, resolution_sampling=sampling, samples_per_epoch=50, patch_size=[4, 4, 4])
    seen = set()
    for index in range(50):
        sample = dataset[index]
        sizes = sample["pixel_size"].double()
        assert sizes.shape == (3, 3)
        assert torch.allclose(sizes, torch.tensor(sample["meta"]["resolutions"], dtype=torch.float64))
        # One number per scale, the finest first, each from its range.
        assert (sizes == sizes[:, :1]).all()
        assert 1 <= sizes[0, 0] <= 2
        assert 4 <= sizes[1, 0] <= sizes[2, 0] <= 8
        seen.add(float(sizes[1, 0]))
        # Of levels (8, 6, 4) no size up to 8 is coarser than the first along every axis.
        assert sample["meta"]["source_levels"] == [0, 0, 0]
    assert len(seen) == 50


def test_resolutions_are_drawn_anew_each_time_without_a_seed(ramp):
    sampling = {"ranges": [[[8, 6, 4], [32, 24, 16]]]}
    dataset = made(ramp, seed=None, resolutions=None, resolution_sampling=sampling, patch_size=[4, 4, 4])
    drawn = [dataset[0]["pixel_size"][0] for _ in range(20)]
    ratios = {tuple(np.round((row / torch.tensor(VOXEL)).tolist(), 4)) for row in drawn}
    assert len(ratios) == 20
    assert all(len(set(row)) == 3 for row in ratios)
    assert all(1 <= value <= 4 for row in ratios for value in row)


def test_draws_are_even_in_their_logarithm(ramp):
    """Between 4 and 16 half lie below 8: of 1000 draws 500, give or take 5 deviations of 16."""
    sampling = {"ranges": [[[4], [16]]]}
    dataset = made(ramp, resolutions=None, resolution_sampling=sampling, samples_per_epoch=1000, patch_size=[4, 4, 4])
    below = sum(dataset.plan(index).scales[0].scale.resolution[0] < 8 for index in range(1000))
    assert 420 < below < 580


def test_volumes_override_the_resolutions_and_unexpanded_ones_share_a_list(tmp_path):
    """b was expanded twofold: its stored 16 12 8 are 8 6 4 of specimen."""
    ramp_pyramid(tmp_path / "a.zarr")
    group2(tmp_path / "b.zarr" / "raw", [("s0", np.zeros((20, 24, 28)), (16, 12, 8), None)])
    fields = config(tmp_path / "a.zarr", samples_per_epoch=40)
    own = {"name": "own", "path": str(tmp_path / "a.zarr"), "image_key": "raw", "resolutions": [[16, 12, 8]]}
    fields["volumes"] += [
        {"name": "b", "path": str(tmp_path / "b.zarr"), "image_key": "raw", "exp_factor": 2.0},
        own,
    ]
    dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
    seen = {}
    for index in range(40):
        sample = dataset[index]
        box = (sample["bbox"][0, 1] - sample["bbox"][0, 0]).tolist()
        seen[sample["meta"]["volume"]] = (sample["pixel_size"][0].tolist(), sample["meta"]["source_levels"], box)
    assert seen == {
        "a": ([8, 6, 4], [0], [64, 60, 48]),
        "b": ([8, 6, 4], [0], [64, 60, 48]),
        "own": ([16, 12, 8], [1], [128, 120, 96]),
    }


def test_every_voxel_of_the_first_scale_is_walked_over(ramp):
    """Two scales; 9 of 40, 11 of 48, 13 of 56: no gap and no window twice, the last ones at 31, 37, 43."""
    dataset = made(ramp, sampling="sequential", patch_size=[9, 11, 13], overlap=2, resolutions=[[8, 6, 4], [16, 12, 8]])
    seen = np.zeros((40, 48, 56), int)
    starts = set()
    for index in range(len(dataset)):
        plan = dataset.plan(index)
        start = plan.scales[0].start
        starts.add(start)
        seen[tuple(slice(o, o + n) for o, n in zip(start, (9, 11, 13), strict=True))] += 1
        coarse = plan.scales[1]
        assert all(0 <= o <= whole - n for o, n, whole in zip(coarse.start, (9, 11, 13), (20, 24, 28), strict=True))
    assert seen.min() == 1
    # Strides 7, 9, 11: 0 7 14 21 28 31, 0 9 18 27 36 37, 0 11 22 33 43.
    assert len(starts) == len(dataset) == 6 * 6 * 5
    assert max(starts) == (31, 37, 43)


def test_a_walk_takes_volumes_in_order_whatever_their_weights(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    fields = config(tmp_path / "a.zarr", sampling="sequential", samples_per_epoch=1, size_weighting_exponent=2)
    fields["volumes"].append({**fields["volumes"][0], "name": "b", "weight": 1e9})
    dataset = miao.VolumeDataset(fields, verbose=False)
    # 40/8, ceil(48/10), ceil(56/12).
    assert len(dataset) == 2 * 5 * 5 * 5
    names = [name for batch in DataLoader(dataset, 50) for name in batch["meta"]["volume"]]
    assert names == ["a"] * 125 + ["b"] * 125


def sharded(path, array, *, shard, inner, voxel):
    """Write a zarr v3 group of one sharded level; its documents are those of worldarray-write."""
    write = pytest.importorskip("worldarray_write")
    made = write.create(
        path, array.shape, array.dtype, voxel, (0.0,) * 3, axes="zyx", chunks=inner, shards=shard, format="zarr3"
    )
    made.write_index((0, 0, 0), array.shape, array)


def test_chunks_of_sharded_arrays_are_the_inner_ones_and_count_what_is_read(tmp_path):
    """Inner chunks of 16 in shards of 32; a patch of 8 at twice the voxel size reads 16, from 0, 16, 32 or 48."""
    values = np.zeros((64, 64, 64), "uint8")
    sharded(tmp_path / "a.zarr" / "raw" / "s0", values, shard=(32,) * 3, inner=(16,) * 3, voxel=VOXEL)
    dataset = made(
        tmp_path / "a.zarr",
        volume={"zarr_version": "zarr3"},
        chunk_aligned=True,
        patch_size=[8, 8, 8],
        resolutions=[[16, 12, 8]],
        samples_per_epoch=60,
    )
    assert dataset.volumes[0].image.levels[0].chunk == (16, 16, 16)
    starts = {dataset.plan(index).scales[0].start for index in range(60)}
    assert {value for start in starts for value in start} == {0, 16, 32, 48}
    assert dataset[0]["img"].shape == (1, 1, 8, 8, 8)


def test_windows_hold_the_foreground_that_is_asked_for(tmp_path):
    """Of 8 * 10 * 12 voxels at least 2/5 are in the mask, which is 1 in one corner of the volume."""
    mask = np.zeros((40, 48, 56), "uint8")
    mask[:12, :20, :20] = 3
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.zeros(mask.shape, "uint8"), VOXEL, None)])
    group2(tmp_path / "a.zarr" / "fg", [("s0", mask, VOXEL, None)])
    dataset = made(tmp_path / "a.zarr", volume={"mask_key": "fg", "min_foreground": 0.4}, samples_per_epoch=60)
    starts = set()
    for index in range(60):
        start = dataset.plan(index).scales[0].start
        window = tuple(slice(o, o + n) for o, n in zip(start, (8, 10, 12), strict=True))
        assert np.count_nonzero(mask[window]) >= 0.4 * 960
        starts.add(start)
    assert len(starts) > 40
    assert dataset[0]["label"].numel() == 0
    lone = np.zeros(mask.shape, "uint8")
    lone[3, 4, 5] = 1
    group2(tmp_path / "b.zarr" / "raw", [("s0", np.zeros(mask.shape, "uint8"), VOXEL, None)])
    group2(tmp_path / "b.zarr" / "fg", [("s0", lone, VOXEL, None)])
    # One voxel is 1/960 of a window.
    least = made(tmp_path / "b.zarr", volume={"mask_key": "fg", "min_foreground": 1 / 960})
    assert all(o <= 3 for o in (least.plan(index).scales[0].start[0] for index in range(6)))
    most = made(tmp_path / "b.zarr", volume={"mask_key": "fg", "min_foreground": 0.4})
    with pytest.raises(PlanError, match=r"0\.00104.*min_foreground"):
        most[0]


def test_labels_by_position_lie_on_the_image_wherever_a_window_begins(tmp_path):
    """Labels of 16 nm under an image of 8 nm, block means both: label voxel k lies on image voxels 2 k and 2 k + 1."""
    values = positions((40, 40, 40), (1, 1, 1), (0, 0, 0), (1, 40, 1600))
    coarse = positions((20, 20, 20), (1, 1, 1), (0, 0, 0), (1, 40, 1600)).astype("int32")
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (8, 8, 8), (0, 0, 0))])
    group2(tmp_path / "a.zarr" / "seg", [("s0", coarse, (16, 16, 16), (4, 4, 4))])
    more = {
        "patch_size": [6, 7, 8],
        "resolutions": [[8, 8, 8]],
        "samples_per_epoch": 30,
        "volume": {"label_key": "seg"},
    }
    dataset = made(tmp_path / "a.zarr", label_sampling="position", **more)
    odd = 0
    for index in range(30):
        start = dataset.plan(index).scales[0].start
        expected = np.zeros((6, 7, 8))
        for axis, (o, n, weight) in enumerate(zip(start, (6, 7, 8), (1, 40, 1600), strict=True)):
            place = (np.arange(o, o + n) // 2 * weight).reshape([-1 if i == axis else 1 for i in range(3)])
            expected += place
        assert np.array_equal(dataset[index]["label"][0].numpy(), expected)
        odd += any(o % 2 for o in start)
    assert odd > 15


def test_units_of_volumes_agree_or_are_converted(tmp_path):
    """8 nm in one store, 0.016 um in the other."""
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.zeros((40, 40, 40)), (8, 8, 8), None)])
    group2(tmp_path / "b.zarr" / "raw", [("s0", np.zeros((40, 40, 40)), (0.016,) * 3, None)], units="micrometer")
    fields = config(tmp_path / "a.zarr", patch_size=[4, 4, 4], resolutions=[[16, 16, 16]], samples_per_epoch=20)
    fields["volumes"].append({"name": "b", "path": str(tmp_path / "b.zarr"), "image_key": "raw"})
    with pytest.raises(VolumeError, match=r"micrometer.*nanometer.*units: nanometer"):
        miao.VolumeDataset(fields, verbose=False)
    dataset = miao.VolumeDataset({**fields, "units": "nanometer"}, seed=1, verbose=False)
    sizes = {}
    for index in range(20):
        sample = dataset[index]
        sizes[sample["meta"]["volume"]] = (sample["bbox"][0, 1] - sample["bbox"][0, 0]).tolist()
    assert sizes == {"a": [64, 64, 64], "b": [64, 64, 64]}
    # 8 voxels of 8 nm are read in a, 4 of 16 nm in b.
    assert [dataset.scales(volume)[0].size for volume in range(2)] == [(8, 8, 8), (4, 4, 4)]


def test_axes_by_long_names_and_capitals(tmp_path):
    frames = np.stack([np.full((10, 12, 14), frame, "float32") for frame in range(3)])
    types = ["time", "space", "space", "space"]
    path = tmp_path / "a.zarr" / "raw"
    group2(path, [("s0", frames, (1, 8, 6, 4), None)], axes=["time", "Z", "Y", "X"], types=types)
    for name in ("time", "t"):
        sample = made(tmp_path / "a.zarr", volume={"fixed_axes": {name: 2}}, patch_size=[4, 5, 6])[0]
        assert sample["img"].unique().tolist() == [2.0]
    with pytest.raises(VolumeError, match=r"fixed_axes: \{t: 0\}"):
        made(tmp_path / "a.zarr", patch_size=[4, 5, 6])


def test_a_level_of_other_frames_is_left_out_with_a_warning(tmp_path):
    """s1 has every second frame; s2 has them all, of half the size in space."""
    frames = np.stack([np.full((16, 20, 24), frame, "float32") for frame in range(6)])
    levels = [
        ("s0", frames, (1, 8, 6, 4), None),
        ("s1", frames[::2, ::2, ::2, ::2].copy(), (2, 16, 12, 8), None),
        ("s2", frames[:, ::2, ::2, ::2].copy(), (1, 16, 12, 8), None),
    ]
    group2(tmp_path / "a.zarr" / "raw", levels, axes="tzyx")
    with pytest.warns(MiaoWarning, match="s1 .*another step along the pinned axis t"):
        dataset = made(
            tmp_path / "a.zarr", volume={"fixed_axes": {"t": 3}}, resolutions=[[16, 12, 8]], patch_size=[4, 5, 6]
        )
    assert [level.name for level in dataset.volumes[0].image.levels] == ["s0", "s2"]
    assert dataset[0]["img"].unique().tolist() == [3.0]


def test_a_pinned_axis_in_space_goes_to_the_voxel_that_holds_it_at_each_level(ramp):
    """Level-0 plane 7 lies in plane 3 of level 1 and in plane 1 of level 2; the ramp says z plane by its value."""
    dataset = made(
        ramp,
        output_axes="lcyx",
        patch_size=[6, 8],
        resolutions=[[6, 4], [12, 8]],
        volume={"fixed_axes": {"z": 7}},
    )
    assert [level.select for level in dataset.volumes[0].image.levels] == [(("z", k),) for k in (7, 3, 1)]
    sample = dataset[0]
    for scale, z in enumerate((7 * 8.0, 4.0 + 3 * 16.0)):
        y, x = sample["bbox"][scale, 0].tolist()
        assert sample["img"][scale, 0, 0, 0].item() == pytest.approx(z + 1000 * y + 0.01 * x, rel=1e-6)


def test_positions_are_all_of_every_combination(ramp):
    """A check of the check: the grid of a walk is the product of its axes."""
    dataset = made(ramp, sampling="sequential")
    found = {dataset.plan(index).grid_index for index in range(len(dataset))}
    assert found == set(product(range(5), repeat=3))
