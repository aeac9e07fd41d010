"""What a file's footer says: keys and values in their order, and the VOTable."""

import io
import re
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.errors import MamlError
from maml_parquet.header.keys import file_items
from maml_parquet.header.votable import votable
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.sections.types import parse_type

DATE = "2024-05-06T07:08:09"
SPACE = "{http://www.ivoa.net/xml/VOTable/v1.3}"


def column(name, kind, col_size=1, array_size=1, **words):
    return WrittenColumn(name, parse_type(kind), col_size, array_size, **words)


def elements(columns, entries, word):
    root = ElementTree.fromstring(votable(columns, entries, DATE))
    return root.findall(f"{SPACE}RESOURCE/{SPACE}TABLE/{SPACE}{word}")


def field(kind, col_size=1, array_size=1, **words):
    return elements([column("x", kind, col_size, array_size, **words)], [], "FIELD")[0].attrib


def param(value, datatype="", **more):
    return elements([], [TableEntry("k", value, datatype=datatype), *more.get("others", [])], "PARAM")[1].attrib


def items(columns, entries=(), maml=None, date=DATE):
    return file_items(columns, entries, date=date, maml=maml)


class TestItems:
    def test_the_order_of_all(self):
        columns = [
            column("t", "timestamp[ns,utc]", unit="s"),
            column("s", "string", array_size=7, info="I", ucd="meta.id"),
            column("v", "int32", 3),
        ]
        entries = [
            TableEntry("author", "A"),
            TableEntry("table", "t1"),
            TableEntry("author", "B"),
            TableEntry("n", "5", "five", "int32"),
            TableEntry("l", "[1, 2]", "", "int64[]"),
        ]
        assert items(columns, entries, "table: t1\n")[1:] == (
            ("IVOA.VOTable-Parquet.version", "1.0"),
            ("DATE", DATE),
            ("name", "t1"),
            ("author", "A"),
            ("table", "t1"),
            ("author", "B"),
            ("n", "5"),
            ("n.datatype", "int32"),
            ("l", "[1, 2]"),
            ("l.datatype", "int64[]"),
            ("column.t.unit", "s"),
            ("column.t.description", ""),
            ("column.t.ucd", ""),
            ("column.t.datatype", "timestamp"),
            ("column.t.array_size", "1"),
            ("column.t.col_size", "1"),
            ("column.s.unit", ""),
            ("column.s.description", "I"),
            ("column.s.ucd", "meta.id"),
            ("column.s.datatype", "string"),
            ("column.s.array_size", "7"),
            ("column.s.col_size", "1"),
            ("column.v.unit", ""),
            ("column.v.description", ""),
            ("column.v.ucd", ""),
            ("column.v.datatype", "int32"),
            ("column.v.array_size", "1"),
            ("column.v.col_size", "3"),
            ("maml", "table: t1\n"),
            ("table::len::s", "7"),
        )
        assert items(columns, entries)[0] == ("IVOA.VOTable-Parquet.content", votable(columns, entries, DATE))

    def test_without_columns_there_is_no_votable(self):
        assert items([]) == (("IVOA.VOTable-Parquet.version", "1.0"), ("DATE", DATE), ("name", "table"))

    def test_a_type_that_the_user_gives_stands_alone(self):
        entries = [TableEntry("n", "5", "", "int32"), TableEntry("n.datatype", "mine")]
        assert items([], entries)[3:] == (("n", "5"), ("n.datatype", "mine"))
        assert param("5", "int32", others=[TableEntry("k.datatype", "mine")])["datatype"] == "char"

    @pytest.mark.parametrize(
        "date", ["", "2024-05-06", "2024-05-06 07:08:09", f"{DATE}Z", "2024-13-06T07:08:09", "2024-05-06T24:00:60"]
    )
    def test_a_date_has_19_characters_of_a_day_that_is(self, date):
        with pytest.raises(MamlError, match="2024-05-06T07:08:09, in UTC") as found:
            items([], date=date)
        assert found.value.code == "argument"

    @pytest.mark.parametrize("text", ["a\x00", "\ud800", "\x1b", "\ufffe"])
    def test_text_that_no_header_can_hold_is_refused(self, text):
        for columns, entries in (
            ([column(text, "int32")], []),
            ([column("x", "int32", info=text)], []),
            ([], [TableEntry("k", text)]),
            ([], [TableEntry(text, "v")]),
            ([], [TableEntry("k", "v", text)]),
        ):
            with pytest.raises(MamlError) as found:
                items(columns, entries)
            assert found.value.code == "metadata"


