"""Warnings point at the line that called, not into this package."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maml_parquet as mp

TEXT = "table: t\nfields:\n- {name: x, data_type: float64, qc: {min: 0}}\n"
BAD = {"x": [-1.5, 2.5]}


@pytest.fixture
def schema():
    return mp.Schema.from_maml(mp.parse(TEXT))


def test_a_table_that_is_written_warns_at_the_call(schema, tmp_path):
    with pytest.warns(mp.MamlWarning, match="out of bounds") as told:
        mp.write_table(BAD, tmp_path / "x.parquet", schema)
    assert [one.filename for one in told] == [__file__]


def test_a_writer_that_is_closed_warns_at_the_call(schema, tmp_path):
    writer = mp.open_writer(tmp_path / "x.parquet", schema)
    writer.write(BAD)
    with pytest.warns(mp.MamlWarning, match="out of bounds") as told:
        writer.close()
    assert [one.filename for one in told] == [__file__]


def test_a_writer_whose_block_ends_warns_there(schema, tmp_path):
    with (
        pytest.warns(mp.MamlWarning, match="out of bounds") as told,
        mp.open_writer(tmp_path / "x.parquet", schema) as writer,
    ):
        writer.write(BAD)
    assert [one.filename for one in told] == [__file__]


def test_reading_warns_at_the_call(tmp_path):
    pq.write_table(pa.table(BAD), tmp_path / "x.parquet")
    with pytest.warns(mp.MamlWarning, match="out of bounds") as told:
        mp.read_table(tmp_path / "x.parquet", TEXT, qc="warn")
    with (
        pytest.warns(mp.MamlWarning, match="out of bounds") as more,
        mp.open_table(tmp_path / "x.parquet", TEXT, qc="warn") as table,
    ):
        list(table.iter_batches())
    assert [one.filename for one in (*told, *more)] == [__file__] * 2
