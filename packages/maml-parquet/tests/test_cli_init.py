"""`init`: drafts that load, and carry over what a table says of its columns."""

import argparse
import gzip
import warnings

import numpy as np
import pytest
from maml_astropy_files import DATA, data

import maml_parquet
from maml_parquet import MamlError, MamlWarning
from maml_parquet.cli import init
from maml_parquet.cli.inputs import unique


def drafted(path, *more):
    """The fields of a draft as tuples, the MAML, and what was warned of."""
    parser = argparse.ArgumentParser()
    init.add(parser)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        init.run(parser.parse_args([str(path), *more]))
    assert {warning.category for warning in said} <= {MamlWarning}
    return [str(warning.message) for warning in said]


def fields(text):
    return [
        (f.name, str(f.data_type), f.col_size, f.array_size if f.has_array_size else None, f.unit, f.ucd)
        for f in maml_parquet.parse(text).fields
    ]


# Real files ----------------------------------------------------------------------------------------------------------


def test_a_votable_gives_units_ucds_descriptions_types_and_vector_sizes(capsys):
    told = drafted(data("misc/tests/data/gaia_source_dr3_select_1_result.vot"))
    text = capsys.readouterr().out
    assert told == []
    assert fields(text) == [
        ("source_id", "int64", 1, None, "", "meta.id"),
        ("ra", "float64", 1, None, "deg", "pos.eq.ra;meta.main"),
        ("dec", "float64", 1, None, "deg", "pos.eq.dec;meta.main"),
        ("parallax", "float64", 1, None, "mas", "pos.parallax.trig"),
    ]
    assert maml_parquet.parse(text).fields[3].info == "Parallax"


def test_a_votable_of_every_datatype(capsys):
    told = drafted(data("votable/tests/data/regression.xml"))
    found = {name: rest for name, *rest in fields(capsys.readouterr().out)}
    # Two FIELDs of datatype char, "*" and "10"; of int, alone and "2x2"; of bit, "2x3" and "16"; of boolean, "4".
    assert found["string test"][:3] == ["string", 1, None]
    assert found["fixed string test"][:3] == ["string", 1, 10]
    assert found["unsignedByte"][:2] == ["int32", 1]
    assert found["nulls_array"][:2] == ["int32", 4]
    assert found["bitarray"][:2] == ["boolean", 6]
    assert found["bitarray2"][:2] == ["boolean", 16]
    assert found["booleanArray"][:2] == ["boolean", 4]
    assert found["long"][0] == "int64"
    assert not {"floatComplex", "array", "doublearray"} & set(found)
    assert "column 'floatComplex': MAML has no word for the datatype floatComplex; it is left out" in told
    assert "column 'bitarray': rows of 3 x 2 become vectors of 6, the last axis fastest" in told


@pytest.mark.parametrize(("name", "first"), [("main_table", "string test"), ("1", "string test")])
def test_a_table_of_a_votable_is_chosen_by_id_or_number(name, first, capsys):
    drafted(data("votable/tests/data/regression.xml"), "--table", name)
    assert fields(capsys.readouterr().out)[0][0] == first


def test_a_table_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(MamlError, match=r"no table 'second'.*0 \(main_table\)"):
        drafted(data("votable/tests/data/regression.xml"), "--table", "second")


def test_units_that_no_one_knows_and_dashes_for_none(capsys):
    drafted(data("votable/tests/data/names.xml"))
    found = {name: unit for name, _, _, _, unit, _ in fields(capsys.readouterr().out)}
    assert found["Name"] == ""
    assert found["4.5mag"] == "mag"
    drafted(data("votable/tests/data/nonstandard_units.xml"))
    assert fields(capsys.readouterr().out)[0][4] == "erg cm**(-2) s**(-1) angstrom**(-1)"


def test_a_votable_whose_rows_are_in_a_parquet_file(capsys):
    drafted(data("votable/tests/data/parquet_binary.xml"))
    assert fields(capsys.readouterr().out)[0] == ("id", "string", 1, 10, "", "meta.id")


def test_a_binary_table_of_fits(capsys):
    told = drafted(data("fits/tests/data/chandra_time.fits"))
    text = capsys.readouterr().out
    maml = maml_parquet.parse(text)
    found = fields(text)
    assert told == []
    assert [entry.value for entry in maml_parquet.entries(maml) if entry.key == "table"] == ["EVENTS"]
    # 1D in s; 1I; 1I in pixel; 32X.
    assert found[:2] == [("time", "float64", 1, None, "s", ""), ("ccd_id", "int32", 1, None, "", "")]
    assert ("chipx", "int32", 1, None, "pixel", "") in found
    assert found[-1] == ("status", "boolean", 32, None, "", "")


