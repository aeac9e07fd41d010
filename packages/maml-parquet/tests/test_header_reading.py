"""What keys, VOTable and MAML of a file say: which counts where, and what is refused."""

import sys
import time
import tracemalloc
import warnings
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from maml_parquet.errors import CODES
from maml_parquet.header.reading import ColumnInfo, read_items
from maml_parquet.header.xml import MAX_FIELDS, read_votable
from maml_parquet.schema.records import TableEntry

CONTENT = "IVOA.VOTable-Parquet.content"
VERSION = ("IVOA.VOTable-Parquet.version", "1.0")

LEGAL = """<?xml version="1.0" encoding="UTF-8"?>
<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><DESCRIPTION>of all</DESCRIPTION>
<RESOURCE type="results"><TABLE name="t"><DESCRIPTION>of the table</DESCRIPTION>
<PARAM name="DATE" datatype="char" arraysize="19" value="2024-05-06T07:08:09"><DESCRIPTION>when</DESCRIPTION></PARAM>
<PARAM name="author" datatype="char" arraysize="*" value="A"><DESCRIPTION>first</DESCRIPTION></PARAM>
<PARAM name="author" datatype="char" arraysize="*" value="B"/>
<PARAM name="author" datatype="char" arraysize="*" value="C"><DESCRIPTION>third</DESCRIPTION></PARAM>
<FIELD name="ra" datatype="double" unit="deg" ucd="pos.eq.ra"><DESCRIPTION>right &lt;asc.&#62;</DESCRIPTION></FIELD>
<FIELD name="flux" datatype="float" arraysize="3" unit="mJy"/>
<FIELD name="id" datatype="unicodeChar" arraysize="18*"/>
<FIELD name="names" datatype="unicodeChar" arraysize="4x2"/>
<FIELD name="when" datatype="char" arraysize="*" xtype="timestamp"/>
<FIELD name="n" datatype="short"/>
<FIELD name="letter" datatype="char"/>
<FIELD name="any" datatype="int" arraysize="*"/>
<FIELD name="image" datatype="long" arraysize="4x5"/>
</TABLE><TABLE name="other"><FIELD name="not" datatype="int"/></TABLE></RESOURCE></VOTABLE>"""

RAW = """<VOTABLE version="1.4"><RESOURCE><TABLE name="t">
<FIELD datatype="int32" name="i" unit="m"/><FIELD datatype="timestamp[ns,utc]" name="w"/>
<FIELD datatype="string" name="s"><DESCRIPTION>text</DESCRIPTION></FIELD><FIELD datatype="boolean" name="b"/>
</TABLE></RESOURCE></VOTABLE>"""


def test_a_column_is_what_its_six_keys_say():
    header = read_items(
        [
            ("column.ra.unit", "deg"),
            ("column.ra.description", "right ascension"),
            ("column.ra.ucd", "pos.eq.ra"),
            ("column.ra.datatype", "float64"),
            ("column.ra.array_size", "1"),
            ("column.ra.col_size", "3"),
        ]
    )
    assert dict(header.columns) == {"ra": ColumnInfo("deg", "right ascension", "pos.eq.ra", "float64", 1, 3)}
    assert header.entries == ()


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("column.a.unit", "a"),
        ("column.a.b.unit", "a.b"),
        ("column.unit.unit", "unit"),
        ("column.column.x.unit", "column.x"),
        ("column.a..unit", "a."),
        ("column. .unit", " "),
        ("column.α β.unit", "α β"),
        ("column.x.unit.unit", "x.unit"),
    ],
)
def test_keys_of_columns_are_split_from_the_right(key, name):
    header = read_items([(key, "deg")])
    assert {name: info.unit for name, info in header.columns.items()} == {name: "deg"}


@pytest.mark.parametrize(
    "key", ["column.unit", "column..unit", "column.x", "column.x.units", "column.x.Unit", "column."]
)
def test_keys_that_are_none_of_a_column_are_entries(key):
    header = read_items([(key, "deg")])
    assert not header.columns
    assert header.entries == (TableEntry(key, "deg"),)


def test_the_first_of_repeated_keys_counts():
    header = read_items([("column.x.unit", "m"), ("column.x.unit", "s")])
    assert header.columns["x"].unit == "m"


