"""Tables as programs hold them, column by column."""

import datetime
import math

import numpy as np
import pyarrow as pa
import pytest

from maml_parquet.arrow.incoming import columns_of, other_units, units_of
from maml_parquet.errors import MamlError

NAN = float("nan")


def lists(data, sizes=None):
    columns, rows = columns_of(data, sizes)
    return {name: values.to_pylist() for name, values in columns.items()}, rows


def told(data, sizes=None):
    with pytest.raises(MamlError) as caught:
        columns_of(data, sizes)
    assert all(problem.message[-1] not in ".;" for problem in caught.value.problems)
    return [(problem.code, problem.at) for problem in caught.value.problems]


TABLE = pa.table({"id": [1, 2], "name": ["x", None]})


@pytest.mark.parametrize(
    "data",
    [
        TABLE,
        TABLE.to_batches()[0],
        {"id": [1, 2], "name": ["x", None]},
        {"id": np.array([1, 2]), "name": pa.array(["x", None])},
        {"id": (1, 2), "name": np.array(["x", None], object)},
        pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()),
    ],
    ids=["table", "batch", "lists", "arrays", "tuples", "stream"],
)
def test_tables_are_columns_by_name_and_a_number_of_rows(data):
    assert lists(data) == ({"id": [1, 2], "name": ["x", None]}, 2)


def test_whatever_streams_arrow_is_a_table():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return TABLE.__arrow_c_stream__(requested_schema)

    class Array:
        def __arrow_c_array__(self, requested_schema=None):
            return TABLE.to_batches()[0].__arrow_c_array__(requested_schema)

    for data in (Stream(), Array()):
        assert lists(data) == ({"id": [1, 2], "name": ["x", None]}, 2)


def test_memory_is_shared():
    numbers = np.arange(5.0)
    columns, _ = columns_of({"x": numbers})
    assert columns["x"].buffers()[1].address == numbers.ctypes.data
    assert columns_of(TABLE)[0]["id"].chunk(0).buffers()[1].address == TABLE["id"].chunk(0).buffers()[1].address


def test_structured_arrays_are_tables():
    data = np.array([(1, 2.5, [1, 2, 3]), (2, NAN, [4, 5, 6])], [("id", ">i4"), ("x", "f8"), ("v", "i2", 3)])
    found, rows = lists(data)
    assert (found["id"], found["v"], rows) == ([1, 2], [[1, 2, 3], [4, 5, 6]], 2)
    assert found["x"][0] == 2.5
    assert math.isnan(found["x"][1])


def test_masked_values_are_null_and_nan_is_a_value():
    scalars = np.ma.array([1.0, NAN, 3.0], mask=[True, False, False])
    vectors = np.ma.array([[1, 2], [3, 4], [5, 6]], mask=[[0, 1], [0, 0], [1, 1]])
    found, _ = lists({"x": scalars, "v": vectors})
    assert (found["x"][0], found["x"][2]) == (None, 3.0)
    assert math.isnan(found["x"][1])
    assert found["v"] == [[1, None], [3, 4], [None, None]]
    plain = np.ma.array([1.0, 2.0])
    assert columns_of({"x": plain})[0]["x"].null_count == 0


def test_a_flat_column_of_vectors_has_as_many_rows_as_it_makes():
    data = {"id": [1, 2], "v": [1, 2, 3, 4, 5, 6], "w": [[1, 2, 3], [4, 5, 6]]}
    columns, rows = columns_of(data, {"v": 3, "w": 3})
    assert (rows, len(columns["v"]), len(columns["w"])) == (2, 6, 2)
    assert told(data) == [("column", ("v",))]
    assert told(data, {"v": 4}) == [("column", ("v",))]
    assert told(data, {"v": 2}) == [("column", ("v",))]


@pytest.mark.parametrize(
    ("data", "at"),
    [
        ({"a": [1, 2], "b": [1], "c": [3, 4], "d": []}, [("b",), ("d",)]),
        ({"a": 5, "b": [1], "c": "text"}, [("a",), ("c",)]),
        ({"a": [1], 2: [1]}, [("2",)]),
        ({"a": [1, "x"], "b": [1j]}, [("a",), ("b",)]),
        (pa.table([[1], [2], [3]], names=["a", "b", "a"]), [("a",)]),
        (pa.record_batch([[1], [2]], names=["a", "a"]), [("a",)]),
        ([1, 2], [()]),
        (5, [()]),
        (None, [()]),
        (np.zeros(3), [()]),
        ("file.parquet", [()]),
        (pa.array([1, 2]), [()]),
    ],
)
def test_what_is_no_table_is_told_all_of_it(data, at):
    assert told(data) == [("column", place) for place in at]


def test_no_columns_are_no_rows():
    assert columns_of({}) == ({}, 0)
    assert lists({"a": [], "b": np.zeros((0, 3))}) == ({"a": [], "b": []}, 0)


def test_units_of_arrow_are_in_the_metadata_of_fields():
    fields = [pa.field("ra", pa.float64(), metadata={"unit": "deg"}), pa.field("z", pa.float64())]
    data = pa.table([[1.0], [2.0]], schema=pa.schema(fields))
    assert units_of(data) == {"ra": "deg"}
    assert units_of({"ra": [1.0]}) == {}
    assert other_units(data, {"ra": "rad", "z": "m"}) == {"ra": "deg"}
    assert other_units(data, {"ra": "deg"}) == {}
    assert other_units(data, {"ra": ""}) == other_units(data, {}) == {}


