"""Row groups that are left unread, in files of several writers: the rows are those of reading everything."""

import io
import math

import maml_rows
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.arrow.masks import mask
from maml_parquet.arrow.types import kinds_of
from maml_parquet.files.groups import kept, stats_of
from maml_parquet.rows.filters import Stats, bind, evaluate, parse_filter
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.trees import And, Or, Test

NAN = math.nan


def in_groups(tables, **options):
    """A file with one row group for each table."""
    file = io.BytesIO()
    with pq.ParquetWriter(file, tables[0].schema, **options) as writer:
        for table in tables:
            writer.write_table(table)
    file.seek(0)
    return file


def bound_to(rule, file):
    return bind(parse_filter(rule), kinds_of(pq.read_schema(file)))


def numbers(file, rule):
    """The groups that are kept."""
    return kept(pq.read_metadata(file), bound_to(rule, file))


def rows_with_and_without(file, rule):
    """The rows that pass: read from the groups that are kept, and from all."""
    opened = pq.ParquetFile(file)
    bound = bound_to(rule, file)
    whole = opened.read()
    groups = kept(opened.metadata, bound)
    part = opened.read_row_groups(groups) if groups else whole.slice(0, 0)
    return part.filter(mask(bound, part)).to_pylist(), whole.filter(mask(bound, whole)).to_pylist()


FLOATS = [
    pa.table({"x": pa.array(values, pa.float64())})
    for values in ([1.0, 2.0], [NAN, NAN], [None, None], [5.0, NAN], [-0.0, -0.0], [], [9.0, None])
]
"""Groups 0: 1 to 2, 1: all NaN, 2: all Null, 3: a constant and NaN, 4: -0, 5: empty, 6: 9 and a Null."""


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # All NaN leaves no bounds, so that group is always read; Nulls alone make every comparison unknown.
        ("x > 2", [1, 3, 6]),
        ("x >= 2", [0, 1, 3, 6]),
        ("x == 0", [1, 4]),
        ("x in (0, 9)", [1, 4, 6]),
        ("x /= 5", [0, 1, 3, 4, 6]),
        ("x not_in (9)", [0, 1, 3, 4, 6]),
        ("not x == 5", [0, 1, 3, 4, 6]),
        ("not x > 0", [0, 1, 3, 4, 6]),
        ("x is_nan", [0, 1, 2, 3, 4, 6]),
        ("x is_null", [2, 6]),
        ("x is_not_null", [0, 1, 3, 4, 6]),
        ("x > 2 and x is_null", [6]),
    ],
)
def test_groups_of_nan_of_nulls_and_of_constants(rule, expected):
    file = in_groups(FLOATS)
    assert numbers(file, rule) == expected
    part, whole = rows_with_and_without(file, rule)
    # As text, since NaN equals nothing.
    assert str(part) == str(whole)


def test_without_statistics_every_group_is_read():
    file = in_groups(FLOATS, write_statistics=False)
    assert numbers(file, "x > 100") == [0, 1, 2, 3, 4, 6]
    assert numbers(in_groups(FLOATS), "x > 100") == [1]
    some = in_groups([pa.table({"x": [1, 2], "y": [1, 2]})], write_statistics=["y"])
    assert numbers(some, "x > 5") == [0]
    assert numbers(some, "y > 5") == []


def test_bounds_are_as_rows_have_values():
    table = pa.table(
        {
            "d": pa.array([-1, 19_753], pa.date32()),
            "t": pa.array([1, 500], pa.time32("ms")),
            "n": pa.array([2, 3], pa.time64("ns")),
            "z": pa.array([-1, 7], pa.timestamp("ms", "UTC")),
            "u": pa.array([1, 2], pa.uint32()),
            "h": maml_rows.column([1.0, 2.0], pa.float16()),
            "s": ["é", "z"],
            "l": ["a" * 61, "b"],
            "c": pa.array(["k", "m"]).dictionary_encode(),
            "b": [False, None],
            "j": pa.array([-3, 4], pa.int8()),
            "v": pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)),
        }
    )
    metadata = pq.read_metadata(in_groups([table]))
    expected = {
        "d": Stats(2, 0, -1, 19_753),
        "t": Stats(2, 0, 1, 500),
        "n": Stats(2, 0, 2, 3),
        "z": Stats(2, 0, -1, 7),
        "u": Stats(2, 0),
        "h": Stats(2, 0),
        # Bytes C3 A9 are behind 7A.
        "s": Stats(2, 0, "z", "é"),
        # 61 bytes may have been cut.
        "l": Stats(2, 0),
        "c": Stats(2, 0, "k", "m"),
        "b": Stats(2, 1, False, False),
        "j": Stats(2, 0, -3, 4),
    }
    assert stats_of(metadata, 0, {name: (name,) for name in [*table.column_names, "gone"]}) == expected
    assert stats_of(metadata, 0, {"as": ("d",), "too": ("d",)}) == {"as": expected["d"], "too": expected["d"]}


