"""Random JSON at random places of valid documents: whatever comes out, it is the package's own error or an answer."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldarray.describing.describe import chunk_notices, describe_array
from worldarray.describing.detection import detect_node
from worldarray.describing.listing import describe_level, list_pyramid
from worldarray.documents.source import MappingSource
from worldarray.errors import WorldArrayError
from worldarray.paths import parse_path

ALLOWED = (ValueError, FileNotFoundError, PermissionError)


def zarr2(shape, **changes):
    document = {"zarr_format": 2, "shape": shape, "chunks": [3] * len(shape), "dtype": "<u2", "order": "C"}
    return {**document, "filters": None, "fill_value": 0, "compressor": {"id": "zstd", "level": 1}} | changes


def zarr3(shape, **changes):
    inner = {"chunk_shape": [1] * len(shape), "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    codec = {"name": "sharding_indexed", "configuration": inner | {"index_codecs": index, "index_location": "end"}}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2] * len(shape)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": "NaN",
        "codecs": [codec],
        "dimension_names": ["z", "y", "x"][-len(shape) :],
        "attributes": {},
    } | changes


def n5(**changes):
    stored = {"dimensions": [7, 6, 5], "blockSize": [4, 3, 2], "dataType": "uint8"}
    return stored | {"compression": {"type": "gzip", "level": 5}} | changes


def scale(*values):
    return {"type": "scale", "scale": list(values)}


def translation(*values):
    return {"type": "translation", "translation": list(values)}


AXES = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
OME = {
    "version": "0.4",
    "axes": AXES,
    "datasets": [
        {"path": "s0", "coordinateTransformations": [scale(40, 8, 4), translation(20, 4, 2)]},
        {"path": "s1", "coordinateTransformations": [scale(40, 16, 8)]},
    ],
    "coordinateTransformations": [{"type": "sequence", "transformations": [scale(1, 2, 3), translation(1, 0, 0)]}],
}
SYSTEMS = {
    "coordinateSystems": [{"name": "physical", "axes": AXES}],
    "datasets": [
        {
            "path": "s0",
            "coordinateTransformations": [
                {
                    "type": "sequence",
                    "input": {"path": "s0"},
                    "output": {"name": "physical"},
                    "transformations": [scale(40, 8, 4), translation(20, 4, 2)],
                }
            ],
        }
    ],
    "coordinateTransformations": [translation(1, 2, 3)],
}
COSEM = {"axes": ["x", "y", "z"], "order": "F", "scale": [4, 8, 40], "translate": [2, 4, 20], "units": ["nm"] * 3}
FUNLIB = {
    "voxel_size": [8, 4],
    "offset": [16, -8],
    "units": ["nm", "nm"],
    "axis_names": ["c^", "y", "x"],
    "types": ["channel", "space", "space"],
}
SCALE = {
    "key": "4_8_40",
    "size": [7, 6, 5],
    "resolution": [4, 8, 40],
    "voxel_offset": [1, 2, 3],
    "chunk_sizes": [[4, 3, 2]],
    "encoding": "compressed_segmentation",
    "compressed_segmentation_block_size": [8, 8, 8],
    "sharding": {
        "@type": "neuroglancer_uint64_sharded_v1",
        "preshift_bits": 1,
        "minishard_bits": 2,
        "shard_bits": 3,
        "hash": "identity",
        "minishard_index_encoding": "raw",
        "data_encoding": "gzip",
    },
}
GROUP3 = {"zarr_format": 3, "node_type": "group"}
STORES = {
    "ome-zarr-0.4": (
        {
            "em/.zgroup": {"zarr_format": 2},
            "em/.zattrs": {"multiscales": [OME]},
            "em/s0/.zarray": zarr2([6, 7, 8]),
            "em/s0/.zattrs": {"voxel_size": [40, 16, 12], "offset": [20, 8, 6], "_ARRAY_DIMENSIONS": ["z", "y", "x"]},
        },
        "em/s0",
    ),
    "ome-zarr-0.5": (
        {
            "em/zarr.json": GROUP3 | {"attributes": {"ome": {"version": "0.5", "multiscales": [OME]}}},
            "em/s0/zarr.json": zarr3([6, 7, 8]),
        },
        "em/s0",
    ),
    "ome-zarr-0.6": (
        {
            "em/zarr.json": GROUP3 | {"attributes": {"ome": {"version": "0.6", "multiscales": [SYSTEMS]}}},
            "em/s0/zarr.json": zarr3([6, 7, 8]),
        },
        "em/s0",
    ),
    "funlib": ({"em/.zattrs": FUNLIB, "em/raw/.zarray": zarr2([3, 7, 8]), "em/raw/.zattrs": FUNLIB}, "em/raw"),
    "dimension-units": ({"em/zarr.json": zarr3([7, 8], attributes={"dimension_units": ["8 nm", "4nm"]})}, "em"),
    "cosem": (
        {
            "em/attributes.json": {"multiscales": [{"datasets": [{"path": "s0", "transform": COSEM}, "s1"]}]},
            "em/s0/attributes.json": n5(transform=COSEM),
        },
        "em/s0",
    ),
    "n5": (
        {
            "em/attributes.json": {
                "pixelResolution": {"dimensions": [4, 8, 40], "unit": "nm"},
                "scales": [[1, 1, 1], [2, 2, 1]],
                "axes": ["x", "y", "z"],
            },
            "em/s0/attributes.json": n5(downsamplingFactors=[1, 1, 1]),
            "em/s1/attributes.json": n5(resolution=[4, 8, 40], offset=[1, 2, 3], offset_unit="um", units="nm"),
        },
        "em/s1",
    ),
    "precomputed": (
        {"em/info": {"type": "segmentation", "data_type": "uint64", "num_channels": 1, "scales": [SCALE, SCALE]}},
        "em/4_8_40",
    ),
}

NUMBERS = st.one_of(
    st.integers(-3, 9),
    st.integers(),
    st.sampled_from([2**31, 2**63, 2**64, 10**400, -(10**400)]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e308, 5e-324, -0.0]),
)
WORDS = st.one_of(
    st.text(max_size=5),
    st.sampled_from(
        ["", ".", "..", "s0", "/", "z", "nm", "NaN", "F", "scale", "sequence", "<u2", "|V3", "\ud800", "^"]
    ),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, WORDS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=8,
)


def places(value, path=()):
    """Every place of a document: the whole, each member, each entry."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield from places(inner, (*path, key))


