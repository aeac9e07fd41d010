"""Samples of a dataset: shapes, dtypes, and values that say where they are from."""

import numpy as np
import pytest
import torch
from miao_stores import config, group2, positions, ramp_pyramid
from torch.utils.data import ConcatDataset, DataLoader, Dataset, default_collate

import miao
from miao.errors import ArgumentError, ArgumentTypeError, PlanError, SampleIndexError, VolumeError

WEIGHTS = (1.0, 1000.0, 0.01)
VOXEL = (8.0, 6.0, 4.0)


def made(path, augment=None, *, seed=3, **more):
    return miao.VolumeDataset(config(path, **more), augment, seed=seed, verbose=False)


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def expected(sample, scale, patch):
    """The ramp at the centres of the output voxels of one scale, from its box: begin + ((j + .5) n/p - .5) v."""
    begin, end = sample["bbox"][scale].double().numpy()
    total = np.zeros(patch)
    level = sample["meta"]["source_levels"][scale]
    for axis, p in enumerate(patch):
        v = VOXEL[axis] * 2**level
        n = round((end[axis] - begin[axis]) / v)
        source = np.clip((np.arange(p) + 0.5) * n / p - 0.5, 0, n - 1)
        place = begin[axis] + source * v
        total += (place * WEIGHTS[axis]).reshape([-1 if i == axis else 1 for i in range(3)])
    return total


def test_a_sample_holds_what_the_batch_format_says(ramp):
    dataset = made(ramp, resolutions=[[8, 6, 4], [16, 12, 8]])
    sample = dataset[0]
    assert isinstance(dataset, Dataset)
    assert set(sample) == {"img", "label", "bbox", "pixel_size", "meta"}
    assert sample["img"].shape == (2, 1, 8, 10, 12)
    assert sample["img"].dtype == torch.float32
    assert sample["img"].is_contiguous()
    assert sample["label"].shape == (0,)
    assert sample["label"].dtype == torch.int64
    assert sample["bbox"].shape == (2, 2, 3)
    assert sample["pixel_size"].tolist() == [[8, 6, 4], [16, 12, 8]]
    assert set(sample["meta"]) == {"volume", "coordinate", "resolutions", "source_levels", "read_voxel_size"}
    assert sample["meta"]["source_levels"] == [0, 1]
    assert all(isinstance(value, int) for value in sample["meta"]["coordinate"])


def test_level_zero_reads_the_window_about_its_coordinate(ramp):
    """[c - n//2, c - n//2 + n): the box begins at the centre of voxel c - 4, c - 5, c - 6."""
    sample = made(ramp)[1]
    c = sample["meta"]["coordinate"]
    assert sample["bbox"][0, 0].tolist() == [8 * (c[0] - 4), 6 * (c[1] - 5), 4 * (c[2] - 6)]
    assert sample["bbox"][0, 1].tolist() == [8 * (c[0] + 4), 6 * (c[1] + 5), 4 * (c[2] + 6)]


@pytest.mark.parametrize("resolution", [[8, 6, 4], [16, 12, 8], [12, 7, 5], [4, 3, 2], [20, 15, 10]])
def test_values_are_those_of_where_the_box_says(ramp, resolution):
    dataset = made(ramp, resolutions=[resolution], patch_size=[5, 6, 7])
    for index in range(6):
        sample = dataset[index]
        assert np.allclose(sample["img"][0, 0].numpy(), expected(sample, 0, (5, 6, 7)), rtol=1e-6)


def test_scales_share_a_centre_to_half_a_voxel_of_the_coarser(ramp):
    dataset = made(ramp, resolutions=[[8, 6, 4], [16, 12, 8]], patch_size=[8, 8, 8])
    for index in range(6):
        boxes = miao.extent(dataset[index]["bbox"].double().numpy(), np.array([VOXEL, [16.0, 12.0, 8.0]]))
        centres = boxes.mean(axis=1)
        assert (np.abs(centres[1] - centres[0]) <= np.array([16, 12, 8]) / 2 + 1e-9).all()


