"""What becomes of values, boxes and stores of every kind, seen in the samples of a dataset."""

import json

import numpy as np
import pytest
import torch
from miao_stores import config, group2, positions, ramp_pyramid
from torch.utils.data import DataLoader

import miao
from miao.errors import MiaoWarning, ReadError, VolumeError

VOXEL = (8.0, 6.0, 4.0)


def made(path, *, seed=3, **more):
    return miao.VolumeDataset(config(path, **more), seed=seed, verbose=False)


def stored(path, values, **more):
    group2(path / "a.zarr" / "raw", [("s0", values, VOXEL, None)], **more)
    return path / "a.zarr"


@pytest.mark.parametrize(
    ("dtype", "volume", "expected"),
    [
        # 63000 / 65535 is 0.96132..., which bfloat16 (8 bits) has as 246/256 and float16 (11 bits) as 1969/2048.
        ("float32", {}, np.float32(63000) / np.float32(65535)),
        ("bfloat16", {}, 246 / 256),
        ("float16", {}, 1969 / 2048),
        # 65535 is beyond float16 and 63000 no bfloat16: (63000 - 62000) / (65535 - 62000) = 0.28288...
        ("float32", {"normalize_min": 62000, "normalize_max": 65535}, np.float32(1000) / np.float32(3535)),
        ("float16", {"normalize_min": 62000, "normalize_max": 65535}, float(np.float16(1000 / 3535))),
        ("bfloat16", {"normalize_min": 62000, "normalize_max": 64000}, 0.5),
        ("float32", {"normalize": False}, 63000),
    ],
)
def test_values_are_scaled_in_float32_and_cast_to_the_image_dtype_last(tmp_path, dtype, volume, expected):
    dataset = made(stored(tmp_path, np.full((10, 12, 14), 63000, "uint16")), image_dtype=dtype, volume=volume)
    image = dataset[0]["img"]
    assert image.dtype == getattr(torch, dtype)
    assert image.unique().tolist() == [float(expected)]


@pytest.mark.parametrize(
    ("stored_dtype", "value", "expected"),
    [
        ("int8", -128, -128 / 127),
        ("uint32", 2**32 - 1, 1.0),
        ("float32", 2.5, 2.5),
        ("float64", -2.5, -2.5),
        ("bool", True, 1.0),
        (">u2", 13107, 0.2),
        ("uint64", 2**63, 2**63 / (2**64 - 1)),
    ],
)
def test_integers_are_over_their_largest_value_and_floats_stay(tmp_path, stored_dtype, value, expected):
    dataset = made(stored(tmp_path, np.full((10, 12, 14), value, stored_dtype)))
    assert dataset[0]["img"].unique().tolist() == [pytest.approx(expected, rel=1e-6)]


def test_complex_images_are_refused(tmp_path):
    with pytest.raises(VolumeError, match="complex64"):
        made(stored(tmp_path, np.zeros((10, 12, 14), "complex64")))


def test_the_coarsest_scale_standardises_all(tmp_path):
    """The ramp is standardised by scale 1, whatever the order of the scales: mean 0, variance 1 there and less in 0."""
    ramp_pyramid(tmp_path / "a.zarr", weights=(1.0, 0.5, 0.25))
    for order, coarsest in (([[8, 6, 4], [16, 12, 8]], 1), ([[16, 12, 8], [8, 6, 4]], 0)):
        plain = made(tmp_path / "a.zarr", resolutions=order)[0]["img"].double()
        image = made(tmp_path / "a.zarr", resolutions=order, volume={"patch_normalize": True})[0]["img"].double()
        assert image[coarsest].mean().item() == pytest.approx(0, abs=1e-6)
        assert image[coarsest].std().item() == pytest.approx(1, abs=1e-6)
        assert image[1 - coarsest].std().item() == pytest.approx(0.5, abs=1e-3)
        expected = (plain - plain[coarsest].mean()) / plain[coarsest].std()
        assert torch.allclose(image, expected, atol=1e-5)


