"""`convert`: rows of other formats in a parquet file that carries a MAML, value by value, Null by Null."""

import argparse
import contextlib
import io
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from maml_astropy_files import data

import maml_parquet
from maml_parquet import MamlError, MamlWarning
from maml_parquet.cli import convert, init, inputs


def call(word, *arguments):
    """What a word of the command prints, and what it warns of."""
    parser = argparse.ArgumentParser()
    word.add(parser)
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as said, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        assert word.run(parser.parse_args([str(argument) for argument in arguments])) == 0
    assert {warning.category for warning in said} <= {MamlWarning}
    return out.getvalue(), [str(warning.message) for warning in said]


def converted(source, folder, maml=None, *more, reading=()):
    """The rows of the parquet file of a source, by the draft of its MAML unless one is given; and what was told."""
    path = folder / "x.maml_in"
    path.write_text(maml or call(init, source, *reading)[0])
    out, told = call(convert, source, folder / "x.parquet", "--maml", path, *reading, *more)
    assert out.startswith(f"{folder / 'x.parquet'}: ")
    return pq.read_table(folder / "x.parquet"), told


def test_the_words_are_those_of_the_command(tmp_path, capsys):
    from maml_parquet.cli.main import main

    source = csv(tmp_path, "a,b\n1,x\n2,y\n", "t.csv")
    assert main(["init", str(source)]) == 0
    (tmp_path / "t.maml").write_text(capsys.readouterr().out)
    command = ["convert", str(source), str(tmp_path / "t.parquet"), "--maml", str(tmp_path / "t.maml")]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{tmp_path / 't.parquet'}: 2 rows of 2 columns\n"
    assert main(command) == 1
    assert "t.parquet" in capsys.readouterr().err
    assert main(["convert", str(tmp_path / "no.csv"), *command[2:], "--overwrite"]) == 1
    told = capsys.readouterr().err
    assert "no.csv" in told
    assert "Traceback" not in told
    assert pq.read_table(tmp_path / "t.parquet").to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


def csv(folder, text, name="x.csv"):
    (folder / name).write_text(text)
    return folder / name


# CSV -----------------------------------------------------------------------------------------------------------------

SKY = """\
table: sky
fields:
- {name: id, data_type: int32}
- {name: ra, unit: deg, data_type: float64}
- {name: name, data_type: string}
- {name: seen, data_type: boolean}
"""


def test_a_csv_has_the_types_of_the_maml(tmp_path):
    source = csv(tmp_path, 'name,id,seen,ra\n007,1,true,1.5\n"",2,F,nan\n,3,,\n')
    table, told = converted(source, tmp_path, SKY)
    assert told == []
    assert table.schema.names == ["id", "ra", "name", "seen"]
    assert [str(type_) for type_ in table.schema.types][:2] == ["int32", "double"]
    assert table["id"].to_pylist() == [1, 2, 3]
    assert np.isnan(table["ra"][1].as_py())
    assert table["ra"].is_null().to_pylist() == [False, False, True]
    # Quoted nothing is a text without characters, nothing is Null.
    assert table["name"].to_pylist() == ["007", "", None]
    assert table["seen"].to_pylist() == [True, False, None]
    assert maml_parquet.metadata(tmp_path / "x.parquet").columns["ra"].unit == "deg"
    assert maml_parquet.load(tmp_path / "x.maml").fields[1].unit == "deg"


def test_nan_may_become_null(tmp_path):
    source = csv(tmp_path, "x,v_1,v_2\n1,nan,2\nnan,3,4\n")
    maml = "table: t\nfields: [{name: x, data_type: float32}, {name: v, data_type: float64, col_size: 2}]"
    table, _ = converted(source, tmp_path, maml, "--nan-is-null")
    assert table["x"].to_pylist() == [1, None]
    assert table["v"].to_pylist() == [[None, 2], [3, 4]]


