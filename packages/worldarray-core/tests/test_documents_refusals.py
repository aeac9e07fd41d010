"""What the documents of an array are refused for, each beside a neighbour that is read; and hostile documents."""

import copy
import json

import numpy as np
import pytest
import tensorstore as ts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldarray.documents.facts import opening
from worldarray.documents.n5 import is_n5_array, parse_n5
from worldarray.documents.precomputed import is_volume, parse_precomputed, scale_facts
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3
from worldarray.errors import ArgumentError, PlacementError

AT = ("em/document",)
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
ZARR2 = {
    "zarr_format": 2,
    "shape": [7, 5],
    "chunks": [3, 2],
    "dtype": "<u2",
    "compressor": {"id": "zstd", "level": 6},
    "fill_value": 7,
    "order": "C",
    "filters": None,
    "dimension_separator": "/",
}
ZARR3 = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [9, 11],
    "data_type": "uint16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 7,
    "codecs": [
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [2, 3],
                "codecs": [BYTES, {"name": "zstd", "configuration": {"level": 3}}],
                "index_codecs": [BYTES, {"name": "crc32c"}],
                "index_location": "end",
            },
        }
    ],
    "attributes": {},
    "dimension_names": ["y", "x"],
}
N5 = {
    "dimensions": [7, 5],
    "blockSize": [3, 2],
    "dataType": "uint16",
    "compression": {"type": "gzip", "level": 5, "useZlib": False},
}
SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "preshift_bits": 1,
    "hash": "identity",
    "minishard_bits": 1,
    "shard_bits": 1,
    "minishard_index_encoding": "raw",
    "data_encoding": "gzip",
}
SCALE = {
    "key": "s0",
    "size": [7, 5, 3],
    "voxel_offset": [10, 20, -30],
    "chunk_sizes": [[4, 3, 2]],
    "encoding": "raw",
    "resolution": [4.5, 5, 6.25],
    "sharding": SHARDING,
}
INFO = {
    "@type": "neuroglancer_multiscale_volume",
    "type": "image",
    "data_type": "uint16",
    "num_channels": 1,
    "scales": [SCALE, {**SCALE, "key": "s1", "sharding": None}],
}
FORMATS = {
    "zarr2": (ZARR2, parse_zarr2),
    "zarr3": (ZARR3, parse_zarr3),
    "n5": (N5, parse_n5),
    "precomputed": (INFO, lambda doc, at: scale_facts(parse_precomputed(doc, at), 0, at)),
}
MISSING = object()


def changed(document, path, value):
    """A copy of a document with the value at one path replaced or, for MISSING, removed."""
    document = copy.deepcopy(document)
    inside = document
    for part in path[:-1]:
        inside = inside[part]
    if value is MISSING:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return document


@pytest.mark.parametrize("name", FORMATS)
def test_the_documents_that_the_refusals_change_are_read(name):
    document, parse = FORMATS[name]
    assert parse(document, AT).dtype == np.uint16