def test_nan_is_left_out_of_statistics_and_stays_where_it_is(tmp_path):
    values = positions((10, 12, 14), (1, 1, 1), (0, 0, 0), (1, 10, 100)).astype("float32")
    values[5, 6, 7] = np.nan
    image = made(stored(tmp_path, values), patch_size=[10, 12, 14], volume={"patch_normalize": True})[0]["img"]
    assert image.isnan().sum() == 1
    assert image[0, 0, 5, 6, 7].isnan()
    rest = image[~image.isnan()].double()
    assert rest.mean().item() == pytest.approx(0, abs=1e-5)
    assert rest.std().item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("label_dtype", "value", "returned"),
    [
        ("bool", True, "int8"),
        ("int8", -1, "int8"),
        ("uint8", 200, "int16"),
        ("int16", -3, "int16"),
        ("uint16", 60000, "int32"),
        ("int32", 2**24 + 1, "int32"),
        ("uint32", 2**32 - 1, "int64"),
        ("int64", 2**53 + 1, "int64"),
    ],
)
def test_labels_of_each_dtype_are_exact_when_they_are_resampled(tmp_path, label_dtype, value, returned):
    path = stored(tmp_path, np.zeros((40, 48, 56), "uint8"))
    group2(path / "seg", [("s0", np.full((40, 48, 56), value, label_dtype), VOXEL, None)])
    label = made(path, volume={"label_key": "seg"}, resolutions=[[12, 7, 5]])[0]["label"]
    assert label.dtype == getattr(torch, returned)
    assert label.unique().tolist() == [int(value)]


def test_labels_stored_as_floats_are_whole_numbers_or_an_error(tmp_path):
    path = stored(tmp_path, np.zeros((10, 12, 14), "uint8"))
    group2(path / "seg", [("s0", np.full((10, 12, 14), 7.0, "float32"), VOXEL, None)])
    group2(path / "odd", [("s0", np.full((10, 12, 14), 3.7, "float32"), VOXEL, None)])
    with pytest.warns(MiaoWarning, match="float32"):
        assert made(path, volume={"label_key": "seg"})[0]["label"].unique().tolist() == [7]
    with pytest.warns(MiaoWarning, match="float32"):
        odd = made(path, volume={"label_key": "odd"})
    with pytest.raises(ReadError, match=r"3\.7"):
        odd[0]


def test_labelled_and_unlabelled_volumes_do_not_share_a_batch(tmp_path):
    """The empty label has the dtype of the dataset's labels."""
    path = stored(tmp_path, np.zeros((10, 12, 14), "uint8"))
    group2(path / "seg", [("s0", np.full((10, 12, 14), 7, "uint8"), VOXEL, None)])
    fields = config(path, volume={"label_key": "seg"}, samples_per_epoch=20)
    fields["volumes"].append({"name": "b", "path": str(path), "image_key": "raw"})
    dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
    labels = {sample["meta"]["volume"]: sample["label"] for sample in (dataset[index] for index in range(20))}
    assert labels["a"].shape == (1, 8, 10, 12)
    assert labels["b"].shape == (0,)
    assert labels["a"].dtype == labels["b"].dtype == torch.int16
    with pytest.raises(RuntimeError, match="label"):
        list(DataLoader(dataset, batch_size=20))
    with pytest.raises(ValueError, match="labelled and unlabelled"):
        list(DataLoader(dataset, batch_size=20, collate_fn=miao.collate))


def test_boxes_by_corners_are_the_extents_of_boxes_by_centres(tmp_path):
    """Voxel 0 of level 0 is centred at (100, 200, 300); its corner is half a voxel lower."""
    values = np.zeros((40, 48, 56), "uint8")
    coarse = np.zeros((20, 24, 28), "uint8")
    levels = [("s0", values, VOXEL, (100, 200, 300)), ("s1", coarse, (16, 12, 8), (104, 203, 302))]
    group2(tmp_path / "a.zarr" / "raw", levels)
    more = {"resolutions": [[8, 6, 4], [16, 12, 8]]}
    centre, corner = made(tmp_path / "a.zarr", **more)[0], made(tmp_path / "a.zarr", bbox_anchor="corner", **more)[0]
    c = centre["meta"]["coordinate"]
    low = [t + v * (x - n // 2) for t, v, x, n in zip((100, 200, 300), VOXEL, c, (8, 10, 12), strict=True)]
    assert centre["bbox"][0, 0].tolist() == low
    assert corner["bbox"][0, 0].tolist() == [place - v / 2 for place, v in zip(low, VOXEL, strict=True)]
    extents = miao.extent(centre["bbox"].numpy(), [VOXEL, (16, 12, 8)])
    assert corner["bbox"].tolist() == extents.tolist()
    # The coarse window, 128 x 120 x 96 nm, is about the middle of the fine one to half a coarse voxel.
    off = np.abs(extents.mean(axis=1)[1] - extents.mean(axis=1)[0])
    assert (off <= np.array([8, 6, 4])).all()


def test_relative_boxes_are_less_the_middle_of_the_first_scales_box(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    more = {"resolutions": [[8, 6, 4], [16, 12, 8]]}
    absolute, relative = (
        made(tmp_path / "a.zarr", **more)[0],
        made(tmp_path / "a.zarr", bbox_mode="relative", **more)[0],
    )
    middle = absolute["bbox"][0].mean(dim=0)
    assert torch.equal(relative["bbox"], absolute["bbox"] - middle)


def test_the_voxel_size_that_was_read_is_in_meta(tmp_path):
    """40 nm planes at 8 nm: a patch of 16 needs 3.2 of them, reads 4: 4 * 40 / 16 = 10 nm; the rest is as asked."""
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.zeros((20, 40, 40), "uint8"), (40, 4, 4), None)])
    sample = made(tmp_path / "a.zarr", patch_size=[16, 16, 16], resolutions=[[8, 8, 8]])[0]
    assert sample["pixel_size"].tolist() == [[8, 8, 8]]
    assert np.asarray(sample["meta"]["read_voxel_size"]).tolist() == [[10, 8, 8]]
    assert (sample["bbox"][0, 1] - sample["bbox"][0, 0]).tolist() == [160, 128, 128]