@pytest.mark.parametrize("size", ["3", "auto"])
def test_columns_with_numbers_behind_are_the_elements_of_a_vector(tmp_path, size):
    source = csv(tmp_path, "id,v_2,v_1,v_3\n1,20,10,30\n2,21,11,31\n")
    maml = f"table: t\nfields: [{{name: v, data_type: int64, col_size: {size}}}, {{name: id, data_type: int32}}]"
    table, told = converted(source, tmp_path, maml)
    assert told == []
    assert table["v"].to_pylist() == [[10, 20, 30], [11, 21, 31]]
    assert table["v"].type.list_size == 3


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_before_the_names_are_passed_over(tmp_path, end):
    source = tmp_path / "x.csv"
    source.write_bytes(end.join(["# made, by hand", "#", "id,s", '1,"a"', "2,b", ""]).encode())
    table, told = converted(source, tmp_path, None, reading=("--skip", "2"))
    assert told == []
    assert table.to_pydict() == {"id": [1, 2], "s": ["a", "b"]}
    with pytest.raises(MamlError, match="--skip is -1"):
        converted(source, tmp_path, None, reading=("--skip", "-1"))


def test_scalars_are_no_vectors(tmp_path):
    source = csv(tmp_path, "v\n1\n2\n3\n4\n")
    with pytest.raises(MamlError, match="v has rows of 2; name the columns of its elements v_1"):
        converted(source, tmp_path, "table: t\nfields: [{name: v, data_type: int32, col_size: 2}]")
    assert not (tmp_path / "x.parquet").exists()


@pytest.mark.parametrize(
    ("cell", "kind", "words"),
    [
        ("x", "int32", "column 'v'"),
        ("1.5", "int64", "column 'v'"),
        ("3000000000", "int32", "3000000000"),
        ("1e300", "float32", "float32"),
        ("yes", "boolean", "column 'v'"),
        ("2024-13-01", "date", "column 'v'"),
        ("2024-05-06T07:08:09Z", "timestamp[us]", "zone"),
        ("2024-05-06T07:08:09", "timestamp[us,utc]", "zone"),
        ("2024-05-06T07:08:09.1234567", "timestamp[us]", "column 'v'"),
    ],
)
def test_a_cell_that_does_not_fit_is_an_error_and_leaves_no_file(tmp_path, cell, kind, words):
    source = csv(tmp_path, f"v\n{cell}\n")
    with pytest.raises(MamlError, match=words):
        converted(source, tmp_path, f"table: t\nfields: [{{name: v, data_type: '{kind}'}}]")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.maml_in"]


def test_times_without_a_zone_are_in_utc_where_that_is_said(tmp_path):
    source = csv(tmp_path, "v\n1970-01-01T00:00:02\n")
    table, _ = converted(
        source, tmp_path, "table: t\nfields: [{name: v, data_type: 'timestamp[ms,utc]'}]", "--assume-utc"
    )
    assert table["v"].cast(pa.int64()).to_pylist() == [2000]


def test_the_draft_of_a_csv_converts(tmp_path):
    text = "i,f,b,d,t,n,s,u,w\n1,1.5,true,1970-01-03,00:00:01,00:00:00.000000001,1970-01-01T00:00:01,"
    source = csv(tmp_path, text + "1970-01-01T01:00:00+01:00,a\n,,,,,,,,\n")
    table, _ = converted(source, tmp_path)
    assert [str(type_) for type_ in table.schema.types][:8] == [
        "int64",
        "double",
        "bool",
        "date32[day]",
        "time64[us]",
        "time64[ns]",
        "timestamp[us]",
        "timestamp[us, tz=UTC]",
    ]
    numbers = {name: table[name][0].cast(pa.int64()).as_py() for name in "tnsu"}
    assert numbers == {"t": 1_000_000, "n": 1, "s": 1_000_000, "u": 0}
    assert table.slice(1).to_pylist() == [dict.fromkeys(table.schema.names)]


def test_a_column_map_gives_columns_the_names_of_the_file(tmp_path):
    maml = "table: t\nextra: {col_map: [id0: my_id]}\nfields: [{name: my_id, data_type: int64}]"
    table, _ = converted(csv(tmp_path, "id0\n5\n"), tmp_path, maml)
    assert table.to_pydict() == {"my_id": [5]}