class TestFields:
    @pytest.mark.parametrize(
        ("kind", "datatype"),
        [("int32", "int"), ("int64", "long"), ("float32", "float"), ("float64", "double"), ("boolean", "boolean")],
    )
    def test_numbers_and_truth_values(self, kind, datatype):
        assert field(kind) == {"datatype": datatype, "name": "x"}
        assert field(kind, 3) == {"datatype": datatype, "arraysize": "3", "name": "x"}

    def test_strings_have_at_most_so_many_characters(self):
        assert field("string", array_size=18) == {"datatype": "unicodeChar", "arraysize": "18*", "name": "x"}
        assert field("string", 2, 18)["arraysize"] == "18x2"

    # 2024-01-31 has 10 characters, 23:59:59 has 8, with .123 12; a timestamp 19 with the T, .123456789 are 10, Z is 1.
    @pytest.mark.parametrize(
        ("kind", "width", "xtype"),
        [
            ("date", 10, "timestamp"),
            ("time[ms]", 12, None),
            ("time[us]", 15, None),
            ("timestamp[ms]", 23, "timestamp"),
            ("timestamp[us]", 26, "timestamp"),
            ("timestamp[ns,utc]", 30, "timestamp"),
        ],
    )
    def test_dates_and_times_are_text(self, kind, width, xtype):
        words = {"datatype": "char", "name": "x"} | ({"xtype": xtype} if xtype else {})
        assert field(kind) == words | {"arraysize": "*"}
        assert field(kind, 2) == words | {"arraysize": f"{width}x2"}

    def test_unit_and_ucd_only_where_there_are_such(self):
        assert field("int32", unit="mJy", ucd="phot.flux;em.opt") == {
            "datatype": "int",
            "name": "x",
            "unit": "mJy",
            "ucd": "phot.flux;em.opt",
        }

    @pytest.mark.parametrize("ucd", ["a b", "α", "phot/flux"])
    def test_a_ucd_that_is_none_is_left_out_of_the_votable_alone(self, ucd):
        assert "ucd" not in field("int32", ucd=ucd)
        assert ("column.x.ucd", ucd) in items([column("x", "int32", ucd=ucd)])

    @pytest.mark.parametrize("text", ['a<b&"c"\'', "two\nlines\tand\rmore", "]]>", "1e-17 erg/s/cm2/Ang", "é😀"])
    def test_text_comes_back(self, text):
        columns = [column(text, "int32", unit=text, info=text)]
        found = elements(columns, [], "FIELD")[0]
        assert (found.attrib["name"], found.attrib["unit"]) == (text, text)
        assert found[0].text == text


