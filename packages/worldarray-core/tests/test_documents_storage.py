"""What the documents of an array say about its storage is what tensorstore reports for the same array."""

import json

import numpy as np
import pytest
import tensorstore as ts

from worldarray.documents.dtypes import SCALARS
from worldarray.documents.facts import Opening, StorageFacts, opening
from worldarray.documents.n5 import DATA_TYPES as N5_TYPES
from worldarray.documents.n5 import parse_n5
from worldarray.documents.parsing import load_json
from worldarray.documents.precomputed import DATA_TYPES as PRECOMPUTED_TYPES
from worldarray.documents.precomputed import parse_precomputed, scale_facts
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3

AT = ("em/document",)
DOCUMENTS = {"zarr": ".zarray", "zarr3": "zarr.json", "n5": "attributes.json", "neuroglancer_precomputed": "info"}
ZARR2_SPELLED = {"bool": "|b1", "int8": "|i1", "uint8": "|u1"}
SHAPES = {
    "0-d": ((), ()),
    "1-d": ((7,), (3,)),
    "2-d": ((7, 5), (3, 2)),
    "3-d": ((7, 5, 6), (3, 2, 4)),
    "8-d": ((2, 3, 1, 4, 2, 1, 3, 5), (1, 2, 1, 3, 2, 1, 2, 4)),
    "chunk larger than the array": ((7, 5), (32, 64)),
    "an axis of nothing": ((7, 0, 5), (3, 2, 4)),
}


class Store:
    """A store in memory, created by tensorstore from metadata of its own."""

    def __init__(self, driver, metadata, **members):
        self.driver, self.context = driver, ts.Context()
        self.kvstore = {"driver": "memory", "path": "em/"}
        spec = {"driver": driver, "kvstore": self.kvstore, "metadata": metadata, **members}
        self.array = ts.open(spec, context=self.context, create=True).result()

    def read(self, key):
        return ts.KvStore.open(self.kvstore, context=self.context).result().read(key).result().value

    def write(self, key, value):
        ts.KvStore.open(self.kvstore, context=self.context).result().write(key, value).result()

    @property
    def document(self):
        return load_json(self.read(DOCUMENTS[self.driver]), AT)


def follow(how: Opening, context) -> ts.TensorStore:
    """Open as an `Opening` says: what the I/O of the package does."""
    if how.overlay is not None:
        key, document = how.overlay
        ts.KvStore.open({"driver": "memory"}, context=context).result().write(key, document).result()
    array = ts.open(dict(how.spec), context=context, read=True).result()
    return normalised(array, how.reverse_axes, how.drop_channel)


def normalised(array, reverse, drop):
    array = array.T if reverse else array
    if array.ndim:
        array = array[ts.d[:].translate_to[0]]
    return array[0] if drop else array


def assert_reported(facts: StorageFacts, array: ts.TensorStore):
    assert facts.shape == array.shape
    assert facts.dtype == array.dtype.numpy_dtype
    assert facts.chunk_shape == (array.chunk_layout.read_chunk.shape or ())
    if facts.format != "precomputed":
        assert (facts.shard_shape or facts.chunk_shape) == (array.chunk_layout.write_chunk.shape or ())
    assert_same_fill(facts.fill_value, array.fill_value)


def assert_same_fill(found, reported):
    if reported is None:
        assert found is None
        return
    assert isinstance(found, np.generic)
    assert found.dtype == reported.dtype
    assert found.tobytes() == reported.tobytes()


def assert_agrees(store: Store, facts: StorageFacts):
    """The facts are what tensorstore reports, before and after it is opened as they say; every value is the same."""
    how = opening(facts, store.kvstore)
    plain = normalised(store.array, how.reverse_axes, how.drop_channel)
    assert_reported(facts, plain)
    again = follow(how, store.context)
    assert_reported(facts, again)
    assert again.read().result().tobytes() == plain.read().result().tobytes()