def test_columns_that_are_missing_are_told_together_and_others_are_left_out(tmp_path):
    source = csv(tmp_path, "id,RA,name,seen\n1,2,a,true\n")
    with pytest.raises(MamlError) as caught:
        converted(source, tmp_path, SKY + "- {name: zz, data_type: int32}\n")
    assert [(problem.code, problem.at) for problem in caught.value.problems] == [
        ("column", ("ra",)),
        ("column", ("zz",)),
    ]
    source = csv(tmp_path, "id,more,ra,name,seen\n1,0,2,a,true\n")
    table, told = converted(source, tmp_path, SKY)
    assert table.num_rows == 1
    assert told == [f"{source}: the MAML has no columns more; they are left out"]


@pytest.mark.parametrize("text", ["id,ra,name,seen\n", "id,ra,name,seen\r\n\r\n"])
def test_a_csv_without_rows_is_a_file_without_rows(tmp_path, text):
    table, _ = converted(csv(tmp_path, text), tmp_path, SKY)
    assert table.num_rows == 0
    assert table.schema.names == ["id", "ra", "name", "seen"]


def test_rows_of_a_csv_of_several_blocks_stay_in_order(tmp_path, monkeypatch):
    from maml_parquet.cli import inputs_csv

    monkeypatch.setattr(inputs_csv, "_BLOCK", 1000)
    source = csv(tmp_path, "id,name\n" + "".join(f'{row},"a\nb{row}"\n' for row in range(1000)))
    maml = "table: t\nfields: [{name: id, data_type: int64}, {name: name, data_type: string}]"
    table, _ = converted(source, tmp_path, maml)
    assert table["id"].to_pylist() == list(range(1000))
    assert table["name"][999].as_py() == "a\nb999"


def test_nothing_is_overwritten_unless_that_is_asked_for(tmp_path):
    source = csv(tmp_path, "id,ra,name,seen\n1,2,a,true\n")
    converted(source, tmp_path, SKY)
    before = (tmp_path / "x.parquet").read_bytes()
    with pytest.raises(MamlError, match=r"x\.parquet") as caught:
        converted(source, tmp_path, SKY)
    assert caught.value.code == "exists"
    assert (tmp_path / "x.parquet").read_bytes() == before
    source = csv(tmp_path, "id,ra,name,seen\n2,2,a,true\n")
    table, _ = converted(source, tmp_path, SKY, "--overwrite")
    assert table["id"].to_pylist() == [2]


@pytest.mark.parametrize("more", [(), ("--overwrite",)])
def test_the_maml_that_is_given_stays_as_it_is_beside_the_file(tmp_path, more):
    source = csv(tmp_path, "id,ra,name,seen\n1,2,a,true\n")
    (tmp_path / "x.maml").write_text(SKY + "# mine\n")
    call(convert, source, tmp_path / "x.parquet", "--maml", tmp_path / "x.maml", *more)
    assert (tmp_path / "x.maml").read_text() == SKY + "# mine\n"
    assert pq.read_table(tmp_path / "x.parquet")["id"].to_pylist() == [1]


def test_another_maml_beside_the_file_is_not_overwritten(tmp_path):
    source = csv(tmp_path, "id,ra,name,seen\n1,2,a,true\n")
    (tmp_path / "x.maml").write_text("table: other\n")
    with pytest.raises(MamlError, match=r"x\.maml") as caught:
        converted(source, tmp_path, SKY)
    assert caught.value.code == "exists"
    assert (tmp_path / "x.maml").read_text() == "table: other\n"
    assert not (tmp_path / "x.parquet").exists()


def test_what_is_out_of_bounds_is_a_warning_unless_checks_are_off(tmp_path):
    source = csv(tmp_path, "x\n-1\n5\n")
    maml = "table: t\nfields: [{name: x, data_type: int32, qc: {min: 0}}]"
    _, told = converted(source, tmp_path, maml)
    assert len(told) == 1
    assert "x" in told[0]
    _, told = converted(source, tmp_path, maml, "--no-qc", "--overwrite", "--no-sidecar")
    assert told == []