# format, path, value, code, where the error points (the path unless given)
REFUSED = [
    ("zarr2", ("zarr_format",), 3, "out_of_range", None),
    ("zarr2", ("shape",), MISSING, "missing_key", None),
    ("zarr2", ("shape",), "7,5", "wrong_type", None),
    ("zarr2", ("shape", 0), -7, "out_of_range", None),
    ("zarr2", ("shape", 0), 7.5, "not_integral", None),
    ("zarr2", ("shape", 0), "7", "wrong_type", None),
    ("zarr2", ("shape", 0), True, "wrong_type", None),
    ("zarr2", ("shape", 0), 2**63, "out_of_range", None),
    ("zarr2", ("shape", 0), 10**400, "out_of_range", None),
    ("zarr2", ("chunks",), [3, 2, 4], "wrong_length", None),
    ("zarr2", ("chunks", 1), 0, "not_positive", None),
    ("zarr2", ("chunks",), True, "wrong_type", None),
    ("zarr2", ("chunks",), [2**40, 2**40], "out_of_range", None),
    ("zarr2", ("dtype",), "<U4", "unsupported", None),
    ("zarr2", ("dtype",), "|S3", "unsupported", None),
    ("zarr2", ("dtype",), "|V3", "unsupported", None),
    ("zarr2", ("dtype",), "<M8[ns]", "unsupported", None),
    ("zarr2", ("dtype",), "|O", "unsupported", None),
    ("zarr2", ("dtype",), "|u2", "unsupported", None),
    ("zarr2", ("dtype",), "<f16", "unsupported", None),
    ("zarr2", ("dtype",), "uint4", "unsupported", None),
    ("zarr2", ("dtype",), 2, "wrong_type", None),
    ("zarr2", ("dtype",), [["id", "<u2"], ["score", "<f4"]], "missing_field", None),
    ("zarr2", ("dtype",), [["id", "<u2"], ["id", "<f4"]], "duplicate", None),
    ("zarr2", ("dtype",), [["id", "<u2", [2]]], "unsupported", ("dtype", 0)),
    ("zarr2", ("dtype",), [["id", [["low", "<u2"]]]], "unsupported", ("dtype", 0, 1)),
    ("zarr2", ("dtype",), [], "missing_field", None),
    ("zarr2", ("order",), "A", "wrong_value", None),
    ("zarr2", ("filters",), [{"id": "delta", "dtype": "<u2"}], "unsupported", None),
    ("zarr2", ("filters",), "delta", "wrong_type", None),
    ("zarr2", ("compressor", "id"), "lz4", "unsupported", None),
    ("zarr2", ("compressor", "id"), MISSING, "missing_key", None),
    ("zarr2", ("compressor",), "zstd", "wrong_type", None),
    ("zarr2", ("dimension_separator",), "-", "wrong_value", None),
    ("zarr2", ("fill_value",), 1.5, "not_integral", None),
    ("zarr2", ("fill_value",), -1, "not_representable", None),
    ("zarr2", ("fill_value",), "zero", "wrong_type", None),
    ("zarr2", ("fill_value",), True, "wrong_type", None),
    ("zarr2", ("fill_value",), [0], "wrong_type", None),
    ("zarr2", ("fill_value",), "1" * 5000, "wrong_type", None),
    ("zarr3", ("zarr_format",), 2, "out_of_range", None),
    ("zarr3", ("zarr_format",), MISSING, "missing_key", None),
    ("zarr3", ("node_type",), "group", "wrong_value", None),
    ("zarr3", ("shape",), [1] * 33, "wrong_length", ("chunk_grid", "configuration", "chunk_shape")),
    ("zarr3", ("chunk_grid", "name"), "rectilinear", "unsupported", None),
    ("zarr3", ("chunk_grid",), MISSING, "missing_key", None),
    ("zarr3", ("chunk_grid",), 5, "wrong_type", None),
    ("zarr3", ("chunk_grid", "configuration"), MISSING, "missing_key", ("chunk_grid", "configuration", "chunk_shape")),
    ("zarr3", ("chunk_key_encoding", "name"), "fanout", "unsupported", None),
    ("zarr3", ("chunk_key_encoding", "configuration", "separator"), "-", "wrong_value", None),
    ("zarr3", ("data_type",), "string", "unsupported", None),
    ("zarr3", ("data_type",), "uint4", "unsupported", None),
    ("zarr3", ("data_type",), "r24", "unsupported", None),
    ("zarr3", ("data_type",), "r7", "unsupported", None),
    ("zarr3", ("data_type",), {"name": "numpy.datetime64", "configuration": {"unit": "ns"}}, "unsupported", None),
    ("zarr3", ("data_type",), [["id", "uint16"], ["score", "float32"]], "missing_field", None),
    ("zarr3", ("fill_value",), "0x0007", "wrong_type", None),
    ("zarr3", ("fill_value",), 65536, "not_representable", None),
    ("zarr3", ("codecs",), MISSING, "missing_key", None),
    ("zarr3", ("codecs",), [], "missing_key", None),
    ("zarr3", ("codecs",), [{"name": "gzip"}], "order", ("codecs", 0)),
    ("zarr3", ("codecs",), [BYTES, BYTES], "order", ("codecs", 1)),
    ("zarr3", ("codecs",), [BYTES, {"name": "transpose", "configuration": {"order": [1, 0]}}], "order", ("codecs", 1)),
    ("zarr3", ("codecs",), [{"name": "vlen-utf8"}], "unsupported", ("codecs", 0)),
    ("zarr3", ("codecs",), [BYTES, {"name": "new", "must_understand": False}], "unsupported", ("codecs", 1)),
    ("zarr3", ("codecs", 0, "configuration", "chunk_shape"), [3, 3], "wrong_value", None),
    ("zarr3", ("codecs", 0, "configuration", "chunk_shape"), [8, 6], "wrong_value", None),
    ("zarr3", ("codecs", 0, "configuration", "chunk_shape"), [2], "wrong_length", None),
    (
        "zarr3",
        ("codecs", 0, "configuration", "chunk_shape"),
        [0, 3],
        "not_positive",
        ("codecs", 0, "configuration", "chunk_shape", 0),
    ),
    ("zarr3", ("codecs", 0, "configuration", "index_location"), "middle", "wrong_value", None),
    (
        "zarr3",
        ("codecs", 0, "configuration", "index_codecs"),
        [BYTES, {"name": "gzip"}],
        "unsupported",
        ("codecs", 0, "configuration", "index_codecs", 1),
    ),
    ("zarr3", ("codecs", 0, "configuration", "codecs"), MISSING, "missing_key", None),
    ("zarr3", ("storage_transformers",), [{"name": "indirect"}], "unsupported", None),
    ("zarr3", ("extension",), {"name": "new"}, "unsupported", None),
    ("zarr3", ("extension",), {"must_understand": True}, "unsupported", None),
    ("zarr3", ("extension",), None, "unsupported", None),
    ("zarr3", ("dimension_names",), ["x"], "wrong_length", None),
    ("zarr3", ("dimension_names", 1), 5, "wrong_type", None),
    ("zarr3", ("dimension_names", 1), "\ud800", "wrong_value", None),
    ("n5", ("dimensions",), MISSING, "missing_key", None),
    ("n5", ("dimensions", 0), -7, "out_of_range", None),
    ("n5", ("dimensions", 0), None, "wrong_type", None),
    ("n5", ("blockSize",), [3], "wrong_length", None),
    ("n5", ("blockSize", 0), 0, "not_positive", None),
    ("n5", ("blockSize",), [2**30, 2], "out_of_range", None),
    ("n5", ("dataType",), "float16", "unsupported", None),
    ("n5", ("dataType",), "object", "unsupported", None),
    ("n5", ("compression",), MISSING, "missing_key", None),
    ("n5", ("compression",), None, "wrong_type", None),
    ("n5", ("compression", "type"), "lz4", "unsupported", None),
    ("n5", ("compression", "type"), MISSING, "missing_key", None),
    ("n5", ("compression", "useZlib"), "yes", "wrong_type", None),
    ("precomputed", ("@type",), "neuroglancer_skeletons", "wrong_value", ()),
    ("precomputed", ("scales",), MISSING, "wrong_value", ()),
    ("precomputed", ("scales",), [], "missing_key", None),
    ("precomputed", ("scales",), {"s0": {}}, "wrong_type", None),
    ("precomputed", ("scales", 0), 5, "wrong_type", None),
    ("precomputed", ("data_type",), "float64", "unsupported", None),
    ("precomputed", ("data_type",), "bool", "unsupported", None),
    ("precomputed", ("num_channels",), 0, "not_positive", None),
    ("precomputed", ("num_channels",), MISSING, "missing_key", None),
    ("precomputed", ("scales", 0, "key"), 5, "wrong_type", None),
    ("precomputed", ("scales", 0, "size"), [7, 5], "wrong_length", None),
    ("precomputed", ("scales", 0, "voxel_offset", 0), 10.5, "not_integral", None),
    ("precomputed", ("scales", 0, "voxel_offset"), [10, 20], "wrong_length", None),
    ("precomputed", ("scales", 0, "voxel_offset", 0), 2**62, "out_of_range", None),
    ("precomputed", ("scales", 0, "resolution"), [4, 5], "wrong_length", None),
    ("precomputed", ("scales", 0, "resolution", 0), 0, "not_positive", None),
    ("precomputed", ("scales", 0, "resolution", 0), "4", "wrong_type", None),
    ("precomputed", ("scales", 0, "resolution", 0), float("inf"), "not_finite", None),
    ("precomputed", ("scales", 0, "chunk_sizes"), [], "missing_key", None),
    ("precomputed", ("scales", 0, "chunk_sizes"), [4, 3, 2], "wrong_type", ("scales", 0, "chunk_sizes", 0)),
    ("precomputed", ("scales", 0, "encoding"), "kempressed", "unsupported", None),
    ("precomputed", ("scales", 0, "encoding"), "jpeg", "wrong_value", None),  # of uint16 voxels
    ("precomputed", ("scales", 0, "encoding"), "compressed_segmentation", "wrong_value", None),  # of uint16 voxels
    ("precomputed", ("scales", 0, "sharding", "@type"), "new", "wrong_value", None),
    ("precomputed", ("scales", 0, "sharding", "shard_bits"), 64, "out_of_range", None),
    ("precomputed", ("scales", 0, "sharding", "hash"), "md5", "wrong_value", None),
]


