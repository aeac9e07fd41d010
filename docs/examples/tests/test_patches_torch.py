"""The PyTorch example: right values, other patches per worker and epoch, the same ones however they are read."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import patches_torch
from mlarray import MLArray
from patches_torch import Epochs, Patches

SHAPES, SIZE = [(9, 20, 15), (4, 12, 30)], (6, 5, 7)
METHODS = ["fork", "forkserver", "spawn"]


@pytest.fixture
def files(tmp_path):
    """Two images of int16 and their labels; the values of an image differ from voxel to voxel. -1 is its fill."""
    found = {"image": [], "label": []}
    for number, shape in enumerate(SHAPES):
        stored = np.arange(np.prod(shape), dtype="int16").reshape(shape) + 10000 * number
        for name, values, more in (
            ("image", stored, {"scale": 2, "offset": -3, "fill": -1}),
            ("label", stored % 3, {"kind": "label"}),
        ):
            found[name].append(tmp_path / f"{name}{number}.mla")
            MLArray(values.astype("int16"), axes=["z", "y", "x"], values=more, patch_size=4).save(found[name][-1])
    return found


def whole(number):
    """An image with 6 voxels of fill on each side, more than a patch can reach beyond it."""
    values = np.arange(np.prod(SHAPES[number]), dtype="int64").reshape(SHAPES[number]) + 10000 * number
    return np.pad(values, 6, constant_values=-1)


def keys(batches):
    """Where each patch of some batches is from: the file and the start."""
    return [
        (int(file), *map(int, start))
        for batch in batches
        for file, start in zip(batch["file"], batch["start"], strict=True)
    ]


def test_a_patch_holds_the_values_at_its_place_and_the_fill_beyond_the_image(files):
    dataset = Patches(files["image"], SIZE, labels=files["label"], per_image=20)
    assert len(dataset) == 40
    beyond = 0
    for number in range(len(dataset)):
        found = dataset[3, number]
        assert found["file"] == number // 20
        place = tuple(slice(int(s) + 6, int(s) + 6 + n) for s, n in zip(found["start"], SIZE, strict=True))
        stored = whole(found["file"])[place]
        assert found["image"].dtype == np.float32
        # scale 2, offset -3; at most 2 * 11439 - 3, which float32 holds exactly
        np.testing.assert_array_equal(found["image"], 2 * stored - 3)
        inside = stored >= 0
        np.testing.assert_array_equal(found["label"][inside], (stored % 3)[inside])
        assert (found["label"][~inside] == 0).all()
        beyond += not inside.all()
    assert beyond == 20, "the second image has 4 rows, and the patch 6"


def test_a_patch_starts_anywhere_where_it_lies_in_the_image_or_the_image_in_it(files):
    dataset = Patches(files["image"], SIZE, per_image=300)
    starts = np.array([dataset[0, number]["start"] for number in range(600)])
    # 9 - 6, 20 - 5 and 15 - 7; 4 - 6 is -2, 12 - 5 and 30 - 7
    assert starts[:300].min(0).tolist() == [0, 0, 0]
    assert starts[:300].max(0).tolist() == [3, 15, 8]
    assert starts[300:].min(0).tolist() == [-2, 0, 0]
    assert starts[300:].max(0).tolist() == [0, 7, 23]


def test_every_epoch_has_other_patches_in_another_order_and_a_seed_gives_the_same_ones(files):
    dataset = Patches(files["image"], SIZE, per_image=8)
    sampler = Epochs(dataset)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == [(0, number) for number in range(16)]
    assert sorted(second) == [(1, number) for number in range(16)]
    assert [number for _, number in first] != [number for _, number in second]
    starts = [[tuple(dataset[key]["start"]) for key in sorted(keys)] for keys in (first, second)]
    assert starts[0] != starts[1]
    again, other = Patches(files["image"], SIZE, per_image=8), Patches(files["image"], SIZE, per_image=8, seed=1)
    assert [tuple(again[key]["start"]) for key in sorted(first)] == starts[0]
    assert [tuple(other[key]["start"]) for key in sorted(first)] != starts[0]
    assert list(Epochs(again)) == first
    assert list(Epochs(again, epoch=1)) == second


def test_axes_that_are_not_spatial_are_read_whole(tmp_path):
    values = np.arange(3 * 8 * 9, dtype="int16").reshape(8, 9, 3)
    MLArray(values, axes=["y", "x", "c"]).save(tmp_path / "rgb.mla")
    dataset = Patches([tmp_path / "rgb.mla"], (4, 5), per_image=3)
    found = dataset[0, 2]
    y, x = found["start"]
    np.testing.assert_array_equal(found["image"], values[y : y + 4, x : x + 5])


def test_labels_of_another_shape_and_patches_of_another_number_of_axes_are_refused(files, capsys):
    Patches(files["image"], SIZE, labels=files["label"])
    with pytest.raises(ValueError, match="same shapes"):
        Patches(files["image"], SIZE, labels=files["label"][::-1])
    with pytest.raises(ValueError, match=r"image0\.mla has 3 spatial axes, and the patch 2"):
        Patches(files["image"], (4, 5))
    assert patches_torch.main([str(files["image"][0]), "--size", "4", "5"]) == 1
    assert patches_torch.main([str(files["image"][0].with_name("none.mla"))]) == 1
    assert "none.mla" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed in /proc")
def test_no_file_stays_open(files):
    dataset = Patches(files["image"], SIZE, labels=files["label"])
    dataset[0, 0]
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(16):
        dataset[1, number]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("method", METHODS)
def test_workers_read_the_patches_that_one_process_reads_and_others_in_the_next_epoch(files, method):
    pytest.importorskip("torch")
    dataset = Patches(files["image"], SIZE, labels=files["label"], per_image=8)
    dataset[0, 0]  # the parent has read before it forks
    alone = patches_torch.loader(dataset, 4, 0, None)
    wanted = [list(alone), list(alone)]
    shared = patches_torch.loader(dataset, 4, 2, method)
    found = [list(shared), list(shared)]
    del shared  # ends the workers
    for ours, theirs in zip(found, wanted, strict=True):
        assert keys(ours) == keys(theirs)
        assert all((a["image"] == b["image"]).all() for a, b in zip(ours, theirs, strict=True))
        assert all((a["label"] == b["label"]).all() for a, b in zip(ours, theirs, strict=True))
    # Worker 0 reads batches 0 and 2 of an epoch, worker 1 the others.
    first = found[0]
    assert set(keys(first[0::2])).isdisjoint(keys(first[1::2]))
    assert sorted(keys(found[0])) != sorted(keys(found[1]))
    assert str(first[0]["image"].dtype) == "torch.float32"
    assert str(first[0]["label"].dtype) == "torch.int64"


def test_the_example_runs(tmp_path):
    pytest.importorskip("torch")
    command = [sys.executable, patches_torch.__file__, "--start-method", "spawn", "--per-image", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"epoch {n}: 12 patches of 32 x 32 x 32" for n in (0, 1)]
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