def some_values(shape, dtype):
    """Different values all over, those of a byte, so that every data type holds them or rounds them alike."""
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) % (2 if dtype.itemsize == 1 else 251)
    return values.astype(dtype)


def zarr2(**changes):
    base = {"shape": [7, 5], "chunks": [3, 2], "dtype": "<u2", "compressor": None, "fill_value": 7}
    return {"zarr_format": 2, "order": "C", "filters": None, **base, **changes}


def zarr3(**changes):
    grid = {"name": "regular", "configuration": {"chunk_shape": [4, 6]}}
    base = {"shape": [9, 11], "data_type": "uint16", "chunk_grid": grid, "fill_value": 7, "codecs": [BYTES]}
    return {"zarr_format": 3, "node_type": "array", "chunk_key_encoding": {"name": "default"}, **base, **changes}


def n5(**changes):
    base = {"dimensions": [7, 5], "blockSize": [3, 2], "dataType": "uint16", "compression": {"type": "raw"}}
    return {**base, **changes}


def grid(*chunk_shape):
    return {"name": "regular", "configuration": {"chunk_shape": list(chunk_shape)}}


BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}


def transpose(*order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


def shards(chunk_shape, *codecs, **more):
    configuration = {"chunk_shape": chunk_shape, "codecs": list(codecs), "index_codecs": [BYTES, CRC], **more}
    return {"name": "sharding_indexed", "configuration": configuration}


def write_some(store):
    if 0 not in store.array.shape:
        store.array.write(some_values(store.array.shape, store.array.dtype.numpy_dtype)).result()


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


def precomputed(sizes=((7, 5, 3),), **changes):
    scales = [
        {
            "key": f"s{i}",
            "size": list(size),
            "voxel_offset": [10, 20, -30],
            "chunk_sizes": [[4, 3, 2]],
            "encoding": "raw",
            "resolution": [4.5, 5, 6.25],
            **changes.get("scale", {}),
        }
        for i, size in enumerate(sizes)
    ]
    volume = {"@type": "neuroglancer_multiscale_volume", "type": "image", "data_type": "uint16", "num_channels": 1}
    return {**volume, **changes.get("volume", {}), "scales": scales}


def volume_store(document, index=0):
    """A volume whose document is as given, opened by tensorstore itself."""
    store = Store.__new__(Store)
    store.driver, store.context = "neuroglancer_precomputed", ts.Context()
    store.kvstore = {"driver": "memory", "path": "em/"}
    store.write("info", json.dumps(document).encode())
    spec = {"driver": store.driver, "kvstore": store.kvstore, "scale_index": index}
    store.array = ts.open(spec, context=store.context, open=True).result()
    return store


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


def test_a_fill_value_that_tensorstore_misreads_is_given_to_it_by_its_bits():
    facts = parse_zarr3(zarr3(data_type="float8_e8m0fnu", fill_value=1.0), AT)
    assert (float(facts.fill_value), facts.metadata["fill_value"]) == (1.0, "0x7f")  # an exponent biased by 127
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


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


def test_zarr2_structured_reads_one_field():
    dtype = [
        ["id", "<u2"],
        ["score", ">f4"],
        ["when", "<M8[ns]"],
        ["phase", "<c8"],
        ["name", "<U3"],
        ["pair", "|u1", [2]],
    ]
    known = [["id", "<u2"], ["score", ">f4"], ["when", "|V8"], ["phase", "<c8"], ["name", "|V12"], ["pair", "|V2"]]
    element = np.dtype(
        [("id", "<u2"), ("score", ">f4"), ("when", "V8"), ("phase", "<c8"), ("name", "V12"), ("pair", "V2")]
    )
    values = np.zeros((7, 5), element)
    values["id"] = np.arange(35).reshape(7, 5)
    values["score"] = values["id"] / 4
    values["phase"] = values["id"] * 1j
    store = Store("zarr", zarr2(dtype=known, fill_value=None, chunks=[7, 5]), field="id")
    store.write("0.0", values.tobytes())
    for name in ("id", "score", "phase"):
        facts = parse_zarr2({**store.document, "dtype": dtype}, AT, field=name)
        assert facts.fields == ("id", "score", "when", "phase", "name", "pair")
        assert facts.fill_value is None
        read = follow(opening(facts, store.kvstore), store.context).read().result()
        assert read.dtype == facts.dtype == values[name].dtype.newbyteorder("=")
        np.testing.assert_array_equal(read, values[name])


def test_zarr2_structured_fill_value_is_that_of_the_field():
    # <u2 7 is 07 00, >f4 1.5 is 3F C0 00 00
    document = zarr2(dtype=[["id", "<u2"], ["score", ">f4"]], fill_value="BwA/wAAA")
    for name, value in (("id", np.uint16(7)), ("score", np.float32(1.5))):
        facts = parse_zarr2(document, AT, field=name)
        assert_same_fill(facts.fill_value, np.array(value))
        assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_zarr2_structured_of_one_field_needs_no_choice():
    facts = parse_zarr2(zarr2(dtype=[["id", "<u2"]], fill_value=None), AT)
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("structured", [["id", "uint16"], ["bits", "r24"], ["score", "float32"]]),
        ("struct", [{"name": n, "data_type": t} for n, t in (("id", "uint16"), ("bits", "r24"), ("score", "float32"))]),
    ],
)
@pytest.mark.parametrize(
    ("fill", "values"),
    [
        ("BwAAAAAAAMA/", (7, 1.5)),  # 07 00, 00 00 00, 00 00 C0 3F
        (None, (0, 0.0)),
    ],
)
def test_zarr3_structured_reads_one_field(name, fields, fill, values):
    kind = {"name": name, "configuration": {"fields": fields}}
    document = zarr3(data_type=kind, fill_value=fill)
    for field, value in zip(("id", "score"), values, strict=True):
        facts = parse_zarr3(document, AT, field=field)
        assert facts.fields == ("id", "bits", "score")
        assert facts.fill_value == value
        assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_zarr3_structured_fill_value_by_name():
    kind = {"name": "struct", "configuration": {"fields": [["id", "uint16"], ["score", "float32"]]}}
    facts = parse_zarr3(zarr3(data_type=kind, fill_value={"id": 7, "score": 1.5}), AT, field="score")
    assert_same_fill(facts.fill_value, np.array(np.float32(1.5)))
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("spelled", "name"), [("|V1", "uint8"), ("|V2", "uint16"), ("<V4", "uint32"), ("|V8", "uint64")]
)
def test_zarr2_raw_bits_are_read_as_unsigned_integers_with_a_notice(spelled, name):
    facts = parse_zarr2(zarr2(dtype=spelled, fill_value=None), AT)
    assert facts.dtype == np.dtype(name)
    assert [n.code for n in facts.notices] == ["unsupported"]
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("kind", "fill", "value"),
    [
        ("r8", "Bw==", np.uint8(7)),
        ("r16", [7, 1], np.uint16(263)),  # 7 + 1 * 256
        ({"name": "raw_bytes", "configuration": {"length_bytes": 4}}, "BwEAAA==", np.uint32(263)),
        ("r64", None, np.uint64(0)),
    ],
)
def test_zarr3_raw_bits_are_read_as_unsigned_integers_with_a_notice(kind, fill, value):
    facts = parse_zarr3(zarr3(data_type=kind, fill_value=fill), AT)
    assert_same_fill(facts.fill_value, np.array(value))
    assert "unsupported" in [n.code for n in facts.notices]
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