class TestParams:
    def test_the_date_comes_first(self):
        first = elements([], [TableEntry("k", "v")], "PARAM")[0]
        assert first.attrib == {"datatype": "char", "arraysize": "19", "name": "DATE", "value": DATE}
        assert first[0].text

    @pytest.mark.parametrize(
        ("value", "word", "datatype", "written"),
        [
            ("5", "int32", "int", "5"),
            ("5", "int64", "long", "5"),
            ("1.5", "float32", "float", "1.5"),
            ("nan", "float64", "double", "NaN"),
            ("-inf", "float64", "double", "-Inf"),
            ("true", "boolean", "boolean", "T"),
            ("false", "boolean", "boolean", "F"),
        ],
    )
    def test_one_value_has_its_type(self, value, word, datatype, written):
        assert param(value, word) == {"datatype": datatype, "name": "k", "value": written}
        assert ("k", value) in items([], [TableEntry("k", value, datatype=word)])

    @pytest.mark.parametrize(("value", "word"), [("[1, 2]", "int32[]"), ("[a]", "string[]"), ("true", ""), ("", "")])
    def test_lists_and_texts_are_text(self, value, word):
        assert param(value, word) == {"datatype": "char", "arraysize": "*", "name": "k", "value": value}

    def test_text_beyond_ascii_is_unicode(self):
        assert param("Åsa")["datatype"] == "unicodeChar"

    def test_repeated_keys_stay(self):
        entries = [TableEntry("author", "A"), TableEntry("author", "B", "second")]
        found = elements([], entries, "PARAM")[1:]
        assert [element.attrib["value"] for element in found] == ["A", "B"]
        assert [element[0].text for element in found if len(element)] == ["second"]

    def test_the_table_has_name_and_description(self):
        root = ElementTree.fromstring(
            votable([], [TableEntry("description", "D"), TableEntry("table", "t"), TableEntry("table", "u")], DATE)
        )
        table = root.find(f"{SPACE}RESOURCE/{SPACE}TABLE")
        assert table.attrib == {"name": "t"}
        assert table.find(f"{SPACE}DESCRIPTION").text == "D"


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8).map(str.strip)
_NAMES = _TEXT.filter(bool)
_KINDS = st.sampled_from(
    ["int32", "int64", "float32", "float64", "boolean", "string", "date", "time[us]", "timestamp[ms,utc]"]
)
_COLUMNS = st.lists(
    st.builds(
        lambda name, kind, n, size, unit, info, ucd: column(name, kind, n, size, unit=unit, info=info, ucd=ucd),
        _NAMES, _KINDS, st.integers(1, 4), st.integers(1, 9), _TEXT, _TEXT,
        st.sampled_from(["", "pos.eq.ra", "meta.id;meta.main", "no ucd"]),
    ),
    max_size=4,
)  # fmt: skip
_ENTRIES = st.lists(
    st.builds(TableEntry, _NAMES, _TEXT, _TEXT)
    | st.builds(lambda key, value: TableEntry(key, str(value), "", "int64"), _NAMES, st.integers(-(2**63), 2**63 - 1))
    | st.builds(lambda key, value: TableEntry(key, repr(value), "", "float64"), _NAMES, st.floats()),
    max_size=4,
)


XSD = "{http://www.w3.org/2001/XMLSchema}"


@pytest.fixture(scope="module")
def rules():
    """Return what the schema of VOTable 1.4 says of attributes: patterns, words, and the names that fields have."""
    data = pytest.importorskip("astropy.io.votable.xmlutil")
    path = Path(data.__file__).parent / "data" / "VOTable.v1.4.xsd"
    root = ElementTree.parse(path).getroot()
    simple = {found.get("name"): found for found in root.iter(f"{XSD}simpleType")}
    pattern = {name: simple[name].find(f".//{XSD}pattern").get("value") for name in ("arrayDEF", "ucdType")}
    words = {found.get("value") for found in simple["dataType"].iter(f"{XSD}enumeration")}
    field = next(found for found in root.iter(f"{XSD}complexType") if found.get("name") == "Field")
    names = {found.get("name") for found in field.iter(f"{XSD}attribute")}
    return path, pattern, words, names


