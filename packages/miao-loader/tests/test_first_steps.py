"""What somebody meets who follows the README with stores of their own: first steps, and first mistakes."""

from __future__ import annotations

import functools
import http.server
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from miao_stores import config, group2, zarr2

import miao


def numbered(shape):
    """Values that tell where they are: 1000 z + 40 y + x, and 20000 t before."""
    return sum(
        index * weight for index, weight in zip(np.indices(shape), (20000, 1000, 40, 1)[-len(shape) :], strict=True)
    ).astype("int32")


PLANE = {"output_axes": "lcyx", "patch_size": [6, 8], "resolutions": [[8.0, 4.0]]}


def planes(path, **volume):
    """The fields of a configuration over planes of a volume of 12 x 20 x 30 voxels of 40 x 8 x 4."""
    group2(path / "raw", [("s0", numbered((12, 20, 30)), (40, 8, 4), (0, 0, 0), (4, 8, 16))])
    return config(path, **PLANE, volume={"normalize": False, **volume})


def test_a_volume_is_read_plane_by_plane_where_z_is_pinned(tmp_path):
    dataset = miao.VolumeDataset(planes(tmp_path, fixed_axes={"z": 7}), seed=1, verbose=False)
    for _ in range(2):  # the second read goes to the store directly
        for sample in map(dataset.__getitem__, range(6)):
            y, x = sample["meta"]["coordinate"]
            # the window begins at the coordinate less half of (6, 8); values are 1000 * 7 + 40 y + x
            expected = 7000 + 40 * (y - 3 + np.arange(6))[:, None] + (x - 4 + np.arange(8))
            assert sample["img"][0, 0].tolist() == expected.tolist()


def test_planes_of_a_range_are_volumes_and_one_outside_is_refused(tmp_path):
    fields = planes(tmp_path, fixed_axes={"z": "2:5"})
    dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
    assert [volume.name for volume in dataset.volumes] == ["a[z=2]", "a[z=3]", "a[z=4]"]
    for sample in map(dataset.__getitem__, range(6)):
        z = int(sample["meta"]["volume"][4])
        assert int(sample["img"][0, 0, 0, 0]) // 1000 == z  # 40 * 19 + 29 = 789 is below 1000
    fields["volumes"][0]["fixed_axes"] = {"z": 12}
    with pytest.raises(miao.errors.VolumeError, match=r"z is pinned to index 12.*0 to 11"):
        miao.VolumeDataset(fields, verbose=False)