def test_output_axes_order_everything_spatial(ramp):
    plain = made(ramp)[2]
    turned = made(ramp, output_axes="xlzcy", patch_size=[12, 8, 10], resolutions=[[4, 8, 6]])[2]
    # x l z c y of what was l c z y x
    assert torch.equal(turned["img"], plain["img"].permute(4, 0, 2, 1, 3))
    order = [2, 0, 1]
    assert torch.equal(turned["bbox"], plain["bbox"][:, :, order])
    assert turned["meta"]["coordinate"] == [plain["meta"]["coordinate"][i] for i in order]
    assert turned["pixel_size"].tolist() == [[4, 8, 6]]


def test_integers_are_scaled_by_the_largest_value_of_their_dtype(tmp_path):
    values = np.arange(12 * 14 * 16, dtype="uint16").reshape(12, 14, 16) * 20
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, VOXEL, None)])
    sample = made(tmp_path / "a.zarr", patch_size=[4, 5, 6])[0]
    c = sample["meta"]["coordinate"]
    first = values[c[0] - 2, c[1] - 2, c[2] - 3]
    assert sample["img"][0, 0, 0, 0, 0].item() == np.float32(np.float32(first) * np.float32(1 / 65535)) or sample[
        "img"
    ][0, 0, 0, 0, 0].item() == pytest.approx(first / 65535, rel=1e-6)


def test_labels_are_exact_whatever_their_size(tmp_path):
    """2^24 + 1 is no float32; 2^40 + 3 needs 64 bits."""
    image = np.zeros((12, 14, 16), "uint8")
    labels = np.full(image.shape, 2**24 + 1, "uint64")
    labels[6:] = 2**40 + 3
    group2(tmp_path / "a.zarr" / "raw", [("s0", image, VOXEL, None)])
    group2(tmp_path / "a.zarr" / "seg", [("s0", labels, VOXEL, None)])
    with pytest.warns(miao.errors.MiaoWarning, match="uint64"):
        dataset = made(tmp_path / "a.zarr", volume={"label_key": "seg"}, resolutions=[[6, 4, 3]], patch_size=[8, 9, 10])
    found = {int(value) for index in range(6) for value in dataset[index]["label"].unique()}
    assert found <= {2**24 + 1, 2**40 + 3}
    assert dataset[0]["label"].dtype == torch.int64


def test_one_label_dtype_for_a_dataset(tmp_path):
    image = np.zeros((12, 14, 16), "uint8")
    for name, dtype, value in (("a", "uint8", 7), ("b", "uint32", 70000)):
        group2(tmp_path / f"{name}.zarr" / "raw", [("s0", image, VOXEL, None)])
        group2(tmp_path / f"{name}.zarr" / "seg", [("s0", np.full(image.shape, value, dtype), VOXEL, None)])
    volumes = [
        {"name": name, "path": str(tmp_path / f"{name}.zarr"), "image_key": "raw", "label_key": "seg"} for name in "ab"
    ]
    dataset = miao.VolumeDataset(
        {**config(tmp_path, patch_size=[4, 5, 6], samples_per_epoch=16), "volumes": volumes}, seed=0, verbose=False
    )
    for batch in DataLoader(dataset, batch_size=4, num_workers=2, multiprocessing_context="forkserver"):
        assert batch["label"].dtype == torch.int64
        for name, label in zip(batch["meta"]["volume"], batch["label"], strict=True):
            assert set(label.unique().tolist()) == {{"a": 7, "b": 70000}[name]}


def test_labels_lie_on_their_image(tmp_path):
    """A label crop of 24^3 whose voxel 0 is at 80: labels say the index of the image voxel that they lie on."""
    image = np.arange(40 * 40 * 40, dtype="float64").reshape(40, 40, 40)
    crop = (image[10:34, 11:35, 12:36] + 1).astype("int64")
    group2(tmp_path / "a.zarr" / "raw", [("s0", image, VOXEL, (0, 0, 0), (16, 16, 16))])
    group2(tmp_path / "a.zarr" / "seg", [("s0", crop, VOXEL, (80, 66, 48), (8, 8, 8))])
    dataset = made(tmp_path / "a.zarr", volume={"label_key": "seg"})
    for index in range(6):
        sample = dataset[index]
        assert torch.equal(sample["label"][0].double(), sample["img"][0, 0].double() + 1)