FILLS = [
    ("<u2", "uint16", 0.0, np.uint16(0), 0),
    ("<u2", "uint16", "0", np.uint16(0), 1),
    ("<i2", "int16", "-7", np.int16(-7), 1),
    ("<i8", "int64", -(2**63), np.int64(-(2**63)), 0),
    ("<u8", "uint64", 2**64 - 1, np.uint64(2**64 - 1), 0),
    ("<f4", "float32", "NaN", np.float32("nan"), 0),
    ("<f4", "float32", "-Infinity", np.float32("-inf"), 0),
    ("<f8", "float64", "Infinity", np.float64("inf"), 0),
    ("<f4", "float32", "1.5", np.float32(1.5), 1),
    ("<f4", "float32", 1e40, np.float32("inf"), 0),
    ("<f4", "float32", 2**70, np.float32(2**70), 0),
    ("<f2", "float16", 0.1, np.float16(0.1), 0),
    ("|b1", "bool", True, np.bool_(True), 0),
    ("|b1", "bool", 1, np.bool_(True), 1),
    ("<c8", "complex64", [1.5, "NaN"], np.complex64(complex(1.5, float("nan"))), 0),
    (">c16", "complex128", [1.5, -2.25], np.complex128(1.5 - 2.25j), 0),
    ("<c8", "complex64", 1.5, np.complex64(1.5), 1),
]


