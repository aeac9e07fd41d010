"""The example of time series: every patch is of the frame that it names, walks cover whole frames."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")

import loader_time_series
import miao
import worldarray as wa
from loader_time_series import PATCH, SHAPE, VOXEL_SIZE, assembled, training, validation

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """The series of the example, and what a patch of it holds: of 0 to 1300 a value v becomes v / 1300."""
    path = tmp_path_factory.mktemp("series") / "fish.zarr"
    loader_time_series.build(path)
    stored = loader_time_series.drifting()
    assert wa.open(path / "raw" / "s0").axes == ("t", "z", "y", "x")
    return path, np.clip(stored, 0, 1300) / np.float32(1300)


def batches(config, **more):
    return list(miao.loader(miao.VolumeDataset(config, seed=2, verbose=False), batch_size=4, **more))


def test_every_patch_is_of_the_frame_that_it_names_and_of_the_place_that_its_box_says(series):
    path, values = series
    seen = set()
    for batch in batches(training(path, "1:6:2")):
        for number, name in enumerate(batch["meta"]["volume"]):
            frame = int(name.removeprefix("fish[t=").removesuffix("]"))
            seen.add(frame)
            # Its corner is a whole number of voxels of 400, 216 and 216 nm from 0.
            start = batch["bbox"][number, 0, 0].numpy() / VOXEL_SIZE
            np.testing.assert_allclose(start, np.rint(start), atol=1e-4)
            place = tuple(slice(int(s), int(s) + n) for s, n in zip(np.rint(start), PATCH, strict=True))
            np.testing.assert_allclose(batch["img"][number, 0, 0].numpy(), values[frame][place], rtol=1e-6)
    assert seen == {1, 3, 5}


def test_frames_are_drawn_as_often_as_each_other(series):
    config = training(series[0], "0:4")
    config.samples_per_epoch = 400
    dataset = miao.VolumeDataset(config, seed=0, verbose=False)
    counts = np.bincount([dataset.plan(number).volume for number in range(400)])
    # 100 each on average, with a deviation of about 9.
    assert len(counts) == 4
    assert counts.min() > 65
    assert counts.max() < 135


def test_a_walk_covers_every_frame_wholly_one_after_the_other(series):
    path, values = series
    walked = batches(validation(path, "5:8"))
    names = [name for batch in walked for name in batch["meta"]["volume"]]
    # z: 20 - 16 is 4 and less than a stride of 8: 2 places. y: 0, 32 and 48 of 96; x: 0, 32 and 64 of 112: 3 each.
    assert names == ["fish[t=5]"] * 18 + ["fish[t=6]"] * 18 + ["fish[t=7]"] * 18
    frames = assembled(walked)
    assert list(frames) == ["fish[t=5]", "fish[t=6]", "fish[t=7]"]
    for number, frame in enumerate(frames.values(), 5):
        assert frame.shape == SHAPE
        np.testing.assert_allclose(frame, values[number], rtol=1e-6)


def test_the_example_runs_and_overwrites_nothing(tmp_path):
    command = [sys.executable, loader_time_series.__file__, "--output", str(tmp_path / "out"), "--train", "0:2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "train: 40 patches of 16 x 48 x 48 voxels" in done.stdout
    assert "fish[t=5]: 18, fish[t=6]: 18, fish[t=7]: 18" in done.stdout
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["fish.zarr", "frames.png", "train.yaml", "validate.yaml"]
    assert (tmp_path / "out" / "frames.png").read_bytes().startswith(PNG)
    assert miao.load_config(tmp_path / "out" / "train.yaml").volumes[0].fixed_axes == {"t": "0:2"}
    with pytest.raises(SystemExit, match="exists already"):
        loader_time_series.main(["--output", str(tmp_path / "out")])


@pytest.mark.parametrize("frames", ["5:9", "3:1", "all"])
def test_frames_that_are_not_there_are_said_in_a_line(tmp_path, capsys, frames):
    assert loader_time_series.main(["--validate", frames, "--output", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert "fixed_axes" in told
    assert "Traceback" not in told
