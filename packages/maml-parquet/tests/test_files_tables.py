"""Open tables: columns that are read when they are asked for, names that change, batches with bounded memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet.errors import MamlError
from maml_parquet.files.sources import Sources
from maml_parquet.files.tables import ParquetTable, open_table

REMAP = "extra:\n  remap:\n  - mass: m\n  - twin: m\nfields:\n- name: m\n  unit: kg\n"


def _write(path: Path, scale: float = 1.0) -> None:
    table = pa.table({"id": range(10), "m": [scale * i for i in range(10)], "s": [f"n{i}" for i in range(10)]})
    pq.write_table(table.replace_schema_metadata({"survey": "Deep"}), path, row_group_size=4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write ten rows in groups of 4, 4 and 2."""
    _write(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[str, ...]]]:
    """Collect what is read: the position of a row group, and the columns."""
    found: list[tuple[int, tuple[str, ...]]] = []
    original = Sources.read

    def reading(self: Sources, groups: Any, columns: Any) -> pa.Table:
        found.extend((group.index, tuple(columns)) for group in groups)
        return original(self, groups, columns)

    monkeypatch.setattr(Sources, "read", reading)
    return found


def test_opening_reads_no_rows(path: Path, read: list[Any]) -> None:
    with open_table(path, REMAP) as table:
        assert table.names == ("id", "mass", "twin", "s")
        assert {name: str(kind) for name, kind in table.kinds.items()} == {
            "id": "int64",
            "mass": "float64",
            "twin": "float64",
            "s": "string",
        }
        assert table.units == {"id": "", "mass": "kg", "twin": "kg", "s": ""}
        assert table.metadata == {"survey": "Deep"}
        assert table.num_rows == 10
    assert read == []


def test_a_column_is_read_once(path: Path, read: list[Any]) -> None:
    with open_table(path) as table:
        assert table.column("m").to_pylist() == [float(i) for i in range(10)]
        assert table.column("m") is table.column("m")
    assert [columns for _, columns in read] == [("m",)] * 3


def test_the_filter_is_asked_once_and_only_where_rows_may_pass(path: Path, read: list[Any]) -> None:
    with open_table(path, filter="id >= 7") as table:
        assert table.num_rows == 3
        assert table.column("s").to_pylist() == ["n7", "n8", "n9"]
        assert table.column("m").to_pylist() == [7.0, 8.0, 9.0]
    # The first group holds ids 0 to 3 and is never read.
    assert read == [(1, ("id",)), (2, ("id",)), (1, ("s",)), (2, ("s",)), (1, ("m",)), (2, ("m",))]


def test_other_columns_are_left_unread_where_no_row_passes(path: Path, read: list[Any]) -> None:
    with open_table(path, filter="m is_finite and id == 5") as table:
        assert table.column("s").to_pylist() == ["n5"]
    # Statistics of id leave the group of rows 4 to 7 alone.
    assert read == [(1, ("m", "id")), (1, ("s",))]


def test_two_names_of_one_column_are_independent(path: Path) -> None:
    with open_table(path, REMAP) as table:
        table.rename_column("mass", "weight")
        assert table.names == ("id", "weight", "twin", "s")
        assert table.column("weight").to_pylist() == table.column("twin").to_pylist()
        assert table.units["weight"] == "kg"
        assert table.to_arrow(["weight"]).field("weight").metadata == {b"unit": b"kg"}


def test_renaming_changes_the_name_alone(path: Path) -> None:
    with open_table(path, REMAP) as table:
        before = table.column("mass")
        table.rename_column("mass", "m")
        assert table.column("m") is before
        table.reload("m")
        assert table.column("m").to_pylist() == before.to_pylist()
        table.rename_column("m", "mm")
        table.rename_column("mm", "mass")
        assert table.names == ("id", "mass", "twin", "s")


@pytest.mark.parametrize(
    ("old", "new", "code"), [("m", "x", "column"), ("mass", "twin", "argument"), ("mass", "", "argument")]
)
def test_names_that_cannot_be_given(path: Path, old: str, new: str, code: str) -> None:
    with open_table(path, REMAP) as table:
        with pytest.raises(MamlError) as caught:
            table.rename_column(old, new)
        assert caught.value.code == code
        table.rename_column("mass", "mass")
        assert table.names == ("id", "mass", "twin", "s")


def test_reloading_a_column_reads_it_again(path: Path, read: list[Any]) -> None:
    with open_table(path) as table:
        table.column("m")
        table.reload("m")
        table.column("m")
        assert len(read) == 6
        with pytest.raises(MamlError, match="no column 'nope'"):
            table.reload("nope")