def test_long_strings_are_an_error_or_a_warning(tmp_path):
    source = csv(tmp_path, "s\nabc\n")
    maml = "table: t\nfields: [{name: s, data_type: string, array_size: 2}]"
    with pytest.raises(MamlError, match="3"):
        converted(source, tmp_path, maml)
    _, told = converted(source, tmp_path, maml, "--on-overlong", "warn")
    assert len(told) == 1
    assert maml_parquet.metadata(tmp_path / "x.parquet").columns["s"].array_size == 3


# FITS ----------------------------------------------------------------------------------------------------------------


def test_fits_values_are_scaled_their_nulls_are_null_and_bytes_are_text(tmp_path):
    from astropy.io import fits

    logical = fits.Column("seen", "L", array=np.array([True, False, True]))
    columns = [
        fits.Column("short", "I", null=-99, array=np.array([1, -99, 3], "i2")),
        fits.Column("unsigned", "I", bzero=2**15, array=np.array([0, 65535, 7], "u2")),
        fits.Column("scaled", "J", array=np.array([0, 1, 2])),
        fits.Column("x", "D", unit="deg", array=np.array([1.5, np.nan, -0.0])),
        fits.Column("name", "5A", array=np.array(["a", " b c ", ""])),
        fits.Column("pair", "2J", null=0, array=np.array([[1, 0], [3, 4], [0, 0]])),
        fits.Column("grid", "6E", dim="(3,2)", array=np.arange(18, dtype="f4").reshape(3, 2, 3)),
        fits.Column("bits", "3X", array=np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], bool)),
        fits.Column("words", "6A", dim="(2,3)", array=np.array([["a", "bb", ""]] * 3)),
        fits.Column("even", "PJ()", array=np.array([[1, 2], [3, 4], [5, 6]], object)),
        logical,
    ]
    hdu = fits.BinTableHDU.from_columns(columns)
    # 10 + 0.5 n.
    hdu.header["TSCAL3"], hdu.header["TZERO3"] = 0.5, 10
    hdu.writeto(tmp_path / "x.fits")
    raw = (tmp_path / "x.fits").read_bytes()
    with fits.open(tmp_path / "x.fits") as file:
        width, start = file[1].header["NAXIS1"], file[1].fileinfo()["datLoc"]
    # The logical value of the second row, the last byte of a row, becomes 0: FITS says that this is Null.
    (tmp_path / "x.fits").write_bytes(raw[: start + 2 * width - 1] + b"\0" + raw[start + 2 * width :])
    table, told = converted(tmp_path / "x.fits", tmp_path)
    assert told == []
    rows = table.to_pydict()
    assert rows["short"] == [1, None, 3]
    assert rows["unsigned"] == [0, 65535, 7]
    assert rows["scaled"] == [10, 10.5, 11]
    assert repr(rows["x"]) == "[1.5, nan, -0.0]"
    # Blanks at the end of a text do not count in FITS.
    assert rows["name"] == ["a", " b c", ""]
    assert rows["pair"] == [[1, None], [3, 4], [None, None]]
    assert rows["grid"][1] == [6, 7, 8, 9, 10, 11]
    assert rows["bits"] == [[True, False, True], [False] * 3, [True] * 3]
    assert rows["words"] == [["a", "bb", ""]] * 3
    assert rows["even"] == [[1, 2], [3, 4], [5, 6]]
    assert rows["seen"] == [True, None, True]
    assert maml_parquet.metadata(tmp_path / "x.parquet").columns["x"].unit == "deg"


def test_unsigned_numbers_of_64_bits_fit_or_are_refused(tmp_path):
    from astropy.io import fits

    for value, name in ((2**63 - 1, "a"), (2**63, "b")):
        column = fits.Column("n", "K", bzero=2**63, array=np.array([value, 1], "uint64"))
        fits.BinTableHDU.from_columns([column]).writeto(tmp_path / f"{name}.fits")
    table, _ = converted(tmp_path / "a.fits", tmp_path)
    assert table["n"].to_pylist() == [9223372036854775807, 1]
    with pytest.raises(MamlError, match="9223372036854775808"):
        converted(tmp_path / "b.fits", tmp_path, None, "--overwrite")


