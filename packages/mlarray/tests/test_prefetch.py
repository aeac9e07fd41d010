"""Reading ahead in other processes: in order, by each start method, with errors as errors and nothing left behind."""

import multiprocessing

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import ArgumentError, ClosedError

VALUES = np.arange(6 * 5 * 4, dtype=">i2").reshape(6, 5, 4)
METHODS = multiprocessing.get_all_start_methods()
KEYS = [5, (slice(1, 3), 2), (0, 0, 0), ..., (slice(None), [0, 3]), slice(4, 1, -1), slice(2, 2)]

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


@pytest.fixture
def path(tmp_path):
    MLArray(VALUES, axes=["z", "y", "x"]).save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


@pytest.mark.parametrize("method", [None, *METHODS])
def test_values_come_in_the_order_of_the_keys(path, method):
    with MLArray.open(path) as array:
        found = list(array.prefetch(KEYS, context=method))
    assert len(found) == len(KEYS)
    for key, values in zip(KEYS, found, strict=True):
        assert np.array_equal(values, VALUES[key])
        assert np.shape(values) == np.shape(VALUES[key])
        assert isinstance(values, np.generic) or values.dtype == VALUES.dtype


@pytest.mark.skipif("fork" not in METHODS, reason="this system does not fork")
class TestForked:
    """What does not depend on how processes start, where they start fastest."""

    def test_threads_of_the_parent_do_not_stop_the_workers(self, path):
        with MLArray.open(path, nthreads=2) as array:
            assert np.array_equal(array[...], VALUES)
            found = list(array.prefetch(range(6), context="fork"))
        assert np.array_equal(found, VALUES)

    def test_more_keys_than_are_read_ahead_and_more_workers_than_keys(self, path):
        with MLArray.open(path) as array:
            many = [int(value) for value in array.prefetch([(n % 6, 0, 1) for n in range(40)], 1, context="fork")]
            assert many == [20 * (n % 6) + 1 for n in range(40)]  # 5 * 4 values per plane
            assert [int(v) for v in array.prefetch([(0, 0, 2)], 3, context="fork")] == [2]
            assert list(array.prefetch([], context="fork")) == []

    def test_keys_are_taken_as_they_are_needed(self, path):
        taken = []

        def keys():
            for n in range(1000):
                taken.append(n)
                yield n % 6

        with MLArray.open(path) as array:
            values = array.prefetch(keys(), 2, context="fork")
            assert taken == []
            next(values)
            assert len(taken) <= 5  # two in flight per worker, and the one that takes the place of the first
            values.close()

    def test_an_error_of_a_worker_arrives_in_its_place(self, path):
        with MLArray.open(path) as array:
            values = array.prefetch([1, 99, 2], context="fork")
            assert np.array_equal(next(values), VALUES[1])
            with pytest.raises(IndexError):
                next(values)
            assert list(values) == []
        assert multiprocessing.active_children() == []

    def test_an_error_of_the_keys_arrives(self, path):
        def keys():
            yield 0
            raise LookupError("no more keys")

        with MLArray.open(path) as array, pytest.raises(LookupError, match="no more keys"):
            list(array.prefetch(keys(), 1, context="fork"))
        assert multiprocessing.active_children() == []

    def test_stopping_early_leaves_no_process_behind(self, path):
        with MLArray.open(path) as array:
            for values in array.prefetch(iter(range(6)), context="fork"):
                assert np.array_equal(values, VALUES[0])
                break
        assert multiprocessing.active_children() == []

    def test_the_array_itself_may_be_closed_meanwhile(self, path):
        array = MLArray.open(path)
        values = array.prefetch(range(6), context="fork")
        first = next(values)
        array.close()
        assert np.array_equal([first, *values], VALUES)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_that_is_gone_is_file_not_found(path, method):
    with MLArray.open(path) as array:
        path.unlink()
        with pytest.raises(FileNotFoundError):
            list(array.prefetch([0, 1], 1, context=method))
    assert multiprocessing.active_children() == []


def test_only_a_file_that_is_open_for_reading_is_read_ahead(path):
    with MLArray.open(path, "r+") as array, pytest.raises(ArgumentError, match="mode 'r'"):
        array.prefetch([0])
    with pytest.raises(ArgumentError, match="save it first"):
        MLArray(VALUES).prefetch([0])
    array = MLArray.open(path)
    array.close()
    with pytest.raises(ClosedError):
        array.prefetch([0])


@pytest.mark.parametrize("arguments", [{"workers": 0}, {"workers": -1}, {"context": "threads"}])
def test_other_arguments_are_refused_before_anything_starts(path, arguments):
    with MLArray.open(path) as array, pytest.raises(ArgumentError, match=r"workers|none of"):
        array.prefetch([0], **arguments)
    assert multiprocessing.active_children() == []
