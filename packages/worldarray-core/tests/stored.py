"""Small stores that tensorstore makes, and the comparison of what their documents say with what it reports."""

import json

import numpy as np
import tensorstore as ts

from worldarray.documents.facts import Opening, StorageFacts, opening
from worldarray.documents.loading import load_json

AT = ("em/document",)
DOCUMENTS = {"zarr": ".zarray", "zarr3": "zarr.json", "n5": "attributes.json", "neuroglancer_precomputed": "info"}
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}


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


def transpose(*order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


def shards(chunk_shape, *codecs, **more):
    configuration = {"chunk_shape": chunk_shape, "codecs": list(codecs), "index_codecs": [BYTES, CRC], **more}
    return {"name": "sharding_indexed", "configuration": configuration}


def write_some(store):
    if 0 not in store.array.shape:
        store.array.write(some_values(store.array.shape, store.array.dtype.numpy_dtype)).result()


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