@pytest.mark.parametrize(("name", "path", "value", "code", "at"), REFUSED)
def test_what_cannot_be_read_is_refused_with_the_path_to_it(name, path, value, code, at):
    document, parse = FORMATS[name]
    with pytest.raises(PlacementError) as raised:
        parse(changed(document, path, value), AT)
    assert raised.value.code == code
    expected = AT + (path if at is None else at)
    assert raised.value.at == expected or raised.value.at[: len(expected)] == expected
    assert str(raised.value)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("document", [None, 5, "text", [], True, {}])
def test_what_is_no_such_document_is_refused(name, document):
    with pytest.raises(PlacementError):
        FORMATS[name][1](document, AT)


def test_every_problem_of_a_document_is_told_at_once():
    with pytest.raises(PlacementError) as raised:
        parse_zarr2({"shape": [7, 5], "chunks": [3], "dtype": "<U4", "filters": [{"id": "delta"}]}, AT)
    assert [(found.code, found.at[-1]) for found in raised.value.problems] == [
        ("wrong_length", "chunks"),
        ("unsupported", "dtype"),
        ("unsupported", "filters"),
    ]
    assert str(raised.value).count("\n") == 2


def test_a_field_or_separator_that_there_is_not_is_the_callers_error():
    structured = changed(ZARR2, ("dtype",), [["id", "<u2"], ["score", "<f4"]]) | {"fill_value": None}
    assert parse_zarr2(structured, AT, field="score").dtype == np.float32
    with pytest.raises(ArgumentError, match='"id", "score"'):
        parse_zarr2(structured, AT, field="name")
    with pytest.raises(ArgumentError, match="has no fields"):
        parse_zarr2(ZARR2, AT, field="id")
    with pytest.raises(ArgumentError, match="has no fields"):
        parse_zarr3(ZARR3, AT, field="id")
    assert parse_zarr2(ZARR2, AT, dimension_separator=".").storage.separator == "."
    with pytest.raises(ArgumentError, match="dimension_separator"):
        parse_zarr2(ZARR2, AT, dimension_separator="-")