def test_a_quotient_a_rounding_above_a_whole_number_reads_that_many(tmp_path):
    """24 * 0.1 / 0.1 is 24.000000000000004 in doubles."""
    values = np.arange(30**3, dtype="float32").reshape(30, 30, 30)
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (0.1,) * 3, None)], units="micrometer")
    dataset = made(tmp_path / "a.zarr", patch_size=[24, 24, 24], resolutions=[[0.1, 0.1, 0.1]])
    start = dataset.plan(0).scales[0].start
    assert dataset.plan(0).scales[0].scale.size == (24, 24, 24)
    window = tuple(slice(o, o + 24) for o in start)
    assert np.array_equal(dataset[0]["img"][0, 0].numpy(), values[window])


def test_a_scale_of_the_multiscale_counts_and_twice_is_warned_of(tmp_path):
    """An outer scale of 1/4 makes 200 nm 50; exp_factor 4 on top of it 12.5."""
    values = np.zeros((20, 20, 20), "uint8")
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (200,) * 3, None)], outer=[0.25] * 3)
    once = made(tmp_path / "a.zarr", patch_size=[4, 4, 4], resolutions=[[50, 50, 50]])
    assert once.volumes[0].image.levels[0].voxel == (50, 50, 50)
    with pytest.warns(MiaoWarning, match="counts twice"):
        twice = made(tmp_path / "a.zarr", patch_size=[4, 4, 4], resolutions=[[12.5] * 3], volume={"exp_factor": 4.0})
    assert twice.volumes[0].image.levels[0].voxel == (12.5, 12.5, 12.5)
    group2(tmp_path / "b.zarr" / "raw", [("s0", values, (200,) * 3, None)])
    alone = made(tmp_path / "b.zarr", patch_size=[4, 4, 4], resolutions=[[50] * 3], volume={"exp_factor": 4.0})
    assert alone.scales(0)[0].size == (4, 4, 4)


def test_a_level_that_is_finer_than_the_first_is_warned_of(tmp_path):
    values = [np.zeros((n, n, n), "uint8") for n in (20, 40)]
    group2(tmp_path / "a.zarr" / "raw", [("c", values[0], (16,) * 3, None), ("f", values[1], (8,) * 3, None)])
    with pytest.warns(MiaoWarning, match="lists level c first, but f is finer"):
        dataset = made(tmp_path / "a.zarr", patch_size=[4, 4, 4], resolutions=[[8, 8, 8]])
    assert dataset[0]["meta"]["source_levels"] == [1]


def test_channels_of_several_volumes_agree(tmp_path):
    for name, channels in (("a", 2), ("b", 3)):
        values = np.zeros((channels, 10, 12, 14), "uint8")
        group2(tmp_path / f"{name}.zarr" / "raw", [("s0", values, (1, 8, 6, 4), None)], axes="czyx")
    fields = config(tmp_path / "a.zarr")
    fields["volumes"].append({"name": "b", "path": str(tmp_path / "b.zarr"), "image_key": "raw"})
    with pytest.raises(VolumeError, match=r"b has 3 channels where a has 2.*leave c out of output_axes"):
        miao.VolumeDataset(fields, verbose=False)
    fields["volumes"][0]["fixed_axes"] = {"c": 1}
    fields["volumes"][1]["fixed_axes"] = {"c": [0, 2]}
    dataset = miao.VolumeDataset({**fields, "output_axes": "lzyx"}, verbose=False)
    assert [volume.name for volume in dataset.volumes] == ["a", "b[c=0]", "b[c=2]"]
    assert dataset[0]["img"].shape == (1, 8, 10, 12)