@pytest.mark.parametrize("word", ["datatype", "data_type"])
def test_both_spellings_of_the_type_are_read(word):
    assert read_items([(f"column.x.{word}", "timestamp")]).columns["x"].datatype == "timestamp"


@pytest.mark.parametrize(
    ("text", "size"), [("4", 4), ("+4", 4), ("0", None), ("-1", None), ("2.0", None), ("auto", None), ("", None)]
)
def test_sizes_that_are_none_are_not_told(text, size):
    assert read_items([("column.x.col_size", text)]).columns["x"].col_size == size


def test_entries_stay_in_order_with_their_repeats():
    items = [("table", "t"), ("author", "A"), ("author", "B"), ("table", "u")]
    assert [(entry.key, entry.value) for entry in read_items(items).entries] == items


@pytest.mark.parametrize("word", ["int32", "int64[]", "float64", "boolean", "string[]"])
def test_the_type_of_an_entry_stands_behind_it(word):
    header = read_items([("n", "5"), ("n.datatype", word), ("m", "6")])
    assert header.entries == (TableEntry("n", "5", datatype=word), TableEntry("m", "6"))


@pytest.mark.parametrize(
    "items",
    [
        [("n", "5"), ("n.datatype", "string")],
        [("n", "5"), ("n.datatype", "double")],
        [("n", "5"), ("m", "6"), ("n.datatype", "int64")],
        [("n.datatype", "int64"), ("n", "5")],
        [("N", "5"), ("n.datatype", "int64")],
    ],
)
def test_what_is_no_type_behind_its_entry_is_an_entry(items):
    assert [(entry.key, entry.value) for entry in read_items(items).entries] == items


def test_one_type_stands_behind_an_entry_and_no_more():
    header = read_items([("n", "5"), ("n.datatype", "int64"), ("n.datatype", "int32")])
    assert header.entries == (TableEntry("n", "5", datatype="int64"), TableEntry("n.datatype", "int32"))


def test_technical_keys_are_no_entries():
    technical = [
        (CONTENT, LEGAL),
        VERSION,
        ("DATE", "2024-05-06T07:08:09"),
        ("name", "t"),
        ("maml", "table: t"),
        ("table::len::id", "18"),
        ("ARROW:schema", "AAAA"),
        ("pandas", "{}"),
        ("table_meta_yaml", "a: b"),
    ]
    header = read_items(technical)
    assert header.entries == ()
    assert (header.votable, header.maml) == (LEGAL, "table: t")
    assert (header.date, header.name) == ("2024-05-06T07:08:09", "t")


def test_date_and_name_are_the_headers_where_they_stand_behind_its_version():
    header = read_items([VERSION, ("DATE", "d"), ("name", "t"), ("DATE", "mine"), ("name", "me")])
    assert (header.date, header.name) == ("d", "t")
    assert header.entries == (TableEntry("DATE", "mine"), TableEntry("name", "me"))
    header = read_items([("DATE", "mine"), ("name", "me")])
    assert (header.date, header.name) == ("", "")
    assert header.entries == (TableEntry("DATE", "mine"), TableEntry("name", "me"))


def test_columns_are_those_of_the_first_table_where_there_are_no_keys():
    header = read_items([(CONTENT, LEGAL), VERSION])
    assert dict(header.columns) == {
        "ra": ColumnInfo("deg", "right <asc.>", "pos.eq.ra", "float64", None, 1),
        "flux": ColumnInfo("mJy", datatype="float32", col_size=3),
        "id": ColumnInfo(datatype="string", array_size=18, col_size=1),
        "names": ColumnInfo(datatype="string", array_size=4, col_size=2),
        "when": ColumnInfo(datatype="timestamp", col_size=1),
        "n": ColumnInfo(datatype="short", col_size=1),
        "letter": ColumnInfo(datatype="string", array_size=1, col_size=1),
        # A size that rows differ in, and two of them, are no number of elements of a row.
        "any": ColumnInfo(datatype="int32"),
        "image": ColumnInfo(datatype="int64"),
    }
    assert header.name == "t"
    assert header.notices == ()