@pytest.mark.parametrize(("v2", "v3", "stored", "value", "notices"), FILLS)
def test_fill_values_are_exact_and_odd_spellings_are_noticed(v2, v3, stored, value, notices):
    for facts in (
        parse_zarr2(zarr2(dtype=v2, fill_value=stored), AT),
        parse_zarr3(zarr3(data_type=v3, fill_value=stored), AT),
    ):
        assert_same_fill(facts.fill_value, np.array(value))
        assert len(facts.notices) == notices
        assert all(found.at == (*AT, "fill_value") for found in facts.notices)
        assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("name", "stored", "bits"),
    [
        ("float32", "0x7fc00001", 0x7FC00001),
        ("float16", "0x7e00", 0x7E00),
        ("float64", "0xfff8000000000000", 0xFFF8000000000000),
        ("bfloat16", "0x3fc0", 0x3FC0),
        ("float8_e4m3fn", "0x38", 0x38),
        ("float4_e2m1fn", "0x3", 0x3),
    ],
)
def test_zarr3_fill_values_by_their_bits(name, stored, bits):
    facts = parse_zarr3(zarr3(data_type=name, fill_value=stored), AT)
    assert int.from_bytes(facts.fill_value.tobytes(), "little") == bits
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("spelled", "stored", "value"),
    [
        # complex64 1 + 2j: 00 00 80 3F 00 00 00 40, and each part the other way round
        ("<c8", "AACAPwAAAEA=", np.complex64(1 + 2j)),
        (">c8", "P4AAAEAAAAA=", np.complex64(1 + 2j)),
        ("|V2", "BwE=", np.uint16(263)),
    ],
)
def test_zarr2_fill_values_in_base64(spelled, stored, value):
    facts = parse_zarr2(zarr2(dtype=spelled, fill_value=stored), AT)
    assert_same_fill(facts.fill_value, np.array(value))
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_a_fill_value_of_null_is_none_in_zarr2_and_zero_with_a_notice_in_zarr3():
    assert parse_zarr2(zarr2(fill_value=None), AT).fill_value is None
    facts = parse_zarr3(zarr3(fill_value=None), AT)
    assert_same_fill(facts.fill_value, np.array(np.uint16(0)))
    assert [n.code for n in facts.notices] == ["missing_key"]
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_opening_writes_no_document_and_writes_through():
    store = Store("zarr", zarr2(compressor={"id": "zstd", "level": 6}))
    before = store.read(".zarray")
    how = opening(parse_zarr2(store.document, AT), store.kvstore)
    array = ts.open(dict(how.spec), context=store.context, read=True, write=True).result()
    array[1:3, 2:5] = 9
    assert store.read(".zarray") == before
    assert int(store.array[2, 4].read().result()) == 9