def test_leaves_of_structs_are_found_beside_names_with_dots():
    inner = pa.array([{"b.c": 3, "l": [9]}, {"b.c": None, "l": []}, None])
    outer = pa.StructArray.from_arrays([inner], ["a"])
    table = pa.table({"m": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int64())), "a.b": [7, 8, 9], "a": inner})
    table = table.append_column("o", outer)
    metadata = pq.read_metadata(in_groups([table]))
    paths = {"a.b": ("a.b",), "a.b.c": ("a", "b.c"), "o.a.b.c": ("o", "a", "b.c"), "a.l": ("a", "l"), "a": ("a",)}
    assert stats_of(metadata, 0, paths) == {
        "a.b": Stats(3, 0, 7, 9),
        "a.b.c": Stats(3, 2, 3, 3),
        "o.a.b.c": Stats(3, 2, 3, 3),
    }
    file = in_groups([table])
    assert numbers(file, "o.a.b.c > 3") == []
    assert numbers(file, "o.a.b.c >= 3") == [0]


def test_statistics_are_found_by_path_and_called_by_name():
    file = in_groups([pa.table({"FILE": [1, 2], "mine": [8, 9]})])
    metadata = pq.read_metadata(file)
    assert kept(metadata, Test("mine", ("FILE",), ">", (2,), Kind("int64"))) == []
    assert kept(metadata, Test("mine", ("FILE",), ">", (1,), Kind("int64"))) == [0]
    assert kept(metadata, Test("mine", ("nowhere",), ">", (2,), Kind("int64"))) == [0]


def test_one_name_may_lead_to_two_columns():
    metadata = pq.read_metadata(in_groups([pa.table({"a": [1, 2], "b": [8, 9]})]))
    low, high = (Test("x", (name,), ">", (5,), Kind("int64")) for name in "ab")
    assert kept(metadata, Or((low, high))) == kept(metadata, Or((high, low))) == [0]
    assert kept(metadata, And((low, high))) == kept(metadata, And((high, low))) == []


def test_counts_of_another_unit_are_not_compared():
    metadata = pq.read_metadata(in_groups([pa.table({"x": pa.array([5], pa.timestamp("us"))})]))
    assert kept(metadata, Test("x", ("x",), ">", (5,), Kind("timestamp", "us"))) == []
    assert kept(metadata, Test("x", ("x",), ">", (5,), Kind("timestamp", "ms"))) == [0]


def test_timestamps_of_96_bits_have_no_bounds():
    file = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([5], pa.timestamp("ns"))}), file, use_deprecated_int96_timestamps=True)
    assert kept(pq.read_metadata(file), Test("x", ("x",), ">", (5,), Kind("timestamp", "ns"))) == [0]


def test_of_a_repeated_name_the_first_counts():
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array([8, 9])], ["x", "x"])
    metadata = pq.read_metadata(in_groups([table]))
    assert stats_of(metadata, 0, {"x": ("x",)}) == {"x": Stats(2, 0, 1, 2)}


def test_groups_without_rows_are_left_out():
    empty = pa.table({"x": pa.array([], pa.int64())})
    file = in_groups([empty, pa.table({"x": [1]}), empty])
    assert pq.read_metadata(file).num_row_groups == 3
    assert numbers(file, "x is_null or x is_not_null") == [1]


NAMES = "fgijusbdtz"


def written_by_pyarrow(tables, path):
    with pq.ParquetWriter(path, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)