def test_label_fill_lets_windows_reach_beyond_a_label_crop(tmp_path):
    image = np.zeros((40, 40, 40), "uint8")
    group2(tmp_path / "a.zarr" / "raw", [("s0", image, VOXEL, (0, 0, 0))])
    group2(tmp_path / "a.zarr" / "seg", [("s0", np.full((4, 5, 6), 9, "uint8"), VOXEL, (128, 96, 64))])
    with pytest.raises(PlanError, match="label_fill"):
        made(tmp_path / "a.zarr", volume={"label_key": "seg"})
    dataset = made(tmp_path / "a.zarr", volume={"label_key": "seg", "label_fill": 255})
    for index in range(6):
        sample = dataset[index]
        c = sample["meta"]["coordinate"]
        assert all(low <= value < high for value, low, high in zip(c, (16, 16, 16), (20, 21, 22), strict=True))
        # The window [c - 4, c + 4) by [c - 5, c + 5) by [c - 6, c + 6) holds [16, 20) by [16, 21) by [16, 22) whole
        # or in part.
        sizes = [min(c[a] + h, hi) - max(c[a] - h, 16) for a, (h, hi) in enumerate(((4, 20), (5, 21), (6, 22)))]
        assert (sample["label"] == 9).sum() == np.prod(sizes)
        assert set(sample["label"].unique().tolist()) <= {9, 255}
        assert sample["label"].dtype == torch.int16


def test_a_time_axis_is_an_output_axis_like_others(tmp_path):
    values = positions((6, 10, 12, 14), (1, 8, 6, 4), (0, 0, 0, 0), (1e5, 1, 1000, 0.01))
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (1, 8, 6, 4), None)], axes="tzyx")
    dataset = made(tmp_path / "a.zarr", output_axes="ltzyx", patch_size=[3, 4, 5, 6], resolutions=[[0.5, 8, 6, 2]])
    sample = dataset[0]
    assert sample["img"].shape == (1, 3, 4, 5, 6)
    assert sample["bbox"].shape == (1, 2, 4)
    # Linear in t, so half a frame's step is half its value: (j + .5) 2/3 - .5 of two frames is .0 clipped, .5, 1.
    steps = sample["img"][0, :, 0, 0, 0].diff()
    assert np.allclose(steps.numpy(), 5e4, rtol=1e-3)


def test_two_dimensional_stores_are_resampled(tmp_path):
    values = positions((40, 48), (6.0, 4.0), (0, 0), (1000, 0.01))
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (6, 4), None)], axes="yx")
    dataset = made(tmp_path / "a.zarr", output_axes="lyx", patch_size=[9, 7], resolutions=[[12, 6]])
    assert dataset[0]["img"].shape == (1, 9, 7)


def test_pinned_frames_are_volumes_of_their_own(tmp_path):
    values = np.stack([np.full((10, 12, 14), frame * 10.0) for frame in range(5)])
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (1, 8, 6, 4), None)], axes="tzyx")
    dataset = made(tmp_path / "a.zarr", volume={"name": "fish", "fixed_axes": {"t": [1, 3]}}, patch_size=[4, 5, 6])
    assert {volume.name for volume in dataset.volumes} == {"fish[t=1]", "fish[t=3]"}
    assert [volume.weight for volume in dataset.volumes] == [0.5, 0.5]
    for index in range(6):
        sample = dataset[index]
        frame = int(sample["meta"]["volume"][7])
        assert set(sample["img"].unique().tolist()) == {frame * 10.0}


def test_an_unpinned_time_axis_says_how_to_pin_it(tmp_path):
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.zeros((5, 10, 12, 14)), (1, 8, 6, 4), None)], axes="tzyx")
    with pytest.raises(VolumeError, match="fixed_axes"):
        made(tmp_path / "a.zarr", patch_size=[4, 5, 6])