def put(document, path, value):
    if not path:
        return value
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return document


def drop(document, path):
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return document


def refusal(ask):
    """The package's error that an answer is refused with, None for an answer."""
    try:
        ask()
    except WorldArrayError as error:
        return error
    return None


def described(source, where, conflicts):
    found = describe_array(source, where, conflicts=conflicts)
    chunk_notices(source, found)
    meta = found.meta
    assert meta.ndim == len(meta.axes) == len(meta.units) == len(meta.voxel_size) == len(meta.corner)
    assert all(size > 0 for size in meta.voxel_size)


def levels(source, where):
    listing = list_pyramid(source, where)
    for name in listing.names:
        check(refusal(lambda name=name: describe_level(source, listing, name)))


def check(error):
    assert error is None or isinstance(error, ALLOWED), repr(error)
    assert error is None or all(problem.at and problem.message for problem in error.problems)
    assert error is None or str(error)


def holds(store, path):
    """Every question that documents alone answer is answered, or refused as the package refuses."""
    source, where = MappingSource(store), parse_path(path)
    check(refusal(lambda: detect_node(source, where)))
    check(refusal(lambda: described(source, where, "error")))
    check(refusal(lambda: described(source, where, "warn")))
    check(refusal(lambda: levels(source, where)))


SETTINGS = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    database=None,
)


@pytest.mark.parametrize("dialect", STORES)
def test_the_documents_are_valid_before_anything_is_put_into_them(dialect):
    store, path = STORES[dialect]
    meta = describe_array(MappingSource(store), parse_path(path)).meta
    assert meta.placed_by is not None


@pytest.mark.parametrize("dialect", STORES)
def test_only_the_packages_own_errors_come_out_of_a_changed_document(dialect):
    store, path = STORES[dialect]
    targets = [(key, place) for key in store for place in places(store[key])]

    @SETTINGS
    @given(st.sampled_from(targets), VALUES)
    def changed(target, value):
        key, place = target
        document = put(copy.deepcopy(store[key]), place, value)
        holds({**store, key: json.dumps(document).encode()}, path)

    changed()


@pytest.mark.parametrize("dialect", STORES)
def test_only_the_packages_own_errors_come_out_of_a_document_that_lacks_a_part(dialect):
    store, path = STORES[dialect]
    for key in store:
        for place in places(store[key]):
            if place:
                holds({**store, key: drop(copy.deepcopy(store[key]), place)}, path)


@pytest.mark.parametrize("dialect", STORES)
@pytest.mark.parametrize("data", [b"", b"\xff\xfe{}", b"{", b"null", b"[]", b"3", b'"a"', b"[" * 10**5, b'{"a":NaN}'])
def test_only_the_packages_own_errors_come_out_of_other_bytes(dialect, data):
    store, path = STORES[dialect]
    for key in store:
        holds({**store, key: data}, path)