def test_a_fits_file_is_read_by_ranges_of_rows(tmp_path, monkeypatch):
    from astropy.io import fits

    column = fits.Column("n", "J", array=np.arange(5000))
    fits.BinTableHDU.from_columns([column]).writeto(tmp_path / "x.fits")
    monkeypatch.setattr(inputs, "_BATCH_BYTES", 1)
    source = inputs.open_input(tmp_path / "x.fits")
    schema = maml_parquet.Schema.from_maml(maml_parquet.parse("table: t\nfields: [{name: n, data_type: int32}]"))
    with source as opened:
        parts = [len(batch["n"]) for batch in opened.batches(list(schema.columns.values()))]
    # 1024 at the least: 4 * 1024 and 5000 - 4096.
    assert parts == [1024, 1024, 1024, 1024, 904]
    table, _ = converted(tmp_path / "x.fits", tmp_path)
    assert table["n"].to_pylist() == list(range(5000))


def test_a_fits_table_of_characters(tmp_path):
    # The third row of the file holds the word for Null in its first column, and 17 in the second.
    table, _ = converted(data("fits/tests/data/ascii.fits"), tmp_path)
    assert table["a"].to_pylist() == [10.123, 5.2, 15.61, None, 345.0]
    assert table["b"].to_pylist() == [37, 23, 17, None, 345]


# VOTable, ECSV, parquet ----------------------------------------------------------------------------------------------


def test_a_votable_row_by_row(tmp_path):
    table, _ = converted(data("votable/tests/data/regression.xml"), tmp_path)
    rows = table.to_pydict()
    # As the cells of the file stand; empty ones, and those that its VALUES null names (-9), are Null.
    assert rows["string test"][0] == "String & test"
    assert rows["unicode_test"][0] == "Ceçi n'est pas un pipe"
    assert rows["long"] == [922337203685477, None, -(2**60), 2**60 - 1, None]
    assert rows["nulls"] == [0, None, 2, None, None]
    assert rows["nulls_array"][1:4] == [[0, 1, 2, 3], [None, 0, None, 1], [0, None, 1, None]]
    assert rows["bitarray"][0] == [True, False, True, True, False, True]
    assert rows["booleanArray"][1:3] == [[True, True, False, True], [True, True, None, True]]


