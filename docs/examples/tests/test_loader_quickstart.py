"""The quickstart of the loader: few lines of YAML, the same samples from workers and from one process."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")

import loader_quickstart
import miao
import worldarray as wa
from loader_quickstart import SPECIMENS, YAML, build, gone_through, same

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("two")
    for specimen in SPECIMENS:
        build(found, specimen)
    (found / "config.yaml").write_text(YAML)
    return found


def test_the_configuration_has_ten_lines():
    assert len(YAML.splitlines()) <= 10


def test_levels_lie_where_their_volumes_do(folder):
    tissue = wa.open_pyramid(folder / "tissue.zarr" / "raw", units="nanometer")
    assert tissue.voxel_sizes() == ((32, 12, 12), (32, 24, 24), (64, 48, 48))
    assert {level.corner for level in tissue.levels} == {(0, 0, 0)}
    culture = wa.open_pyramid(folder / "culture.zarr" / "labels" / "cells", units="nanometer")
    assert culture.voxel_sizes() == ((20, 20, 20), (40, 40, 40))
    # 112, 120 and 136 voxels, halved.
    assert culture.by_name("s1").shape == (56, 60, 68)
    assert {level.corner for level in culture.levels} == {(5000, -600, 900)}


def test_both_volumes_give_patches_of_the_sizes_that_are_asked_for(folder, capsys):
    dataset = miao.VolumeDataset(folder / "config.yaml", verbose=False)
    found = gone_through("here", miao.loader(dataset, batch_size=8))
    assert "here: 6 batches" in capsys.readouterr().out
    assert {name for batch in found for name in batch["meta"]["volume"]} == {"tissue", "culture"}
    for batch in found:
        assert batch["img"].shape == (8, 2, 1, 32, 32, 32)
        assert batch["label"].shape == (8, 2, 32, 32, 32)
        assert batch["pixel_size"][3].tolist() == [[32] * 3, [64] * 3]
        # Walls of the one volume are dark, those of the other bright: 60 of 255, and 1500 of 2000.
        for name, image, label in zip(batch["meta"]["volume"], batch["img"], batch["label"], strict=True):
            walls, inside = (float(image[0, 0][where].mean()) for where in (label[0] == 0, label[0] > 0))
            assert walls < inside - 0.2 if name == "tissue" else walls > inside + 0.2


def test_a_difference_between_two_epochs_is_seen(folder):
    dataset = miao.VolumeDataset(folder / "config.yaml", verbose=False)
    epochs = [list(miao.loader(dataset, batch_size=2, sampler=range(4))) for _ in range(3)]
    assert same(epochs[0], epochs[1])
    assert not same(epochs[0], epochs[1][:1])
    epochs[2][1]["label"][0, 0, 5, 6, 7] += 1
    assert not same(epochs[0], epochs[2])


def test_the_example_runs_and_overwrites_nothing(tmp_path):
    command = [sys.executable, loader_quickstart.__file__, "--workers", "1", "--output", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "DataLoader, 1 workers: 6 batches" in done.stdout
    assert "The same samples both ways: yes" in done.stdout
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["config.yaml", "culture.png", "culture.zarr", "tissue.png", "tissue.zarr"]
    for name in ("culture", "tissue"):
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(PNG)
    before = (tmp_path / "out" / "config.yaml").stat().st_mtime_ns
    with pytest.raises(SystemExit, match="nothing is overwritten"):
        loader_quickstart.main(["--output", str(tmp_path / "out")])
    assert (tmp_path / "out" / "config.yaml").stat().st_mtime_ns == before


def test_a_configuration_of_ones_own_is_read_and_mistakes_are_said_in_a_line(folder, tmp_path, capsys):
    own = tmp_path / "own.yaml"
    own.write_text(YAML.replace("path: ", f"path: {folder}/").replace("epoch: 48", "epoch: 5"))
    given = ["--config", str(own), "--workers", "0", "--batch-size", "4"]
    assert loader_quickstart.main([*given, "--output", str(tmp_path / "a")]) == 0
    told = capsys.readouterr().out
    assert "miao.loader, this process: 2 batches" in told
    assert "The same samples both ways: yes" in told
    assert {path.suffix for path in (tmp_path / "a").iterdir()} == {".png"}
    own.write_text(YAML.replace("patch_size", "patchsize"))
    assert loader_quickstart.main([*given, "--output", str(tmp_path / "b")]) == 1
    told = capsys.readouterr().err
    assert "did you mean 'patch_size'?" in told
    assert "Traceback" not in told


def test_labels_of_coarser_levels_are_whole_values(folder):
    pyramid = wa.open_pyramid(folder / "tissue.zarr" / "labels" / "cells", units="nanometer")
    finest, _, coarsest = (level.read(level.box) for level in pyramid.levels)
    assert set(np.unique(coarsest)) <= set(np.unique(finest))
    assert coarsest.dtype == "uint16"
