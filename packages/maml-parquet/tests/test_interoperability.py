"""One file that is written batch by batch, opened by every reader it is for."""

import warnings
from datetime import date, datetime, time, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maml_parquet

astropy = pytest.importorskip("astropy")
duckdb = pytest.importorskip("duckdb")

READS_VOTABLE = pytest.mark.skipif(
    not astropy.utils.minversion(astropy, "7.1"),
    reason="astropy knows strings of a largest length from 7.1 on",
)
READS_STREAMED = pytest.mark.skipif(
    not astropy.utils.minversion(astropy, "8.0"), reason="astropy reads strings of files written in batches from 8 on"
)

SKY = """\
table: sky
survey: Made up
description: Six things in the sky
coauthors: [B. Somebody, C. Else]
comments: [first, second]
keyarray:
- {key: epoch, value: 2016.0, comment: Julian years}
fields:
- {name: id, ucd: meta.id;meta.main, data_type: int64}
- name: ra
  unit: deg
  info: Right ascension
  ucd: [pos.eq.ra, meta.main]
  data_type: float64
  qc: {min: 0, max: '< 360'}
- {name: flux, unit: mJy, info: In three bands, ucd: phot.flux, data_type: float32, col_size: 3}
- {name: count, data_type: int32}
- {name: name, ucd: meta.id, data_type: string, array_size: auto}
- {name: seen, data_type: boolean}
"""

BATCHES = [
    {
        "id": [1, 2],
        "ra": [10.5, 359.25],
        "flux": np.array([[0, 1, 2], [3, 4, 5]], "f4") / 8,
        "count": [-1, 2],
        "name": ["a", "bcd"],
        "seen": [True, False],
    },
    {
        "id": [2**53 + 1],
        "ra": [0.0],
        "flux": np.array([[6, 7, 8]], "f4") / 8,
        "count": [2**31 - 1],
        "name": ["é"],
        "seen": [True],
    },
    {
        "id": [4, 5, 6],
        "ra": [1e-300, 0.1, 200.0],
        "flux": np.array([[9, 10, 11], [12, 13, 14], [15, 16, 17]], "f4") / 8,
        "count": [0, 1, 2],
        "name": ["", "ef", "g h"],
        "seen": [False, False, True],
    },
]

IDS = [1, 2, 9007199254740993, 4, 5, 6]
RA = [10.5, 359.25, 0.0, 1e-300, 0.1, 200.0]
FLUX = [[(3 * row + band) / 8 for band in range(3)] for row in range(6)]
COUNTS = [-1, 2, 2147483647, 0, 1, 2]
NAMES = ["a", "bcd", "é", "", "ef", "g h"]
SEEN = [True, False, True, False, False, True]


def write(path, text, batches):
    schema = maml_parquet.Schema.from_maml(maml_parquet.parse(text))
    with maml_parquet.open_writer(path, schema, file_date="2024-05-06T07:08:09") as writer:
        for batch in batches:
            writer.write(batch)
    return path


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    return write(tmp_path_factory.mktemp("sky") / "sky.parquet", SKY, BATCHES)


@READS_STREAMED
def test_astropy_reads_units_ucds_shapes_and_warns_of_nothing(sky):
    from astropy.io.votable import conf
    from astropy.table import Table

    with warnings.catch_warnings(), conf.set_temp("verify", "exception"):
        warnings.simplefilter("error")
        table = Table.read(sky, format="parquet.votable")
    assert table.colnames == ["id", "ra", "flux", "count", "name", "seen"]
    assert [str(table[name].unit or "") for name in table.colnames] == ["", "deg", "mJy", "", "", ""]
    assert table["ra"].description == "Right ascension"
    assert [table[name].meta.get("ucd") for name in table.colnames] == [
        "meta.id;meta.main",
        "pos.eq.ra;meta.main",
        "phot.flux",
        None,
        "meta.id",
        None,
    ]
    # The longest name has three characters.
    assert [str(table[name].dtype) for name in table.colnames] == [
        "int64",
        "float64",
        "float32",
        "int32",
        "<U3",
        "bool",
    ]
    assert table["flux"].shape == (6, 3)
    assert table["id"].tolist() == IDS
    assert table["ra"].tolist() == RA
    assert table["flux"].tolist() == FLUX
    assert table["count"].tolist() == COUNTS
    assert table["name"].tolist() == NAMES
    assert table["seen"].tolist() == SEEN
    assert table.meta["description"] == "Six things in the sky"