def test_time_and_z_are_pinned_together_at_a_coarser_level(tmp_path):
    fine = numbered((3, 12, 20, 30))
    coarse = numbered((3, 6, 10, 15))
    group2(
        tmp_path / "raw",
        [("s0", fine, (1, 40, 8, 4), (0, 0, 0, 0)), ("s1", coarse, (1, 80, 16, 8), (0, 20, 4, 2))],
        axes="tzyx",
    )
    fields = config(
        tmp_path,
        output_axes="lcyx",
        patch_size=[4, 6],
        resolutions=[[16, 8]],
        volume={"normalize": False, "fixed_axes": {"t": 2, "z": 9}},
    )
    sample = miao.VolumeDataset(fields, seed=3, verbose=False)[0]
    # z 9 of 40 is floor(9 * 40 / 80) = 4 of the coarser level: 2 * 20000 + 4 * 1000 and what y and x add, at most 374
    assert sample["meta"]["source_levels"] == [1]
    assert set((sample["img"] // 1000).flatten().tolist()) == {44.0}


def test_labels_and_a_mask_are_pinned_with_their_image(tmp_path):
    fields = planes(tmp_path, fixed_axes={"z": 5}, label_key="labels", mask_key="mask", min_foreground=0.5)
    mask = np.zeros((12, 20, 30), "uint8")
    mask[5, :, 15:] = 1
    for name, values in (("labels", numbered((12, 20, 30)).astype("uint16")), ("mask", mask)):
        group2(tmp_path / name, [("s0", values, (40, 8, 4), (0, 0, 0))])
    dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
    for sample in map(dataset.__getitem__, range(6)):
        assert sample["img"][0, 0].tolist() == sample["label"][0].tolist()
        assert sample["meta"]["coordinate"][1] >= 15  # half of the window's columns, x - 4 to x + 3, are at 15 or more


@pytest.fixture
def container(tmp_path):
    """An image and two groups of labels below it, and what is neither."""
    image = np.zeros((8, 8, 8), "uint8")
    for key in ("raw", "labels/nuclei", "labels/cells"):
        group2(tmp_path / "brain.zarr" / key, [("s0", image, (8, 8, 8), (0, 0, 0), (2, 2, 2))])
    (tmp_path / "brain.zarr" / "notes").mkdir()
    return tmp_path / "brain.zarr"


@pytest.mark.parametrize(
    ("volume", "said"),
    [
        ({"image_key": "rwa"}, r"^volumes\[0\].image_key: .*did you mean 'raw'\?"),
        ({"label_key": "nuclei"}, r"label_key: .*'labels/nuclei'\? there are 'labels/cells', 'labels/nuclei', 'raw'$"),
        ({"image_key": "."}, r"image_key: .*there are 'labels/cells', 'labels/nuclei', 'raw'$"),
    ],
)
def test_a_wrong_key_tells_which_groups_there_are(container, volume, said):
    fields = config(container, patch_size=[2, 2, 2], resolutions=[[8, 8, 8]], volume=volume)
    with pytest.raises(miao.errors.VolumeNotFoundError, match=said):
        miao.VolumeDataset(fields, verbose=False)
    fields["volumes"][0] |= {"image_key": "raw", "label_key": "labels/nuclei"}
    assert len(miao.VolumeDataset(fields, verbose=False)) == 6


def test_a_wrong_path_says_where_was_looked(container, monkeypatch):
    monkeypatch.chdir(container.parent)
    (container.parent / "config.yaml").write_text(
        "volumes: [{name: a, path: brian.zarr, image_key: raw}]\n"
        "resolutions: [[8, 8, 8]]\noutput_axes: lczyx\npatch_size: [2, 2, 2]\n"
    )
    looked = re.escape(str(container.parent / "brian.zarr"))
    with pytest.raises(miao.errors.VolumeNotFoundError, match=f"correct path: there is nothing at {looked}$"):
        miao.VolumeDataset("config.yaml", verbose=False)
    fields = config("$DATA/brain.zarr", patch_size=[2, 2, 2], resolutions=[[8, 8, 8]])
    with pytest.raises(miao.errors.VolumeNotFoundError, match="variables of the environment are not filled in"):
        miao.VolumeDataset(fields, verbose=False)


def test_an_image_at_the_root_of_its_container_is_named_so(container):
    fields = config(container / "raw", patch_size=[2, 2, 2], resolutions=[[8, 8, 8]])
    with pytest.raises(miao.errors.VolumeNotFoundError, match=r"there are '.' \(the container itself\)$"):
        miao.VolumeDataset(fields, verbose=False)
    fields["volumes"][0]["image_key"] = "."
    assert len(miao.VolumeDataset(fields, verbose=False)) == 6


def small(path, **more):
    """The fields of a configuration over 20 x 24 x 28 voxels of 8 nm with labels, patches of 8, and what is given."""
    volume = np.zeros((20, 24, 28), "uint8")
    for key in ("raw", "labels"):
        group2(path / key, [("s0", volume, (8, 8, 8), (0, 0, 0))])
    base = {"patch_size": [8, 8, 8], "resolutions": [[8, 8, 8]], "volume": {"label_key": "labels"}}
    return config(path, **{**base, **more})


def test_advice_about_a_patch_that_does_not_fit_is_what_would_help(tmp_path):
    with pytest.raises(miao.errors.PlanError, match=r"; use a smaller patch_size or finer resolutions$"):
        miao.VolumeDataset(small(tmp_path / "a", patch_size=[21, 8, 8]), verbose=False)
    # 16 nm from voxels of 8 nm: windows of 16 and 32 voxels, of which 32 are more than 20
    fields = small(tmp_path / "b", patch_size=[16, 8, 8], resolutions=[[8, 8, 8], [16, 8, 8]])
    with pytest.raises(miao.errors.PlanError, match="finer resolutions, or set border: clamp"):
        miao.VolumeDataset(fields, verbose=False)
    group2(tmp_path / "c" / "labels", [("s0", np.zeros((6, 24, 28), "uint8"), (8, 8, 8), (0, 0, 0))])
    group2(tmp_path / "c" / "raw", [("s0", np.zeros((20, 24, 28), "uint8"), (8, 8, 8), (0, 0, 0))])
    crop = config(tmp_path / "c", patch_size=[8, 8, 8], resolutions=[[8, 8, 8]], volume={"label_key": "labels"})
    with pytest.raises(miao.errors.PlanError, match="set label_fill, so that windows may reach past the labels"):
        miao.VolumeDataset(crop, verbose=False)
    crop["volumes"][0]["label_fill"] = 0
    assert len(miao.VolumeDataset(crop, verbose=False)) == 6


def test_windows_a_thousand_times_too_large_ask_about_units(tmp_path):
    group2(tmp_path / "raw", [("s0", np.zeros((20, 24, 28), "uint8"), (0.032, 0.008, 0.008), None)], units="micrometer")
    fields = config(tmp_path, patch_size=[8, 8, 8], resolutions=[[32, 8, 8]])
    with pytest.raises(miao.errors.PlanError, match=r"set units, if .* not in micrometer \(0.032 at level 0\)"):
        miao.VolumeDataset(fields, verbose=False)
    assert miao.VolumeDataset({**fields, "units": "nanometer"}, seed=0, verbose=False)[0]["img"].shape[-1] == 8


def test_parts_and_sums_of_datasets_are_loaded_by_torch_or_by_their_indices(tmp_path):
    from torch.utils.data import ConcatDataset, DataLoader, Subset, random_split

    dataset = miao.VolumeDataset(small(tmp_path), seed=0, verbose=False)
    part = Subset(dataset, [4, 1])
    with pytest.raises(miao.errors.ArgumentTypeError, match=r"dataset is Subset; .* sampler=subset.indices"):
        miao.loader(part)
    (batch,) = miao.loader(dataset, batch_size=2, sampler=part.indices)
    for i, index in enumerate((4, 1)):
        assert [int(values[i]) for values in batch["meta"]["coordinate"]] == dataset[index]["meta"]["coordinate"]
    parts = [one for half in random_split(dataset, [0.5, 0.5]) for one in DataLoader(half, batch_size=3)]
    assert [len(one["img"]) for one in parts] == [3, 3]
    (whole,) = DataLoader(ConcatDataset([dataset, dataset]), batch_size=12)
    assert whole["img"][:6].tolist() == whole["img"][6:].tolist()


def test_a_picture_that_cannot_be_drawn_says_why(tmp_path, monkeypatch):
    deferred = miao.VolumeDataset(small(tmp_path / "a", defer_image_ops=True), seed=0, verbose=False)
    with pytest.raises(miao.errors.ArgumentError, match="not finished yet: draw one of a dataset without defer"):
        deferred.preview(0)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    finished = miao.VolumeDataset(small(tmp_path / "b"), seed=0, verbose=False)
    with pytest.raises(ImportError, match=r"pip install 'miao-loader\[preview\]'"):
        finished.preview(0, tmp_path / "sample.png")
    assert not (tmp_path / "sample.png").exists()


def test_scales_in_another_unit_are_warned_of_where_they_enlarge_a_voxel(tmp_path):
    fields = small(tmp_path, resolutions=[[0.008, 0.008, 0.004]])
    # 8 / 0.008 is 1000, 8 / 0.004 is 2000: the least counts
    said = "volume a: a scale is 1000 times finer than the finest voxels, which are 8 x 8 x 8 nanometer"
    with pytest.warns(miao.errors.MiaoWarning, match=said):
        miao.VolumeDataset(fields, verbose=False)
    miao.VolumeDataset({**fields, "units": "micrometer"}, verbose=False)
    ranges = {"ranges": [[[8], [16]], [[0.5], [1]]]}
    drawn = {**fields, "resolutions": None, "resolution_sampling": ranges}
    with pytest.warns(miao.errors.MiaoWarning, match="a scale is 8 times finer"):
        miao.VolumeDataset(drawn, verbose=False)


def test_sections_that_are_thick_may_be_read_at_the_size_of_their_pixels(tmp_path):
    volume = np.zeros((20, 24, 28), "uint8")
    group2(tmp_path / "raw", [("s0", volume, (80, 4, 4), (0, 0, 0))])
    fields = config(tmp_path, patch_size=[8, 8, 8], resolutions=[[4, 4, 4]])
    assert miao.VolumeDataset(fields, seed=0, verbose=False)[0]["img"].shape == (1, 1, 8, 8, 8)


def test_the_yaml_that_the_description_shows_is_a_configuration(tmp_path):
    """Each block of YAML, over a container like the one of the first."""
    blocks = re.findall("```yaml\n(.*?)```", (Path(__file__).parent.parent / "README.md").read_text("utf-8"), re.DOTALL)
    volume = np.zeros((96, 96, 96), "uint8")
    levels = [(f"s{i}", volume[:: 2**i, :: 2**i, :: 2**i], (8 << i,) * 3, (4 * 2**i - 4,) * 3) for i in range(3)]
    for key in ("raw", "labels/nuclei"):
        group2(tmp_path / "brain.zarr" / key, levels)
    first = blocks[0].replace("zarr3 ", "zarr2 ").replace("[64, 64, 64]", "[16, 16, 16]")
    assert len(first.strip().splitlines()) <= 12
    lines = [line for line in first.splitlines() if not line.startswith("resolutions")]
    for number, text in enumerate([first, *("\n".join([*lines, more]) for more in blocks[1:])]):
        (tmp_path / f"{number}.yaml").write_text(text, "utf-8")
        dataset = miao.VolumeDataset(tmp_path / f"{number}.yaml", seed=0, verbose=False)
        sample = dataset[999]
        assert sample["img"].shape[1:] == (1, 16, 16, 16)
        assert sample["label"].shape[1:] == (16, 16, 16)
    assert [len(miao.load_config(tmp_path / f"{i}.yaml").resolutions or ()) for i in range(len(blocks))] == [3, 0]


def test_labels_beside_their_image_are_said_to_be_there(tmp_path):
    fields = small(tmp_path)
    # the image's voxel 0 is at 0 with 20 voxels of 8 along z, from -4 to 156; the labels' at 4000, from 3996 to 4156
    group2(tmp_path / "far", [("s0", np.zeros((20, 24, 28), "uint8"), (8, 8, 8), (4000, 0, 0))])
    fields["volumes"][0]["label_key"] = "far"
    for filled in (None, 0):
        fields["volumes"][0]["label_fill"] = filled
        with pytest.raises(
            miao.errors.PlanError, match=r"labels lie beside the image, from 3996 to 4156 .* -4 to 156:"
        ):
            miao.VolumeDataset(fields, verbose=False)


def test_an_array_of_no_pyramid_says_what_it_lacks(tmp_path):
    zarr2(tmp_path / "plain.zarr" / "a", np.zeros((20, 24, 28), "uint8"))
    fields = config(tmp_path / "plain.zarr", volume={"image_key": "a"})
    with pytest.raises(miao.errors.VolumeError, match=r"a is an array, and .*plain.zarr has no multiscales"):
        miao.VolumeDataset(fields, verbose=False)
    fields = small(tmp_path / "listed")
    fields["volumes"][0]["image_key"] = "raw/s0"
    with pytest.raises(miao.errors.VolumeError, match=r"s0 is an array, one level of .*raw; give the key of the group"):
        miao.VolumeDataset(fields, verbose=False)


def test_a_missing_key_is_explained(tmp_path):
    fields = small(tmp_path)
    del fields["volumes"][0]["image_key"]
    said = (
        r"image_key is missing; give it a value \(The group of the image's pyramid in the container; empty or \".\" for"
    )
    with pytest.raises(ValueError, match=said):
        miao.VolumeDataset(fields, verbose=False)


def test_a_dataset_prints_as_one_line(tmp_path):
    dataset = miao.VolumeDataset(small(tmp_path), verbose=False)
    assert repr(dataset) == "<VolumeDataset: 1 volume, random, 6 samples>"


@pytest.fixture
def plain_server(tmp_path):
    """The server that Python brings, which does not answer range requests."""
    handler = functools.partial(SilentHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class SilentHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_shards_on_a_server_without_ranges_are_not_said_to_be_broken(tmp_path, plain_server):
    write = pytest.importorskip("worldarray_write")
    values = numbered((8, 16, 16)).astype("uint16")
    for name, shards in (("sharded", (8, 16, 16)), ("plain", None)):
        level = write.create(
            tmp_path / name / "s0", values.shape, values.dtype, (8, 8, 8), (0, 0, 0), chunks=(2, 4, 4), shards=shards
        )
        level.write_index((0, 0, 0), values.shape, values)
    fields = config(plain_server, patch_size=[2, 2, 2], resolutions=[[8, 8, 8]])
    fields["volumes"][0] |= {"image_key": "plain", "zarr_version": "zarr3", "normalize": False}
    read = miao.VolumeDataset(fields, seed=0, verbose=False)[0]
    start = [centre - 1 for centre in read["meta"]["coordinate"]]
    assert int(read["img"][0, 0, 0, 0, 0]) == values[tuple(start)]
    fields["volumes"][0]["image_key"] = "sharded"
    dataset = miao.VolumeDataset(fields, seed=0, verbose=False)
    with pytest.raises(miao.errors.ReadError, match="serve the store by one that answers range requests") as caught:
        dataset[0]
    assert caught.value.code == "unavailable"


def test_the_summary_says_where_coarse_scales_leave_few_places(tmp_path):
    sizes = [(64, 8.0), (32, 16.0), (16, 32.0)]
    group2(
        tmp_path / "raw",
        [(f"s{i}", np.zeros((n,) * 3, "uint8"), (v,) * 3, (v / 2 - 4,) * 3) for i, (n, v) in enumerate(sizes)],
    )
    fields = config(tmp_path, patch_size=[12, 12, 12], resolutions=[[8] * 3, [32] * 3])
    # The first scale alone: 12 of 64 voxels, starts 0 to 52 at centre - 6, so 53 centres per axis, 6 to 58.
    # The other: 12 of 16 voxels, start ceil(centre / 4 - 6.5) from 0 to 4: above 22 and up to 42, 20 centres.
    # (20 / 53) ** 3 = 0.0537
    text = miao.VolumeDataset(fields, verbose=False).summary()
    assert "center_range (z=23, y=23, x=23) to (z=42, y=42, x=42)" in text
    assert "    5.4% of the places of the first scale" in text
    assert "border: clamp" in text
    assert "of the places" not in miao.VolumeDataset({**fields, "border": "clamp"}, verbose=False).summary()
    assert "of the places" not in miao.VolumeDataset({**fields, "patch_size": [4] * 3}, verbose=False).summary()
