"""Chunk keys and chunk grids (Behaviours 15 and 16)."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.chunks import ENCODINGS, chunk_indices, chunk_key, grid_shape, key_codec, parse_chunk_key
from worldarray.errors import ArgumentError, ArgumentTypeError


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        ({"format": "zarr2"}, "0.1.12"),
        ({"format": "zarr2", "separator": "."}, "0.1.12"),
        ({"format": "zarr2", "separator": "/"}, "0/1/12"),
        ({"format": "zarr3"}, "c/0/1/12"),
        ({"format": "zarr3", "separator": "."}, "c.0.1.12"),
        ({"format": "zarr3", "encoding": "v2"}, "0.1.12"),
        ({"format": "zarr3", "encoding": "v2", "separator": "/"}, "0/1/12"),
        ({"format": "n5"}, "12/1/0"),
        ({"format": "n5", "separator": "/"}, "12/1/0"),
    ],
)
def test_keys_of_every_encoding(facts, key):
    assert chunk_key((0, 1, 12), **facts) == key
    assert parse_chunk_key(key, **facts) == (0, 1, 12)
    assert parse_chunk_key(key, **facts, ndim=3) == (0, 1, 12)
    assert parse_chunk_key(key, **facts, ndim=2) is None


PRECOMPUTED = {
    "format": "precomputed",
    "chunk_shape": (10, 20, 64),
    "shape": (25, 50, 100),
    "origin": (3, -30, -70),
}


@pytest.mark.parametrize(
    ("index", "key"),
    [
        # x: -70 + [0, 64); y: -30 + [0, 20); z: 3 + [0, 10)
        ((0, 0, 0), "-70--6_-30--10_3-13"),
        # x: -70 + [64, 100), clipped; y: -30 + [20, 40); z: 3 + [20, 25), clipped
        ((2, 1, 1), "-6-30_-10-10_23-28"),
        ((1, 2, 0), "-70--6_10-20_13-23"),
    ],
)
def test_precomputed_keys_are_ranges_of_voxels_with_the_offset_x_first_and_clipped(index, key):
    assert chunk_key(index, **PRECOMPUTED) == key
    assert parse_chunk_key(key, **PRECOMPUTED) == index


def test_a_precomputed_volume_of_channels_has_one_chunk_of_all_of_them():
    facts = {**PRECOMPUTED, "chunk_shape": (3, 10, 20, 64), "shape": (3, 25, 50, 100)}
    assert chunk_key((0, 2, 1, 1), **facts) == "-6-30_-10-10_23-28"
    assert parse_chunk_key("-6-30_-10-10_23-28", **facts) == (0, 2, 1, 1)
    with pytest.raises(ArgumentError):
        chunk_key((1, 2, 1, 1), **facts)


@pytest.mark.parametrize(
    "key",
    [
        "-70--6_-30--10_3-12",
        "-69--5_-30--10_3-13",
        "-70--6_-30--10",
        "30-94_-30--10_3-13",
        "-0-64_-30--10_3-13",
        "-70--6_-30--10_03-13",
        "info",
        "",
        "-70--6_-30--10_3-13.gz",
    ],
)
def test_a_range_that_is_no_chunk_is_no_key(key):
    assert parse_chunk_key(key, **PRECOMPUTED) is None


@pytest.mark.parametrize(
    ("facts", "key"),
    [({"format": "zarr2"}, "0"), ({"format": "zarr3"}, "c"), ({"format": "zarr3", "encoding": "v2"}, "0")],
)
def test_an_array_without_axes_has_one_chunk(facts, key):
    assert chunk_key((), **facts) == key
    assert parse_chunk_key(key, **facts, ndim=0) == ()
    assert parse_chunk_key(key + "0", **facts, ndim=0) is None
    assert parse_chunk_key(key, **facts, shape=(), chunk_shape=()) == ()


def test_without_a_number_of_axes_a_lone_index_is_one_axis_and_a_lone_c_is_none():
    assert parse_chunk_key("0", "zarr2") == (0,)
    assert parse_chunk_key("c", "zarr3") == ()
    assert parse_chunk_key("c/7", "zarr3") == (7,)


def test_n5_has_no_array_without_axes():
    with pytest.raises(ArgumentError) as caught:
        chunk_key((), "n5")
    assert caught.value.code == "wrong_length"
    assert parse_chunk_key("0", "n5", ndim=0) is None


HOSTILE = [
    "", "c", "c/", "c/0/1", "c/0/1/2/3", "c//1/2", "c/0/1/2/", "/c/0/1/2", "c/0/1/2 ", " c/0/1/2", "c/0/1/2\n",
    "c/00/1/2", "c/0/01/2", "c/+1/1/2", "c/-1/1/2", "c/0x1/1/2", "c/1e0/1/2", "c/1_0/1/2", "c/\u0661/1/2",
    "c/\uff11/1/2", "c/²/1/2", "c/0.1.2", "C/0/1/2", "0/1/2", "zarr.json", ".zarray", "attributes.json", "info",
    "c/0/1/99999999999999999999999", "c/" + "9" * 5000 + "/1/2", "c/4/1/2", "c/0/2/2", "c/0/1/5", "c/0/1/2/..",
    "c/0/1/2\x00",
]  # fmt: skip


@pytest.mark.parametrize("key", HOSTILE)
@pytest.mark.parametrize(
    "facts",
    [
        {"format": "zarr3", "shape": (40, 20, 50), "chunk_shape": (10, 10, 10)},  # the grid is 4, 2, 5
    ],
)
def test_what_is_no_canonical_key_inside_the_array_is_no_chunk(key, facts):
    assert parse_chunk_key("c/3/1/4", **facts) == (3, 1, 4)
    assert parse_chunk_key(key, **facts) is None


@pytest.mark.parametrize(
    "key",
    [
        "0.1",
        "0.1.2.3",
        "0/1/2",
        "00.1.2",
        "+0.1.2",
        "\u0661.1.2",
        "0.1.2\n",
        " 0.1.2",
        "0.1.2.",
        ".0.1.2",
        ".zarray",
        "0..2",
        "-1.0.0",
    ],
)
def test_zarr_v2_keys_are_canonical_too(key):
    assert parse_chunk_key("0.1.2", "zarr2", ndim=3) == (0, 1, 2)
    assert parse_chunk_key(key, "zarr2", ndim=3) is None


@pytest.mark.parametrize("key", ["2/1", "2/1/0/0", "2.1.0", "02/1/0", "attributes.json", "s0/0/0", "2/1/\u0660"])
def test_n5_keys_are_canonical_too(key):
    assert parse_chunk_key("2/1/0", "n5", ndim=3) == (0, 1, 2)
    assert parse_chunk_key(key, "n5", ndim=3) is None


axis = st.tuples(st.integers(1, 50), st.integers(1, 20), st.integers(-100, 100))


@st.composite
def arrays(draw):
    format_, encoding = draw(st.sampled_from(sorted(ENCODINGS)))
    count = 3 if format_ == "precomputed" else draw(st.integers(1, 4))
    axes = draw(st.lists(axis, min_size=count, max_size=count))
    shape, chunk, origin = zip(*axes, strict=True)
    separator = None if format_ in ("n5", "precomputed") else draw(st.sampled_from([None, ".", "/"]))
    facts = {"format": format_, "encoding": encoding, "separator": separator, "shape": shape, "chunk_shape": chunk}
    index = tuple(draw(st.integers(0, -(-n // c) - 1)) for n, c in zip(shape, chunk, strict=True))
    return {**facts, "origin": origin}, index


@settings(max_examples=300, deadline=None)
@given(arrays())
def test_every_index_of_every_encoding_comes_back(array):
    facts, index = array
    assert parse_chunk_key(chunk_key(index, **facts), **facts) == index


@settings(max_examples=300, deadline=None)
@given(arrays(), st.text("0123456789./-_c+ \u0661", max_size=12))
def test_a_key_that_is_read_is_the_key_that_is_written(array, key):
    facts, _ = array
    index = parse_chunk_key(key, **facts)
    assert index is None or chunk_key(index, **facts) == key


@settings(max_examples=50, deadline=None)
@given(arrays())
def test_no_two_chunks_share_a_key(array):
    facts, _ = array
    grid = grid_shape(facts["shape"], facts["chunk_shape"])
    indices = list(itertools.islice(itertools.product(*map(range, grid)), 200))
    codec = key_codec(**facts)
    keys = [codec.encode(index) for index in indices]
    assert len(set(keys)) == len(keys)
    assert [codec.decode(key) for key in keys] == indices
    assert list(itertools.islice(codec.encode_all(list(map(range, grid))), 200)) == keys


@pytest.mark.parametrize(
    ("index", "facts", "error", "code"),
    [
        ((0, 0.9, 1), {}, ArgumentTypeError, "wrong_type"),
        ((0, "1", 1), {}, ArgumentTypeError, "wrong_type"),
        ((0, -1, 1), {}, ArgumentError, "out_of_range"),
        ((0, 2**63, 1), {}, ArgumentError, "out_of_range"),
        ((0, 1), {"shape": (40, 20, 50)}, ArgumentError, "wrong_length"),
        ((0, 2, 1), {"shape": (40, 20, 50), "chunk_shape": (10, 10, 10)}, ArgumentError, "out_of_range"),
        ((0, 1, 1), {"shape": (40, 20, 50), "chunk_shape": (10, 10)}, ArgumentError, "wrong_length"),
        ((0, 1, 1), {"shape": (40, 20, 50), "chunk_shape": (10, 0, 10)}, ArgumentError, "not_positive"),
        ((0, 1, 1), {"separator": "-"}, ArgumentError, "invalid_argument"),
        ((0, 1, 1), {"format": "hdf5"}, ArgumentError, "invalid_argument"),
        ((0, 1, 1), {"encoding": "v4"}, ArgumentError, "invalid_argument"),
        ((0, 1, 1), {"format": "n5", "separator": "."}, ArgumentError, "invalid_argument"),
        ((0, 1, 1), {"format": "n5", "encoding": "v2"}, ArgumentError, "invalid_argument"),
        ((0, 1, 1), {"format": "precomputed"}, ArgumentError, "invalid_argument"),
    ],
)
def test_what_has_no_key_is_refused(index, facts, error, code):
    assert chunk_key((np.int64(0), 1, 1), "zarr3") == "c/0/1/1"
    with pytest.raises(error) as caught:
        chunk_key(index, **{"format": "zarr3", **facts})
    assert caught.value.code == code


def test_the_number_of_axes_must_agree_with_the_shape():
    with pytest.raises(ArgumentError) as caught:
        parse_chunk_key("c/0/1", "zarr3", shape=(40, 20), ndim=3)
    assert caught.value.code == "wrong_length"


# Chunk grids ---------------------------------------------------------------------------------------------------------


def test_grid_shape_counts_clipped_units():
    assert grid_shape((10, 20, 30), (10, 8, 7)) == (1, 3, 5)  # 30 = 4 * 7 + 2
    assert grid_shape((0, 5), (4, 8)) == (0, 1)
    assert grid_shape((), ()) == ()


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ((0, 0), (4, 8), [(0, 0)]),
        ((3, 7), (5, 9), [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ((4, 8), (8, 16), [(1, 1)]),
        ((-50, 15), (1, 99), [(0, 1), (0, 2)]),  # clipped to [0, 10) and [0, 20)
        ((4, 8), (4, 16), []),
        ((10, 0), (12, 8), []),
        ((-4, 0), (0, 8), []),
    ],
)
def test_the_chunks_that_a_box_of_voxels_touches(begin, end, expected):
    assert list(chunk_indices(begin, end, (4, 8), (10, 20))) == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 25), st.integers(-5, 25), st.integers(1, 9), st.integers(0, 20)), max_size=3))
def test_a_chunk_is_covered_iff_it_holds_a_voxel_of_the_box(axes):
    begin = tuple(min(a, b) for a, b, _, _ in axes)
    end = tuple(max(a, b) for a, b, _, _ in axes)
    unit, shape = tuple(c for _, _, c, _ in axes), tuple(n for *_, n in axes)
    spans = [
        sorted({v // c for v in range(b, e) if 0 <= v < n}) for b, e, c, n in zip(begin, end, unit, shape, strict=True)
    ]
    assert list(chunk_indices(begin, end, unit, shape)) == list(itertools.product(*spans))


@pytest.mark.parametrize(
    ("begin", "end", "error", "code"),
    [
        ((0, 0.5), (4, 8), ArgumentTypeError, "wrong_type"),
        ((0, 9), (4, 8), ArgumentError, "order"),
        ((0,), (4, 8), ArgumentError, "wrong_length"),
    ],
)
def test_bounds_that_are_no_box_of_voxels_are_refused(begin, end, error, code):
    with pytest.raises(error) as caught:
        chunk_indices(begin, end, (4, 8), (10, 20))
    assert caught.value.code == code