def test_a_parquet_file_keeps_units_and_its_maml(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, _ = converted(csv(tmp_path, "id,ra,name,seen\n1,2,a,true\n,,,\n"), tmp_path / "a", SKY)
    drafted, _ = call(init, tmp_path / "a" / "x.parquet")
    assert drafted == maml_parquet.metadata(tmp_path / "a" / "x.parquet").maml
    second, _ = converted(tmp_path / "a" / "x.parquet", tmp_path / "b")
    assert second.equals(first)
    assert maml_parquet.metadata(tmp_path / "b" / "x.parquet").columns["ra"].unit == "deg"


def test_a_parquet_file_of_other_types(tmp_path):
    table = pa.table(
        {
            "small": pa.array([1, None], pa.int8()),
            "large": pa.array([2**32 - 1, 0], pa.uint32()),
            "half": pa.array(np.array([1.5, 2.5], "f2")),
            "word": pa.array(["a", "b"]).dictionary_encode(),
            "pair": pa.array([[1, 2], [3, 4]], pa.list_(pa.int16(), 2)),
            "list": pa.array([[1], []], pa.list_(pa.int32())),
            "zone": pa.array([0, 1], pa.timestamp("ms", "America/New_York")),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    text, told = call(init, tmp_path / "in.parquet")
    assert [(field.name, str(field.data_type), field.col_size) for field in maml_parquet.parse(text).fields] == [
        ("small", "int32", 1),
        ("large", "int64", 1),
        ("half", "float32", 1),
        ("word", "string", 1),
        ("pair", "int32", 2),
        ("zone", "timestamp[ms,utc]", 1),
    ]
    assert len(told) == 1
    assert told[0].startswith("column 'list': MAML has no word for list<")
    read, _ = converted(tmp_path / "in.parquet", tmp_path)
    assert read.drop_columns("zone").to_pydict() == {
        "small": [1, None],
        "large": [4294967295, 0],
        "half": [1.5, 2.5],
        "word": ["a", "b"],
        "pair": [[1, 2], [3, 4]],
    }
    assert read["zone"].cast(pa.int64()).to_pylist() == [0, 1]


REAL = [
    *(f"votable/tests/data/{name}.xml" for name in ("regression", "gemini", "irsa-nph-m31", "names", "parquet_binary")),
    *(f"votable/tests/data/{name}.xml" for name in ("valid_votable", "vizier_b2_votable", "binary2_masked_strings")),
    *(f"votable/tests/data/{name}.xml" for name in ("empty_table", "timesys", "mivot_annotated_table", "coosys")),
    "misc/tests/data/gaia_source_dr3_select_1_result.vot",
    *(f"fits/tests/data/{name}.fits" for name in ("btable", "chandra_time", "checksum", "memtest", "stddata", "table")),
    *(f"fits/tests/data/{name}.fits" for name in ("tb", "tdim", "zerowidth", "theap-gap", "ascii_i4-i20")),
    "ascii/tests/data/subtypes.ecsv",
    "ascii/tests/data/short.rdb",
]


@pytest.mark.parametrize("name", REAL)
def test_values_of_real_files_are_those_that_astropy_reads(name, tmp_path):
    from astropy.table import Table

    options = {".xml": {"format": "votable", "use_names_over_ids": True}, ".vot": {"format": "votable"}}
    more = options.get(Path(name).suffix, {})
    if "regression" in name:
        more = {**more, "table_id": "main_table"}
    if name.endswith(".fits"):
        more = {"format": "fits", "mask_invalid": False}
    if name.endswith(".rdb"):
        more = {"format": "ascii.rdb"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = Table.read(data(name), **more)
    table, _ = converted(data(name), tmp_path)
    assert table.num_rows == len(wanted)
    assert table.num_columns > 0
    for column, asked in zip(table.columns, table.schema.names, strict=True):
        there = asked if asked in wanted.colnames else next(n for n in wanted.colnames if n.lower() == asked.lower())
        # As text, in which NaN is NaN and -0.0 is not 0.0.
        assert [repr(value) for value in column.to_pylist()] == [repr(value) for value in plain(wanted[there], name)], (
            asked
        )


def plain(column, name):
    """The values of a column of astropy as lists, Nulls as None, bytes as text, rows flat."""
    values, nulls = np.ma.getdata(column), np.ma.getmaskarray(column)
    rows = [row(value, null) for value, null in zip(values, nulls, strict=True)]
    # Blanks at the end of a text do not count in FITS; versions of astropy differ in leaving them away.
    return [value.rstrip(" ") if name.endswith(".fits") and isinstance(value, str) else value for value in rows]


def row(value, null):
    if np.ndim(value) and np.size(value) == 1:
        return row(np.ravel(value)[0], np.ravel(null)[0])
    if np.ndim(value):
        return [row(v, n) for v, n in zip(np.ravel(value), np.ravel(null), strict=True)]
    if null:
        return None
    item = value.item() if hasattr(value, "item") else value
    return item.decode() if isinstance(item, bytes) else item


def test_a_unit_that_contradicts_the_maml_is_warned_of(tmp_path):
    from astropy.io import fits

    columns = [fits.Column(name, "D", unit=unit, array=np.ones(2)) for name, unit in (("a", "km/s"), ("b", "mJy"))]
    fits.BinTableHDU.from_columns(columns).writeto(tmp_path / "x.fits")
    maml = "table: t\nfields: [{name: a, unit: km.s**-1, data_type: float64}, {name: b, unit: Jy, data_type: float64}]"
    table, told = converted(tmp_path / "x.fits", tmp_path, maml)
    assert told == [f"{tmp_path / 'x.fits'}: b is in 'mJy', the MAML says 'Jy'; the values stay as they are"]
    assert table["b"].to_pylist() == [1, 1]
    # The same of the parquet file, whose unit is the MAML's.
    (tmp_path / "again").mkdir()
    _, told = converted(tmp_path / "x.parquet", tmp_path / "again", maml.replace("Jy", "uJy"))
    assert len(told) == 1
    assert "b is in 'Jy', the MAML says 'uJy'" in told[0]


def test_people_see_a_bar_and_programs_do_not(tmp_path, monkeypatch, capsys):
    pytest.importorskip("rich")
    source = csv(tmp_path, "id,ra,name,seen\n1,2,a,true\n")
    converted(source, tmp_path, SKY)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    table, told = converted(source, tmp_path, SKY, "--overwrite")
    assert told == []
    assert "rows" in capsys.readouterr().err
    assert table.num_rows == 1


@pytest.mark.parametrize("name", ["x.fits", "x.vot", "x.ecsv"])
def test_without_astropy_its_extra_is_named(tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("")
    for module in ("astropy.io.fits", "astropy.io.votable", "astropy.table"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MamlError, match=r"pip install 'maml-parquet\[astropy\]'"):
        call(init, tmp_path / name)


def test_without_astropy_a_csv_is_converted(tmp_path):
    source = csv(tmp_path, "id,ra,name,seen\n1,2,a,true\n")
    (tmp_path / "t.maml").write_text(SKY)
    program = (
        "import sys\nsys.modules['astropy'] = sys.modules['rich'] = None\n"
        "from maml_parquet.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    command = ["convert", str(source), str(tmp_path / "x.parquet"), "--maml", str(tmp_path / "t.maml")]
    done = subprocess.run([sys.executable, "-c", program, *command], check=True, capture_output=True, text=True)
    assert done.stdout == f"{tmp_path / 'x.parquet'}: 1 row of 4 columns\n"
    assert done.stderr == ""


# Files that are broken -----------------------------------------------------------------------------------------------


def test_a_fits_file_that_is_cut_off_is_told_and_leaves_no_file(tmp_path):
    from astropy.io import fits

    column = fits.Column("n", "J", array=np.arange(50_000))
    fits.BinTableHDU.from_columns([column]).writeto(tmp_path / "x.fits")
    whole = (tmp_path / "x.fits").read_bytes()
    (tmp_path / "x.fits").write_bytes(whole[:100_000])
    (tmp_path / "t.maml").write_text("table: t\nfields: [{name: n, data_type: int32}]\n")
    with pytest.raises(MamlError, match=r"x\.fits") as caught:
        call(convert, tmp_path / "x.fits", tmp_path / "x.parquet", "--maml", tmp_path / "t.maml")
    assert caught.value.code == "file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.maml", "x.fits"]


def test_bytes_that_are_no_text_name_their_column(tmp_path):
    from astropy.io import fits

    column = fits.Column("name", "4A", array=np.array([b"ab", b"c\xe9"]))
    hdu = fits.BinTableHDU.from_columns([fits.Column("n", "J", array=np.arange(2)), column])
    hdu.writeto(tmp_path / "x.fits")
    (tmp_path / "t.maml").write_text("table: t\nfields: [{name: name, data_type: string}]\n")
    with pytest.raises(MamlError, match="column 'name' holds bytes that are no text in UTF-8"):
        call(convert, tmp_path / "x.fits", tmp_path / "x.parquet", "--maml", tmp_path / "t.maml")


@pytest.mark.parametrize("name", ["x.fits", "x.vot", "x.parquet", "x.ecsv", "x.csv.gz"])
@pytest.mark.parametrize("content", [b"", b"nothing of the kind", bytes(range(256)) * 20])
def test_files_that_are_none_of_their_suffix_are_told(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "t.maml").write_text("table: t\nfields: [{name: n, data_type: int32}]\n")
    for word, more in ((init, ()), (convert, (tmp_path / "out.parquet", "--maml", tmp_path / "t.maml"))):
        with pytest.raises(MamlError, match=name.replace(".", r"\.")) as caught:
            call(word, tmp_path / name, *more)
        assert caught.value.code == "file"
    assert not (tmp_path / "out.parquet").exists()


def test_a_parquet_file_whose_pages_are_broken_is_told(tmp_path):
    table = pa.table({"n": pa.array(range(1000), pa.int32())})
    pq.write_table(table, tmp_path / "x.parquet", compression="zstd", use_dictionary=False)
    broken = bytearray((tmp_path / "x.parquet").read_bytes())
    broken[40:400] = b"\xff" * 360
    (tmp_path / "x.parquet").write_bytes(broken)
    (tmp_path / "t.maml").write_text("table: t\nfields: [{name: n, data_type: int32}]\n")
    with pytest.raises(MamlError, match=r"x\.parquet.*the rows cannot be read"):
        call(convert, tmp_path / "x.parquet", tmp_path / "out.parquet", "--maml", tmp_path / "t.maml")


def test_columns_whose_names_hold_dots_are_told_apart(tmp_path):
    pq.write_table(pa.table({"a": [1], "a.b": [2], "c": [3]}), tmp_path / "in.parquet")
    maml = "table: t\nfields: [{name: a.b, data_type: int64}, {name: a, data_type: int64}]"
    table, _ = converted(tmp_path / "in.parquet", tmp_path, maml)
    assert table.to_pydict() == {"a.b": [2], "a": [1]}


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("onto", ["t.csv", "m.maml"])
def test_neither_the_table_nor_the_maml_is_replaced(tmp_path, onto, link):
    source = csv(tmp_path, "a,b\n1,x\n", "t.csv")
    maml = tmp_path / "m.maml"
    maml.write_text("table: t\nfields: [{name: a, data_type: int64}]\n")
    output = tmp_path / onto
    if link:
        output = tmp_path / "link"
        output.symlink_to(tmp_path / onto)
    with pytest.raises(MamlError, match="which would be lost; give another name") as caught:
        call(convert, source, output, "--maml", maml, "--overwrite")
    assert caught.value.code == "argument"
    assert source.read_text() == "a,b\n1,x\n"
    assert maml.read_text().startswith("table: t")
    assert "left out" in call(convert, source, tmp_path / "t.parquet", "--maml", maml)[1][0]
    assert pq.read_table(tmp_path / "t.parquet").to_pydict() == {"a": [1]}


def test_what_others_say_of_a_file_is_one_line(tmp_path):
    source = csv(tmp_path, f"a\n{'9' * 5000}\n", "t.csv")
    maml = tmp_path / "m.maml"
    maml.write_text("table: t\nfields: [{name: a, data_type: int64}]\n")
    with pytest.raises(MamlError) as caught:
        call(convert, source, tmp_path / "t.parquet", "--maml", maml)
    assert len(str(caught.value)) < 1000
    assert "column 'a'" in str(caught.value)
    (tmp_path / "x.rdb").write_text("a\tb\n")
    with pytest.raises(MamlError, match="astropy cannot read it as rdb") as caught:
        call(init, tmp_path / "x.rdb")
    assert "\n" not in str(caught.value)


def test_a_column_that_is_called_otherwise_is_renamed_as_the_message_says(tmp_path):
    source = csv(tmp_path, "RA,mag g\n1.5,2.5\n", "t.csv")
    fields = "table: t\nfields:\n- {name: RA, data_type: float64}\n- {name: 'mag: g', data_type: float64}\n"
    with pytest.raises(MamlError) as caught:
        converted(source, tmp_path, fields)
    told = str(caught.value)
    assert "there is no column 'mag: g' in the table; there is 'mag g'; to rename one, write extra: " in told
    maml = fields + told[told.index("extra: ") : told.index(" into the MAML")] + "\n"
    table, _ = converted(source, tmp_path, maml)
    assert table.to_pydict() == {"RA": [1.5], "mag: g": [2.5]}
