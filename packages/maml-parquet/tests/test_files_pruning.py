"""Rows are the same with and without statistics, and the same as asking each row by itself."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.arrow.types import kinds_of
from maml_parquet.files.reading import read_table
from maml_parquet.files.tables import open_table
from maml_parquet.rows.filters import bind, evaluate, parse_filter
from maml_parquet.rows.sorts import bind_sorts, order, parse_sorts

FLOATS = (None, float("nan"), -0.0, 0.0, 1.5, -2.5, float("inf"), 7.0)
VALUES = {
    "x": (pa.float64(), FLOATS),
    "f": (pa.float32(), FLOATS),
    "i": (pa.int64(), (None, 0, 1, -3, 2**62, 9)),
    "s": (pa.string(), (None, "", "a", "é", "zz")),
    "b": (pa.bool_(), (None, True, False)),
}
CLAUSES = (
    *(
        f"{name} {op} {value}"
        for name in ("x", "f")
        for op in ("==", "/=", "<", ">=")
        for value in ("0", "1.5", "-2.5")
    ),
    *(f"{name} {word}" for name in VALUES for word in ("is_null", "is_not_null")),
    *(f"{name} {word}" for name in ("x", "f") for word in ("is_nan", "is_not_nan", "is_finite", "is_not_finite")),
    "x in (0, 7)",
    "f not_in (0.0, 1.5)",
    "i > 0",
    "i <= -3",
    "i /= 1",
    f"i == {2**62}",
    's == "a"',
    's > "a"',
    's not_in ("", "zz")',
    "b == true",
    "b /= true",
)

rules = st.recursive(
    st.sampled_from(CLAUSES),
    lambda inner: st.one_of(
        inner.map(lambda rule: f"not ({rule})"),
        st.tuples(inner, st.sampled_from(("and", "or")), inner).map(lambda parts: "({} {} {})".format(*parts)),
    ),
    max_leaves=4,
)
tables = st.lists(st.tuples(*(st.sampled_from(values) for _, values in VALUES.values())), max_size=12)
keys = st.lists(
    st.tuples(st.sampled_from(tuple(VALUES)), st.sampled_from(("", " desc", " nulls_first", " desc nulls_first"))),
    max_size=2,
)


def _ids(path: Path, **arguments: Any) -> list[int]:
    return list(read_table(path, columns=["id"], **arguments).column("id").to_pylist())


@settings(max_examples=120, deadline=None)
@given(tables, rules, keys, st.integers(1, 5), st.booleans())
def test_rows_are_those_that_pass_one_by_one(
    rows: list[Any], rule: str, sort: list[Any], group: int, told: bool
) -> None:
    columns = {name: pa.array([row[at] for row in rows], kind) for at, (name, (kind, _)) in enumerate(VALUES.items())}
    table = pa.table({"id": pa.array(range(len(rows)), pa.int64()), **columns})
    kinds = kinds_of(table.schema)
    bound = bind(parse_filter(rule), kinds)
    records = table.to_pylist()
    passing = [record for record in records if evaluate(bound, record)]
    words = ["".join(key) for key in sort]
    placed = order(passing, bind_sorts(parse_sorts(words), kinds))
    wanted = [passing[at]["id"] for at in placed]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pq.write_table(table, path, row_group_size=group, write_statistics=told)
        assert _ids(path, filter=rule, sort=words) == wanted
        assert _ids(path, maml="extra:\n  filter:\n  - '" + rule.replace("'", "''") + "'\n", sort=words) == wanted
        with mock.patch("maml_parquet.files.fetching.kept", lambda metadata, *_: range(metadata.num_row_groups)):
            assert _ids(path, filter=rule, sort=words) == wanted
        inside = [record["id"] for record in passing if 1 <= record["id"] < len(rows) - 1]
        if len(rows) > 2:
            with open_table(path, columns=["id"], filter=rule, rows=(1, len(rows) - 1)) as opened:
                batches = opened.iter_batches(batch_size=2)
                assert [row for batch in batches for row in batch.column("id").to_pylist()] == inside
                assert opened.num_rows == len(inside)


def test_names_that_are_exchanged_are_pruned_by_the_right_statistics(tmp_path: Path) -> None:
    # Of the file's columns a is small and b is large in every group; inside, a reads b and b reads a.
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3, 4], "b": [101, 102, 103, 104]}), path, row_group_size=2)
    maml = "extra:\n  remap:\n  - a: b\n  - b: a\n"
    assert read_table(path, maml, filter="a > 102").column("b").to_pylist() == [3, 4]
    assert read_table(path, maml, filter="b > 102").num_rows == 0
    assert read_table(path, maml, filter="a > 102 and b < 4").column("a").to_pylist() == [103]


def test_a_group_of_one_value_and_nan_is_kept_where_nan_passes(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [5.0, float("nan")]}), path)
    for rule in ("x /= 5", "not x == 5", "not x <= 5", "x not_in (5)"):
        found = read_table(path, filter=rule).column("x").to_pylist()
        assert len(found) == 1, rule
        assert math.isnan(found[0])


def test_groups_of_nan_alone_of_null_alone_and_without_statistics(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    nan = float("nan")
    values = [nan, nan, None, None, 5.0, nan, 5.0, None, 1.0, 9.0]
    for told in (True, False):
        pq.write_table(pa.table({"id": range(10), "x": values}), path, row_group_size=2, write_statistics=told)
        assert _ids(path, filter="x /= 5") == [0, 1, 5, 8, 9]
        assert _ids(path, filter="not x > 4") == [0, 1, 5, 8]
        assert _ids(path, filter="x > 5") == [9]
        assert _ids(path, filter="x is_null or x is_nan") == [0, 1, 2, 3, 5, 7]
        assert _ids(path, filter="x is_not_null and x is_not_nan") == [4, 6, 8, 9]
