"""Documents that differ in their shape alone are parsed once, and tell what they would tell on their own."""

import pytest

from worldarray.describing.describe import describe_array
from worldarray.documents.alike import known_facts
from worldarray.documents.n5 import parse_n5
from worldarray.documents.source import MappingSource
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3
from worldarray.errors import PlacementError
from worldarray.paths import parse_path

ZARR2 = {"zarr_format": 2, "shape": [60, 70], "chunks": [30, 40], "dtype": ">u2", "order": "F", "filters": None}
ZARR2 |= {"fill_value": 3, "compressor": {"id": "zstd", "level": 6}, "dimension_separator": "/"}
SHARDS = {"chunk_shape": [10, 5], "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]}
ZARR3 = {"zarr_format": 3, "node_type": "array", "shape": [60, 70], "data_type": "int32", "fill_value": -4}
ZARR3 |= {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [30, 40]}}, "dimension_names": ["y", "x"]}
ZARR3 |= {"chunk_key_encoding": {"name": "v2"}, "codecs": [{"name": "sharding_indexed", "configuration": SHARDS}]}
N5 = {"dimensions": [70, 60], "blockSize": [40, 30], "dataType": "float32", "compression": {"type": "gzip"}}
ROWS = [(parse_zarr2, "shape", ZARR2), (parse_zarr3, "shape", ZARR3), (parse_n5, "dimensions", N5)]
FILES = {parse_zarr2: ".zarray", parse_zarr3: "zarr.json", parse_n5: "attributes.json"}


def rest(doc, key):
    return {name: value for name, value in doc.items() if name != key}


@pytest.mark.parametrize(("parse", "key", "doc"), ROWS)
@pytest.mark.parametrize("extents", [[60, 70], [30, 35], [0, 1]])
def test_facts_of_another_shape_are_those_that_parsing_gives(parse, key, doc, extents):
    other = doc | {key: extents}
    found, parsed = known_facts(parse, other, key, rest(other, key)), parse(other, ("a",))
    assert found == parsed
    assert (found.metadata, found.options) == (parsed.metadata, parsed.options)
    assert repr(found.fill_value) == repr(parsed.fill_value)


@pytest.mark.parametrize(("parse", "key", "doc"), ROWS)
@pytest.mark.parametrize("extents", [[60.0, 70], [True, 70], [-1, 70], [2**62, 70], ["60", 70], "60", None, [60]])
def test_a_shape_out_of_the_ordinary_is_left_to_the_parser(parse, key, doc, extents):
    assert known_facts(parse, doc | {key: extents}, key, rest(doc, key)) is None


def test_values_that_only_look_equal_are_told_apart():
    whole, half, flag = (ZARR2 | {"dtype": "<f4", "fill_value": value} for value in (1, 1.0, True))
    first, second = (known_facts(parse_zarr2, doc, "shape", rest(doc, "shape")) for doc in (whole, half))
    assert first.fill_value == second.fill_value == 1
    assert known_facts(parse_zarr2, flag, "shape", rest(flag, "shape")) is None  # refused: true is no float


@pytest.mark.parametrize(("parse", "key", "doc"), ROWS)
def test_an_error_and_a_notice_name_the_document_they_are_in(parse, key, doc):
    broken = {parse_zarr2: {"chunks": [30, -40]}, parse_zarr3: {"codecs": ["lzma"]}, parse_n5: {"blockSize": [0, 1]}}
    store = {f"em/s{i}/{FILES[parse]}": doc | broken[parse] for i in range(2)}
    for i in range(2):
        with pytest.raises(PlacementError) as error:
            describe_array(MappingSource(store), parse_path(f"em/s{i}"))
        assert error.value.at[0] == f"em/s{i}/{FILES[parse]}"


def test_a_notice_names_the_document_it_is_in():
    store = {f"em/s{i}/.zarray": ZARR2 | {"fill_value": "7"} for i in range(2)}
    for i in range(2):
        (said,) = describe_array(MappingSource(store), parse_path(f"em/s{i}")).meta.notices
        assert said.at == (f"em/s{i}/.zarray", "fill_value")


def test_what_is_changed_in_the_metadata_of_one_array_is_not_seen_by_another():
    first, second = (known_facts(parse_zarr2, ZARR2, "shape", rest(ZARR2, "shape")) for _ in range(2))
    first.metadata["shape"][0] = first.metadata["order"] = "changed"
    assert second.metadata["shape"] == [60, 70]
    assert second.metadata["order"] == "F"
