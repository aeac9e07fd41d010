"""Listing: which chunks are present, by keys alone, in every format and store."""

import os
import time
import zipfile
from pathlib import Path

import pytest
from servers import PUBLIC, UNLISTED

from worldarray.documents.n5 import parse_n5
from worldarray.documents.precomputed import parse_precomputed, scale_facts
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3
from worldarray.errors import AccessError, ArgumentError, StoreNotFoundError
from worldarray.io.listing import list_chunk_keys, list_keys, list_stored
from worldarray.paths import parse_path


def touch(folder, *keys):
    for key in keys:
        path = Path(folder, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return folder


@pytest.mark.parametrize(
    ("keys", "arguments", "indices"),
    [
        # zarr v2 keys, both separators, when nothing is said of the format
        (("0.0.0", "0.1.2", ".zarray"), {}, [(0, 0, 0), (0, 1, 2)]),
        (("0/0/0", "0/1/2"), {}, [(0, 0, 0), (0, 1, 2)]),
        (("c/0/0", "c/1/2", "zarr.json"), {}, [(0, 0), (1, 2)]),
        (("c.0.0", "c.1.2"), {}, [(0, 0), (1, 2)]),
        (("c",), {}, [()]),
        (("0", "7", "10"), {}, [(0,), (7,), (10,)]),
        # a separator leaves out keys with the other one
        (("0.1", "0/2", "c/3/4", "c.5.6"), {"separator": "."}, [(0, 1), (5, 6)]),
        (("0.1", "0/2", "c/3/4", "c.5.6"), {"separator": "/"}, [(0, 2), (3, 4)]),
        # ndim leaves out keys with another number of indices
        (("0.1", "0.1.2", "5"), {"ndim": 2}, [(0, 1)]),
        (("0.1", "0.1.2", "5"), {"ndim": 3}, [(0, 1, 2)]),
        # a format has its own separator
        (("0.1", "0/2", "c/3/4"), {"format": "zarr2"}, [(0, 1)]),
        (("0.1", "0/2", "c/3/4"), {"format": "zarr2", "separator": "/"}, [(0, 2)]),
        (("0.1", "0/2", "c/3/4"), {"format": "zarr3"}, [(0, 1), (3, 4)]),
        # N5 is x first
        (("2/1/0", "0/0/3", "attributes.json"), {"format": "n5"}, [(0, 1, 2), (3, 0, 0)]),
        # what is no canonical key is no chunk
        (("01.2", "-1.0", "1.", "1..2", "0.1.tmp", "٣.1", "readme", "s0/x"), {}, []),
        ((".zattrs",), {}, []),
    ],
)
def test_chunks_are_listed_from_keys_alone(tmp_path, keys, arguments, indices):
    touch(tmp_path, *keys)
    assert list_chunk_keys(tmp_path, **arguments) == indices


def test_a_folder_is_no_chunk_and_an_empty_folder_has_none(tmp_path):
    (tmp_path / "0.0").mkdir()
    assert list_chunk_keys(tmp_path) == []


def test_chunks_of_a_nested_array_are_not_those_of_the_folder_above(tmp_path):
    touch(tmp_path, "0.0", "1/.zarray", "1/0/0", "1/2", "2/5")
    assert list_chunk_keys(tmp_path) == [(0, 0), (2, 5)]
    assert list_chunk_keys(tmp_path / "1") == [(0, 0), (2,)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"format": "zarr4"}, "no format 'zarr4'"),
        ({"format": "precomputed"}, "ranges of voxels"),
        ({"separator": "-"}, "separator"),
        ({"format": "n5", "separator": "."}, "separator"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, arguments, says):
    with pytest.raises(ArgumentError, match=says):
        list_chunk_keys(tmp_path, **arguments)


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    touch(tmp_path, "file")
    for name in ("nothing", "file"):
        with pytest.raises(StoreNotFoundError, match=name):
            list_chunk_keys(tmp_path / name)


def test_links_are_followed_and_loops_are_not(tmp_path):
    touch(tmp_path / "elsewhere", "1/2")
    touch(tmp_path / "em", "0/0")
    (tmp_path / "em" / "3").symlink_to(tmp_path / "elsewhere" / "1")
    (tmp_path / "em" / "4").symlink_to(tmp_path / "em")
    assert list_chunk_keys(tmp_path / "em") == [(0, 0), (3, 2)]


def test_all_keys_are_listed(tmp_path):
    touch(tmp_path, ".zgroup", "s0/.zarray", "s0/0.0", "s1/c/0/1")
    assert sorted(list_keys(parse_path(tmp_path))) == [".zgroup", "s0/.zarray", "s0/0.0", "s1/c/0/1"]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("em/s0/0.0", b"x")
    assert list(list_keys(parse_path(f"{tmp_path}/a.zip|zip:em"))) == ["s0/0.0"]


# -- stores

KEYS = ("em/.zarray", "em/0.1", "em/1.0", "em/nested/.zarray", "em/nested/0.7", "em2/3.3")
CHUNKS = [(0, 1), (1, 0)]


def test_s3_gs_and_archives_list(s3_server, gcs_server, tmp_path, cloud):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for key in KEYS:
            file.writestr(f"listed/{key}", b"x")
            s3_server.put(PUBLIC, f"listed/{key}", b"x")
            gcs_server.put(f"listed/{key}", b"x")
    for place in (f"s3://{PUBLIC}/listed", f"{tmp_path}/a.zip|zip:listed"):
        assert list_chunk_keys(f"{place}/em") == CHUNKS, place
    # the emulator knows no ranges of names, so it lists the whole bucket; ask it for what only it can tell
    assert (0, 1) in list_chunk_keys(f"gs://{gcs_server.bucket}/listed/em")