def test_a_scale_that_cannot_be_decoded_is_still_listed():
    volume = parse_precomputed(changed(INFO, ("scales", 0, "encoding"), "kempressed"), AT)
    assert [(scale.key, [p.code for p in scale.refused]) for scale in volume.scales] == [
        ("s0", ["unsupported"]),
        ("s1", []),
    ]
    assert volume.index("s1") == 1
    assert volume.index("s2") is None
    assert scale_facts(volume, 1, AT).options == {"scale_index": 0}  # of the document that stands in


def test_groups_and_foreign_files_are_told_apart():
    assert is_n5_array(N5)
    assert not is_n5_array({"dataType": "uint16", "downsamplingFactors": [[1, 1, 1]]})  # a BigDataViewer group
    assert is_volume(INFO)
    assert not is_volume({"@type": "neuroglancer_annotations_v1", "scales": []})
    assert not is_volume(["scales"])


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 9),
        st.sampled_from(
            [2**31, 2**62, 2**63, 2**64, -(2**63), 10**400, 7.0, 1.5, -0.0, float("inf"), float("nan"), 1e308]
        ),
        st.sampled_from(
            ["", "/", ".", "C", "F", "<u2", "|b1", "r16", "uint16", "bytes", "raw", "gzip", "NaN", "0", "0x07"]
        ),
        st.text(max_size=4),
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "configuration", "id", "type", "level", "order", "chunk_shape"]), inner
        )
    ),
    max_leaves=6,
)