@settings(max_examples=100, deadline=None)
@given(_COLUMNS, _ENTRIES)
def test_every_votable_is_one_by_the_schema_of_votable(rules, columns, entries):
    path, pattern, words, names = rules
    text = votable(columns, entries, DATE)
    table = ElementTree.fromstring(text).find(f"{SPACE}RESOURCE/{SPACE}TABLE")
    kinds = [element.tag.removeprefix(SPACE) for element in table]
    described = kinds[:1] if kinds[0] == "DESCRIPTION" else []
    assert kinds[len(described) :] == ["PARAM"] * (len(entries) + 1) + ["FIELD"] * len(columns)
    for element in table[len(described) :]:
        assert set(element.attrib) <= names | ({"value"} if element.tag == f"{SPACE}PARAM" else set())
        assert {"name", "datatype"} <= set(element.attrib)
        assert element.get("datatype") in words
        assert re.fullmatch(pattern["arrayDEF"], element.get("arraysize", ""))
        assert re.fullmatch(pattern["ucdType"], element.get("ucd", ""))
        assert [child.tag for child in element] in ([], [f"{SPACE}DESCRIPTION"])
    if find_spec("lxml"):
        etree = import_module("lxml.etree")
        schema = etree.XMLSchema(etree.parse(str(path)))
        assert schema.validate(etree.fromstring(text.encode())), schema.error_log


@settings(max_examples=100, deadline=None)
@given(_COLUMNS, _ENTRIES)
def test_every_text_of_a_votable_comes_back(columns, entries):
    found = elements(columns, entries, "FIELD")
    assert [(f.get("name"), f.get("unit", ""), f[0].text if len(f) else "") for f in found] == [
        (c.name, c.unit, c.info) for c in columns
    ]
    found = elements(columns, entries, "PARAM")[1:]
    assert [f.get("name") for f in found] == [entry.key for entry in entries]
    assert [f.get("value") for f, entry in zip(found, entries, strict=True) if not entry.datatype] == [
        entry.value for entry in entries if not entry.datatype
    ]


COLUMNS = [
    column("ra", "float64", unit="deg", ucd="pos.eq.ra", info="Right ascension."),
    column("v", "float32", 3, unit="mJy"),
    column("n", "int64"),
    column("ok", "boolean"),
    column("s", "string", array_size=5),
]
ENTRIES = [
    TableEntry("table", "t"),
    TableEntry("description", "D\nE"),
    TableEntry("author", "Åsa"),
    TableEntry("n", "5", "five", "int32"),
    TableEntry("b", "true", "", "boolean"),
    TableEntry("x", "nan", "", "float64"),
    TableEntry("l", "[1, 2]", "", "int32[]"),
    TableEntry("empty", ""),
]


class TestAstropy:
    def test_it_reads_the_votable_strictly(self):
        reader = pytest.importorskip("astropy.io.votable")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parsed = reader.parse(io.BytesIO(votable(COLUMNS, ENTRIES, DATE).encode()), verify="exception")
        table = parsed.get_first_table()
        assert [found.name for found in table.fields] == ["ra", "v", "n", "ok", "s"]
        values = {found.name: found.value for found in table.params}
        assert (values["n"], values["b"], values["author"], values["l"]) == (5, True, "Åsa", "[1, 2]")
        assert values["x"] != values["x"]
        assert table.description == "D\nE"

    @pytest.mark.parametrize("rows", [2, 0])
    def test_it_reads_a_file_with_units_ucds_and_shapes(self, tmp_path, rows):
        tables = pytest.importorskip("astropy.table")
        data = pa.table(
            {
                "ra": [1.5, 2.5],
                "v": pa.array([[1, 2, 3], [4, 5, 6]], pa.list_(pa.float32(), 3)),
                "n": [1, 2],
                "ok": [True, False],
                "s": ["a", "abcde"],
            }
        ).slice(0, rows)
        found = items(COLUMNS, ENTRIES, "table: t\n")
        pq.write_table(data.replace_schema_metadata(pa.KeyValueMetadata(list(found))), tmp_path / "x.parquet")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = tables.Table.read(tmp_path / "x.parquet", format="parquet.votable")
        assert table.colnames == ["ra", "v", "n", "ok", "s"]
        assert (str(table["ra"].unit), table["ra"].meta["ucd"]) == ("deg", "pos.eq.ra")
        assert table["ra"].description == "Right ascension."
        assert (table["v"].shape, table["s"].dtype.str) == ((rows, 3), "<U5")
        assert table.meta["description"] == "D\nE"
