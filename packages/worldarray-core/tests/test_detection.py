"""What detection asks a store for, and in which order; what it answers is in conformance/cases/placement."""

import pytest

from worldarray.describing.detection import PROBES, detect_array, detect_node, require_node
from worldarray.documents.source import MappingSource
from worldarray.errors import AccessError, PlacementError, StoreNotFoundError, problem
from worldarray.io.sources import FileSource
from worldarray.paths import parse_path
from worldarray.records import Node

ARRAY2 = {"zarr_format": 2, "shape": [6, 7], "chunks": [3, 4], "dtype": "|u1", "order": "C", "filters": None}
ARRAY2 |= {"fill_value": 0, "compressor": None}
GROUP3 = {"zarr_format": 3, "node_type": "group"}
N5_ARRAY = {"dimensions": [7, 6], "blockSize": [4, 3], "dataType": "uint8", "compression": {"type": "raw"}}
VOLUME = {"scales": [{"key": "8_8_40"}, {"key": "16_16_40/"}, {"key": 3}], "data_type": "uint8"}


class Asked(MappingSource):
    """A store that remembers what it was asked for, and refuses the folders it is told to."""

    def __init__(self, store, refused=()):
        super().__init__(store)
        self.calls = []
        self.refused = set(refused)

    def documents(self, where, keys, *, ancestor=False):
        self.calls.append((where.text, tuple(keys), ancestor))
        if where.text in self.refused:
            if ancestor:
                return {}
            raise AccessError(problem("access_denied", where.text, "is refused"))
        return super().documents(where, keys, ancestor=ancestor)

    @property
    def folders(self):
        return [text for text, _, _ in self.calls]


def test_all_probes_of_a_folder_of_a_server_are_asked_for_at_once():
    source = Asked({"a/.zarray": ARRAY2})
    assert detect_node(source, parse_path("memory://a")).kind == "array"
    assert source.folders == ["memory://a"]
    assert set(PROBES) < set(source.calls[0][1])


@pytest.mark.parametrize(
    ("key", "document"),
    [("zarr.json", GROUP3), (".zarray", ARRAY2), ("info", VOLUME), ("attributes.json", N5_ARRAY)],
)
def test_local_probes_are_asked_for_in_the_order_in_which_they_are_believed_until_one_is(key, document):
    source = Asked({f"a/{key}": document})
    assert detect_node(source, parse_path("a")) is not None
    asked = [probe for _, keys, _ in source.calls for probe in keys if probe in PROBES]
    assert asked == list(PROBES[: len(asked)])
    assert key in source.calls[-1][1]


def test_parent_info_then_s0_are_asked_for_when_nothing_is_found():
    source = Asked({})
    assert detect_node(source, parse_path("s3://b/x/a")) is None
    assert source.folders == ["s3://b/x/a", "s3://b/x", "s3://b/x/a/s0"]
    assert source.calls[1][1:] == (("info",), True)
    assert source.calls[2][2] is True


@pytest.mark.parametrize("root", ["/", "s3://bucket", "gs://bucket", "http://host", "https://host:8080/"])
def test_a_root_is_never_probed(root):
    source = Asked({})
    assert detect_node(source, parse_path(root)) is None
    assert source.calls == []


@pytest.mark.parametrize("path", ["/a", "s3://bucket/a", "gs://bucket/a", "http://host/a"])
def test_a_root_is_not_asked_for_the_info_of_a_scale(path):
    source = Asked({})
    where = parse_path(path)
    assert detect_node(source, where) is None
    assert list(dict.fromkeys(source.folders)) == [where.text, where.join("s0").text]


@pytest.mark.parametrize("path", ["memory://", "a.zip|zip:"])
def test_the_root_of_an_archive_or_memory_store_is_probed(path):
    source = Asked({})
    assert detect_node(source, parse_path(path)) is None
    assert source.folders[0] == parse_path(path).text


def test_a_refused_folder_may_still_be_a_scale_of_its_parent():
    source = Asked({"s3://b/vol/info": VOLUME}, refused=["s3://b/vol/8_8_40"])
    node = detect_node(source, parse_path("s3://b/vol/8_8_40"))
    assert (node.format, node.scale_key) == ("precomputed", "8_8_40")


def test_a_refused_local_folder_is_there_and_may_not_be_read():
    source = Asked({"vol/info": VOLUME}, refused=["vol/8_8_40"])
    with pytest.raises(AccessError, match="vol/8_8_40"):
        detect_node(source, parse_path("vol/8_8_40"))
    group = Asked({"em/s0/.zarray": ARRAY2}, refused=["em"])
    with pytest.raises(AccessError, match="em: is refused"):
        detect_node(group, parse_path("em"))