def test_a_table_of_characters_of_fits(capsys):
    # E10.4, which FITS allows to hold more than seven digits, in pixels; I5 in counts; both with words for Null.
    drafted(data("fits/tests/data/ascii.fits"))
    assert fields(capsys.readouterr().out) == [
        ("a", "float64", 1, None, "pixels", ""),
        ("b", "int32", 1, None, "counts", ""),
    ]


def test_numbers_that_are_scaled_have_the_type_of_what_comes_out(capsys):
    # c3 is 1E with TSCAL 3 and TZERO 0.4; c2 is 3A; the others J and L.
    drafted(data("fits/tests/data/tb.fits"))
    text = capsys.readouterr().out
    assert fields(text) == [
        ("c1", "int32", 1, None, "", ""),
        ("c2", "string", 1, 3, "", ""),
        ("c3", "float64", 1, None, "", ""),
        ("c4", "boolean", 1, None, "", ""),
    ]
    assert "label for field" not in text


def test_rows_of_their_own_length_are_left_out_and_said(capsys):
    told = drafted(data("fits/tests/data/variable_length_table.fits"))
    assert fields(capsys.readouterr().out) == [("xyz", "int32", 2, None, "", "")]
    assert told == ["column 'var': each row has its own number of elements, which no MAML column has; it is left out"]


def test_an_hdu_is_chosen_by_name_or_number(capsys):
    path = data("fits/tests/data/zerowidth.fits")
    told = drafted(path, "--table", "AIPS AN")
    assert ("STABXYZ", "float64", 3, None, "METERS", "") in fields(capsys.readouterr().out)
    assert "column 'ORBPARM': its rows have no elements; it is left out" in told
    drafted(path, "--table", "3")
    assert fields(capsys.readouterr().out)[0][:2] == ("TIME", "float64")
    with pytest.raises(MamlError, match="HDU 'x' is no table of it; its tables are 1"):
        drafted(path, "--table", "x")


def test_ecsv_carries_vectors_and_descriptions(capsys):
    drafted(data("ascii/tests/data/subtypes.ecsv"))
    text = capsys.readouterr().out
    found = {name: rest for name, *rest in fields(text)}
    assert found["f_long"][:2] == ["int64", 3]
    assert found["s_string"][0] == "string"
    assert maml_parquet.parse(text).fields[0].info == "Row index"


REAL = sorted(
    path
    for pattern in ("votable/tests/data/*.xml*", "fits/tests/data/*.fits", "ascii/tests/data/*.csv", "*/*/*/*.ecsv")
    for path in DATA.glob(pattern)
    if not path.name.endswith(".xml.parquet")
)


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_every_file_gives_a_draft_that_loads_or_one_error_with_its_name(path, capsys):
    problem = None
    try:
        drafted(path)
    except MamlError as error:
        problem = error
    text = capsys.readouterr().out
    if problem is None:
        assert maml_parquet.parse(text).fields
    else:
        assert text == ""
        assert problem.code == "fields-missing" or str(problem).startswith(str(path))


# Files made here -----------------------------------------------------------------------------------------------------


def test_fits_headers_that_say_more(tmp_path, capsys):
    from astropy.io import fits

    columns = [
        fits.Column("id", "K", array=np.array([1, 2])),
        fits.Column("big", "K", bzero=2**63, array=np.array([1, 2**63 + 5], "uint64")),
        fits.Column("flux", "3E", unit="mJy", array=np.ones((2, 3), "f4")),
        fits.Column("cube", "24E", dim="(4,3,2)", array=np.ones((2, 2, 3, 4), "f4")),
        fits.Column("names", "12A", dim="(4,3)", array=np.array([["a", "b", "c"], ["d", "e", "f"]])),
        fits.Column("z", "M", array=np.array([1j, 2j])),
        fits.Column("even", "PE()", array=np.array([np.ones(2, "f4"), np.ones(2, "f4")], object)),
    ]
    hdu = fits.BinTableHDU.from_columns(columns, name="SKY")
    hdu.header["TUCD3"] = "phot.flux"
    hdu.header["TCOMM3"] = "flux in three bands"
    hdu.writeto(tmp_path / "x.fits")
    told = drafted(tmp_path / "x.fits")
    text = capsys.readouterr().out
    assert fields(text) == [
        ("id", "int64", 1, None, "", ""),
        ("big", "int64", 1, None, "", ""),
        ("flux", "float32", 3, None, "mJy", "phot.flux"),
        ("cube", "float32", 24, None, "", ""),
        ("names", "string", 3, 4, "", ""),
        ("even", "float32", 2, None, "", ""),
    ]
    assert maml_parquet.parse(text).fields[2].info == "flux in three bands"
    assert told == [
        "column 'big': numbers beyond 9223372036854775807 will be refused",
        "column 'cube': rows of 2 x 3 x 4 become vectors of 24, the last axis fastest",
        "column 'z': MAML has no word for the format M; it is left out",
    ]


