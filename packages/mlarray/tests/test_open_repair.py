"""Files that are odd or broken behind their version, through MLArray itself."""

import numpy as np
import pytest

from mlarray import FormatError, MLArray, MLArrayWarning
from mlarray.errors import ArgumentError
from mlarray.header.wire import decode, encode
from mlarray.io.file_store import open_file

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)


@pytest.fixture
def broken(tmp_path):
    """A function that saves a file with keys of its header replaced."""

    def write(**keys):
        MLArray(VALUES, axes=["z", "y", "x"]).save(tmp_path / "a.mla")
        store = open_file(str(tmp_path / "a.mla"), "r+")
        store.set_keys({"mlarray": encode({**decode(store.keys()["mlarray"]), **keys})})
        store.close()
        return tmp_path / "a.mla"

    return write


@pytest.mark.parametrize("storage", [[1], {"patch_size": ["a"]}, {"patch_size": 3}, 7])
def test_a_broken_storage_can_be_opened_and_is_mended_by_saving(broken, storage):
    path = broken(storage=storage)
    with pytest.raises(FormatError, match="/storage"):
        MLArray.open(path)
    with pytest.warns(MLArrayWarning, match="/storage"):
        array = MLArray.open(path, strict=False)
    assert np.array_equal(array.to_numpy(), VALUES)
    assert "int16" in repr(array)
    array.close()


@pytest.mark.parametrize("axes", [[], [{"name": "z"}]])
def test_too_few_axes_can_be_opened_and_shown(broken, axes):
    path = broken(axes=axes)
    with pytest.warns(MLArrayWarning) as found:
        array = MLArray.open(path, strict=False)
    assert any("/axes" in str(warning.message) for warning in found)
    assert "int16" in repr(array)
    assert array[3, 4, 5] == 119
    array.close()


def test_an_axis_of_a_type_that_a_later_minor_brought_may_be_mapped(broken):
    space = {"name": "w", "axes": [{"name": "x"}], "from_array": {"array_axes": ["x"], "scale": [2]}}
    axes = [{"name": "z"}, {"name": "y"}, {"name": "x", "type": "phase"}]
    with pytest.warns(MLArrayWarning) as found:
        array = MLArray.open(broken(version="1.7", axes=axes, spaces=[space]))
    assert [str(warning.message).partition(": ")[2].partition(":")[0] for warning in found] == [
        "/axes/2/type",
        "/spaces/0/from_array/array_axes/0",
    ]
    assert array.meta.axes[2].type == "other"
    assert array.index_to_space((3,)).tolist() == [6.0]
    array.close()
    # Of this version's own minor it is an error.
    with pytest.raises(FormatError, match="phase"):
        MLArray.open(broken(version="1.0", axes=axes, spaces=[space]))


@pytest.mark.parametrize(
    "time",
    [
        "2026-13-01T00:00:00Z",
        "2026-00-10T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
    ],
)
def test_a_time_that_no_clock_shows_is_refused(broken, time):
    with pytest.raises(FormatError, match=r"/history/0/time"):
        MLArray.open(broken(history=[{"action": "created", "time": time}]))
    MLArray.open(broken(history=[{"action": "created", "time": "2026-12-31T23:59:60+14:00"}])).close()


def test_the_threads_of_the_older_keyword_are_taken(broken):
    path = broken()
    with MLArray.open(path, dparams={"nthreads": 2}) as array:
        assert array._options["nthreads"] == 2
    with pytest.raises(ArgumentError, match="nthreads"):
        MLArray.open(path, dparams={"nthreads": 0})
