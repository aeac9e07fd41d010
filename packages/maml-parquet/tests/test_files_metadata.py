"""What files say beside their rows: our own, those of five programs, folders; fast and without Arrow."""

import io
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maml_parquet
from maml_parquet import MamlError, MamlWarning, metadata
from maml_parquet.header.keys import file_items
from maml_parquet.header.reading import ColumnInfo
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.sections.types import TypeToken

MAML = "table: t\nfields:\n- {name: ra, data_type: float64, unit: deg}\n"


def write(path, items, table=None):
    """A file with exactly these keys and values, repeats included."""
    table = table if table is not None else pa.table({"ra": [1.5, 2.5, 3.5], "id": ["a", "bc", "d"]})
    with pq.ParquetWriter(path, table.schema.remove_metadata(), store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(pa.KeyValueMetadata(list(items)))


def own_items():
    columns = [
        WrittenColumn("ra", TypeToken("float64"), unit="deg", ucd="pos.eq.ra", info="right ascension"),
        WrittenColumn("id", TypeToken("string"), array_size=2, unit=""),
    ]
    entries = [
        TableEntry("table", "t"),
        TableEntry("author", "A", "first"),
        TableEntry("author", "B"),
        TableEntry("z", "0.5", "redshift", "float64"),
    ]
    return entries, file_items(columns, entries, date="2024-05-06T07:08:09", maml=MAML)


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.parquet"
    write(path, own_items()[1])
    return path


def test_what_our_header_says_comes_back(own):
    entries, items = own_items()
    found = metadata(own)
    assert found.items() == items
    assert found.entries == tuple(entries)
    assert list(found.columns.items()) == [
        ("ra", ColumnInfo("deg", "right ascension", "pos.eq.ra", "float64", 1, 1)),
        ("id", ColumnInfo("", "", "", "string", 2, 1)),
    ]
    assert found.maml == MAML
    assert found.votable == items[0][1]
    assert (found.header.date, found.header.name) == ("2024-05-06T07:08:09", "t")
    assert (found.num_rows, found.names) == (3, ("ra", "id"))
    assert (found.path, found.source) == (str(own), str(own))
    assert found.header.notices == ()


def test_the_same_comes_back_without_keys_of_columns(tmp_path):
    """The XML alone says units, UCDs and descriptions."""
    items = [item for item in own_items()[1] if not item[0].startswith("column.") and item[0] != "maml"]
    write(tmp_path / "t.parquet", items)
    found = metadata(tmp_path / "t.parquet")
    assert found.columns["ra"] == ColumnInfo("deg", "right ascension", "pos.eq.ra", "float64", None, 1)
    assert found.columns["id"] == ColumnInfo("", "", "", "string", 2, 1)
    assert [entry.description for entry in found.entries] == ["", "first", "", "redshift"]


def test_get_answers_with_the_first_of_all_keys(own):
    found = metadata(own)
    assert found.get("author") == "A"
    assert found.get("DATE") == "2024-05-06T07:08:09"
    assert found.get("z.datatype") == "float64"
    assert found.get("column.ra.unit") == "deg"
    assert found.get("none") is None
    assert found.get("none", "else") == "else"
    assert [value for key, value in found.items() if key == "author"] == ["A", "B"]


def test_columns_are_those_of_the_file_in_its_order(tmp_path):
    items = [("column.gone.unit", "m"), ("column.id.unit", "s"), ("column.id.part.unit", "K")]
    write(tmp_path / "t.parquet", items)
    found = metadata(tmp_path / "t.parquet")
    assert list(found.columns.items()) == [
        ("ra", ColumnInfo()),
        ("id", ColumnInfo("s")),
        ("id.part", ColumnInfo("K")),
    ]
    assert "gone" in found.header.columns


def test_a_votable_that_cannot_be_read_warns_and_the_file_opens(tmp_path):
    write(tmp_path / "t.parquet", [("IVOA.VOTable-Parquet.content", "<VOTABLE>"), ("survey", "S")])
    with pytest.warns(MamlWarning, match=r"t\.parquet.*VOTable of the file cannot be read"):
        found = metadata(tmp_path / "t.parquet")
    assert found.get("survey") == "S"
    assert found.votable == "<VOTABLE>"


def test_open_files_are_read_too(own):
    with own.open("rb") as file:
        assert metadata(file).num_rows == 3
    found = metadata(io.BytesIO(own.read_bytes()))
    assert found.path == found.source == ""
    assert found.num_rows == 3


@pytest.mark.parametrize("what", [None, 5, b"x", ["x"]])
def test_what_is_no_file_is_an_argument(what):
    with pytest.raises(MamlError, match="give a path") as caught:
        metadata(what)
    assert caught.value.code == "argument"


def test_a_file_that_is_open_for_text_is_an_argument(own, tmp_path):
    with own.open("r", encoding="latin-1") as file, pytest.raises(MamlError, match="open it with 'rb'"):
        metadata(file)


def folder_of(path, rows):
    path.mkdir()
    for name, number in rows.items():
        write(path / name, [("file", name)], pa.table({"x": list(range(number))}))
    return path


def test_a_folder_is_spoken_for_by_its_first_file(tmp_path):
    folder = folder_of(tmp_path / "f", {"b.parquet": 2, "a.parquet": 3, "_x.parquet": 7, ".y.parquet": 8})
    (folder / "notes.txt").write_text("no table")
    found = metadata(folder)
    assert found.get("file") == "a.parquet"
    assert found.source == str(folder / "a.parquet")
    assert found.num_rows == 5


@pytest.mark.parametrize(
    ("present", "speaker"),
    [
        (["_metadata"], "_metadata"),
        (["_common_metadata"], "_common_metadata"),
        (["_metadata", "_common_metadata"], "_common_metadata"),
    ],
)
def test_files_without_rows_speak_for_a_folder(tmp_path, present, speaker):
    folder = folder_of(tmp_path / "f", {"a.parquet": 3, "b.parquet": 4})
    for name in present:
        parts = [pq.read_metadata(folder / part) for part in ("a.parquet", "b.parquet")]
        for part, name_ in zip(parts, ("a.parquet", "b.parquet"), strict=True):
            part.set_file_path(name_)
        schema = pa.schema([("x", pa.int64())]).with_metadata({"file": name})
        pq.write_metadata(schema, folder / name, metadata_collector=parts if name == "_metadata" else None)
    found = metadata(folder)
    assert found.source == str(folder / speaker)
    assert found.num_rows == 7
    assert found.names == ("x",)


def test_a_folder_without_files_and_one_with_folders_are_errors(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "deep" / "in").mkdir(parents=True)
    for name, words in (("empty", "no parquet files"), ("deep", "the folder 'in'")):
        with pytest.raises(MamlError, match=words) as caught:
            metadata(tmp_path / name)
        assert caught.value.code == "file"
    with pytest.raises(FileNotFoundError):
        metadata(tmp_path / "none")


def test_a_folder_with_folders_is_told_by_its_common_metadata(tmp_path):
    (tmp_path / "Norder=0").mkdir()
    pq.write_metadata(pa.schema([("x", pa.int64())]).with_metadata({"k": "v"}), tmp_path / "_common_metadata")
    found = metadata(tmp_path)
    assert found.get("k") == "v"
    with pytest.raises(MamlError, match="Norder=0"):
        _ = found.num_rows


def test_astropy_files_have_their_units_and_ucds(tmp_path):
    astropy = pytest.importorskip("astropy.table")
    path = tmp_path / "t.parquet"
    table = astropy.Table({"ra": np.array([1.5, 2.5]), "n": np.array([1, 2], np.int32), "s": np.array(["ab", "c"])})
    told = {
        "ra": {"unit": "deg", "ucd": "pos.eq.ra", "description": "where it is"},
        "n": {"unit": "", "ucd": "meta.number", "description": "how many"},
        "s": {"unit": "", "ucd": "meta.id", "description": "its name"},
    }
    table.write(path, format="parquet.votable", metadata=told)
    found = metadata(path)
    assert found.header.notices == ()
    assert found.names == ("ra", "n", "s")
    ra, number, text = found.columns.values()
    assert ra == ColumnInfo("deg", "where it is", "pos.eq.ra", "float64", None, 1)
    assert number == ColumnInfo("", "how many", "meta.number", "int32", None, 1)
    assert (text.datatype, text.ucd, text.description) == ("string", "meta.id", "its name")


def test_plain_astropy_files_keep_their_own_keys_out_of_the_entries(tmp_path):
    astropy = pytest.importorskip("astropy.table")
    path = tmp_path / "t.parquet"
    astropy.Table({"s": ["ab", "c"]}, meta={"survey": "S"}).write(path, format="parquet")
    found = metadata(path)
    assert found.entries == ()
    assert found.get("table::len::s") == "2"


def test_pandas_files_say_nothing_of_the_table(tmp_path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"x": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    found = metadata(tmp_path / "t.parquet")
    assert found.entries == ()
    assert found.get("pandas")
    assert dict(found.columns) == {"x": ColumnInfo()}


def test_polars_and_duckdb_files_say_what_they_were_given(tmp_path):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    one, two = tmp_path / "polars.parquet", tmp_path / "duckdb.parquet"
    polars.DataFrame({"x": [1.0]}).write_parquet(one, metadata={"survey": "S", "column.x.unit": "mJy"})
    keys = "{survey: 'S', 'column.x.unit': 'mJy'}"
    duckdb.sql(f"COPY (SELECT 1.0::DOUBLE AS x) TO '{two}' (FORMAT parquet, KV_METADATA {keys})")
    for path in (one, two):
        found = metadata(path)
        assert [(entry.key, entry.value) for entry in found.entries] == [("survey", "S")]
        assert found.columns["x"].unit == "mJy"


def test_a_file_with_ten_columns_is_told_in_less_than_five_milliseconds(tmp_path):
    path = tmp_path / "t.parquet"
    columns = [
        WrittenColumn(f"c{n}", TypeToken("float64"), unit="mJy", ucd="phot.flux", info="x" * 40) for n in range(10)
    ]
    entries = [TableEntry(f"key_{n}", "v" * 20, "of the table") for n in range(10)]
    table = pa.table({column.name: np.arange(1000.0) for column in columns})
    write(path, file_items(columns, entries, date="2024-05-06T07:08:09", maml=MAML), table)
    times = []
    for _ in range(20):
        began = time.perf_counter()
        found = metadata(path)
        times.append(time.perf_counter() - began)
    assert len(found.columns) == 10
    assert min(times) < 0.005


def test_metadata_is_public_and_loads_no_arrow(own):
    assert {"metadata", "FileMetadata"} <= set(maml_parquet.__all__)
    code = (
        "import sys, maml_parquet\n"
        f"assert maml_parquet.metadata({str(own)!r}).num_rows == 3\n"
        "sys.exit('pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_a_maml_says_comes_back_from_the_file_that_is_written_with_it(tmp_path):
    text = (
        "table: t\nversion: 1.10\nauthor: [A, B]\nkeywords: [k, l]\n"
        "keyarray: [{key: Z, value: 8.1, comment: zero}]\n"
        "fields:\n"
        "- {name: a.b, unit: deg, ucd: [pos.eq.ra, meta.main], info: where, data_type: float64}\n"
        "- {name: v, unit: mJy, data_type: float32, col_size: 2}\n"
        "- {name: s, unit: unitless, data_type: string}\n"
    )
    schema = maml_parquet.Schema.from_maml(maml_parquet.parse(text))
    schema.add_metadata("n", 5, "how many")
    table = pa.table(
        {"a.b": [1.5, 2.5], "v": pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2)), "s": ["abc", "déf4"]}
    )
    path = tmp_path / "t.parquet"
    maml_parquet.write_table(table, path, schema)
    found = metadata(path)
    # The longest string is déf4: four characters.
    assert dict(found.columns) == {
        "a.b": ColumnInfo("deg", "where", "pos.eq.ra;meta.main", "float64", 1, 1),
        "v": ColumnInfo("mJy", "", "", "float32", 1, 2),
        "s": ColumnInfo("", "", "", "string", 4, 1),
    }
    assert found.entries == (
        TableEntry("table", "t"),
        TableEntry("version", "1.10"),
        TableEntry("author", "A"),
        TableEntry("author", "B"),
        TableEntry("keywords", "k;l"),
        TableEntry("Z", "8.1", "zero"),
        TableEntry("n", "5", "how many", "int64"),
    )
    assert found.num_rows == 2
    assert found.header.name == "t"
    assert found.header.notices == ()
    assert maml_parquet.parse(found.maml).fields[0].name == "a.b"


def test_a_file_that_only_carries_a_maml_is_told_by_it(tmp_path):
    write(tmp_path / "t.parquet", [("maml", MAML)])
    found = metadata(tmp_path / "t.parquet")
    assert found.columns["ra"] == ColumnInfo("deg", "", "", "float64", None, 1)
    assert found.columns["id"] == ColumnInfo()
    assert found.entries == (TableEntry("table", "t"),)
