"""What the documents of an array say about its storage is what tensorstore reports for the same array."""

import json

import pytest
import tensorstore as ts
from stored import (
    AT,
    BYTES,
    CRC,
    Store,
    assert_agrees,
    follow,
    grid,
    n5,
    precomputed,
    shards,
    transpose,
    volume_store,
    write_some,
    zarr2,
    zarr3,
)

from worldarray.documents.dtypes import SCALARS
from worldarray.documents.facts import opening
from worldarray.documents.n5 import DATA_TYPES as N5_TYPES
from worldarray.documents.n5 import parse_n5
from worldarray.documents.precomputed import DATA_TYPES as PRECOMPUTED_TYPES
from worldarray.documents.precomputed import parse_precomputed, scale_facts
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3

SHAPES = {
    "0-d": ((), ()),
    "1-d": ((7,), (3,)),
    "2-d": ((7, 5), (3, 2)),
    "3-d": ((7, 5, 6), (3, 2, 4)),
    "8-d": ((2, 3, 1, 4, 2, 1, 3, 5), (1, 2, 1, 3, 2, 1, 2, 4)),
    "chunk larger than the array": ((7, 5), (32, 64)),
    "an axis of nothing": ((7, 0, 5), (3, 2, 4)),
}


@pytest.mark.parametrize(
    "spelled",
    [
        *("|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u4", "<i4", "<i8", ">u8", "<f2", ">f4", "<f8", "<c8", ">c16"),
        *("int2", "int4", "bfloat16", "float8_e3m4", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz"),
        *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn"),
    ],
)
def test_zarr2_of_every_data_type(spelled):
    store = Store("zarr", zarr2(dtype=spelled, fill_value=None))
    write_some(store)
    assert_agrees(store, parse_zarr2(store.document, AT))


@pytest.mark.parametrize("name", SCALARS)
def test_zarr3_of_every_data_type(name):
    fill = {"bool": True, "complex": [1.5, -2.0]}.get(SCALARS[name].kind, 1)
    fill = "0x7f" if name == "float8_e8m0fnu" else fill  # tensorstore takes 1 for 2**-64 there, and writes it as 2**64
    store = Store("zarr3", zarr3(data_type=name, fill_value=fill))
    write_some(store)
    assert_agrees(store, parse_zarr3({**store.document, "fill_value": fill}, AT))


@pytest.mark.parametrize("name", N5_TYPES)
def test_n5_of_every_data_type(name):
    store = Store("n5", n5(dataType=name))
    write_some(store)
    assert_agrees(store, parse_n5(store.document, AT))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", PRECOMPUTED_TYPES)
def test_precomputed_of_every_data_type(name, channels):
    store = volume_store(precomputed(volume={"data_type": name, "num_channels": channels}))
    write_some(store)
    facts = scale_facts(parse_precomputed(store.document, AT), 0, AT)
    assert facts.shape == ((3, 3, 5, 7) if channels == 3 else (3, 5, 7))  # (c,) z, y, x of a size of 7, 5, 3
    assert facts.storage.origin == ((0, -30, 20, 10) if channels == 3 else (-30, 20, 10))
    assert facts.stored_as_is
    assert_agrees(store, facts)


@pytest.mark.parametrize(("shape", "chunks"), SHAPES.values(), ids=SHAPES)
def test_shapes_and_chunks_of_any_number_of_axes(shape, chunks):
    store = Store("zarr", zarr2(shape=shape, chunks=chunks))
    write_some(store)
    assert_agrees(store, parse_zarr2(store.document, AT))
    store = Store("zarr3", zarr3(shape=shape, chunk_grid=grid(*chunks)))
    write_some(store)
    assert_agrees(store, parse_zarr3(store.document, AT))
    store = Store("n5", n5(dimensions=shape, blockSize=chunks))
    write_some(store)
    facts = parse_n5(store.document, AT)
    assert facts.shape == shape[::-1]
    assert_agrees(store, facts)


@pytest.mark.parametrize(
    ("size", "chunk", "shape"), [((7, 0, 3), (4, 3, 2), (3, 0, 7)), ((7, 5, 3), (64, 32, 16), (3, 5, 7))]
)
def test_precomputed_of_an_axis_of_nothing_or_chunks_larger_than_the_volume(size, chunk, shape):
    store = volume_store(precomputed(sizes=[size], scale={"chunk_sizes": [chunk]}))
    facts = scale_facts(parse_precomputed(store.document, AT), 0, AT)
    assert (facts.shape, facts.chunk_shape) == (shape, chunk[::-1])
    assert_agrees(store, facts)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("separator", [".", "/"])
def test_zarr2_in_either_order_with_either_separator(order, separator):
    store = Store("zarr", zarr2(order=order, dimension_separator=separator))
    write_some(store)
    facts = parse_zarr2(store.document, AT)
    assert facts.storage.separator == separator
    assert_agrees(store, facts)


def test_zarr2_separator_is_a_dot_where_none_is_declared_and_can_be_overridden():
    assert parse_zarr2(zarr2(), AT).storage.separator == "."
    assert parse_zarr2(zarr2(dimension_separator=None), AT).storage.separator == "."
    store = Store("zarr", zarr2(dimension_separator="/"))
    write_some(store)
    undeclared = {key: value for key, value in store.document.items() if key != "dimension_separator"}
    wrong = follow(opening(parse_zarr2(undeclared, AT), store.kvstore), store.context)
    assert (wrong.read().result() == 7).all()  # "0.0" names nothing, so every voxel is the fill value
    assert_agrees(store, parse_zarr2(undeclared, AT, dimension_separator="/"))


ZARR3_CODECS = {
    "shards": ([shards([2, 3], BYTES)], [4, 6], (2, 3), True),
    "index first": ([shards([2, 3], BYTES, index_location="start")], [4, 6], (2, 3), True),
    "transpose": ([transpose(1, 0), BYTES], [4, 6], (4, 6), False),
    "transpose in the shard": ([shards([2, 3], transpose(1, 0), BYTES)], [4, 6], (2, 3), True),
    # the shard of 4 by 6 is encoded as 6 by 4, so an inner chunk of 3 by 2 there is 2 by 3 of the array
    "transpose outside": ([transpose(1, 0), shards([3, 2], BYTES)], [4, 6], (2, 3), True),
    "shards of shards": ([shards([4, 6], shards([2, 3], BYTES))], [8, 12], (2, 3), True),
    # 4 by 6 is encoded as 6 by 4, in which 3 by 2 is 2 by 3 of the array
    "transpose between": ([shards([4, 6], transpose(1, 0), shards([3, 2], BYTES))], [8, 12], (2, 3), True),
    "three deep": ([shards([4, 6], shards([2, 3], shards([1, 3], BYTES)))], [8, 12], (1, 3), True),
    "twice transposed": ([transpose(1, 0), transpose(1, 0), shards([2, 3], BYTES)], [4, 6], (2, 3), True),
}


@pytest.mark.parametrize(("codecs", "chunk", "inner", "sharded"), ZARR3_CODECS.values(), ids=ZARR3_CODECS)
def test_zarr3_inner_chunks_and_shards(codecs, chunk, inner, sharded):
    store = Store("zarr3", zarr3(codecs=codecs, chunk_grid=grid(*chunk)))
    write_some(store)
    facts = parse_zarr3(store.document, AT)
    assert facts.chunk_shape == inner
    assert facts.shard_shape == (tuple(chunk) if sharded else None)
    assert_agrees(store, facts)


def test_zarr3_transpose_of_three_axes_around_shards():
    # order 2, 0, 1: the encoded axes are the array's 2, 0, 1, so inner 2, 2, 3 is axis 2: 2, axis 0: 2, axis 1: 3
    codecs = [transpose(2, 0, 1), shards([2, 2, 3], BYTES)]
    store = Store("zarr3", zarr3(shape=[9, 8, 7], chunk_grid=grid(4, 6, 8), codecs=codecs))
    write_some(store)
    facts = parse_zarr3(store.document, AT)
    assert (facts.chunk_shape, facts.shard_shape) == ((2, 3, 2), (4, 6, 8))
    assert_agrees(store, facts)


@pytest.mark.parametrize("order", ["C", "F"])
def test_zarr3_transpose_spelled_as_an_order(order):
    store = Store("zarr3", zarr3(codecs=[{"name": "transpose", "configuration": {"order": order}}, BYTES]))
    write_some(store)
    assert_agrees(store, parse_zarr3(store.document, AT))


@pytest.mark.parametrize(
    ("encoding", "expected", "key"),
    [
        ({"name": "default"}, ("default", "/"), "c/1/2"),
        ({"name": "default", "configuration": {"separator": "."}}, ("default", "."), "c.1.2"),
        ({"name": "v2"}, ("v2", "."), "1.2"),
        ({"name": "v2", "configuration": {"separator": "/"}}, ("v2", "/"), "1/2"),
    ],
)
def test_zarr3_chunk_keys(encoding, expected, key):
    store = Store("zarr3", zarr3(chunk_key_encoding=encoding, chunk_grid=grid(4, 3)))
    write_some(store)
    facts = parse_zarr3(store.document, AT)
    assert (facts.storage.encoding, facts.storage.separator) == expected
    assert store.read(key)
    assert_agrees(store, facts)


def test_zarr3_dimension_names_are_kept_and_repeated_ones_do_not_stop_the_open():
    store = Store("zarr3", zarr3(dimension_names=["y", None]))
    facts = parse_zarr3(store.document, AT)
    assert facts.dimension_names == ("y", None)
    assert_agrees(store, facts)
    facts = parse_zarr3({**store.document, "dimension_names": ["x", "x"]}, AT)
    assert facts.dimension_names == ("x", "x")
    assert_agrees(store, facts)


def test_zarr3_attributes_and_marked_extensions_do_not_stop_the_open():
    store = Store("zarr3", zarr3())
    write_some(store)
    odd = {"attributes": {"dimension_units": 5}, "consolidated_metadata": None, "more": {"must_understand": False}}
    assert_agrees(store, parse_zarr3({**store.document, **odd}, AT))


ZARR2_COMPRESSORS = [
    {"id": "zlib", "level": 6},
    {"id": "gzip", "level": 1},
    {"id": "bz2", "level": 3},
    {"id": "zstd", "level": 6},
    {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    {"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": -1, "blocksize": 0},
]


@pytest.mark.parametrize("compressor", ZARR2_COMPRESSORS, ids=lambda c: c["id"])
def test_zarr2_compressors_open_without_the_members_that_tensorstore_refuses(compressor):
    store = Store("zarr", zarr2(compressor=compressor))
    write_some(store)
    document = store.document
    document["compressor"] |= {"checksum": False, "typesize": None, "nthreads": 4}
    facts = parse_zarr2(document, AT)
    assert facts.metadata["compressor"] == compressor
    assert_agrees(store, facts)


def test_zarr2_compressor_levels_that_tensorstore_refuses_do_not_stop_the_open():
    store = Store("zarr", zarr2(compressor={"id": "zlib", "level": 6}))
    write_some(store)
    facts = parse_zarr2({**store.document, "compressor": {"id": "zlib", "level": -1}}, AT)  # zlib's own default
    assert facts.metadata["compressor"] == {"id": "zlib"}
    assert_agrees(store, facts)


N5_COMPRESSIONS = [
    {"type": "raw"},
    {"type": "gzip", "level": 5, "useZlib": False},
    {"type": "gzip", "level": 5, "useZlib": True},
    {"type": "bzip2", "blockSize": 9},
    {"type": "xz", "preset": 6},
    {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    {"type": "zstd", "level": 3},
]


@pytest.mark.parametrize("compression", N5_COMPRESSIONS, ids=lambda c: c["type"])
def test_n5_compressions_open_without_the_members_that_tensorstore_refuses(compression):
    store = Store("n5", n5(compression=compression))
    write_some(store)
    document = store.document
    document["compression"] |= {"nthreads": 4, "level_of_effort": "high"}
    document |= {"axes": ["x"], "units": 5, "resolution": "four"}  # tensorstore refuses each of them
    facts = parse_n5(document, AT)
    assert facts.metadata["compression"] == compression
    assert_agrees(store, facts)


def test_n5_blosc_as_other_writers_spell_it():
    store = Store("n5", n5(compression=N5_COMPRESSIONS[5]))
    write_some(store)
    z5 = {"type": "blosc", "codec": "lz4", "level": 5, "shuffle": -1, "nthreads": 1}
    assert_agrees(store, parse_n5({**store.document, "compression": z5}, AT))


def test_n5_compression_type_of_old_documents():
    store = Store("n5", n5(compression={"type": "gzip", "level": 5}))
    write_some(store)
    document = store.document
    del document["compression"]
    assert_agrees(store, parse_n5({**document, "compressionType": "gzip"}, AT))


@pytest.mark.parametrize(
    ("named", "stored"),
    [
        ("numcodecs.zstd", {"name": "zstd", "configuration": {"level": 3, "checksum": True}}),
        ("numcodecs.gzip", {"name": "gzip", "configuration": {"level": 3}}),
        ("crc32c", CRC),
        (
            "numcodecs.blosc",
            {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 5, "shuffle": "shuffle", "typesize": 2}},
        ),
    ],
)
def test_zarr3_codecs_open_under_other_names_and_with_members_that_tensorstore_refuses(named, stored):
    store = Store("zarr3", zarr3(codecs=[BYTES, stored]))
    write_some(store)
    document = store.document
    document["codecs"][-1] |= {"name": named, "must_understand": True}
    document["codecs"][-1].setdefault("configuration", {})["window"] = 27
    document["codecs"][0] = "bytes"
    assert_agrees(store, parse_zarr3(document, AT))


SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "preshift_bits": 1,
    "hash": "identity",
    "minishard_bits": 1,
    "shard_bits": 1,
    "minishard_index_encoding": "gzip",
    "data_encoding": "gzip",
}
PRECOMPUTED_ENCODINGS = {
    "raw": ({}, {}),
    "png": ({"encoding": "png", "png_level": 3}, {}),
    "jpeg": ({"encoding": "jpeg", "jpeg_quality": 90}, {"data_type": "uint8"}),
    "segmentation": (
        {"encoding": "compressed_segmentation", "compressed_segmentation_block_size": [8, 8, 8]},
        {"data_type": "uint32", "type": "segmentation"},
    ),
    "sharded": ({"sharding": SHARDING}, {}),
    "sharding null": ({"sharding": None}, {}),
    "further members": ({"realsize": [1, 2, 3], "hidden": True}, {"mesh": "mesh", "app": {}}),
}


@pytest.mark.parametrize(("scale", "volume"), PRECOMPUTED_ENCODINGS.values(), ids=PRECOMPUTED_ENCODINGS)
def test_precomputed_encodings(scale, volume):
    store = volume_store(precomputed(scale=scale, volume=volume))
    write_some(store)
    facts = scale_facts(parse_precomputed(store.document, AT), 0, AT)
    assert facts.stored_as_is
    assert facts.keyed == (scale.get("sharding") is None)
    assert facts.shard_shape is None
    assert_agrees(store, facts)


@pytest.mark.parametrize(
    ("offset", "read"), [({}, (0, 0, 0)), ({"voxel_offset": [10.0, 0.0, -3.0]}, (10, 0, -3)), (None, (0, 0, 0))]
)
def test_precomputed_voxel_offset_is_whole_voxels_or_absent(offset, read):
    document = precomputed()
    del document["scales"][0]["voxel_offset"]
    document["scales"][0] |= {"voxel_offset": None} if offset is None else offset
    assert parse_precomputed(document, AT).scales[0].voxel_offset == read


PRECOMPUTED_REPAIRS = {
    "no type": lambda doc: doc.pop("type"),
    "null offset": lambda doc: doc["scales"][1].update(voxel_offset=None),
    "block size on raw": lambda doc: doc["scales"][1].update(compressed_segmentation_block_size=[8, 8, 8]),
    "quality on raw": lambda doc: doc["scales"][1].update(jpeg_quality=75),
    "another scale unreadable": lambda doc: doc["scales"][0].update(encoding="kempressed"),
}


@pytest.mark.parametrize("repair", PRECOMPUTED_REPAIRS.values(), ids=PRECOMPUTED_REPAIRS)
def test_precomputed_documents_that_tensorstore_refuses_open_with_a_corrected_one_over_them(repair):
    document = precomputed(sizes=[(9, 8, 7), (7, 5, 3)], scale={"voxel_offset": [0, 0, 0]})
    store = volume_store(document, index=1)
    write_some(store)
    repair(document)
    store.write("info", json.dumps(document).encode())
    spec = {"driver": store.driver, "kvstore": store.kvstore, "scale_index": 1, "recheck_cached_metadata": True}
    with pytest.raises(ValueError, match="info"):
        ts.open(spec, context=ts.Context(json.loads("{}"), parent=store.context), open=True, read=True).result()
    facts = scale_facts(parse_precomputed(document, AT), 1, AT)
    assert not facts.stored_as_is
    assert facts.shape == (3, 5, 7)
    assert_agrees(store, facts)


def test_opening_writes_no_document_and_writes_through():
    store = Store("zarr", zarr2(compressor={"id": "zstd", "level": 6}))
    before = store.read(".zarray")
    how = opening(parse_zarr2(store.document, AT), store.kvstore)
    array = ts.open(dict(how.spec), context=store.context, read=True, write=True).result()
    array[1:3, 2:5] = 9
    assert store.read(".zarray") == before
    assert int(store.array[2, 4].read().result()) == 9