def test_http_says_that_it_cannot_list(http_server):
    with pytest.raises(ArgumentError, match="http cannot list"):
        list_chunk_keys(f"{http_server.url}/em")
    with pytest.raises(ArgumentError, match="http cannot list"):
        list_chunk_keys("https://host/em")


def test_a_bucket_that_may_not_be_listed_is_refused(s3_server):
    s3_server.put(UNLISTED, "em/0.0", b"x")
    with pytest.raises(AccessError, match=f"s3://{UNLISTED}/em"):
        list_chunk_keys(f"s3://{UNLISTED}/em")


def test_a_gs_bucket_that_may_not_be_listed_is_never_empty(http_server, cloud):
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    for status in (401, 403, 404):
        http_server.missing = status
        with pytest.raises(AccessError, match="gs://bucket/em: nothing is listed"):
            list_chunk_keys("gs://bucket/em")


# -- stored chunks of described arrays

ZARRAY = {
    "zarr_format": 2,
    "shape": [5, 8],
    "chunks": [2, 3],
    "dtype": "|u1",
    "compressor": None,
    "filters": None,
    "order": "C",
    "fill_value": 0,
}


def zarr3(codecs, **encoding):
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [5, 8],
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4]}},
        "chunk_key_encoding": encoding or {"name": "default"},
        "codecs": codecs,
        "fill_value": 0,
    }


BYTES = [{"name": "bytes"}]
SHARDS = [
    {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [1, 2],
            "codecs": BYTES,
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        },
    }
]


@pytest.mark.parametrize(
    ("facts", "keys", "indices"),
    [
        # grid (3, 3): 3.0 lies outside
        (parse_zarr2(ZARRAY, ("em",)), ("0.0", "2.2", "3.0", "0/1", "0.0.0"), [(0, 0), (2, 2)]),
        (
            parse_zarr2({**ZARRAY, "dimension_separator": "/"}, ("em",)),
            ("0/0", "2/2", "3/0", "0.1"),
            [(0, 0), (2, 2)],
        ),
        # grid (3, 2)
        (parse_zarr3(zarr3(BYTES), ("em",)), ("c/0/1", "c/2/0", "c/0/2", "0.1"), [(0, 1), (2, 0)]),
        (parse_zarr3(zarr3(BYTES, name="v2"), ("em",)), ("c/0/1", "2.0", "0.1"), [(0, 1), (2, 0)]),
        # shards of (2, 4): the same grid
        (parse_zarr3(zarr3(SHARDS), ("em",)), ("c/0/1", "c/2/0", "c/4/3"), [(0, 1), (2, 0)]),
        # dimensions and keys x first: C order grid is (3, 3)
        (
            parse_n5(
                {"dimensions": [8, 5], "blockSize": [3, 2], "dataType": "uint8", "compression": {"type": "raw"}},
                ("em",),
            ),
            ("0/0", "2/1", "1/2", "3/0"),
            [(0, 0), (1, 2), (2, 1)],
        ),
    ],
)
def test_stored_chunks_are_those_of_the_arrays_own_grid(tmp_path, facts, keys, indices):
    touch(tmp_path, *keys)
    assert list_stored(parse_path(tmp_path), facts) == indices


def volume(**more):
    scale = {
        "key": "8_8_40",
        "size": [100, 20, 10],
        "resolution": [8, 8, 40],
        "voxel_offset": [-8, 0, 5],
        "chunk_sizes": [[64, 20, 10]],
        "encoding": "raw",
        **more,
    }
    return {"type": "image", "data_type": "uint8", "num_channels": 1, "scales": [scale]}


def test_stored_chunks_of_a_precomputed_scale(tmp_path):
    facts = scale_facts(parse_precomputed(volume(), ("info",)), 0, ("info",))
    # x from -8: [-8, 56) and [56, 92); y [0, 20); z [5, 15)
    touch(tmp_path, "-8-56_0-20_5-15", "56-92_0-20_5-15", "56-120_0-20_5-15", "0-64_0-20_0-10")
    assert list_stored(parse_path(tmp_path), facts) == [(0, 0, 0), (0, 0, 1)]


def test_stored_chunks_of_a_sharded_precomputed_scale_cannot_be_listed(tmp_path):
    sharding = {
        "@type": "neuroglancer_uint64_sharded_v1",
        "preshift_bits": 1,
        "minishard_bits": 1,
        "shard_bits": 1,
        "hash": "identity",
        "minishard_index_encoding": "raw",
        "data_encoding": "raw",
    }
    facts = scale_facts(parse_precomputed(volume(sharding=sharding), ("info",)), 0, ("info",))
    with pytest.raises(ArgumentError, match="sharded precomputed"):
        list_stored(parse_path(tmp_path), facts)


def _walk(path):
    count = 0
    with os.scandir(path) as entries:
        for entry in entries:
            count += _walk(entry.path) if entry.is_dir() else 1
    return count


def test_listing_takes_little_longer_than_a_walk(tmp_path):
    """A loose bound; the benchmark measures 1e5 files against the goal of 3."""
    for z in range(4):
        for y in range(20):
            folder = tmp_path / str(z) / str(y)
            folder.mkdir(parents=True)
            for x in range(50):
                (folder / str(x)).touch()
    facts = parse_zarr2({**ZARRAY, "shape": [4, 20, 50], "chunks": [1, 1, 1], "dimension_separator": "/"}, ("em",))
    ratios = []
    for _ in range(5):
        begin = time.perf_counter()
        assert _walk(tmp_path) == 4_000
        middle = time.perf_counter()
        assert len(list_stored(parse_path(tmp_path), facts)) == 4_000
        ratios.append((time.perf_counter() - middle) / (middle - begin))
    assert min(ratios) < 8, ratios
