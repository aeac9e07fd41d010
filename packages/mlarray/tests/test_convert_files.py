"""Whole folders of images, and which format a path is of."""

from pathlib import Path

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.convert.files import Job, convert, convert_all, jobs_in
from mlarray.convert.table import FORMATS, format_of, function
from mlarray.errors import ArgumentError

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)


@pytest.fixture
def raw(tmp_path):
    pytest.importorskip("nibabel")
    from mlarray.convert import to_nifti

    for name in ("a.nii", "deep/b.nii.gz", "deep/er/c.nii"):
        (tmp_path / "raw" / name).parent.mkdir(parents=True, exist_ok=True)
        to_nifti(MLArray(VALUES, space="patient", spacing=(3, 2, 1)), tmp_path / "raw" / name)
    (tmp_path / "raw" / "broken.nii").write_text("no image")
    (tmp_path / "raw" / "notes.txt").write_text("notes")
    return tmp_path / "raw"


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.nii", "nifti"),
        ("a.NII.GZ", "nifti"),
        ("b.hdr", "nifti"),
        ("c.nrrd", "itk"),
        ("d.mha", "itk"),
        ("e.zarr", "omezarr"),
    ],
)
def test_formats_go_by_their_suffix(name, kind):
    assert format_of(Path(name)).name == kind


def test_an_unknown_suffix_lists_those_that_are_known():
    with pytest.raises(ArgumentError, match=r"\.nii\.gz.*\.nrrd"):
        format_of(Path("a.docx"))


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.name)
def test_every_row_names_functions_that_are_there(row):
    pytest.importorskip({"nifti": "nibabel", "omezarr": "worldarray", "dicom": "pydicom", "itk": "SimpleITK"}[row.name])
    assert callable(function(row.read))
    assert row.write is None or callable(function(row.write))


def test_the_tree_of_a_folder_is_mirrored(raw, tmp_path):
    jobs = list(jobs_in(raw, tmp_path / "mla"))
    targets = [job.target.relative_to(tmp_path / "mla").as_posix() for job in jobs]
    assert targets == ["a.mla", "broken.mla", "deep/b.mla", "deep/er/c.mla"]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_is_told_and_the_rest_converted(raw, tmp_path, workers):
    jobs = list(jobs_in(raw, tmp_path / "mla"))
    done = []
    failures = convert_all(jobs, workers=workers, done=done.append)
    assert len(done) == 4
    assert [job.source.name for job, _ in failures] == ["broken.nii"]
    assert "no NIfTI file" in failures[0][1]
    assert names(tmp_path / "mla") == ["a.mla", "deep/b.mla", "deep/er/c.mla"]
    assert np.array_equal(MLArray.load(tmp_path / "mla/deep/b.mla").to_numpy(), VALUES)


def test_nothing_is_replaced_unless_asked(raw, tmp_path):
    job = Job(raw / "a.nii", tmp_path / "a.mla")
    (tmp_path / "a.mla").write_text("precious")
    with pytest.raises(FileExistsError):
        convert(job)
    assert (tmp_path / "a.mla").read_text() == "precious"
    convert(job, overwrite=True)
    assert MLArray.load(tmp_path / "a.mla").shape == (4, 5, 6)


def test_two_sources_of_one_target_both_fail(raw, tmp_path):
    (raw / "a.nii.gz").write_bytes((raw / "a.nii").read_bytes())
    failures = convert_all([job for job in jobs_in(raw, tmp_path / "mla") if job.source.name.startswith("a.")])
    assert sorted(job.source.name for job, _ in failures) == ["a.nii", "a.nii.gz"]
    assert not (tmp_path / "mla").exists()


def test_an_option_of_another_format_is_refused(raw, tmp_path):
    with pytest.raises(ArgumentError, match="no option of nifti, but of omezarr"):
        convert(Job(raw / "a.nii", tmp_path / "a.mla"), reading={"level": "s0"})
    convert(Job(raw / "a.nii", tmp_path / "a.mla"), reading={"patch_size": 2})


def test_the_contents_of_a_disc_are_no_series(tmp_path):
    magic = bytes(128) + b"DICM"
    (tmp_path / "disc" / "images").mkdir(parents=True)
    (tmp_path / "disc" / "DICOMDIR").write_bytes(magic)
    (tmp_path / "disc" / "images" / "one").write_bytes(magic)
    jobs = list(jobs_in(tmp_path / "disc", tmp_path / "mla"))
    assert jobs == [Job(tmp_path / "disc/images", tmp_path / "mla/images.mla")]


def test_one_end_is_an_mla_file(raw, tmp_path):
    for source, target in (("a.nii", "b.nii"), ("a.mla", "b.mla")):
        with pytest.raises(ArgumentError, match=r"\.mla"):
            convert(Job(raw / source, tmp_path / target))


def test_back_to_the_format_of_the_name(raw, tmp_path):
    convert(Job(raw / "a.nii", tmp_path / "a.mla"))
    convert(Job(tmp_path / "a.mla", tmp_path / "b.nii"))
    assert (tmp_path / "b.nii").read_bytes() == (raw / "a.nii").read_bytes()
    with pytest.raises(ArgumentError, match="read only"):
        convert(Job(tmp_path / "a.mla", tmp_path / "b.dcm"))
