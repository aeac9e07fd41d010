"""codecs=: words, the format's own JSON, what tensorstore refuses, and codecs_of of what was written."""

import json

import numpy as np
import pytest
import tensorstore as ts

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError
from worldarray_write.codecs import codecs_of, format_codecs
from worldarray_write.documents import array_documents
from worldarray_write.layout import Wanted, validate

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
DRIVERS = {"zarr2": "zarr", "zarr3": "zarr3"}


def codec(name, **configuration):
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def complete(codecs, format="zarr3", itemsize=2):
    return format_codecs(codecs, format, chunk_shape=(6, 4), itemsize=itemsize)


@pytest.mark.parametrize(
    ("given", "format", "expected"),
    [
        ("zstd", "zarr2", {"id": "zstd", "level": 3}),
        ("none", "zarr2", None),
        (None, "zarr2", None),
        ("zstd", "zarr3", [BYTES, codec("zstd", level=3, checksum=False)]),
        ("none", "zarr3", [BYTES]),
        (None, "zarr3", [BYTES]),
    ],
)
def test_words_mean_the_same_in_both_formats(given, format, expected):
    assert complete(given, format) == expected


ZARR2 = [
    ({"id": "zstd", "level": 7}, {"id": "zstd", "level": 7}),
    ({"id": "zstd", "level": 7, "checksum": False}, {"id": "zstd", "level": 7}),
    ({"id": "gzip"}, {"id": "gzip", "level": 1}),
    ({"id": "zlib", "level": 4}, {"id": "zlib", "level": 4}),
    ({"id": "bz2", "level": 9}, {"id": "bz2", "level": 9}),
    (
        {"id": "blosc", "cname": "zstd", "clevel": 4, "shuffle": 2},
        {"id": "blosc", "cname": "zstd", "clevel": 4, "shuffle": 2, "blocksize": 0},
    ),
]
ZARR3 = [
    ([BYTES, codec("zstd", level=7)], [BYTES, codec("zstd", level=7, checksum=False)]),
    (["bytes", "crc32c"], [BYTES, codec("crc32c")]),
    ([codec("gzip")], [BYTES, codec("gzip", level=6)]),
    ([codec("bytes", endian="big")], [codec("bytes", endian="big")]),
    ([codec("transpose", order=[1, 0]), codec("zstd", level=1, checksum=True)],
     [codec("transpose", order=[1, 0]), BYTES, codec("zstd", level=1, checksum=True)]),
    ([BYTES, codec("blosc", cname="lz4", clevel=5)],
     [BYTES, codec("blosc", cname="lz4", clevel=5, shuffle="shuffle", blocksize=0, typesize=2)]),
    ([BYTES, codec("blosc", shuffle="noshuffle")],
     [BYTES, codec("blosc", cname="lz4", clevel=5, shuffle="noshuffle", blocksize=0)]),
    ((BYTES, codec("zstd", level=2), codec("crc32c")),
     [BYTES, codec("zstd", level=2, checksum=False), codec("crc32c")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "given", "expected"),
    [*(("zarr2", *row) for row in ZARR2), *(("zarr3", *row) for row in ZARR3)],
)
def test_own_json_is_taken_completed_and_read_back_by_other_software(tmp_path, format, given, expected):
    planned = validate(Wanted((7, 9), "uint16", (3, 2), (0, 1), format, chunks=(6, 4), codecs=given))
    assert planned.layout.codecs == expected
    for key, data in array_documents(planned.layout).items():
        (tmp_path / key).write_bytes(data)
    data = np.arange(63, dtype="uint16").reshape(7, 9)
    stored = ts.open({"driver": DRIVERS[format], "kvstore": f"file://{tmp_path}/"}, open=True).result()
    stored.write(data).result()
    assert np.array_equal(wa.open(tmp_path, units=None).read_index((0, 0), (7, 9)), data)
    zarr = pytest.importorskip("zarr")
    assert np.array_equal(zarr.open_array(str(tmp_path), mode="r")[:], data)


SHARDS = {"shards": (12, 8)}
STORED = [
    *(("zarr2", given, {}) for given, _ in ZARR2),
    *(("zarr3", given, more) for given, _ in ZARR3 for more in ({}, SHARDS)),
]


@pytest.mark.parametrize(("format", "given", "more"), STORED)
def test_codecs_of_gives_back_what_makes_the_same_document(tmp_path, format, given, more):
    def documents(codecs):
        wanted = Wanted((20, 9), "uint16", (3, 2), (0, 1), format, chunks=(6, 4), codecs=codecs, **more)
        return array_documents(validate(wanted).layout)

    first = documents(given)
    for key, data in first.items():
        (tmp_path / key).write_bytes(data)
    raw = json.loads(first[".zarray" if format == "zarr2" else "zarr.json"])
    assert documents(codecs_of(wa.open(tmp_path, units=None))) == first
    assert documents(codecs_of(raw)) == first


def test_codecs_of_an_uncompressed_array_is_the_word_none():
    raw = {"zarr_format": 2, "shape": [8], "chunks": [4], "dtype": "<u2", "fill_value": 0, "compressor": None}
    assert codecs_of({**raw, "order": "C", "filters": None}) == "none"


def test_codecs_of_a_transposed_shard_orders_the_axes_of_its_chunks_alike():
    inner = codec("sharding_indexed", chunk_shape=[4, 6], codecs=[BYTES, codec("crc32c")])
    grid = {"name": "regular", "configuration": {"chunk_shape": [12, 8]}}
    raw = {"zarr_format": 3, "node_type": "array", "shape": [20, 9], "data_type": "uint16", "fill_value": 0}
    raw |= {"chunk_grid": grid, "chunk_key_encoding": {"name": "default"}}
    raw |= {"codecs": [codec("transpose", order=[1, 0]), inner]}
    assert codecs_of(raw) == [codec("transpose", order=[1, 0]), BYTES, codec("crc32c")]


REFUSED = [
    ("zarr2", "lz4", "wrong_value", ("codecs",)),
    ("zarr3", "blosc", "wrong_value", ("codecs",)),
    ("zarr3", {"id": "zstd", "level": 3}, "wrong_type", ("codecs",)),
    ("zarr2", [codec("zstd", level=3)], "wrong_type", ("codecs",)),
    ("zarr2", 3, "wrong_type", ("codecs",)),
    ("zarr2", {"level": 3}, "missing_key", ("codecs", "id")),
    ("zarr2", {"id": "lz4"}, "unsupported", ("codecs", "id")),
    ("zarr2", {"id": "lzma"}, "unsupported", ("codecs", "id")),
    ("zarr2", {"id": "zstd", "level": 3, "checksum": True}, "unsupported", ("codecs", "checksum")),
    ("zarr2", {"id": "zstd", "level": 30}, "wrong_value", ("codecs", "level")),
    ("zarr2", {"id": "gzip", "level": "5"}, "wrong_value", ("codecs", "level")),
    ("zarr2", {"id": "zlib", "level": 1, "threads": 2}, "unsupported", ("codecs", "threads")),
    ("zarr2", {"id": "zstd", "level": float("nan")}, "not_finite", ("codecs", "level")),
    ("zarr3", [BYTES, codec("zstd", level=30)], "wrong_value", ("codecs", 1, "configuration", "level")),
    ("zarr3", [BYTES, codec("zstd", level=3, threads=2)], "unsupported", ("codecs", 1, "configuration", "threads")),
    ("zarr3", [BYTES, codec("zstd", level=3, checksum=1)], "wrong_value", ("codecs", 1, "configuration", "checksum")),
    ("zarr3", [BYTES, codec("crc32c", x=1)], "unsupported", ("codecs", 1, "configuration", "x")),
    ("zarr3", [BYTES, codec("bz2", level=1)], "wrong_value", ("codecs", 1, "name")),
    ("zarr3", [BYTES, codec("numcodecs.zstd", level=1)], "wrong_value", ("codecs", 1, "name")),
    ("zarr3", [BYTES, {"configuration": {}}], "wrong_type", ("codecs", 1, "name")),
    ("zarr3", [{**BYTES, "must_understand": True}], "unsupported", ("codecs", 0, "must_understand")),
    ("zarr3", [codec("zstd", level=3), BYTES], "order", ("codecs", 0)),
    ("zarr3", [BYTES, BYTES], "order", ("codecs", 1)),
    ("zarr3", [codec("transpose", order=[0, 0])], "wrong_value", ("codecs", 0, "configuration", "order")),
    ("zarr3", [codec("zstd", level=3), codec("transpose", order=[1, 0])], "order", ("codecs", 1)),
    ("zarr3", [codec("bytes", endian="middle")], "wrong_value", ("codecs", 0, "configuration", "endian")),
    ("zarr3", [codec("sharding_indexed", chunk_shape=[3, 2], codecs=[BYTES])], "unsupported", ("codecs", 0)),
]


@pytest.mark.parametrize(("format", "given", "code", "at"), REFUSED, ids=[str(row[1]) for row in REFUSED])
def test_what_tensorstore_does_not_encode_is_refused_by_name(format, given, code, at):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        complete(given, format)
    assert (caught.value.code, caught.value.at) == (code, at)


@pytest.mark.parametrize("array", [7, None, "em.zarr", []])
def test_codecs_of_something_else_is_refused(array):
    with pytest.raises(ArgumentTypeError, match="opened array"):
        codecs_of(array)


def test_codecs_of_an_n5_array_are_no_zarr_codecs(tmp_path):
    document = {"dimensions": [7, 5], "blockSize": [3, 2], "dataType": "uint8", "compression": {"type": "raw"}}
    (tmp_path / "attributes.json").write_text(json.dumps(document))
    with pytest.raises(ArgumentError, match="n5"):
        codecs_of(wa.open(tmp_path, units=None))
