"""The example of planes: where they lie, what they hold, batches that mix them."""

import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import loader_2d_planes  # noqa: E402
import miao  # noqa: E402
import worldarray as wa  # noqa: E402
from loader_2d_planes import PlaneCollate, Turned, plane_config, planes  # noqa: E402

PNG = b"\x89PNG\r\n\x1a\n"
SHAPE = (9, 8, 10)


@pytest.fixture
def config(tmp_path):
    """A volume whose voxel (z, y, x) is 100 z + 10 y + x, and its labels are 1000 more."""
    values = np.add.outer(np.add.outer(100 * np.arange(9), 10 * np.arange(8)), np.arange(10)).astype("uint16")
    for group, stored in (("raw", values), ("seg", values + 1000)):
        level = wa.create(
            tmp_path / "a.zarr" / group / "s0", SHAPE, "uint16", (5, 3, 2), chunks=(4, 4, 4), translation=(50, 60, 70)
        )
        level.write_index((0, 0, 0), SHAPE, stored)
    volume = {"name": "a", "path": str(tmp_path / "a.zarr"), "image_key": "raw", "zarr_version": "zarr3"}
    return {
        "volumes": [{**volume, "label_key": "seg", "normalize": False}],
        "resolutions": [[5, 3, 2]],
        "output_axes": "lczyx",
        "patch_size": [4, 4, 4],
        "samples_per_epoch": 20,
        "cache_bytes": 3000,
    }


def batch_of(config, size=4, **more):
    dataset = planes(miao.MiaoConfig(**config), size, verbose=False, **more)
    return PlaneCollate("lczyx")([dataset[number] for number in range(len(dataset))])


def test_planes_are_one_voxel_thick_along_each_axis_in_turn(config):
    found = [plane_config(miao.MiaoConfig(**config), thin, 6) for thin in "zyx"]
    assert [list(plane.patch_size) for plane in found] == [[1, 6, 6], [6, 1, 6], [6, 6, 1]]
    assert {(plane.samples_per_epoch, plane.cache_bytes) for plane in found} == {(6, 1000)}  # 20 // 3, 3000 // 3


def test_a_batch_mixes_planes_of_every_direction_and_says_which_they_are(config):
    batch = batch_of(config)
    assert batch["plane"] == ["yx"] * 6 + ["zx"] * 6 + ["zy"] * 6
    assert batch["img"].shape == (18, 1, 1, 4, 4)
    assert batch["label"].shape == (18, 1, 4, 4)
    assert batch["bbox"].shape == (18, 1, 2, 3)
    # 4 or 1 voxels of 5, 3 and 2.
    extents = (batch["bbox"][:, 0, 1] - batch["bbox"][:, 0, 0]).tolist()
    assert extents == [[5, 12, 8]] * 6 + [[20, 3, 8]] * 6 + [[20, 12, 2]] * 6


def test_a_plane_holds_the_voxels_of_its_place_and_the_labels_of_the_same_ones(config):
    batch = batch_of(config, seed=4)
    for number, plane in enumerate(batch["plane"]):
        image = batch["img"][number, 0, 0].numpy().astype(int)
        np.testing.assert_array_equal(batch["label"][number, 0].numpy(), image + 1000)
        # Index i is centred at 50 + 5 i, 60 + 3 i and 70 + 2 i.
        first = (batch["bbox"][number, 0, 0].numpy() - (50, 60, 70)) / (5, 3, 2)
        sizes = [4 if axis in plane else 1 for axis in "zyx"]
        z, y, x = (np.arange(n) + int(start) for n, start in zip(sizes, first, strict=True))
        held = np.add.outer(np.add.outer(100 * z, 10 * y), x)
        assert sorted(image.flatten()) == sorted(held.flatten())


def test_the_same_seed_gives_the_same_planes_and_each_direction_its_own_places(config):
    first, again, other = (batch_of(config, seed=seed) for seed in (4, 4, 5))
    assert torch.equal(first["img"], again["img"])
    assert not torch.equal(first["img"], other["img"])
    middles = first["bbox"][:, 0].mean(dim=1)
    assert not torch.equal(middles[:6, 0], middles[6:12, 0])