def test_reloading_all_opens_the_file_anew_and_keeps_names(path: Path) -> None:
    with open_table(path, REMAP, filter="mass > 6") as table:
        table.rename_column("mass", "weight")
        assert table.column("weight").to_pylist() == [7.0, 8.0, 9.0]
        new = path.with_name("new")
        _write(new, scale=2.0)
        new.replace(path)
        table.reload()
        assert table.names == ("id", "weight", "twin", "s")
        assert table.column("weight").to_pylist() == [8.0, 10.0, 12.0, 14.0, 16.0, 18.0]


def test_reloading_a_file_that_no_longer_fits_leaves_the_table_as_it_was(path: Path) -> None:
    with open_table(path, REMAP) as table:
        table.column("mass")
        new = path.with_name("new")
        pq.write_table(pa.table({"other": [1]}), new)
        new.replace(path)
        with pytest.raises(MamlError, match="no column 'm'"):
            table.reload()
        assert table.names == ("id", "mass", "twin", "s")
        assert table.column("mass").to_pylist()[:2] == [0.0, 1.0]


def test_columns_of_a_table_are_those_that_were_asked_for(path: Path) -> None:
    with open_table(path, REMAP, columns=["s", "twin"], filter="id < 2") as table:
        assert table.names == ("s", "twin")
        assert table.to_arrow().to_pydict() == {"s": ["n0", "n1"], "twin": [0.0, 1.0]}
        with pytest.raises(MamlError, match="no column 'id'"):
            table.column("id")


def test_to_arrow_gives_columns_in_the_order_of_their_names(path: Path) -> None:
    with open_table(path, sort="-id") as table:
        assert table.column("s").to_pylist()[0] == "n9"
        found = table.to_arrow(["m", "s"])
        assert found.schema.names == ["m", "s"]
        assert found.column("m").to_pylist() == [float(i) for i in range(9, -1, -1)]
        assert table.to_arrow([]).num_rows == 10


@pytest.mark.parametrize(("size", "rows"), [(3, [3, 3, 3, 1]), (4, [4, 4, 2]), (5, [5, 5]), (100, [10]), (1, [1] * 10)])
def test_batches_are_of_their_size_but_the_last(path: Path, size: int, rows: list[int]) -> None:
    with open_table(path) as table:
        batches = list(table.iter_batches(batch_size=size))
    assert [batch.num_rows for batch in batches] == rows
    assert pa.Table.from_batches(batches).column("id").to_pylist() == list(range(10))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"filter": "m > 2.5 and id /= 6"},
        {"filter": "m > 100"},
        {"rows": (3, 9)},
        {"rows": (3, 9), "filter": "id == 3 or id >= 8"},
        {"rows": (5, 5)},
        {"sort": "-m"},
        {"sort": "s desc", "filter": "id > 4"},
        {"columns": ["s"], "filter": "m < 6"},
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_batches_are_the_rows_of_the_whole_table(path: Path, arguments: dict[str, Any], size: int) -> None:
    with open_table(path, **arguments) as table:
        whole = table.to_arrow()
        batches = list(table.iter_batches(batch_size=size))
        assert pa.Table.from_batches(batches, schema=whole.schema).to_pydict() == whole.to_pydict()
        assert all(batch.num_rows for batch in batches)
        assert table.num_rows == whole.num_rows


def test_batches_of_a_folder_run_across_its_files(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": [4, 5]}), tmp_path / "b.parquet")
    with open_table(tmp_path) as table:
        batches = table.iter_batches(batch_size=2)
        assert next(batches).column("id").to_pylist() == [1, 2]
        # Other reading in between does not disturb them.
        assert table.column("id").to_pylist() == [1, 2, 3, 4, 5]
        assert [batch.column("id").to_pylist() for batch in batches] == [[3, 4], [5]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"columns": ["nope"]}, "column"),
        ({"columns": []}, "argument"),
        ({"batch_size": 0}, "argument"),
        ({"batch_size": 2.5}, "argument"),
        ({"batch_size": True}, "argument"),
    ],
)
def test_batches_that_cannot_be_given_are_told_at_once(path: Path, arguments: dict[str, Any], code: str) -> None:
    with open_table(path) as table:
        with pytest.raises(MamlError) as caught:
            table.iter_batches(**arguments)
        assert caught.value.code == code


