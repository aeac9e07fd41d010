"""The example that trains: nothing of what validates is seen, the loss falls, predictions lie where the brain does."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("nilearn")

import loader_train_stitch
import miao
import worldarray as wa
from loader_train_stitch import LABELS, PATCH, PREDICTIONS, build, configurations, dice

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("brain") / "mni152.zarr"
    build(found)
    return found


def test_the_template_lies_where_its_affine_says(path):
    from nilearn import datasets

    image = datasets.load_mni152_template(resolution=2)
    # x = -98 + 2 i, y = -134 + 2 j, z = -72 + 2 k.
    assert image.affine.tolist() == [[2, 0, 0, -98], [0, 2, 0, -134], [0, 0, 2, -72], [0, 0, 0, 1]]
    vol = wa.open(path / "raw" / "s0", units="millimeter")
    assert vol.translation == (-72, -134, -98)
    assert vol.shape == (95, 117, 99)
    # i = 61, j = 37, k = 42 is at x = 24, y = -60, z = 12.
    stored = vol.read(wa.Box((11, -61, 23), (13, -59, 25))).item()
    assert stored == round(255 * float(np.asarray(image.dataobj)[61, 37, 42]))
    assert 150 < stored < 256
    grey = wa.open(path / LABELS / "s0", units="millimeter")
    assert (grey.translation, grey.shape) == (vol.translation, vol.shape)
    assert np.unique(grey.read(grey.box)).tolist() == [0, 1]


def test_what_trains_and_what_validates_do_not_touch(path):
    found = configurations(path, 40)
    boxes = {}
    for name, config in found.items():
        dataset = miao.VolumeDataset(config, seed=1, verbose=False)
        batches = list(miao.loader(dataset, batch_size=8))
        boxes[name] = np.concatenate([batch["bbox"][:, 0].numpy() for batch in batches])
        if name == "train":
            # At least a twentieth is foreground.
            assert all(float(one.float().mean()) >= 0.05 for batch in batches for one in batch["label"])
    # The first voxel of the front, 70, is centred at -134 + 140 = 6 mm; boxes count from voxel centres.
    assert boxes["train"][:, 1, 1].max() <= 6
    assert boxes["validate"][:, 0, 1].min() == 6
    assert boxes["validate"][:, 1, 1].max() == 100
    # 95, 117 and 99 voxels in strides of 24: 4 by 5 by 4 places.
    assert len(boxes["predict"]) == 80
    assert boxes["predict"].min(axis=(0, 1)).tolist() == [-72, -134, -98]
    assert boxes["predict"].max(axis=(0, 1)).tolist() == [118, 100, 100]


def test_dice_counts_all_pairs_together():
    first = np.array([0.9, 0.2, 0.6]), np.array([1, 1, 0])
    second = np.array([0.7, 0.8]), np.array([1, 0])
    # Predicted are 2 and 2, labelled 2 and 1, both 1 and 1: 2 * 2 / 7.
    assert dice([first, second]) == pytest.approx(4 / 7)
    assert dice([(np.zeros(3), np.zeros(3))]) == 1


@pytest.mark.slow
def test_the_example_learns_stitches_and_overwrites_nothing(tmp_path):
    out = tmp_path / "out"
    more = ["--epochs", "3", "--patches", "60", "--device", "cpu", "--output", str(out)]
    command = [sys.executable, loader_train_stitch.__file__, *more]
    # On a machine that is busy, threads of one convolution wait for each other far longer than they work.
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=True, cwd=tmp_path, env=alone)
    assert done.stderr == ""
    losses = [float(loss) for loss in re.findall(r"15 steps, mean loss (\S+),", done.stdout)]
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0]
    scores = re.search(r"Read back: Dice (\S+) behind y = 5 mm, (\S+) before it", done.stdout).groups()
    # 12 % is grey matter and 21 % is brain: to call all of the brain grey would be 2 * 0.12 / (0.21 + 0.12) = 0.73.
    assert min(map(float, scores)) > 0.75
    found = wa.open(out / "mni152.zarr" / PREDICTIONS, units="millimeter")
    assert (found.axes, found.shape, found.dtype) == (("z", "y", "x"), (95, 117, 99), np.dtype("float32"))
    assert (found.voxel_size, found.translation) == ((2, 2, 2), (-72, -134, -98))
    values = found.read(found.box)
    assert values.min() >= 0
    assert values.max() <= 1
    # There is no brain in the topmost 10 mm, and none at the faces to the left and right.
    assert max(values[-5:].mean(), values[..., 0].mean(), values[..., -1].mean()) < 0.3
    assert (out / "grey_matter.png").read_bytes().startswith(PNG)
    made = sorted(path.name for path in out.iterdir())
    assert made == ["grey_matter.png", "mni152.zarr", "predict.yaml", "train.yaml", "validate.yaml"]
    assert miao.load_config(out / "train.yaml").patch_size == list(PATCH)
    with pytest.raises(SystemExit, match="exists already"):
        loader_train_stitch.main(["--output", str(out)])


def test_without_nilearn_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nilearn", None)
    with pytest.raises(SystemExit, match="comes with nilearn"):
        loader_train_stitch.main(["--output", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_store_that_is_there_already_is_left_alone(path, capsys):
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*") if file.is_file()}
    assert loader_train_stitch.main(["--output", str(path.parent)]) == 1
    told = capsys.readouterr().err
    assert "mni152.zarr" in told
    assert "Traceback" not in told
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*") if file.is_file()} == before