def test_channels_come_along_or_are_refused(tmp_path):
    values = np.stack([np.full((10, 12, 14), channel, "float32") for channel in range(3)])
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (1, 8, 6, 4), None)], axes="czyx")
    sample = made(tmp_path / "a.zarr", patch_size=[4, 5, 6], resolutions=[[8, 6, 2]])[0]
    assert sample["img"].shape == (1, 3, 4, 5, 6)
    assert sample["img"][0, :, 0, 0, 0].tolist() == [0, 1, 2]
    with pytest.raises(VolumeError, match=r"fixed_axes: \{c: 0\}"):
        made(tmp_path / "a.zarr", patch_size=[4, 5, 6], output_axes="lzyx")
    one = made(tmp_path / "a.zarr", patch_size=[4, 5, 6], output_axes="lzyx", volume={"fixed_axes": {"c": 2}})
    assert set(one[0]["img"].unique().tolist()) == {2.0}


def test_exp_factor_divides_sizes_and_positions(ramp):
    plain = made(ramp)[0]
    expanded = made(ramp, volume={"exp_factor": 2.0}, resolutions=[[4, 3, 2]])[0]
    assert torch.equal(plain["img"], expanded["img"])
    assert torch.equal(plain["bbox"], expanded["bbox"] * 2)
    assert plain["meta"]["coordinate"] == expanded["meta"]["coordinate"]


def test_relative_boxes_are_about_the_first_scale(ramp):
    sample = made(ramp, bbox_mode="relative", resolutions=[[8, 6, 4], [16, 12, 8]])[0]
    assert sample["bbox"][0].tolist() == [[-32, -30, -24], [32, 30, 24]]


def test_a_world_offset_is_in_the_box(tmp_path):
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.zeros((10, 12, 14)), VOXEL, (1000, 2000, 3000))])
    sample = made(tmp_path / "a.zarr", patch_size=[4, 5, 6])[0]
    c = sample["meta"]["coordinate"]
    assert sample["bbox"][0, 0].tolist() == [1000 + 8 * (c[0] - 2), 2000 + 6 * (c[1] - 2), 3000 + 4 * (c[2] - 3)]


def test_indices_end_where_the_epoch_does(ramp):
    dataset = made(ramp)
    assert len(list(dataset)) == 6
    assert dataset[-1]["meta"] == dataset[5]["meta"]
    for index in (6, -7, 10**9):
        with pytest.raises(SampleIndexError, match="6"):
            dataset[index]
    for index in (1.0, "0", True, None):
        with pytest.raises(ArgumentTypeError):
            dataset[index]


def test_a_batch_is_planned_as_its_samples_are(ramp):
    dataset = made(ramp)
    together = dataset.__getitems__([4, 0, 2])
    for index, sample in zip([4, 0, 2], together, strict=True):
        alone = dataset[index]
        assert torch.equal(alone["img"], sample["img"])
        assert alone["meta"] == sample["meta"]


def test_collate_gives_the_batch_that_samples_are_views_of(ramp):
    dataset = made(ramp)
    samples = dataset.__getitems__([0, 1, 2])
    batch = miao.collate(samples)
    assert batch["img"].data_ptr() == samples[0]["img"].data_ptr()
    plain = default_collate(dataset.__getitems__([0, 1, 2]))
    assert torch.equal(batch["img"], plain["img"])
    assert torch.equal(batch["bbox"], plain["bbox"])
    assert batch["meta"].keys() == plain["meta"].keys()
    assert batch["meta"]["volume"] == plain["meta"]["volume"]


def test_the_global_generator_of_numpy_draws_without_a_seed(ramp):
    dataset = made(ramp, seed=None)
    np.random.seed(5)
    first = [dataset[0]["meta"]["coordinate"] for _ in range(4)]
    np.random.seed(5)
    assert first == [dataset[0]["meta"]["coordinate"] for _ in range(4)]
    assert len({tuple(place) for place in first}) > 1


def test_augment_fn_is_called_once_per_sample_and_must_return_a_dict(ramp):
    calls = []

    def doubled(sample):
        calls.append(1)
        return {**sample, "img": sample["img"] * 2, "extra": torch.ones(2)}

    plain, dataset = made(ramp), made(ramp, doubled)
    batch = default_collate(dataset.__getitems__([0, 1]))
    assert len(calls) == 2
    assert torch.equal(batch["img"][1], plain[1]["img"] * 2)
    assert batch["extra"].shape == (2, 2)
    with pytest.raises(AssertionError, match="dict"):
        made(ramp, lambda sample: None)[0]