CSV = {
    # Digits with a leading zero are a name, and so are more of them than a float64 holds.
    "i": (["1", "-5", "+3"], "int64"),
    "n": (["1", "-5", ""], "int64"),
    "zero": (["007", "008", "100"], "string"),
    "long": (["12345678901234567890", "1", "2"], "string"),
    "f": (["1.5", "1e300", "nan"], "float64"),
    "b": (["true", "False", "TRUE"], "boolean"),
    "t": (["T", "F", "T"], "string"),
    "d": (["2024-05-06", "1970-01-01", ""], "date"),
    "time": (["12:34:56.5", "00:00:00", ""], "time[us]"),
    "nano": (["12:34:56.123456789", "00:00:00", ""], "time[ns]"),
    "stamp": (["2024-05-06T07:08:09", "2024-05-06 07:08:09.5", ""], "timestamp[us]"),
    "fine": (["2024-05-06T07:08:09.123456789", "", ""], "timestamp[ns]"),
    "utc": (["2024-05-06T07:08:09Z", "2024-05-06T07:08:09+02:00", ""], "timestamp[us,utc]"),
    "word": (["a", "1", ""], "string"),
    "hex": (["0x10", "0x11", ""], "string"),
}


def test_the_types_of_a_csv_lose_nothing(tmp_path, capsys):
    rows = [list(CSV), *zip(*(cells for cells, _ in CSV.values()), strict=True)]
    path = tmp_path / "sky.csv.gz"
    path.write_bytes(gzip.compress("\n".join(",".join(row) for row in rows).encode() + b"\n"))
    drafted(path)
    text = capsys.readouterr().out
    # Arrow takes '+3' of a CSV for no whole number, only for one with a fraction.
    wanted = {name: kind for name, (_, kind) in CSV.items()} | {"i": "float64"}
    assert {name: kind for name, kind, *_ in fields(text)} == wanted
    assert text.startswith("table: sky\n")


def test_a_column_of_a_csv_without_values_is_said(tmp_path, capsys):
    (tmp_path / "x.tsv").write_text("a\tb\n1\t\n2\t\n")
    told = drafted(tmp_path / "x.tsv")
    assert [field[:2] for field in fields(capsys.readouterr().out)] == [("a", "int64"), ("b", "string")]
    assert told == ["column 'b': no cell holds anything, so it may be any type"]


def test_words_for_null_do_not_make_text_of_numbers(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("a;b\n1;NA\n-99;2\n")
    drafted(tmp_path / "x.csv", "--delimiter", ";", "--null", "NA", "--null", "-99")
    assert [field[:2] for field in fields(capsys.readouterr().out)] == [("a", "int64"), ("b", "int64")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "the first line is empty"),
        (b"\na,b\n", "the first line is empty"),
        (b"a,b\n1\n", "Expected 2 columns, got 1"),
        (b"a,\xff\n1,2\n", "UTF-8"),
    ],
)
def test_a_csv_that_is_no_table_is_told(tmp_path, text, words):
    (tmp_path / "x.csv").write_bytes(text)
    with pytest.raises(MamlError, match=words):
        drafted(tmp_path / "x.csv")


def test_names_that_yaml_or_maml_would_read_otherwise(tmp_path, capsys):
    (tmp_path / "x.csv").write_text('yes,null,"a: b",#c, d ,1,,yes\n1,2,3,4,5,6,7,8\n')
    drafted(tmp_path / "x.csv")
    names = [field[0] for field in fields(capsys.readouterr().out)]
    assert names == ["yes", "null", "a: b", "#c", "d", "1", "column_7", "yes_2"]


def test_names_are_unique_whatever_stands_there():
    assert unique(["a", "a_2", "a", "a"]) == ("a", "a_2", "a_3", "a_4")


@pytest.mark.parametrize("name", ["x.txt", "x", "x.gz"])
def test_a_suffix_that_says_nothing_is_told_with_those_that_do(tmp_path, name):
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(MamlError, match=r"says no format.*\.csv.*--format"):
        drafted(tmp_path / name)


def test_a_format_that_is_said_needs_no_suffix(tmp_path, capsys):
    (tmp_path / "x.txt").write_text("a\n1\n")
    drafted(tmp_path / "x.txt", "--format", "csv")
    assert fields(capsys.readouterr().out)[0][:2] == ("a", "int64")


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"x\.csv"):
        drafted(tmp_path / "x.csv")
    with pytest.raises(IsADirectoryError):
        drafted(tmp_path)