def test_a_plane_is_turned_by_the_eight_symmetries_of_a_square():
    image = torch.arange(4.0).view(1, 1, 2, 1, 2)
    sample = {"img": image, "label": image[0].long(), "meta": 5}
    np.random.seed(0)
    turned = [Turned("lczyx")(sample) for _ in range(200)]
    assert all(torch.equal(each["img"][0].long(), each["label"]) for each in turned)
    assert {tuple(each["img"].shape) for each in turned} == {(1, 1, 2, 1, 2)}
    assert len({tuple(each["img"].flatten().tolist()) for each in turned}) == 8
    assert turned[0]["meta"] == 5
    assert torch.equal(sample["img"], torch.arange(4.0).view(1, 1, 2, 1, 2))


def test_volumes_without_labels_make_planes_too(config):
    del config["volumes"][0]["label_key"]
    batch = batch_of(config)
    assert batch["label"].shape == (18, 0)
    assert batch["img"].shape == (18, 1, 1, 4, 4)


def test_layouts_with_the_channel_last_are_squeezed_where_they_are_thin(config):
    config["output_axes"] = "lzyxc"
    dataset = planes(miao.MiaoConfig(**config), 4, seed=1, verbose=False)
    batch = PlaneCollate("lzyxc")([dataset[0], dataset[19 - 2]])
    assert (batch["img"].shape, batch["plane"]) == ((2, 1, 4, 4, 1), ["yx", "zy"])
    assert torch.equal(batch["img"][..., 0].long() + 1000, batch["label"].long())


@pytest.mark.parametrize("size", [(4, 4, 4), (1, 1, 4)])
def test_what_is_no_plane_is_refused(size):
    sample = {"img": torch.zeros(1, 1, *size), "label": torch.empty(0)}
    with pytest.raises(ValueError, match="one voxel thick along one axis"):
        PlaneCollate("lczyx")([sample])
    PlaneCollate("lczyx")([{**sample, "img": torch.zeros(1, 1, 4, 1, 4)}])


@pytest.mark.slow
def test_workers_give_the_planes_that_one_process_gives(config):
    batches = []
    for workers in (0, 2):
        dataset = planes(miao.MiaoConfig(**config), 4, seed=9, verbose=False)
        torch.manual_seed(2)  # of the order
        batches.append(list(loader_2d_planes.loader(dataset, "lczyx", 6, workers)))
    for ours, theirs in zip(*batches, strict=True):
        assert ours["plane"] == theirs["plane"]
        assert torch.equal(ours["img"], theirs["img"])


def test_the_example_runs_and_overwrites_nothing(tmp_path):
    command = [sys.executable, loader_2d_planes.__file__, "--seed", "1", "--output", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True, cwd=tmp_path)
    assert done.stderr == ""
    # 48 planes, 16 across each axis, in batches of 8.
    assert done.stdout.count("batch: img (8, 1, 1, 64, 64), label (8, 1, 64, 64)") == 6
    assert (tmp_path / "out" / "planes.png").read_bytes().startswith(PNG)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    with pytest.raises(SystemExit, match="exists already"):
        loader_2d_planes.main(["--output", str(tmp_path / "out")])


def test_a_configuration_of_ones_own_is_read_and_mistakes_are_said_in_a_line(config, tmp_path, capsys):
    miao.save_config(miao.MiaoConfig(**config), tmp_path / "own.yaml")
    given = ["--config", str(tmp_path / "own.yaml"), "--size", "5", "--output", str(tmp_path / "out")]
    assert loader_2d_planes.main(given) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["planes.png"]
    capsys.readouterr()
    assert loader_2d_planes.main(["--config", str(tmp_path / "none.yaml"), "--output", str(tmp_path / "b")]) == 1
    # Planes of 9 voxels do not fit 8 along y.
    given = ["--config", str(tmp_path / "own.yaml"), "--size", "9", "--output", str(tmp_path / "c")]
    assert loader_2d_planes.main(given) == 1
    told = capsys.readouterr().err
    assert "none.yaml" in told
    assert "Traceback" not in told