def test_augment_fn_by_path_or_factory(ramp):
    by_factory = made(ramp, augment_fn={"factory": "miao.augment_std.em_default", "kwargs": {"rotate": False}})
    assert by_factory[0]["img"].shape == (1, 1, 8, 10, 12)
    again = made(ramp, augment_fn={"factory": "miao.augment_std.em_default", "kwargs": {"rotate": False}})
    assert torch.equal(by_factory[0]["img"], again[0]["img"])
    with pytest.raises(ArgumentError, match="configuration"):
        made(ramp, lambda sample: sample, augment_fn="miao.augment_std.em_default")
    with pytest.raises(AssertionError, match="factory"):
        made(ramp, augment_fn="miao.augment_std.em_default")[0]


def test_deferred_images_finish_to_the_same_bits(ramp):
    plain = made(ramp, resolutions=[[12, 7, 5], [16, 12, 8]])
    deferred = made(ramp, resolutions=[[12, 7, 5], [16, 12, 8]], defer_image_ops=True)
    samples = [deferred[0], deferred[1]]
    with pytest.raises(TypeError, match="collate_deferred"):
        default_collate(samples)
    batch = miao.finish_images(miao.collate_deferred(samples), device="cpu")
    assert torch.equal(batch["img"], torch.stack([plain[0]["img"], plain[1]["img"]]))
    assert torch.equal(batch["bbox"][1], plain[1]["bbox"])
    with pytest.raises(ArgumentError, match="finish_images"):
        made(ramp, lambda sample: sample, defer_image_ops=True)


def test_the_summary_names_volumes_levels_and_sizes(ramp, capsys):
    dataset = miao.VolumeDataset(config(ramp, resolutions=[[8, 6, 4], [16, 12, 8]]), seed=1)
    printed = capsys.readouterr().out
    assert printed.strip() == dataset.summary()
    for word in ("a:", "level s0", "level s1", "reachable voxels", "float64", "lczyx"):
        assert word in printed
    made(ramp)
    assert not capsys.readouterr().out


def test_a_preview_is_a_picture_and_overwrites_nothing(ramp, tmp_path):
    pytest.importorskip("matplotlib")
    dataset = made(ramp, resolutions=[[8, 6, 4], [16, 12, 8]])
    path = tmp_path / "sample.png"
    assert dataset.preview(0, path) == str(path)
    assert path.read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(FileExistsError, match="overwrite"):
        dataset.preview(0, path)
    dataset.preview(1, path, overwrite=True)


def test_planes_of_three_orientations_are_one_dataset(ramp):
    """The recipe of 2-D datasets: one voxel thick along each axis in turn."""
    base = miao.MiaoConfig(**config(ramp, resolutions=[[8, 6, 4]]))
    parts = []
    for thin in range(3):
        data = base.model_dump()
        data["patch_size"] = [1 if axis == thin else 8 for axis in range(3)]
        parts.append(miao.VolumeDataset(miao.MiaoConfig(**data), verbose=False))
    dataset = ConcatDataset(parts)
    assert len(dataset) == 18
    assert dataset[7]["img"].shape == (1, 1, 8, 1, 8)


def test_the_default_collate_gives_the_batch_itself_until_a_sample_is_changed(ramp):
    dataset = made(ramp)
    samples = dataset.__getitems__([0, 1, 2])
    batch = default_collate(samples)
    assert batch["img"].data_ptr() == samples[0]["img"].data_ptr()
    changed = default_collate([{**sample} for sample in samples])
    assert changed["img"].data_ptr() != samples[0]["img"].data_ptr()
    for key in ("coordinate", "resolutions", "source_levels", "read_voxel_size"):
        assert torch.equal(
            torch.tensor([s["meta"][key] for s in samples], dtype=nested(batch["meta"][key]).dtype).movedim(0, -1),
            nested(batch["meta"][key]),
        )
        assert torch.equal(nested(changed["meta"][key]), nested(batch["meta"][key]))
        assert nested(changed["meta"][key]).dtype == nested(batch["meta"][key]).dtype


def nested(value):
    return torch.stack([nested(entry) for entry in value]) if isinstance(value, list) else value
