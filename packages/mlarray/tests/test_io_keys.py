"""Keys mean what they mean to numpy, read and written, whatever blosc2 makes of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.io import access, selection
from mlarray.io.memory_store import PlainStore, in_memory
from mlarray.layout.records import Layout

SHAPE = (5, 7, 6)
VALUES = np.arange(5 * 7 * 6, dtype=">i2").reshape(SHAPE)
LAYOUT = Layout((2, 4, 3), (1, 2, 3))


def store(values=VALUES, layout=LAYOUT):
    return in_memory(values, layout)


def same(found, wanted):
    assert type(found) is type(wanted)
    assert np.shape(found) == np.shape(wanted)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert np.array_equal(found, wanted)


MASK = VALUES % 5 == 0
KEYS = [
    (),
    ...,
    None,
    2,
    -1,
    np.int64(3),
    np.array(3),
    (1, 2, 3),
    (np.uint8(1), -2, -3),
    (1, 2, 3, ...),
    (..., 1, 2, 3),
    (1, ..., 3),
    slice(1, 4),
    slice(4, 1),
    slice(-3, 99),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(4, 0, -3),
    slice(0, 0),
    (slice(None), slice(6, None, -2), slice(1, 5, 3)),
    (None, 1, ..., None),
    (slice(None), None, slice(1, 3), None, 2),
    [0, 3],
    [],
    [[0, 1], [4, 2]],
    (slice(1, 3), [6, 0, 6], slice(None, None, -1)),
    ([0, 3, -1], slice(None), [1, 1, -6]),
    (0, slice(None), [1, 2]),
    ([0, 4], 1, [2, 3]),
    (slice(None), [0, 4], 1),
    ([[0], [4]], [[1, 2]], slice(2, 4)),
    (None, [1, 2], None, [3, 4]),
    MASK,
    MASK[:, 0, 0],
    (slice(1, 3), MASK[0]),
    (MASK[:, :, 0], slice(2, 5)),
    (MASK[:, :, 0], 2),
    np.zeros(SHAPE, bool),
    True,
    False,
    (True, slice(1, 3)),
    (True, [1, 2]),
    np.array([2, 0]),
    (np.array([2, 0], "u1"), slice(None)),
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: repr(key)[:60])
def test_a_key_gives_what_numpy_gives(key):
    same(store()[key], VALUES[key])
    same(PlainStore(VALUES)[key], VALUES[key])


@pytest.mark.parametrize("key", KEYS, ids=lambda key: repr(key)[:60])
@pytest.mark.parametrize("plain", [False, True])
def test_a_key_is_written_where_numpy_writes(key, plain):
    wanted, found = VALUES.copy(), PlainStore(VALUES.copy()) if plain else store()
    given = -np.arange(1, VALUES[key].size + 1).reshape(VALUES[key].shape)
    wanted[key] = given
    found[key] = given
    assert np.array_equal(found[...], wanted)
    wanted[key] = 9
    found[key] = 9
    assert np.array_equal(found[...], wanted)


WRONG = [5, -6, (1, 2, 3, 4), (0, 0, 6), [5], 1.0, "a", (slice(None), 7), np.zeros((5, 6), bool), (..., ...), [0.5]]


@pytest.mark.parametrize("key", WRONG, ids=lambda key: repr(key)[:40])
def test_a_wrong_key_is_an_index_error_as_in_numpy(key):
    with pytest.raises(IndexError):
        VALUES[key]
    for array in (store(), PlainStore(VALUES.copy())):
        with pytest.raises(IndexError):
            array[key]
        with pytest.raises(IndexError):
            array[key] = 1
    assert int(store()[4, 6, 5]) == 209  # the last one: 4 * 42 + 6 * 6 + 5


@pytest.mark.parametrize("key", [slice(None, None, 0), (slice(1.5, 2),)])
def test_a_wrong_slice_is_an_error_as_in_numpy(key):
    with pytest.raises((ValueError, TypeError)):
        store()[key]


ELLIPSIS = st.just((Ellipsis,))
BASIC = arrays.basic_indices(SHAPE, allow_ellipsis=True, allow_newaxis=True, max_dims=8)


def _axis_key(size):
    whole = st.integers(-size, size - 1)
    cut = st.builds(
        slice,
        st.none() | st.integers(-size - 2, size + 2),
        st.none() | st.integers(-size - 2, size + 2),
        st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3, 9]),
    )
    return whole | cut | st.lists(whole, min_size=3, max_size=3) | st.lists(whole, min_size=1, max_size=1)


MIXED = st.tuples(*map(_axis_key, SHAPE))


@settings(max_examples=200, deadline=None)
@given(BASIC | MIXED | MIXED.map(lambda key: (*key[:1], None, *key[1:])))
def test_any_key_reads_and_writes_as_in_numpy(key):
    array, wanted = store(), VALUES.copy()
    same(array[key], VALUES[key])
    value = np.arange(1000, 1000 + wanted[key].size).reshape(wanted[key].shape)
    array[key], wanted[key] = value, value
    assert np.array_equal(array[...], wanted)


@settings(max_examples=100, deadline=None)
@given(MIXED, st.booleans())
def test_points_are_picked_chunk_by_chunk_with_the_same_outcome(key, new):
    key = (*key[:2], None, *key[2:]) if new else key
    array, wanted = store(), VALUES.copy()
    most = selection.LARGEST_WASTE
    selection.LARGEST_WASTE = -(10**9)
    try:
        same(array[key], VALUES[key])
        value = np.arange(1000, 1000 + wanted[key].size).reshape(wanted[key].shape)
        array[key], wanted[key] = value, value
        assert np.array_equal(array[...], wanted)
    finally:
        selection.LARGEST_WASTE = most


def test_points_far_apart_read_a_few_chunks_and_not_all_between():
    values = np.zeros((400, 300, 200), "u1")
    values[3, 4, 5], values[399, 299, 199], values[200, 0, 77] = 1, 2, 3
    array = store(values, Layout((50, 50, 50), (10, 25, 25)))
    read = []
    original = type(array).read_box

    class Counting(type(array)):
        def read_box(self, start, stop, out):
            read.append(out.size)
            original(self, start, stop, out)

    array.__class__ = Counting
    steps = np.arange(200)
    key = ([3, 399, 200], [4, 299, 0], [5, 199, 77])
    assert array[key].tolist() == [1, 2, 3]
    # Apart on the first axis and the last: 3 and 3; 0 and 4 are less than a block of 25 apart, so 0 to 4 and 299: 6.
    assert sum(read) == 3 * 6 * 3
    read.clear()
    found = array[steps * 2, steps, steps]
    assert found.tolist() == values[steps * 2, steps, steps].tolist()
    # 400 * 200 * 200 would be all combinations' hull; each chunk of 50 is met by 25 or 50 points.
    assert sum(read) < 2_000_000
    read.clear()
    assert array[::100, ::100].shape == (4, 3, 200)
    assert sum(read) == 4 * 3 * 200


# Shapes without axes, and without elements ------------------------------------------------------------


@pytest.mark.parametrize("layout", [None, Layout((), ())])
@pytest.mark.parametrize("key", [(), ..., None, (..., None), True, (None, ...)])
def test_an_array_without_axes_reads_and_writes_as_in_numpy(key, layout):
    wanted = np.array(7, "f4")
    array = in_memory(wanted, layout)
    same(array[key], wanted[key])
    array[key] = 3
    same(array[()], np.float32(3))
    with pytest.raises(IndexError):
        array[0]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2)])
def test_an_array_without_elements_reads_and_writes_as_in_numpy(shape):
    wanted = np.zeros(shape, "c8")
    array = in_memory(wanted, None)
    for key in (..., slice(None), slice(None, None, -1), [], slice(1, 1)):
        same(array[key], wanted[key])
        array[key] = 1
    with pytest.raises(IndexError):
        array[(0,) * len(shape)]


# Values ------------------------------------------------------------------------------------------------

REFUSED = [
    (np.nan, "i2", ArgumentError),
    ([1.0, np.inf], "u1", ArgumentError),
    (np.array([np.nan], "f2"), "i4", ArgumentError),
    (70000, "i2", ArgumentError),
    (-1, "u1", ArgumentError),
    ([300], "u1", ArgumentError),
    (2**70, "i8", ArgumentError),
    (1e10, "i2", ArgumentError),
    (1j, "f4", ArgumentTypeError),
    (np.array([1j]), "i2", ArgumentTypeError),
    ("1", "i2", ArgumentTypeError),
    (None, "f4", ArgumentTypeError),
    ([[1, 2], [3]], "f4", ArgumentTypeError),
    (np.array(["a"]), "i2", ArgumentTypeError),
    (np.datetime64("2020-01-01"), "i8", ArgumentTypeError),
    (np.zeros((2, 2)), "f4", ArgumentError),
]
STORED = [
    (np.nan, "f2", np.nan),
    (np.float64(3.7), "i2", 3),
    (-3.7, "i2", -3),
    (np.array([65537]), "u2", 1),  # an array wraps, as in numpy: 65537 = 65536 + 1
    (32767, "i2", 32767),
    (255, "u1", 255),
    (2**64 - 1, "u8", 2**64 - 1),
    (1e300, "f4", np.inf),
    (2, "b1", True),
    (1 + 2j, "c8", 1 + 2j),
    (np.ones((1, 1, 3)), "f4", 1.0),
    (True, ">i4", 1),
]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(("value", "dtype", "error"), REFUSED, ids=lambda value: repr(value)[:30])
def test_a_value_that_cannot_be_stored_is_refused_and_nothing_is_written(value, dtype, error, plain):
    before = np.arange(3).astype(dtype)
    array = PlainStore(before.copy()) if plain else in_memory(before, None)
    with pytest.raises(error):
        array[...] = value
    assert np.array_equal(array[...], before)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(("value", "dtype", "wanted"), STORED, ids=lambda value: repr(value)[:30])
def test_a_value_that_can_be_stored_is_stored_as_numpy_does(value, dtype, wanted, plain):
    array = PlainStore(np.zeros(3, dtype)) if plain else in_memory(np.zeros(3, dtype), None)
    array[...] = value
    assert np.array_equal(array[...], np.full(3, wanted, dtype), equal_nan=np.dtype(dtype).kind == "f")


def test_one_value_is_spread_over_a_large_box_in_slabs(monkeypatch):
    # Of 4 bytes: 20 * 30 * 40 * 4 = 96 000 bytes, in slabs of at most 10 000.
    monkeypatch.setattr(access, "LARGEST_SLAB", 10_000)
    made = []
    original = access._assign
    monkeypatch.setattr(access, "_assign", lambda target, *rest: (made.append(target.nbytes), original(target, *rest)))
    array = in_memory(np.zeros((20, 30, 40), "f4"), Layout((3, 7, 20), (3, 7, 10)))
    array[1:, 2:28] = np.arange(40)
    wanted = np.zeros((20, 30, 40), "f4")
    wanted[1:, 2:28] = np.arange(40)
    assert np.array_equal(array[...], wanted)
    # A row of chunks is 3 * 26 * 40 * 4 = 12 480 bytes, so rows are cut where chunks end: 3 * 7 * 40 * 4 at most.
    assert max(made) <= 10_000