def test_the_words_of_a_maml_in_fields_are_read_and_say_no_sizes():
    header = read_items([(CONTENT, RAW), VERSION])
    assert dict(header.columns) == {
        "i": ColumnInfo("m", datatype="int32"),
        "w": ColumnInfo(datatype="timestamp"),
        "s": ColumnInfo(datatype="string", description="text"),
        "b": ColumnInfo(datatype="boolean"),
    }


def test_keys_count_before_fields_empty_ones_too():
    header = read_items([(CONTENT, LEGAL), ("column.ra.unit", ""), ("column.ra.ucd", "pos"), ("column.x.unit", "m")])
    assert header.columns["ra"] == ColumnInfo("", "right <asc.>", "pos", "float64", None, 1)
    assert header.columns["x"] == ColumnInfo("m")
    assert list(header.columns)[:3] == ["ra", "x", "flux"]


def test_entries_have_the_descriptions_of_their_parameters_in_order():
    items = [(CONTENT, LEGAL), VERSION, ("DATE", "d"), ("name", "t"), ("author", "A"), ("author", "B"), ("author", "C")]
    found = [(entry.value, entry.description) for entry in read_items([*items, ("survey", "S"), ("DATE", "e")]).entries]
    # The parameter DATE is the header's own date, so it says nothing of the second.
    assert found == [("A", "first"), ("B", ""), ("C", "third"), ("S", ""), ("e", "")]


MAML = """table: t
author: A
keyarray: [{key: K, value: '1.50', comment: c}]
fields:
- {name: ra, unit: deg, ucd: [pos, meta.main], info: where, data_type: float64, col_size: 2}
- {name: id, data_type: string, array_size: 9, unit: UnitLess}
- {name: odd, data_type: word, qc: {min: 0, max: 1, miss: -999}}
"""


def test_a_maml_counts_where_there_is_nothing_else():
    header = read_items([("ARROW:schema", "AAAA"), ("maml", MAML), ("author", "B")])
    assert dict(header.columns) == {
        "ra": ColumnInfo("deg", "where", "pos;meta.main", "float64", None, 2),
        "id": ColumnInfo(datatype="string", array_size=9, col_size=1),
        "odd": ColumnInfo(col_size=1),
    }
    assert header.entries == (TableEntry("author", "B"), TableEntry("table", "t"), TableEntry("K", "1.50", "c"))
    assert header.notices == ()


@pytest.mark.parametrize("other", [("column.x.unit", "m"), (CONTENT, LEGAL)])
def test_a_maml_adds_nothing_to_what_says_it_already(other):
    header = read_items([other, ("maml", MAML)])
    assert header.entries == ()
    assert "odd" not in header.columns


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{}]><VOTABLE><TABLE name="&j;"/></VOTABLE>'.format(
    "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True))
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no XML"),
        ("deg", "no XML"),
        (LEGAL[:-3], "no XML"),
        ("<VOTABLE><TABLE></VOTABLE>", "no XML"),
        ("<VOTABLE>&nbsp;</VOTABLE>", "no XML"),
        ("<VOTABLE>\x01</VOTABLE>", "no XML"),
        ("<VOTABLE>\ud800</VOTABLE>", "no XML"),
        ('<!DOCTYPE VOTABLE SYSTEM "http://us-vo.org/xml/VOTable.dtd"><VOTABLE/>', "DOCTYPE"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><VOTABLE>&e;</VOTABLE>', "DOCTYPE"),
        (BOMB, "DOCTYPE"),
        ("<A>" * 100_000, "64 elements"),
    ],
)
def test_a_votable_that_cannot_be_read_is_a_notice_and_the_keys_count(text, words):
    tracemalloc.start()
    began = time.perf_counter()
    try:
        header = read_items([(CONTENT, text), ("column.x.unit", "m"), ("survey", "S")])
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - began < 1
    assert header.columns["x"].unit == "m"
    assert header.entries == (TableEntry("survey", "S"),)
    assert [(notice.code, notice.at) for notice in header.notices] == [("votable", (CONTENT,))]
    assert words in str(header.notices[0])
    assert header.notices[0].code in CODES