def test_pandas_frames_with_the_named_levels_of_their_index():
    pd = pytest.importorskip("pandas")
    data = pd.DataFrame(
        {
            "x": [1.5, NAN],
            "i": pd.array([1, None], dtype="Int64"),
            "s": ["a", None],
            "o": np.array(["b", None], object),
            "c": pd.Categorical(["u", "v"]),
            "t": pd.to_datetime(["2020-01-01T00:00:00.000000001", None]),
            "v": [[1, 2], np.array([3, 4])],
            "b": pd.array([True, None], dtype="boolean"),
        },
        index=pd.Index([7, 8], name="id"),
    )
    found, rows = lists(data.drop(columns="t"))
    assert rows == 2
    assert found == {
        "id": [7, 8],
        "x": [1.5, None],
        "i": [1, None],
        "s": ["a", None],
        "o": ["b", None],
        "c": ["u", "v"],
        "v": [[1, 2], [3, 4]],
        "b": [True, None],
    }
    moments = columns_of(data)[0]["t"]
    assert moments.cast(pa.timestamp("ns")).cast(pa.int64()).to_pylist()[0] % 10 == 1
    assert moments.null_count == 1
    assert list(lists(data.reset_index(drop=True))[0]) == [*data.columns]


def test_pandas_frames_that_are_no_table():
    pd = pytest.importorskip("pandas")
    assert told(pd.DataFrame([[1, 2]], columns=["a", "a"])) == [("column", ("a",))]
    assert told(pd.DataFrame([[1, 2]])) == [("column", ("0",)), ("column", ("1",))]
    assert told(pd.DataFrame({"a": pd.Series([1.5, True], dtype=object)})) == [("column", ("a",))]
    assert told(pd.DataFrame({"a": [1]}, index=pd.Index([1], name="a"))) == [("column", ("a",))]


def test_moments_of_pandas_in_lists_keep_their_nanoseconds():
    pd = pytest.importorskip("pandas")
    moment = pd.Timestamp("1970-01-01T00:00:00.000000001")
    columns, _ = columns_of({"t": [moment, pd.NaT], "u": np.array([moment, None], object)})
    for name in ("t", "u"):
        assert columns[name].cast(pa.int64()).to_pylist() == [1, None]
    assert told({"t": [moment, pd.Timestamp("2020-01-01", tz="UTC")]}) == [("column", ("t",))]


def test_polars_frames():
    pl = pytest.importorskip("polars")
    data = pl.DataFrame(
        {"x": [1.0, NAN, None], "s": ["a", None, "c"], "c": ["u", "v", "u"], "v": [[1, 2], [3, 4], [5, 6]]},
        schema_overrides={"c": pl.Categorical, "v": pl.Array(pl.Int32, 2)},
    )
    found, rows = lists(data)
    assert rows == 3
    assert (found["x"][0], found["x"][2]) == (1.0, None)
    assert math.isnan(found["x"][1])
    assert (found["s"], found["c"]) == (["a", None, "c"], ["u", "v", "u"])
    assert found["v"] == [[1, 2], [3, 4], [5, 6]]
    assert lists({"x": data["s"], "y": data["v"]})[0] == {"x": found["s"], "y": found["v"]}
    with pytest.raises(MamlError, match="collect it first"):
        columns_of(data.lazy())


def test_duckdb_relations():
    duckdb = pytest.importorskip("duckdb")
    assert lists(duckdb.sql("select 7 as id, 'x' as s"))[0] == {"id": [7], "s": ["x"]}


def test_astropy_tables_with_masks_bytes_and_units():
    table = pytest.importorskip("astropy.table")
    units = pytest.importorskip("astropy.units")
    masked = pytest.importorskip("astropy.utils.masked").Masked
    data = table.QTable(
        {
            "ra": [1.0, 2.0] * units.deg,
            "n": table.MaskedColumn([1, 2], mask=[False, True]),
            "m": masked([1.0, 2.0] * units.mJy, mask=[True, False]),
            "v": np.arange(6).reshape(2, 3).astype(">i4"),
            "b": np.array([b"ab", "ç".encode()]),
            "speed": [1.0, 2.0] * units.km / units.s,
            "t": np.array(["2020-01-01", "NaT"], "M8[D]"),
        }
    )
    found, rows = lists(data)
    assert rows == 2
    assert found == {
        "ra": [1.0, 2.0],
        "n": [1, None],
        "m": [None, 2.0],
        "v": [[0, 1, 2], [3, 4, 5]],
        "b": ["ab", "ç"],
        "speed": [1.0, 2.0],
        "t": [datetime.date(2020, 1, 1), None],
    }
    assert units_of(data) == {"ra": "deg", "m": "mJy", "speed": "km / s"}
    assert other_units(data, {"ra": "deg", "m": "mJy", "speed": "km s-1", "v": "m"}) == {}
    assert other_units(data, {"ra": "rad", "m": "mJ", "speed": "nonsense of mine"}) == units_of(data)
    plain = table.Table({"ra": table.Column([1.0], unit="deg"), "n": table.MaskedColumn([1], mask=[True], unit="m")})
    assert lists(plain)[0] == {"ra": [1.0], "n": [None]}
    assert units_of(plain) == {"ra": "deg", "n": "m"}


def test_columns_of_astropy_that_are_no_arrays_are_told_with_what_to_do():
    table = pytest.importorskip("astropy.table")
    time = pytest.importorskip("astropy.time")
    coordinates = pytest.importorskip("astropy.coordinates")
    data = table.Table({"t": time.Time(["2020-01-01"]), "c": coordinates.SkyCoord([1], [2], unit="deg"), "x": [1]})
    with pytest.raises(MamlError) as caught:
        columns_of(data)
    assert [problem.at for problem in caught.value.problems] == [("t",), ("c",)]
    assert "utc.datetime64" in caught.value.problems[0].message
    assert "c.ra.deg" in caught.value.problems[1].message