@READS_VOTABLE
def test_the_votable_of_the_file_is_legal_by_itself(sky):
    import io

    from astropy.io import votable

    text = maml_parquet.metadata(sky).votable
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        document = votable.parse(io.BytesIO(text.encode()), verify="exception")
    table = document.get_first_table()
    assert table.name == "sky"
    sizes = [(field.name, field.datatype, field.arraysize and field.arraysize.rstrip("*")) for field in table.fields]
    assert sizes == [
        ("id", "long", None),
        ("ra", "double", None),
        ("flux", "float", "3"),
        ("count", "int", None),
        ("name", "unicodeChar", "3"),
        ("seen", "boolean", None),
    ]
    params = {param.name: param for param in table.params}
    assert params["epoch"].value == "2016.0"
    assert params["epoch"].description == "Julian years"
    assert params["coauthor_2"].value == "C. Else"


def test_pyarrow_reads_types_and_what_is_said(sky):
    table = pq.read_table(sky)
    types = {field.name: field.type for field in table.schema}
    assert types.pop("name") in (pa.string(), pa.large_string())
    assert types.pop("flux").equals(pa.list_(pa.field("element", pa.float32()), 3))
    assert types == {"id": pa.int64(), "ra": pa.float64(), "count": pa.int32(), "seen": pa.bool_()}
    assert table["id"].to_pylist() == IDS
    assert table["flux"].to_pylist() == FLUX
    assert table["name"].to_pylist() == NAMES
    said = pq.read_schema(sky).metadata
    assert said[b"column.ra.unit"] == b"deg"
    assert said[b"column.name.array_size"] == b"3"
    assert said[b"coauthor_1"] == b"B. Somebody"
    assert said[b"DATE"] == b"2024-05-06T07:08:09"
    assert maml_parquet.parse(said[b"maml"]).fields[1].ucd == "pos.eq.ra;meta.main"


def test_polars_reads_types_and_values(sky):
    frame = pl.read_parquet(sky)
    assert frame.schema == {
        "id": pl.Int64,
        "ra": pl.Float64,
        "flux": pl.Array(pl.Float32, 3),
        "count": pl.Int32,
        "name": pl.String,
        "seen": pl.Boolean,
    }
    assert frame["id"].to_list() == IDS
    assert frame["flux"].to_list() == FLUX
    assert frame["name"].to_list() == NAMES
    assert pl.scan_parquet(sky).filter(pl.col("ra") > 10).select("count").collect()["count"].to_list() == [-1, 2, 2]
    if hasattr(pl, "read_parquet_metadata"):  # since 1.24
        assert pl.read_parquet_metadata(sky)["column.flux.unit"] == "mJy"


def test_duckdb_reads_types_and_values(sky):
    with duckdb.connect() as connection:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet($path)", {"path": str(sky)}).fetchall()
        assert [(row[0], row[1]) for row in described] == [
            ("id", "BIGINT"),
            ("ra", "DOUBLE"),
            ("flux", "FLOAT[]"),
            ("count", "INTEGER"),
            ("name", "VARCHAR"),
            ("seen", "BOOLEAN"),
        ]
        rows = connection.execute("SELECT id, flux, name FROM read_parquet($path)", {"path": str(sky)}).fetchall()
        assert rows == list(zip(IDS, FLUX, NAMES, strict=True))
        told = connection.execute(
            "SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata($path)", {"path": str(sky)}
        ).fetchall()
    assert ("column.ra.unit", "deg") in told
    assert [key for key, _ in told if key.startswith("co")][:2] == ["coauthor_1", "coauthor_2"]


def test_pandas_reads_types_and_values(sky):
    frame = pd.read_parquet(sky, dtype_backend="pyarrow")
    assert [str(frame[name].dtype) for name in ("id", "ra", "count", "seen")] == [
        "int64[pyarrow]",
        "double[pyarrow]",
        "int32[pyarrow]",
        "bool[pyarrow]",
    ]
    plain = pd.read_parquet(sky)
    assert [str(plain[name].dtype) for name in ("id", "ra", "count", "seen")] == ["int64", "float64", "int32", "bool"]
    assert plain["id"].tolist() == IDS
    assert plain["name"].tolist() == NAMES
    assert [values.tolist() for values in plain["flux"]] == FLUX