def written_by_polars(tables, path):
    polars = pytest.importorskip("polars")
    frame = polars.concat([polars.from_arrow(table) for table in tables])
    frame.write_parquet(path, row_group_size=max(table.num_rows for table in tables) or 1)


def written_by_duckdb(tables, path):
    duckdb = pytest.importorskip("duckdb")
    rows = pa.concat_tables(tables)
    with duckdb.connect() as connection:
        connection.register("seen", rows)
        # Rows of 2048 make the smallest group; repeated, they fill several.
        connection.execute(f"COPY (SELECT seen.* FROM seen, range(700)) TO '{path}' (ROW_GROUP_SIZE 2048)")


SEEN = st.lists(maml_rows.rows(NAMES, max_size=3, min_size=1), min_size=1, max_size=4)
RULES = maml_rows.rules(maml_rows.clauses(NAMES))


def same_rows(path, rule):
    part, whole = rows_with_and_without(path, rule)
    # As text, since NaN equals nothing.
    return str(part) == str(whole)


@settings(max_examples=120, deadline=None)
@given(SEEN, RULES)
def test_pyarrow_s_files_give_the_same_rows(tmp_path_factory, groups, rule):
    path = tmp_path_factory.mktemp("groups") / "x.parquet"
    written_by_pyarrow([maml_rows.table(rows, NAMES) for rows in groups], path)
    assert same_rows(path, rule)
    # And a group that is left out has no row that passes by the reference.
    bound = bound_to(rule, path)
    left = set(range(len(groups))) - set(kept(pq.read_metadata(path), bound))
    assert not [row for number in left for row in groups[number] if evaluate(bound, row) is True]


@settings(max_examples=60, deadline=None)
@given(SEEN, maml_rows.rules(maml_rows.clauses("fgijusbdz")))
def test_polars_files_give_the_same_rows(tmp_path_factory, groups, rule):
    path = tmp_path_factory.mktemp("groups") / "x.parquet"
    written_by_polars([maml_rows.table(rows, "fgijusbdz") for rows in groups], path)
    assert same_rows(path, rule)


@settings(max_examples=25, deadline=None)
@given(SEEN, maml_rows.rules(maml_rows.clauses("fgijsbd")))
def test_duckdb_s_files_give_the_same_rows(tmp_path_factory, groups, rule):
    path = tmp_path_factory.mktemp("groups") / "x.parquet"
    written_by_duckdb([maml_rows.table(rows, "fgijsbd") for rows in groups], path)
    assert same_rows(path, rule)


@pytest.mark.parametrize("write", [written_by_pyarrow, written_by_polars, written_by_duckdb])
def test_sorted_files_are_read_in_part(write, tmp_path):
    # Groups of 3000: 0 to 2999, 3000 to 5999, 6000 to 8999.
    values = np.arange(9_000)
    tables = [pa.table({"x": part, "s": [f"{one:05d}" for one in part]}) for part in np.split(values, 3)]
    path = tmp_path / "x.parquet"
    if write is written_by_duckdb:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect() as connection:
            connection.register("seen", pa.concat_tables(tables))
            connection.execute(f"COPY (SELECT * FROM seen ORDER BY x) TO '{path}' (ROW_GROUP_SIZE 2048)")
    else:
        write(tables, path)
    for rule in ("x > 8998", 's > "08998"'):
        assert len(numbers(path, rule)) == 1
        part, whole = rows_with_and_without(path, rule)
        assert part == whole == [{"x": 8_999, "s": "08999"}]


@pytest.mark.parametrize("write", [written_by_pyarrow, written_by_polars, written_by_duckdb])
@pytest.mark.parametrize(
    "text", ["a" * 300, "é" * 150, "\U0010ffff" * 80, "a" * 62 + "é" + "z" * 9, "a" * 63 + "\x7fq"]
)
def test_long_strings_are_found(write, text, tmp_path):
    path = tmp_path / "x.parquet"
    write([pa.table({"s": [text]})], path)
    for rule in (f's == "{text}"', f's >= "{text}"', f's <= "{text}"', f's in ("{text}")', f'not s > "{text}"'):
        part, whole = rows_with_and_without(path, rule)
        assert part == whole
        assert part
