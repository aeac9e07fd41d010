"""Bad files and arguments of commands: one line that says which file it is and what to do, and nothing is written."""

import struct
from pathlib import Path

import numpy as np
import pytest

from mlarray import FormatError, MLArray
from mlarray.cli.main import main
from mlarray.convert import from_nifti

nibabel = pytest.importorskip("nibabel")


@pytest.fixture
def nifti(tmp_path):
    """A NIfTI-1 file, little-endian, with dim from byte 40, datatype at 70 and vox_offset at 108."""
    image = nibabel.Nifti1Image(np.arange(24, dtype="i2").reshape(2, 3, 4), np.diag([2, 3, 4, 1]))
    image.header.set_xyzt_units(2, 8)
    nibabel.save(image, tmp_path / "a.nii")
    return tmp_path / "a.nii"


@pytest.fixture
def array(tmp_path):
    """An .mla file."""
    MLArray(np.zeros((2, 3, 4), "i2"), space="patient").save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


def patched(path: Path, at: int, form: str, *values: float) -> Path:
    content = bytearray(path.read_bytes())
    struct.pack_into(form, content, at, *values)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("at", "form", "values", "rule"),
    [
        (40, "<h", (9,), r"dim is \[9, 2, 3, 4, 1, 1, 1, 1\]; it begins with the number of axes, from 1 to 7"),
        (40, "<h", (0,), r"dim is \[0, 2"),
        (42, "<h", (-5,), r"dim is \[3, -5, 3"),
        (70, "<h", (9999,), "the datatype 9999 is none that NIfTI has"),
        (70, "<h", (128,), r"the datatype 128 \(RGB\) has no place"),
        (108, "<f", (float("nan"),), "vox_offset, where the voxels begin, is nan"),
        (108, "<f", (1e30,), "the voxels begin at byte .*truncated"),
    ],
)
def test_a_broken_header_is_named_once_with_what_is_wrong(nifti, at, form, values, rule):
    assert from_nifti(nifti).shape == (4, 3, 2)
    with pytest.raises(FormatError, match=f"^{patched(nifti, at, form, *values)}: {rule}") as caught:
        from_nifti(nifti)
    assert str(caught.value).count("a.nii") == 1


def test_the_file_without_a_fingerprint_is_named_among_many(array, nifti, tmp_path, capsys):
    from_nifti(nifti).save(tmp_path / "b.mla")
    assert main(["verify", str(array), str(tmp_path / "b.mla")]) == 1
    found = capsys.readouterr()
    assert found.err == f"error: {array}: /source: no source has a fingerprint, so there is nothing to compare with\n"
    assert found.out == f"{tmp_path / 'b.mla'}: the same values\n"


def test_what_is_not_there_is_not_converted(tmp_path, capsys):
    for target in ("out", "b.mla", "b.nii"):
        assert main(["convert", str(tmp_path / "no"), str(tmp_path / target)]) == 1
        assert capsys.readouterr().err == f"error: {tmp_path / 'no'}: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


def test_options_of_reading_are_not_passed_over_when_another_format_is_written(array, tmp_path, capsys):
    target = tmp_path / "b.nii"
    assert main(["convert", str(array), str(target), "--patch-size", "4"]) == 1
    assert "/patch_size: patch_size says how .mla files are made; leave it out" in capsys.readouterr().err
    assert not target.exists()
    assert main(["convert", str(array), str(target)]) == 0


def test_a_folder_is_not_replaced_by_a_file(array, nifti, tmp_path, capsys):
    for source, name in ((array, "b.nii"), (nifti, "b.mla")):
        (tmp_path / name).mkdir()
        assert main(["convert", str(source), str(tmp_path / name), "--overwrite"]) == 1
        assert capsys.readouterr().err.startswith(f"error: {tmp_path / name}: ")
        assert (tmp_path / name).is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mla", "a.nii", "b.mla", "b.nii"]


def test_one_bad_file_among_many_stops_none(array, tmp_path, capsys):
    (tmp_path / "empty.mla").write_bytes(b"")
    (tmp_path / "gzip.mla").write_bytes(b"\x1f\x8b\x08" + bytes(40))
    (tmp_path / "folder.mla").mkdir()
    (tmp_path / "link.mla").symlink_to("nowhere.mla")
    names = ["empty.mla", "gzip.mla", "folder.mla", "link.mla", "absent.mla", "a.mla"]
    for command in ("validate", "header", "verify"):
        assert main([command, *(str(tmp_path / name) for name in names)]) == 1
        found = capsys.readouterr()
        lines = (found.out + found.err).splitlines()
        for name in ("empty.mla", "gzip.mla", "folder.mla", "nowhere.mla", "absent.mla"):
            assert any(str(tmp_path / name) in line for line in lines), (command, name)
        assert "Traceback" not in found.err
    assert main(["validate", str(array)]) == 0