@pytest.mark.parametrize(
    "prolog", ["", "\n", "<?xml version='1.0'?>", '<?xml version="1.0" encoding="ISO-8859-1"?>', "<!-- c --><?pi d?>"]
)
def test_the_text_of_a_votable_is_unicode_whatever_it_says(prolog):
    text = f'{prolog}<v:VOTABLE xmlns:v="urn:v"><v:TABLE><v:FIELD ID="é" unit="µm"/></v:TABLE></v:VOTABLE>'
    if prolog == "\n":
        text = text.lstrip()
    header = read_items([(CONTENT, text)])
    assert {name: info.unit for name, info in header.columns.items()} == {"é": "µm"}


@pytest.mark.parametrize(
    ("text", "code"), [("a: b: c", "yaml"), ("- a", "shape"), ("a: \x00", "encoding"), ("[" * 1000, "limit")]
)
def test_a_maml_that_cannot_be_read_is_a_notice(text, code):
    header = read_items([("maml", text), ("survey", "S")])
    assert [notice.code for notice in header.notices] == [code]
    assert header.notices[0].at == ("maml",)
    assert header.entries == (TableEntry("survey", "S"),)


def test_fields_without_end_are_refused_before_they_fill_the_memory():
    text = "<VOTABLE><TABLE>{}</TABLE></VOTABLE>"
    assert len(read_votable(text.format("<FIELD/>" * MAX_FIELDS)).fields) == MAX_FIELDS
    with pytest.raises(ValueError, match="more than 100000 elements FIELD"):
        read_votable(text.format("<FIELD/>" * (MAX_FIELDS + 1)))


def test_newlines_in_attributes_come_back():
    found = read_votable('<VOTABLE><TABLE><PARAM name="a&#10;b" value=""/></TABLE></VOTABLE>')
    assert found.params[0].name == "a\nb"


WORDS = st.sampled_from(
    ["<VOTABLE>", "</VOTABLE>", "<TABLE name='t'>", "</TABLE>", "<FIELD name='x' unit='m'>", "<FIELD name='y'/>",
     "</FIELD>", "<DESCRIPTION>", "</DESCRIPTION>", "text", "&lt;", "&x;", "<PARAM/>", "<GROUP>", "</GROUP>", " ", "é"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=30).map("".join))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_votable_or_a_value_error(text):
    header = read_items([(CONTENT, text)])
    assert len(header.notices) <= 1


KEYS = st.sampled_from(
    [
        CONTENT,
        "IVOA.VOTable-Parquet.version",
        "DATE",
        "name",
        "maml",
        "a",
        "a.datatype",
        "column.x.unit",
        "column..",
        "",
    ]
)


@given(st.lists(st.tuples(KEYS, st.one_of(st.sampled_from(["int64", MAML, LEGAL]), st.text(max_size=20))), max_size=12))
@settings(max_examples=150, deadline=None)
def test_any_items_give_a_header(items):
    header = read_items(items)
    assert all(notice.code in CODES for notice in header.notices)
    assert len(header.entries) <= len(items) + 20


def test_reading_a_header_loads_no_arrow():
    import subprocess

    code = "import sys, maml_parquet.header.reading; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_real_votables_are_read_as_astropy_reads_them():
    """Every document that astropy ships, except those with a document type, which are refused."""
    votable = pytest.importorskip("astropy.io.votable")
    folder = Path(votable.__file__).parent / "tests" / "data"
    compared = 0
    for path in sorted(folder.rglob("*.xml")):
        text = path.read_text("utf-8")
        if "<!DOCTYPE" in text:
            with pytest.raises(ValueError, match="DOCTYPE"):
                read_votable(text)
            continue
        ours = read_votable(text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = votable.parse(path, verify="ignore").get_first_table()
        except Exception:  # noqa: BLE001  (documents that are wrong on purpose, each in its way)
            continue
        expected = [
            (field.name or field.ID, field.ucd or "", field.datatype, (field.description or "").split())
            for field in theirs.fields
        ]
        found = [
            (field.name, field.words.get("ucd", ""), field.words["datatype"], field.description.split())
            for field in ours.fields
        ]
        assert found == expected, path.name
        compared += bool(expected)
    assert compared >= 5