def test_a_refused_folder_is_refused_when_nothing_else_tells_what_it_is():
    source = Asked({}, refused=["x/a", "x", "x/a/s0"])
    with pytest.raises(AccessError) as error:
        detect_node(source, parse_path("x/a"))
    assert error.value.at == ("x/a",)


def test_a_broken_info_above_is_no_answer():
    source = MappingSource({"vol/info": b"<html>"})
    assert detect_node(source, parse_path("vol/8_8_40")) is None


def test_a_scale_key_is_compared_without_its_slashes():
    node = detect_node(MappingSource({"vol/info": VOLUME}), parse_path("vol/16_16_40"))
    assert node.scale_key == "16_16_40/"


def test_a_key_that_is_no_string_names_no_scale():
    assert detect_node(MappingSource({"vol/info": VOLUME}), parse_path("vol/s2")) is None


def test_the_first_of_several_foreign_documents_is_named():
    source = MappingSource({"a/zarr.json": b"{", "a/info": b"text"})
    with pytest.raises(PlacementError) as error:
        detect_node(source, parse_path("a"))
    assert error.value.at == ("a/zarr.json",)


def test_an_array_of_a_known_format_is_asked_for_by_its_own_documents_alone():
    for path, refusals_count in (("a/s0", True), ("s3://b/a/s0", False)):
        source = Asked({f"{path}/.zarray": ARRAY2})
        node = detect_array(source, parse_path(path), "zarr2")
        assert node.kind == "array"
        assert source.calls == [(path, (".zarray", ".zattrs"), not refusals_count)]


def test_an_array_of_another_format_than_expected_is_found_all_the_same():
    source = Asked({"a/s0/attributes.json": N5_ARRAY})
    assert detect_array(source, parse_path("a/s0"), "zarr3").format == "n5"


def test_a_group_where_an_array_was_expected_is_a_group():
    source = Asked({"a/s0/zarr.json": GROUP3})
    assert detect_array(source, parse_path("a/s0"), "zarr3").kind == "group"


@pytest.mark.parametrize(
    ("store", "path", "words"),
    [
        ({}, "nowhere", "does not exist"),
        ({"a/readme.txt": b"hello"}, "a", "holds no array or group"),
        ({}, "s3://bucket", "root"),
    ],
)
def test_what_is_not_found_says_what_was_looked_for(store, path, words):
    with pytest.raises(StoreNotFoundError, match=words) as error:
        require_node(MappingSource(store), parse_path(path))
    assert error.value.code == "not_found"
    assert error.value.at == (path,)


@pytest.mark.parametrize(
    ("docs", "format_", "attrs", "multiscales"),
    [
        ({".zgroup": {}, ".zattrs": {"k": 1, "multiscales": [1]}}, "zarr2", {"k": 1, "multiscales": [1]}, [1]),
        ({".zgroup": {}}, "zarr2", {}, None),
        ({"zarr.json": {"attributes": {"ome": {"multiscales": [2]}}}}, "zarr3", {"ome": {"multiscales": [2]}}, [2]),
        ({"zarr.json": {"attributes": None}}, "zarr3", {}, None),
        ({"attributes.json": {"multiscales": [3]}}, "n5", {"multiscales": [3]}, [3]),
        ({"info": {"scales": []}}, "precomputed", {"scales": []}, None),
    ],
)
def test_a_node_gives_its_raw_attributes_and_multiscales(docs, format_, attrs, multiscales):
    node = Node(format_, "group", "a", docs)
    assert node.attrs == attrs
    assert node.multiscales == multiscales


@pytest.mark.parametrize("format_", ["zarr2", "zarr3", "n5"])
def test_a_group_without_a_document_has_no_attributes(format_):
    assert Node(format_, "group", "a", {}).attrs == {}


def test_a_folder_of_the_name_of_a_document_is_no_document(tmp_path):
    (tmp_path / "a" / "zarr.json").mkdir(parents=True)
    (tmp_path / "a" / ".zgroup").write_text('{"zarr_format": 2}')
    assert detect_node(FileSource(), parse_path(tmp_path / "a")).format == "zarr2"


def test_a_path_through_a_file_is_nothing(tmp_path):
    (tmp_path / "file").write_text("x")
    assert detect_node(FileSource(), parse_path(tmp_path / "file" / "s0")) is None