def n5(path, values):
    """An N5 group of one level of one raw block; x first, big-endian."""
    shape = values.shape[::-1]
    array = {"dimensions": shape, "blockSize": shape, "dataType": values.dtype.name, "compression": {"type": "raw"}}
    block = path / "s0" / "0" / "0" / "0"
    block.parent.mkdir(parents=True)
    (path / "attributes.json").write_text(json.dumps({"resolution": VOXEL[::-1], "units": ["nm"] * 3}))
    (path / "s0" / "attributes.json").write_text(json.dumps({**array, "downsamplingFactors": [1, 1, 1]}))
    header = np.array([0, 3], ">u2").tobytes() + np.array(shape, ">u4").tobytes()
    block.write_bytes(header + values.astype(">u2").tobytes())


def precomputed(path, values):
    """A precomputed volume of one raw chunk; x first and fastest."""
    size = values.shape[::-1]
    scale = {"key": "s0", "size": size, "voxel_offset": [0, 0, 0], "chunk_sizes": [size], "encoding": "raw"}
    volume = {"@type": "neuroglancer_multiscale_volume", "type": "image", "data_type": "uint16", "num_channels": 1}
    (path / "s0").mkdir(parents=True)
    (path / "info").write_text(json.dumps({**volume, "scales": [{**scale, "resolution": VOXEL[::-1]}]}))
    (path / "s0" / "_".join(f"0-{n}" for n in size)).write_bytes(values.astype("<u2").tobytes())


def zarr2(path, values):
    group2(path, [("s0", values, VOXEL, None, (8, 8, 8))])


def zarr3(path, values):
    """A zarr v3 group of one level of one chunk."""
    grid = {"name": "regular", "configuration": {"chunk_shape": values.shape}}
    keys = {"name": "default", "configuration": {"separator": "/"}}
    array = {"shape": values.shape, "data_type": "uint16", "chunk_grid": grid, "chunk_key_encoding": keys}
    array |= {"fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    level = {"path": "s0", "coordinateTransformations": [{"type": "scale", "scale": VOXEL}]}
    ome = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": [level]}]}
    (path / "s0" / "c" / "0" / "0").mkdir(parents=True)
    both = {"zarr_format": 3}
    group = {**both, "node_type": "group", "attributes": {"ome": ome}}
    (path / "zarr.json").write_text(json.dumps(group))
    (path / "s0" / "zarr.json").write_text(json.dumps({**both, "node_type": "array", **array}))
    (path / "s0" / "c" / "0" / "0" / "0").write_bytes(values.astype("<u2").tobytes())


@pytest.mark.parametrize("write", [zarr2, zarr3, n5, precomputed])
def test_every_format_gives_the_same_samples(tmp_path, write):
    """A ramp of positions at 8 6 4 nm in each format, which is named or found out; another name is refused."""
    kind = write.__name__
    values = positions((20, 24, 28), (1, 1, 1), (0, 0, 0), (1, 30, 1000)).astype("uint16")
    write(tmp_path / "a" / "raw", values)
    for named, missing in ((kind, "fill"), ("auto", "error")):
        volume = {"zarr_version": named, "normalize": False}
        dataset = made(tmp_path / "a", volume=volume, patch_size=[4, 5, 6], missing_chunks=missing)
        for index in range(3):
            sample = dataset[index]
            z, y, x = sample["meta"]["coordinate"]
            expected = values[z - 2 : z + 2, y - 2 : y + 3, x - 3 : x + 3]
            assert np.array_equal(sample["img"][0, 0].numpy(), expected)
            assert (sample["bbox"][0, 1] - sample["bbox"][0, 0]).tolist() == [32, 30, 24]
    other = "zarr3" if kind == "zarr2" else "zarr2"
    with pytest.raises(VolumeError, match=rf"zarr_version is '{other}', but .* is {kind}"):
        made(tmp_path / "a", volume={"zarr_version": other}, patch_size=[4, 5, 6])


def test_samples_share_nothing_that_a_caller_may_change(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    dataset = made(tmp_path / "a.zarr", resolutions=[[8, 6, 4], [16, 12, 8]])
    first = dataset[0]
    before = json.dumps({key: np.asarray(value).tolist() for key, value in first["meta"].items()})
    first["meta"]["source_levels"].append(9)
    first["meta"]["coordinate"][0] = -1
    first["meta"]["resolutions"][0][0] = -1
    first["img"].zero_()
    first["bbox"].zero_()
    again = dataset[0]
    assert json.dumps({key: np.asarray(value).tolist() for key, value in again["meta"].items()}) == before
    assert again["img"].abs().sum() > 0
    assert again["bbox"].abs().sum() > 0
