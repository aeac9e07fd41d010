"""What is written comes back: values, units, UCDs, descriptions, entries, names, and bounds by the file's own MAML."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maml_parquet as mp

MAML = """\
survey: Deep
table: stars
comments:
- first
- second
fields:
- name: id
  data_type: int64
  ucd: meta.id
- name: ra
  unit: deg
  info: Right ascension
  ucd: [pos.eq.ra, meta.main]
  data_type: float64
  qc: {min: 0, max: '< 360', miss: ''}
- name: v
  data_type: float32
  col_size: 2
- name: label
  data_type: string
- name: seen
  data_type: timestamp[ms,utc]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write four rows in batches of two."""
    table = pa.table(
        {
            "id": [4, 3, 2, 1],
            "ra": [10.5, 359.5, 180.0, 0.0],
            "v": pa.array([[1, 2], [3, None], [5, 6], [7, 8]], pa.list_(pa.float32(), 2)),
            "label": ["a", None, "ccc", "dd"],
            "seen": pa.array([1, 2, None, 4], pa.timestamp("ms", "UTC")),
        }
    )
    schema = mp.Schema.from_maml(mp.parse(MAML))
    with mp.open_writer(tmp_path / "t.parquet", schema) as writer:
        writer.write(table.slice(0, 2))
        writer.write(table.slice(2))
    return tmp_path / "t.parquet"


def test_values_and_what_is_said_of_them_come_back(path: Path) -> None:
    found = mp.read_table(path)
    assert found.column("id").to_pylist() == [4, 3, 2, 1]
    assert found.column("v").to_pylist() == [[1, 2], [3, None], [5, 6], [7, 8]]
    assert found.schema.field("v").type == pa.list_(pa.field("element", pa.float32()), 2)
    assert found.column("label").to_pylist() == ["a", None, "ccc", "dd"]
    assert found.schema.field("seen").type == pa.timestamp("ms", "UTC")
    said = {b"unit": b"deg", b"ucd": b"pos.eq.ra;meta.main", b"description": b"Right ascension"}
    assert found.field("ra").metadata == said
    assert found.field("id").metadata == {b"ucd": b"meta.id"}
    assert not found.field("label").metadata
    entries = {b"survey": b"Deep", b"table": b"stars", b"comment_1": b"first", b"comment_2": b"second"}
    assert found.schema.metadata == entries


def test_the_sidecar_describes_the_file_to_the_reader(path: Path) -> None:
    sidecar = path.with_suffix(".maml")
    assert mp.read_table(path, sidecar, filter="ra > 100", sort="id").column("id").to_pylist() == [2, 3]
    # A later stage appends a row that the bounds do not allow; only its readers see that.
    table = mp.read_table(path)
    rows = table.set_column(1, table.field("ra"), pa.array([10.5, 359.5, 360.0, 0.0]))
    pq.write_table(rows, path)
    with pytest.raises(mp.MamlError, match="1 of 4") as caught:
        mp.read_table(path, sidecar)
    assert caught.value.code == "qc"
    with pytest.warns(mp.MamlWarning, match="1 of 4"):
        assert mp.read_table(path, sidecar, qc="warn").num_rows == 4


def test_units_survive_a_writer_that_knows_nothing_of_them(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    pq.write_table(mp.read_table(path), other)
    with mp.open_table(other) as table:
        assert table.units == {"id": "", "ra": "deg", "v": "", "label": "", "seen": ""}
        assert table.metadata["survey"] == "Deep"


def test_files_of_one_schema_are_read_as_a_folder(path: Path, tmp_path: Path) -> None:
    # The second file is written at once and without Nulls, so that it says so of its columns.
    folder = tmp_path / "many"
    folder.mkdir()
    path.rename(folder / "a.parquet")
    table = mp.read_table(folder / "a.parquet").slice(3)
    schema = mp.Schema.from_maml(mp.parse(MAML))
    mp.write_table(table.replace_schema_metadata(None), folder / "b.parquet", schema)
    found = mp.read_table(folder, sort="id")
    assert found.column("id").to_pylist() == [1, 1, 2, 3, 4]
    assert found.field("ra").metadata[b"unit"] == b"deg"
    with mp.open_table(folder, filter='label == "dd"') as opened:
        assert [batch.column("v").to_pylist() for batch in opened.iter_batches(batch_size=1)] == [[[7, 8]], [[7, 8]]]


def test_what_is_read_can_be_written_by_the_files_own_maml(path: Path, tmp_path: Path) -> None:
    told = mp.metadata(path).maml
    assert told is not None
    again = tmp_path / "again.parquet"
    mp.write_table(mp.read_table(path), again, mp.Schema.from_maml(mp.parse(told)))
    assert mp.read_table(again).to_pydict() == mp.read_table(path).to_pydict()
    assert mp.metadata(again).columns["ra"] == mp.metadata(path).columns["ra"]