@pytest.mark.parametrize(
    "use",
    [
        lambda table: table.column("id"),
        lambda table: table.to_arrow(),
        lambda table: table.iter_batches(),
        lambda table: table.num_rows,
        lambda table: table.reload(),
        lambda table: table.rename_column("id", "x"),
    ],
)
def test_a_closed_table_says_so(path: Path, use: Callable[[ParquetTable], object]) -> None:
    table = open_table(path)
    table.close()
    table.close()
    with pytest.raises(MamlError, match="is closed") as caught:
        use(table)
    assert caught.value.code == "argument"
    assert table.names == ("id", "m", "s")


def test_batches_of_a_table_that_is_closed_meanwhile_say_so(path: Path) -> None:
    table = open_table(path)
    batches: Iterator[pa.RecordBatch] = table.iter_batches(batch_size=2)
    next(batches)
    table.close()
    with pytest.raises(MamlError, match="is closed"):
        list(batches)


STREAM = """
import sys, threading, time
import psutil
from maml_parquet.files.tables import open_table

process, peak, done = psutil.Process(), 0, False

def watch():
    global peak
    while not done:
        peak = max(peak, process.memory_info().rss)
        time.sleep(0.002)

with open_table(sys.argv[1], filter=sys.argv[2] or None, checks={"x0": {"min": 0}}) as table:
    next(table.iter_batches())
    start = process.memory_info().rss
    thread = threading.Thread(target=watch)
    thread.start()
    rows = sum(batch.num_rows for batch in table.iter_batches())
    done = True
    thread.join()
print(rows, peak - start)
"""


@pytest.mark.parametrize(("rule", "rows"), [("", 40 * 100_000), ("x1 >= 0", 40 * 100_000)])
def test_memory_of_batches_is_that_of_a_few_row_groups(tmp_path: Path, rule: str, rows: int) -> None:
    # 40 row groups of 100 000 rows by 8 columns of 8 bytes: 6.4 MB each, 256 MB in all.
    pytest.importorskip("psutil")
    path = tmp_path / "big.parquet"
    group = pa.table({f"x{at}": np.arange(100_000) + float(at) for at in range(8)})
    with pq.ParquetWriter(path, group.schema, use_dictionary=False) as writer:
        for _ in range(40):
            writer.write_table(group)
    run = subprocess.run(
        [sys.executable, "-c", STREAM, str(path), rule], capture_output=True, text=True, check=True, timeout=120
    )
    found, grown = map(int, run.stdout.split())
    assert found == rows
    # Four groups, and what an allocator keeps besides.
    assert grown < 4 * 6.4e6 + 32e6


def test_a_file_that_has_changed_is_not_read_by_the_footer_of_the_old_one(path: Path) -> None:
    with open_table(path) as table:
        assert table.column("m").to_pylist()[1] == 1.0
        new = path.with_name("new")
        _write(new, scale=3.0)
        new.replace(path)
        with pytest.raises(MamlError, match="has changed since it was opened") as caught:
            table.column("id")
        assert caught.value.code == "file"
        with pytest.raises(MamlError, match="has changed"):
            list(table.iter_batches())
        table.reload()
        assert table.column("m").to_pylist()[1] == 3.0


def test_reloading_a_file_with_a_column_of_a_given_name_is_told(path: Path) -> None:
    with open_table(path) as table:
        table.rename_column("m", "flux")
        new = path.with_name("new")
        pq.write_table(pa.table({"m": [1.0], "flux": [2.0]}), new)
        new.replace(path)
        with pytest.raises(MamlError, match="'flux' too") as caught:
            table.reload()
        assert caught.value.code == "column"
        assert table.names == ("id", "flux", "s")


def test_names_that_are_exchanged_by_renaming(path: Path) -> None:
    with open_table(path, columns=["id", "m"]) as table:
        table.rename_column("id", "x")
        table.rename_column("m", "id")
        table.rename_column("x", "m")
        table.reload()
        assert table.names == ("m", "id")
        assert table.column("m").to_pylist() == list(range(10))
        assert table.column("id").type == pa.float64()


def test_dictionaries_are_read_in_batches(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    words = pa.array(["b", "a", "b", None, "c"]).dictionary_encode()
    pq.write_table(pa.table({"w": words, "id": range(5)}), path, row_group_size=2)
    with open_table(path, filter='w /= "a"', sort="w desc") as table:
        assert table.column("id").to_pylist() == [4, 0, 2]
    with open_table(path, filter="id > 0", checks={"w": {"max": "c"}}) as table:
        batches = list(table.iter_batches(batch_size=3))
        assert [value for batch in batches for value in batch.column("w").to_pylist()] == ["a", "b", None, "c"]
        assert batches[0].schema.field("w").type == words.type