def test_our_own_reader_gives_units_with_the_rows(sky):
    table = maml_parquet.read_table(sky)
    assert table.schema.field("ra").metadata[b"unit"] == b"deg"
    assert table["ra"].to_pylist() == RA
    assert maml_parquet.metadata(sky).num_rows == 6
    assert [entry.value for entry in maml_parquet.metadata(sky).entries if entry.key.startswith("comment_")] == [
        "first",
        "second",
    ]


@READS_STREAMED
def test_columns_become_astropy_quantities(sky):
    import astropy.units as u
    from astropy.table import QTable

    table = QTable.read(sky, format="parquet.votable")
    assert table["ra"].unit == u.deg
    assert float(table["flux"][5, 2].to_value(u.Jy)) == pytest.approx(17 / 8 / 1000)


# Nulls and times -----------------------------------------------------------------------------------------------------

TIMES = """\
table: times
fields:
- {name: n, data_type: int64}
- {name: x, data_type: float64}
- {name: s, data_type: string}
- {name: day, data_type: date}
- {name: hour, data_type: 'time[us]'}
- {name: local, data_type: 'timestamp[ms]'}
- {name: moment, data_type: 'timestamp[us,utc]'}
"""

DAY, HOUR = date(2024, 5, 6), time(7, 8, 9, 10)
LOCAL = datetime(2024, 5, 6, 7, 8, 9, 10_000)
MOMENT = datetime(2024, 5, 6, 7, 8, 9, 10, tzinfo=timezone.utc)

TIME_BATCHES = [
    {
        "n": [2**53 + 1, None],
        "x": [float("nan"), None],
        "s": ["", None],
        "day": [DAY, None],
        "hour": [HOUR, None],
        "local": [LOCAL, None],
        "moment": [MOMENT, None],
    },
    {"n": [3], "x": [1.5], "s": ["t"], "day": [DAY], "hour": [HOUR], "local": [LOCAL], "moment": [MOMENT]},
]


@pytest.fixture(scope="module")
def times(tmp_path_factory):
    return write(tmp_path_factory.mktemp("times") / "times.parquet", TIMES, TIME_BATCHES)


def test_nulls_and_times_in_pyarrow(times):
    table = pq.read_table(times)
    assert [str(field.type) for field in table.schema][3:] == [
        "date32[day]",
        "time64[us]",
        "timestamp[ms]",
        "timestamp[us, tz=UTC]",
    ]
    assert table["n"].to_pylist() == [9007199254740993, None, 3]
    assert table["x"].null_count == 1
    assert np.isnan(table["x"][0].as_py())
    assert table["s"].to_pylist() == ["", None, "t"]
    assert table["day"].to_pylist() == [DAY, None, DAY]
    assert table["moment"].to_pylist() == [MOMENT, None, MOMENT]


def test_nulls_and_times_in_polars(times):
    frame = pl.read_parquet(times)
    assert list(frame.schema.values())[3:] == [
        pl.Date,
        pl.Time,
        pl.Datetime("ms"),
        pl.Datetime("us", "UTC"),
    ]
    assert frame["n"].to_list() == [9007199254740993, None, 3]
    assert frame["x"].null_count() == 1
    assert frame["hour"].to_list() == [HOUR, None, HOUR]
    assert frame["local"].to_list() == [LOCAL, None, LOCAL]


def test_nulls_and_times_in_duckdb(times):
    with duckdb.connect() as connection:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet($path)", {"path": str(times)}).fetchall()
        types = [row[1] for row in described]
        # Older ones say that a time has a zone, for that it is marked as one of UTC.
        assert types[4] in ("TIME", "TIME WITH TIME ZONE")
        assert [types[3], *types[5:]] == ["DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"]
        query = "SELECT n, s, day, hour::TIME FROM read_parquet($path) WHERE n IS NULL OR n > 3 ORDER BY n NULLS LAST"
        rows = connection.execute(query, {"path": str(times)}).fetchall()
    assert rows == [(9007199254740993, "", DAY, HOUR), (None, None, None, None)]


def test_nulls_and_times_in_pandas(times):
    frame = pd.read_parquet(times, dtype_backend="pyarrow")
    assert frame["n"].tolist() == [9007199254740993, pd.NA, 3]
    assert str(frame["moment"].dtype) == "timestamp[us, tz=UTC][pyarrow]"
    assert frame["day"].tolist() == [DAY, pd.NA, DAY]
