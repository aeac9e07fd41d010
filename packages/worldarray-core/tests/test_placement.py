"""Placement that no data case can hold: what is read of a store, exactness, and one cube stored in every way."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.describing.describe import describe, describe_array, gather
from worldarray.describing.detection import detect_node
from worldarray.describing.rules import RULES
from worldarray.documents.source import MappingSource
from worldarray.errors import LevelError, PlacementError, StoreNotFoundError
from worldarray.paths import parse_path
from worldarray.records import FORMATS

SHAPE = [6, 7, 8]
ZARR2 = {"zarr_format": 2, "shape": SHAPE, "chunks": [3, 4, 5], "dtype": "|u1", "order": "C", "filters": None}
ZARR2 |= {"fill_value": 0, "compressor": None}
ZARR3 = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": SHAPE,
    "data_type": "uint8",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4, 5]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes"}],
}
N5 = {"dimensions": SHAPE[::-1], "blockSize": [5, 4, 3], "dataType": "uint8", "compression": {"type": "raw"}}
AXES = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]


def ome(scale, translation):
    transforms = [{"type": "scale", "scale": scale}, {"type": "translation", "translation": translation}]
    return {"multiscales": [{"axes": AXES, "datasets": [{"path": "s0", "coordinateTransformations": transforms}]}]}


def info(resolution, voxel_offset):
    scale = {"key": "s0", "size": SHAPE[::-1], "chunk_sizes": [[5, 4, 3]], "encoding": "raw"}
    scale |= {"resolution": resolution, "voxel_offset": voxel_offset}
    return {"type": "image", "data_type": "uint8", "num_channels": 1, "scales": [scale]}


class Counting(MappingSource):
    """A store that remembers which folders it was asked for documents of."""

    def __init__(self, store):
        super().__init__(store)
        self.folders = []

    def documents(self, where, keys, *, ancestor=False):
        self.folders.append((where.text, ancestor))
        return super().documents(where, keys, ancestor=ancestor)


def meta(store, path="em/s0", **options):
    return describe_array(MappingSource(store), parse_path(path), **options).meta


# The corner is (200, -48, 12) nm with voxels of (40, 8, 4): whole voxels, which precomputed needs. The centre of voxel
# 0 is 200 + 20, -48 + 4, 12 + 2.
WAYS = {
    "ome": {"em/.zattrs": ome([40, 8, 4], [220, -44, 14]), "em/s0/.zarray": ZARR2},
    "ome v3": {
        "em/zarr.json": {
            "zarr_format": 3,
            "node_type": "group",
            "attributes": {"ome": ome([40, 8, 4], [220, -44, 14])},
        },
        "em/s0/zarr.json": ZARR3,
    },
    "n5 funlib": {"em/s0/attributes.json": N5 | {"voxel_size": [40, 8, 4], "offset": [200, -48, 12], "units": "nm"}},
    "n5": {"em/s0/attributes.json": N5 | {"resolution": [4, 8, 40], "offset": [12, -48, 200], "units": "nm"}},
    "n5 cosem": {
        "em/s0/attributes.json": N5
        | {"transform": {"scale": [40, 8, 4], "translate": [220, -44, 14], "units": ["nm"] * 3}}
    },
    "zarr funlib": {"em/s0/.zarray": ZARR2, "em/s0/.zattrs": {"resolution": [40, 8, 4], "offset": [200, -48, 12]}},
    "precomputed": {"em/info": info([4, 8, 40], [3, -6, 5])},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_cube_stored_in_any_way_is_at_the_same_place(way):
    found = meta(WAYS[way])
    assert found.shape == (6, 7, 8)
    assert found.chunk_shape == (3, 4, 5)
    assert found.voxel_size == (40.0, 8.0, 4.0)
    assert found.translation == (220.0, -44.0, 14.0)
    assert found.corner == (200.0, -48.0, 12.0)


def test_a_level_1_of_n5_lies_where_the_level_1_of_ome_does():
    # factors (1, 2, 4) over (40, 8, 4) nm: both s0 corners at the origin, s1 centred at f / 2 * base
    n5 = {
        f"em/s{i}/attributes.json": N5 | {"resolution": [4, 8, 40], "downsamplingFactors": f}
        for i, f in enumerate(([1, 1, 1], [4, 2, 1]))
    }
    zarr = {
        "em/.zattrs": {
            "multiscales": [
                {
                    "axes": AXES,
                    "datasets": [
                        {
                            "path": "s1",
                            "coordinateTransformations": [
                                {"type": "scale", "scale": [40, 16, 16]},
                                {"type": "translation", "translation": [20, 8, 8]},
                            ],
                        }
                    ],
                }
            ]
        },
        "em/s1/.zarray": ZARR2,
    }
    first, second = meta(n5, "em/s1"), meta(zarr, "em/s1")
    assert first.voxel_size == second.voxel_size == (40.0, 16.0, 16.0)
    assert first.translation == second.translation == (20.0, 8.0, 8.0)
    assert meta(n5, "em/s0").corner == first.corner == (0.0, 0.0, 0.0)


DECIMAL = st.integers(1, 10**6).map(lambda n: n / 1000)
PLACE = st.integers(-(10**9), 10**9).map(lambda n: n / 1000)


@settings(max_examples=60, derandomize=True, database=None, deadline=None)
@given(st.lists(st.tuples(DECIMAL, PLACE), min_size=3, max_size=3))
def test_an_offset_is_moved_by_half_a_voxel_and_rounded_once(axes):
    sizes, offsets = [s for s, _ in axes], [o for _, o in axes]
    found = meta({"em/s0/.zarray": ZARR2, "em/s0/.zattrs": {"voxel_size": sizes, "offset": offsets}})
    assert found.voxel_size == tuple(sizes)
    assert found.translation == tuple(float(Fraction(o) + Fraction(s) / 2) for s, o in axes)


@settings(max_examples=60, derandomize=True, database=None, deadline=None)
@given(st.lists(st.tuples(DECIMAL, PLACE), min_size=3, max_size=3))
def test_an_ome_placement_is_what_was_written(axes):
    sizes, places = [s for s, _ in axes], [t for _, t in axes]
    found = meta({"em/.zattrs": ome(sizes, places), "em/s0/.zarray": ZARR2})
    assert (found.voxel_size, found.translation) == (tuple(sizes), tuple(places))


def test_the_table_has_a_row_of_rules_for_every_format_that_has_a_choice():
    assert set(RULES) == set(FORMATS) - {"precomputed"}


@pytest.mark.parametrize(
    ("store", "path", "read"),
    [
        (WAYS["ome"], "em/s0", ["em"]),
        ({"x/a/b/c/em/s0/.zarray": ZARR2}, "x/a/b/c/em/s0", ["x/a/b/c/em", "x/a/b/c", "x/a/b", "x/a"]),
        (WAYS["precomputed"], "em/s0", ["em"]),
    ],
    ids=["listed by the parent", "listed nowhere", "a scale"],
)
def test_folders_above_are_read_up_to_the_one_that_lists_the_array_and_at_most_four(store, path, read):
    source = Counting(store)
    describe_array(source, parse_path(path))
    assert [text for text, ancestor in source.folders if ancestor and text != f"{path}/s0"] == read


@pytest.mark.parametrize("path", ["/em/s0", "s3://bucket/em/s0", "https://host/em/s0"])
def test_a_root_is_never_read_for_what_it_says_of_an_array(path):
    where = parse_path(path)
    source = Counting({where.join(".zarray").text: ZARR2})
    describe_array(source, where)
    assert [text for text, ancestor in source.folders if ancestor] == [where.parent.text]


def test_an_ancestor_that_is_no_document_ends_the_search():
    store = {"x/.zattrs": {"multiscales": [{"datasets": [{"path": "em/s0"}]}]}, "x/em/.zattrs": b"<html>"}
    source = Counting({**store, "x/em/s0/.zarray": ZARR2})
    describe_array(source, parse_path("x/em/s0"))
    assert [text for text, ancestor in source.folders if ancestor] == ["x/em"]


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("https://host/em/s0?token=1", "https://host/em/s0/.zattrs?token=1"),
        ("s3://bucket/em/s0", "s3://bucket/em/s0/.zattrs"),
        ("em.zip|zip:em/s0", "em.zip|zip:em/s0/.zattrs"),
    ],
)
def test_an_error_names_the_document_as_a_path(path, document):
    class Anywhere:
        def documents(self, where, keys, *, ancestor=False):
            if where != parse_path(path):
                return {}
            found = {".zarray": ZARR2, ".zattrs": {"voxel_size": 0}}
            return {
                key: str(found[key]).replace("'", '"').replace("None", "null").encode() for key in keys if key in found
            }

        def exists(self, where):
            return True

        def present(self, where, keys):
            return frozenset()

        def folders(self, where):
            return ()

    with pytest.raises(PlacementError) as error:
        describe_array(Anywhere(), parse_path(path))
    assert error.value.at == (document, "voxel_size")


def test_every_problem_of_a_document_is_told_at_once():
    with pytest.raises(PlacementError) as error:
        meta({"em/s0/.zarray": ZARR2 | {"shape": "a", "order": "K"}})
    assert {problem.at[1] for problem in error.value.problems} == {"shape", "order"}


def test_conflicts_name_both_values_and_the_way_out():
    store = {"em/.zattrs": ome([40, 8, 4], [20, 4, 2]), "em/s0/.zarray": ZARR2}
    with pytest.raises(PlacementError, match="metadata_conflicts") as error:
        meta({**store, "em/s0/.zattrs": {"voxel_size": [40, 9, 4]}})
    assert "40.0, 9.0, 4.0" in str(error.value)
    assert "40.0, 8.0, 4.0" in str(error.value)


def test_an_offset_that_disagrees_is_a_notice_with_both_values():
    store = {"em/.zattrs": ome([40, 8, 4], [20, 4, 2]), "em/s0/.zarray": ZARR2, "em/s0/.zattrs": {"offset": [7, 8, 9]}}
    (said,) = meta(store).notices
    assert said.at == ("em/s0/.zattrs", "offset")
    assert "7.0, 8.0, 9.0" in said.message
    assert "20.0, 4.0, 2.0" in said.message


def test_describing_again_what_was_read_once_asks_for_nothing():
    source = Counting(WAYS["ome"])
    documents = gather(source, parse_path("em/s0"))
    before = len(source.folders)
    assert describe(documents).meta == describe(documents).meta
    assert len(source.folders) == before


def test_a_node_that_was_detected_is_not_probed_again():
    source = Counting(WAYS["ome"])
    node = detect_node(source, parse_path("em/s0"))
    source.folders.clear()
    describe_array(source, parse_path("em/s0"), node)
    assert [text for text, _ in source.folders] == ["em"]


def test_options_reach_the_storage_parsers():
    structured = ZARR2 | {"dtype": [["a", "<u2"], ["b", "|u1"]], "fill_value": None}
    found = meta({"em/s0/.zarray": structured}, field="a", dimension_separator="/")
    assert (found.dtype, found.storage.separator) == ("uint16", "/")
    with pytest.raises(PlacementError) as error:
        meta({"em/s0/.zarray": structured})
    assert error.value.code == "missing_field"


@pytest.mark.parametrize(("path", "kind"), [("em", LevelError), ("x", StoreNotFoundError)])
def test_what_is_no_array_is_refused_as_such(path, kind):
    with pytest.raises(kind):
        meta({"em/.zgroup": {"zarr_format": 2}}, path)
