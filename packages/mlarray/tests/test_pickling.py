"""Pickled and copied arrays: a file goes by its path, an array in memory by its bytes."""

import copy
import os
import pickle

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import ArgumentError, ClosedError, FormatError, Problem

VALUES = np.arange(4 * 5 * 6, dtype=">i2").reshape(4, 5, 6)
SOURCE = [{"format": "nifti", "header": {"raw": b"\x00\x01"}}]


def made(**more):
    return MLArray(
        VALUES, spacing=(2.5, 0.7, 0.8), origin=(1, 2, 3), space="patient", user={"n": 1}, source=SOURCE, **more
    )


@pytest.fixture
def path(tmp_path):
    made().save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_file_goes_by_its_path(path, protocol):
    with MLArray.open(path, nthreads=2, mmap=False) as array:
        sent = pickle.dumps(array, protocol)
        assert len(sent) < 1000
        with pickle.loads(sent) as back:
            assert back.filepath == path.resolve()
            assert back.mode == "r"
            assert np.array_equal(back[...], VALUES)
            assert back.meta.to_dict() == array.meta.to_dict()


def test_the_path_is_whole_and_links_are_resolved(path, tmp_path, monkeypatch):
    (tmp_path / "link.mla").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    with MLArray.open("link.mla") as array:
        sent = pickle.dumps(array)
    monkeypatch.chdir(os.sep)
    with pickle.loads(sent) as back:
        assert back.filepath == path.resolve()


def test_a_file_that_is_gone_is_file_not_found_where_it_is_unpickled(path):
    with MLArray.open(path) as array:
        sent = pickle.dumps(array)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(sent)


@pytest.mark.parametrize("compressed", [True, False])
def test_an_array_in_memory_goes_whole(compressed):
    array = made(compressed=compressed)
    back = pickle.loads(pickle.dumps(array))
    assert (back.filepath, back.mode) == (None, None)
    assert back.dtype == np.dtype(">i2")
    assert np.array_equal(back[...], VALUES)
    assert back.spacing == array.spacing
    assert back.meta.to_dict() == array.meta.to_dict()
    assert back.meta.source[0]["header"]["raw"] == b"\x00\x01"
    assert back.meta.user["n"] == 1
    back[0] = -1
    back.meta.user = {"n": 2}
    assert np.array_equal(array[...], VALUES)
    assert array.meta.user["n"] == 1


@pytest.mark.parametrize("shape", [(), (0, 3, 4)])
@pytest.mark.parametrize("compressed", [True, False])
def test_arrays_without_axes_or_values_keep_their_shape(shape, compressed):
    back = pickle.loads(pickle.dumps(MLArray(np.zeros(shape, "f4"), compressed=compressed)))
    assert (back.shape, back.dtype) == (shape, np.float32)


@pytest.mark.parametrize("patch", [None, (3, 4, 5)])
def test_the_layout_goes_along(tmp_path, patch):
    array = MLArray(VALUES, patch_size=patch or "default")
    array.save(tmp_path / "here.mla")
    pickle.loads(pickle.dumps(array)).save(tmp_path / "there.mla")
    with MLArray.open(tmp_path / "here.mla") as here, MLArray.open(tmp_path / "there.mla") as there:
        assert there.meta.storage.to_dict() == here.meta.storage.to_dict()


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_a_file_that_is_open_to_be_changed_belongs_to_one_process(path, mode):
    with MLArray.open(path, mode) as array, pytest.raises(ArgumentError, match="belongs to one process"):
        pickle.dumps(array)


def test_a_file_that_is_being_created_belongs_to_one_process(tmp_path):
    with MLArray.create(tmp_path / "w.mla", (2, 3), "u1") as array:
        with pytest.raises(ArgumentError, match="belongs to one process"):
            pickle.dumps(array)
        array[...] = 5
    with MLArray.open(tmp_path / "w.mla") as array:
        assert array[...].tolist() == [[5, 5, 5], [5, 5, 5]]


def test_changes_that_are_in_no_file_are_not_lost_silently(path):
    with MLArray.open(path) as array:
        array.meta.user = {"n": 2}
        with pytest.raises(ArgumentError, match="not in the file"):
            pickle.dumps(array)


def test_a_closed_array_is_not_pickled(path):
    array = MLArray.open(path)
    array.close()
    with pytest.raises(ClosedError):
        pickle.dumps(array)
    with pytest.raises(ClosedError):
        copy.deepcopy(array)


def test_a_deep_copy_of_a_file_that_is_read_is_another_handle(path):
    array = MLArray.open(path)
    with copy.deepcopy(array) as other:
        array.close()
        assert other.filepath == path.resolve()
        assert np.array_equal(other[...], VALUES)


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_a_deep_copy_of_what_may_be_changed_is_in_memory(path, mode):
    with MLArray.open(path, mode) as array:
        array[0, 0, 0] = 9
        other = copy.deepcopy(array)
        assert (other.mode, other.filepath) == (None, None)
        other[0, 0, 0] = 8
        assert array[0, 0, 0] == 9
    assert other[0, 0, 0] == 8
    assert other.meta.user["n"] == 1


def test_a_deep_copy_in_memory_shares_nothing():
    array = made(compressed=False)
    other = copy.deepcopy(array)
    other[1] = 0
    other.meta.values.unit = "kelvin"
    assert np.array_equal(array[...], VALUES)
    assert array.meta.values.unit is None


def test_errors_go_from_process_to_process_with_what_they_found():
    error = FormatError(Problem("wrong_value", ("axes", 0, "type"), "no such type"), path="a.mla")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is FormatError
    assert (back.problems, back.path, str(back)) == (error.problems, error.path, str(error))
