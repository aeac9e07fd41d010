"""The example of deferred images: whoever finishes them, values, labels and places are the same."""

import subprocess
import sys

import pytest

pytest.importorskip("torch")

import torch

import loader_deferred
import miao
from loader_deferred import build, configuration, difference, loader, received

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("spots") / "spots.zarr"
    build(found)
    return found


def epoch(path, deferred, seed=4):
    dataset = miao.VolumeDataset(configuration(path, deferred=deferred), seed=seed, verbose=False)
    device = loader_deferred.at_hand()
    return received(loader(dataset, 8, 0, device), device)


def test_both_ways_give_the_same(path):
    ours, sent, crops = epoch(path, deferred=True)
    theirs, plain, image = epoch(path, deferred=False)
    assert difference(ours, theirs) < (1e-6 if loader_deferred.at_hand() == "cpu" else 1e-3)
    assert all("deferred" not in batch for batch in ours)
    # 24 patches of 2 x 32 x 48 x 48 voxels of four bytes.
    assert plain == 24 * 2 * 32 * 48 * 48 * 4
    # Of 40 nm: 1280 nm of 90 are 15 sections, 1920 of 30 are 64; of 80 nm it is 29 (28.4), and 64 of 60.
    assert sent == 24 * (15 + 29) * 64 * 64 * 2
    assert [(tuple(crop.shape), crop.dtype) for crop in crops] == [
        ((15, 64, 64), torch.uint16),
        ((29, 64, 64), torch.uint16),
    ]
    assert image.shape == (2, 1, 32, 48, 48)


def test_what_differs_is_found(path):
    ours, theirs = (epoch(path, deferred=deferred)[0] for deferred in (True, False))
    ours[1]["img"][3, 1, 0, 5, 6, 7] += 0.25
    assert difference(ours, theirs) == pytest.approx(0.25)
    ours[2]["label"][0, 0, 1, 2, 3] += 1
    with pytest.raises(ValueError, match="label"):
        difference(ours, theirs)


def test_the_example_runs_and_overwrites_nothing(tmp_path):
    command = [sys.executable, loader_deferred.__file__, "--workers", "1", "--output", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "finished by the workers: 3 batches, 14.2 MB" in done.stdout
    assert done.stdout.count("largest difference") == 2
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["deferred.png", "spots.zarr"]
    assert (tmp_path / "out" / "deferred.png").read_bytes().startswith(PNG)
    with pytest.raises(SystemExit, match="exists already"):
        loader_deferred.main(["--output", str(tmp_path / "out")])


def test_a_device_that_is_not_there_is_said_in_a_line(tmp_path, capsys):
    assert loader_deferred.main(["--device", "gpu", "--workers", "0", "--output", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert "gpu" in told
    assert "Traceback" not in told
