"""The quickstart: the command of the README runs, and what it makes lies where its input does."""

import subprocess
import sys
import time
from pathlib import Path

import nibabel
import numpy as np
import pytest

import quickstart
import worldarray as wa

ROOT = Path(quickstart.__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_command_of_the_readme_makes_a_pyramid_and_a_picture():
    command = next(line for line in ROOT.joinpath("README.md").read_text().splitlines() if line.startswith("uv run"))
    script = command.partition("#")[0].split()[-1]
    assert script == "docs/examples/quickstart.py"
    started = time.monotonic()
    done = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, timeout=100, check=True)
    assert time.monotonic() - started < 60, "under 20 s where nothing else runs"
    assert done.stderr == ""
    picture = Path(done.stdout.split("Picture: ")[1].splitlines()[0])
    assert picture.read_bytes().startswith(PNG)
    assert f"Folder: {picture.parent}  (it stays; remove it when you are done)" in done.stdout
    vol = wa.open(picture.with_suffix(".zarr"), level="s1")
    # Voxels of 40, 16 and 16 nm with their corner at (1200, -800, 3000); y and x are halved first.
    assert (vol.voxel_size, vol.corner) == ((40.0, 32.0, 32.0), (1200.0, -800.0, 3000.0))
    assert vol.translation == (1220.0, -784.0, 3016.0)


@pytest.fixture
def array(tmp_path):
    """An .npy of random int16, of a shape whose halves are cut."""
    values = np.random.default_rng(3).integers(-(2**15), 2**15, (70, 90, 45)).astype("int16")
    np.save(tmp_path / "block.npy", values)
    return tmp_path / "block.npy", values


def test_levels_of_an_npy_are_block_means_that_share_its_corner(array, tmp_path):
    path, values = array
    out = tmp_path / "out"
    size, corner = (2.5, 0.5, 0.75), (-3.0, 7.0, 11.0)
    more = ["--voxel-size", *map(str, size), "--corner", *map(str, corner), "--unit", "um"]
    assert quickstart.main([str(path), "--output", str(out), *more]) == 0
    pyramid = wa.open_pyramid(out / "block.zarr", units="micrometer")
    # 0.75 is within 1.5 times 0.5, and 1.5 of 1.0; 2.5 and 3.0 are of 2.0; then no axis has more than 64 voxels.
    assert pyramid.voxel_sizes() == ((2.5, 0.5, 0.75), (2.5, 1.0, 1.5), (2.5, 2.0, 3.0), (5.0, 4.0, 6.0))
    assert [vol.shape for vol in pyramid.levels] == [(70, 90, 45), (70, 45, 23), (70, 23, 12), (35, 12, 6)]
    assert all(vol.corner == pytest.approx(corner) for vol in pyramid.levels)
    s0, s1 = pyramid.by_name("s0"), pyramid.by_name("s1")
    np.testing.assert_array_equal(s0.read(s0.box), values)
    # The last x voxel of s1 covers one column of s0 only.
    whole = np.pad(values.astype(float), ((0, 0), (0, 0), (0, 1)), mode="edge")
    means = whole.reshape(70, 45, 2, 23, 2).mean(axis=(2, 4))
    np.testing.assert_array_equal(s1.read(s1.box), np.rint(means))
    assert (out / "block.png").read_bytes().startswith(PNG)


def test_nothing_is_overwritten(array, tmp_path, capsys):
    path, _ = array
    assert quickstart.main([str(path), "--output", str(tmp_path)]) == 0
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(SystemExit, match=r"block\.png: exists already"):
        quickstart.main([str(path), "--output", str(tmp_path)])
    (tmp_path / "block.png").rename(tmp_path / "kept.png")
    assert quickstart.main([str(path), "--output", str(tmp_path)]) == 1
    assert "nothing is overwritten" in capsys.readouterr().err
    (tmp_path / "kept.png").rename(tmp_path / "block.png")
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.is_file()} == before


def save_nifti(path, affine, values, unit="mm"):
    image = nibabel.Nifti1Image(values, np.array(affine, float))
    image.header.set_xyzt_units(unit)
    nibabel.save(image, path)


def test_a_nifti_is_turned_to_ras_and_placed_by_its_affine(tmp_path, capsys):
    # Stored with i to the left: x = 91.5 - 2 i, y = -110.25 + 1.8 j, z = -60 + 2.5 k, in millimetres, at voxel centres.
    values = np.arange(20 * 30 * 10, dtype=">i2").reshape(20, 30, 10)
    affine = [[-2, 0, 0, 91.5], [0, 1.8, 0, -110.25], [0, 0, 2.5, -60], [0, 0, 0, 1]]
    save_nifti(tmp_path / "head.nii.gz", affine, values)
    assert quickstart.main([str(tmp_path / "head.nii.gz"), "--output", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "RAS+" in told
    assert "turned by" not in told
    vol = wa.open(tmp_path / "head.zarr", level="s0", units="millimeter")
    assert vol.grid.units == ("millimeter",) * 3
    assert vol.voxel_size == pytest.approx((2.5, 1.8, 2.0))
    # The leftmost voxel is i = 19, at 91.5 - 38 = 53.5.
    assert vol.translation == pytest.approx((-60, -110.25, 53.5))
    # i = 4, j = 7, k = 3 lies at x = 83.5, y = -97.65, z = -52.5.
    at = wa.Box((-52.5, -97.65, 83.5), (-52.5, -97.65, 83.5)).grow(0.5)
    assert vol.read(at).ravel().tolist() == [values[4, 7, 3]]
    assert wa.detect(tmp_path / "head.zarr").attrs["nifti"]["orientation"] == "RAS+"


def test_a_turned_nifti_without_a_unit_says_what_is_left_out(tmp_path, capsys):
    c, s = np.cos(np.radians(10)), np.sin(np.radians(10))
    affine = [[2, 0, 0, -9], [0, 3 * c, -4 * s, 20], [0, 3 * s, 4 * c, 5], [0, 0, 0, 1]]
    save_nifti(tmp_path / "turned.nii", affine, np.zeros((8, 9, 10, 2), "float32"), unit="unknown")
    assert quickstart.main([str(tmp_path / "turned.nii"), "--output", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "turned by up to 10.0 degrees" in told
    assert "taken as millimetres" in told
    assert "this is the first" in told
    vol = wa.open(tmp_path / "turned.zarr", level="s0", units="millimeter")
    assert vol.voxel_size == pytest.approx((4, 3, 2))
    assert vol.translation == pytest.approx((5, 20, -9))


def test_nifti_without_nibabel_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(SystemExit, match="needs nibabel"):
        quickstart.main([str(tmp_path / "head.nii")])


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        (np.zeros((4, 5)), "flat.npy", "three axes"),
        (np.zeros((4, 5, 6), bool), "mask.npy", "integers and floats"),
        (np.zeros((4, 5, 6)), "image.npz", "reads .npy, .nii and .nii.gz"),
    ],
)
def test_what_it_cannot_read_ends_it_before_anything_is_made(tmp_path, values, name, told):
    with open(tmp_path / name, "wb") as file:
        np.save(file, values)
    with pytest.raises(SystemExit, match=told):
        quickstart.main([str(tmp_path / name), "--output", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there_is_an_error_of_one_line(tmp_path, capsys):
    assert quickstart.main([str(tmp_path / "no.npy")]) == 1
    assert "no.npy" in capsys.readouterr().err