def paths(document, path=()):
    """Every path of a document."""
    inside = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inside:
        yield (*path, key)
        yield from paths(value, (*path, key))


def hostile(document):
    """Strategy: a document with one or two of its values replaced by anything, or removed."""
    places = sorted(paths(document), key=len, reverse=True)
    change = st.tuples(st.sampled_from(places), st.one_of(JSON, st.just(MISSING)))
    return st.lists(change, min_size=1, max_size=2, unique_by=lambda c: c[0])


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_hostile_document_is_refused_or_opened_as_the_facts_say(name, data):
    document, parse = FORMATS[name]
    for path, value in data.draw(hostile(document)):
        try:
            document = changed(document, path, value)
        except (KeyError, IndexError, TypeError):  # the other change took the place away
            continue
    try:
        facts = parse(document, AT)
    except PlacementError as error:
        refused = error.problems
    else:
        refused = ()
        assert_opens(document, facts)
    assert all(found.at[:1] == AT and str(found) for found in refused)


def assert_opens(document, facts):
    context, kvstore = ts.Context(), {"driver": "memory", "path": "em/"}
    how = opening(facts, kvstore)
    key, value = how.overlay or ("em/info", json.dumps(document).encode())
    ts.KvStore.open({"driver": "memory"}, context=context).result().write(key, value).result()
    array = ts.open(dict(how.spec), context=context, read=True).result()
    array = array.T if how.reverse_axes else array
    assert facts.shape == (array.shape[1:] if how.drop_channel else array.shape)
    assert facts.dtype == array.dtype.numpy_dtype
    read_chunk = array.chunk_layout.read_chunk.shape or ()
    assert facts.chunk_shape == (read_chunk[1:] if how.drop_channel else read_chunk)
    assert (facts.fill_value is None) == (array.fill_value is None)
    if facts.fill_value is not None:
        assert facts.fill_value.tobytes() == array.fill_value.tobytes()


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=50, deadline=None, derandomize=True)
@given(document=JSON)
def test_anything_else_is_refused(name, document):
    with pytest.raises(PlacementError):
        FORMATS[name][1](document, AT)


def test_shards_nested_without_end_are_refused():
    codecs = [BYTES]
    for _ in range(300):
        codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 1], "codecs": codecs}}]
    with pytest.raises(PlacementError, match="nests sharding"):
        parse_zarr3(changed(ZARR3, ("codecs",), codecs), AT)
