"""Files as one sequence of row groups: one file, folders of them, and what is no parquet file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet.errors import MamlError
from maml_parquet.files.sources import open_sources


def _write(path: Path, first: int, rows: int, group: int = 100) -> None:
    table = pa.table({"id": pa.array(range(first, first + rows), pa.int64()), "x": [float(i) for i in range(rows)]})
    pq.write_table(table, path, row_group_size=group)


def test_groups_of_a_file_follow_each_other(tmp_path: Path) -> None:
    _write(tmp_path / "t.parquet", 0, 7, group=3)
    with open_sources(tmp_path / "t.parquet") as sources:
        assert [(g.file, g.index, g.start, g.rows) for g in sources.groups] == [
            (0, 0, 0, 3),
            (0, 1, 3, 3),
            (0, 2, 6, 1),
        ]
        assert sources.num_rows == 7
        assert sources.read([sources.groups[1]], ["id"]).to_pydict() == {"id": [3, 4, 5]}


def test_files_of_a_folder_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    _write(tmp_path / "b.parquet", 10, 2)
    _write(tmp_path / "a.parquet", 20, 3)
    _write(tmp_path / "a10.parq", 30, 1)
    with open_sources(tmp_path) as sources:
        assert [footer.path.name for footer in sources.footers] == ["a.parquet", "a10.parq", "b.parquet"]
        assert [(g.file, g.start, g.rows) for g in sources.groups] == [(0, 0, 3), (1, 3, 1), (2, 4, 2)]
        found = [i for group in sources.groups for i in sources.read([group], ["id"]).column("id").to_pylist()]
    assert found == [20, 21, 22, 30, 10, 11]


@pytest.mark.parametrize("name", ["_metadata", "_common_metadata", ".hidden.parquet", "_x.parquet", "t.maml", "README"])
def test_names_of_other_things_in_a_folder_are_skipped(tmp_path: Path, name: str) -> None:
    _write(tmp_path / "a.parquet", 1, 2)
    (tmp_path / name).write_bytes(b"no parquet at all")
    with open_sources(tmp_path) as sources:
        assert sources.num_rows == 2


def test_a_hidden_folder_inside_is_skipped_and_another_is_told(tmp_path: Path) -> None:
    _write(tmp_path / "a.parquet", 1, 2)
    (tmp_path / "_temporary").mkdir()
    (tmp_path / ".git").mkdir()
    with open_sources(tmp_path) as sources:
        assert sources.num_rows == 2
    (tmp_path / "Norder=1").mkdir()
    with pytest.raises(MamlError, match="Norder=1") as caught:
        open_sources(tmp_path)
    assert caught.value.code == "file"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"id": pa.array([1], pa.int32()), "x": [1.0]}, r"has int32 in its column 'id', and a.parquet has int64"),
        ({"id": pa.array([1], pa.int64())}, r"has no column 'x', which a.parquet has"),
        ({"id": pa.array([1], pa.int64()), "x": [1.0], "y": [1.0]}, r"has a column 'y', which a.parquet has not"),
        ({"x": [1.0], "id": pa.array([1], pa.int64())}, r"in another order than a.parquet"),
    ],
)
def test_a_file_with_other_columns_is_named(tmp_path: Path, other: dict[str, object], said: str) -> None:
    _write(tmp_path / "a.parquet", 1, 2)
    pq.write_table(pa.table(other), tmp_path / "b.parquet")
    with pytest.raises(MamlError, match=said) as caught:
        open_sources(tmp_path)
    assert str(tmp_path / "b.parquet") in str(caught.value)
    assert caught.value.code == "file"


def test_files_that_differ_in_what_may_be_null_are_one_table(tmp_path: Path) -> None:
    strict = pa.schema([pa.field("x", pa.float64(), nullable=False), pa.field("s", pa.string())])
    vector = pa.list_(pa.field("element", pa.int32(), nullable=False), 2)
    loose = pa.list_(pa.field("element", pa.int32()), 2)
    strict = strict.append(pa.field("v", vector, nullable=False))
    free = pa.schema([("x", pa.float64()), ("s", pa.large_string()), ("v", loose)])
    pq.write_table(pa.table([[1.5], ["a"], pa.array([[1, 2]], vector)], schema=strict), tmp_path / "a.parquet")
    pq.write_table(pa.table([[None], ["b"], pa.array([[3, None]], loose)], schema=free), tmp_path / "b.parquet")
    with open_sources(tmp_path) as sources:
        tables = [sources.read([group], ["x", "s", "v"]) for group in sources.groups]
    found = pa.concat_tables(tables)
    assert found.to_pydict() == {"x": [1.5, None], "s": ["a", "b"], "v": [[1, 2], [3, None]]}
    assert found.schema.field("x").nullable
    assert found.schema.field("s").type == pa.large_string()


def test_names_with_dots_are_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [{"b": 1}], "a.b": [2], "a.c": [3]}), path)
    with open_sources(path) as sources:
        assert sources.read(sources.groups, ["a.b"]).to_pydict() == {"a.b": [2]}
        assert sources.read(sources.groups, ["a"]).to_pydict() == {"a": [{"b": 1}]}


def test_reading_pieces_is_not_ended_by_other_reading(tmp_path: Path) -> None:
    _write(tmp_path / "a.parquet", 0, 4)
    _write(tmp_path / "b.parquet", 4, 4)
    with open_sources(tmp_path) as sources:
        pieces = sources.batches(sources.groups[0], ["id"], 2)
        assert next(pieces).column("id").to_pylist() == [0, 1]
        assert sources.read([sources.groups[1]], ["id"]).column("id").to_pylist() == [4, 5, 6, 7]
        assert next(pieces).column("id").to_pylist() == [2, 3]
        assert next(pieces, None) is None


def test_no_such_file_is_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        open_sources(tmp_path / "none.parquet")


def test_a_folder_without_parquet_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "t.maml").write_text("table: t\n")
    with pytest.raises(MamlError, match="holds no parquet files") as caught:
        open_sources(tmp_path)
    assert caught.value.code == "file"


@pytest.mark.parametrize("what", ["empty", "text", "cut at its end", "cut in its footer", "magic alone"])
def test_what_is_no_whole_parquet_file_is_told(tmp_path: Path, what: str) -> None:
    path = tmp_path / "t.parquet"
    _write(path, 1, 50)
    whole = path.read_bytes()
    torn = {
        "empty": b"",
        "text": b"table: t\nfields: []\n" * 5,
        "cut at its end": whole[:-3],
        "cut in its footer": whole[: len(whole) // 2] + whole[-8:],
        "magic alone": b"PAR1PAR1",
    }
    path.write_bytes(torn[what])
    with pytest.raises(MamlError, match="is no whole parquet file") as caught:
        open_sources(path)
    assert caught.value.code == "file"
    assert str(path) in str(caught.value)
    path.write_bytes(whole)
    open_sources(path).close()


def test_a_damaged_row_group_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    _write(path, 0, 300)
    chunk = pq.read_metadata(path).row_group(1).column(0)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 40] = b"\xff" * 40
    path.write_bytes(data)
    with open_sources(path) as sources:
        assert sources.read([sources.groups[0]], ["id"]).num_rows == 100
        with pytest.raises(MamlError, match=r"row group 1 of .*t.parquet is damaged") as caught:
            sources.read([sources.groups[1]], ["id"])
        assert caught.value.code == "file"
        with pytest.raises(MamlError, match=r"row group 1 of .*t.parquet is damaged"):
            list(sources.batches(sources.groups[1], ["id"], 10))
        assert sources.read([sources.groups[1]], ["x"]).num_rows == 100


def test_a_value_that_has_changed_is_found_by_its_checksum(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"x": [1.5, 2.5, 3.5]})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    data = path.read_bytes()
    with open_sources(path) as sources:
        assert sources.read(sources.groups, ["x"]).column("x").to_pylist() == [1.5, 2.5, 3.5]
    # 2.5 is 00 00 00 00 00 00 04 40; one bit makes it 2.625 (05).
    where = data.index(b"\x00\x00\x00\x00\x00\x00\x04\x40") + 6
    path.write_bytes(data[:where] + b"\x05" + data[where + 1 :])
    with open_sources(path) as sources, pytest.raises(MamlError, match="is damaged") as caught:
        sources.read(sources.groups, ["x"])
    assert caught.value.code == "file"
