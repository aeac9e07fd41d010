"""What functions are given that is none of what they take: told in words, never from the inside."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maml_parquet as mp

TEXT = "table: t\nfields: [{name: a, data_type: int64}, {name: s, data_type: string, array_size: auto}]"
SEVERAL = np.array([1, 2])  # of which no truth value is known
HALF = "\ud800"  # half of a character


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.table({"a": [1, 2, 3], "s": ["x", "y", "z"]}), tmp_path / "x.parquet")
    return tmp_path / "x.parquet"


def refused(call, *given, match, **named):
    with pytest.raises(mp.MamlError, match=match) as caught:
        call(*given, **named)
    return caught.value.code


class Bytes:
    def __fspath__(self):
        return b"x"


@pytest.mark.parametrize("other", ["a\0b", HALF, Bytes()])
def test_a_path_that_no_file_can_have(other, tmp_path):
    schema = mp.Schema.from_maml(mp.parse(TEXT))
    for call in (mp.load, mp.validate, mp.metadata, mp.read_table, mp.open_table):
        assert refused(call, other, match="give") == "argument"
    assert refused(mp.write_table, {"a": [1], "s": ["x"]}, other, schema, match="give") == "argument"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("other", [None, SEVERAL, ["warn"], 1])
def test_a_word_that_is_none(other, path):
    for name in ("role", "profile", "dialect"):
        assert refused(mp.parse, TEXT, **{name: other}, match=f"{name} is .*; use one of") == "argument"
    assert refused(mp.json_schema, other, match="use one of") == "argument"
    assert refused(mp.read_table, path, qc=other, match="qc is .*; use one of") == "argument"
    schema = mp.Schema.from_maml(mp.parse(TEXT))
    found = refused(
        mp.open_writer, path.with_name("y.parquet"), schema, on_overlong=other, match="use 'error' or 'warn'"
    )
    assert found == "argument"


@pytest.mark.parametrize("other", [None, SEVERAL, ["a"], 1, True])
def test_a_name_that_is_no_text(other, path):
    schema = mp.Schema.from_maml(mp.parse(TEXT))
    for call in (schema.enable, schema.disable, schema.set_qc):
        assert refused(call, other, match="is no name of a column; give a text") == "argument"
    for call in (schema.set_col_size, schema.set_array_size):
        assert refused(call, other, 3, match="is no name of a column; give a text") == "argument"
    with mp.open_table(path) as table:
        assert refused(table.column, other, match="is no name of a column; give a text") == "argument"
        assert refused(table.rename_column, other, "b", match="is no name of a column; give a text") == "argument"
        if other is not None:
            assert refused(table.reload, other, match="is no name of a column; give a text") == "argument"
        assert table.column("a").to_pylist() == [1, 2, 3]
    assert mp.metadata(path).get(other, "none") == "none"


@pytest.mark.parametrize("other", [int, 1.5, "1", True, np.True_])
def test_rows_that_are_no_whole_numbers(other, path):
    assert refused(mp.read_table, path, rows=(other, 2), match="is no whole number") == "argument"
    assert refused(mp.read_table, path, rows=(0, other), match="is no whole number") == "argument"
    assert mp.read_table(path, rows=(np.int8(1), np.uint8(2))).column("a").to_pylist() == [2]


def test_sizes_beyond_what_a_file_counts(path):
    schema = mp.Schema.from_maml(mp.parse(TEXT))
    other = path.with_name("y.parquet")
    assert refused(mp.open_writer, other, schema, row_group_size=2**31, match="from 1 to 2147483647") == "argument"
    with mp.open_table(path) as table:
        assert refused(table.iter_batches, batch_size=2**31, match="from 1 to 2147483647") == "argument"
        assert [batch.num_rows for batch in table.iter_batches(batch_size=2**31 - 1)] == [3]
    mp.write_table({"a": [1], "s": ["x"]}, other, schema, row_group_size=2**31 - 1, compression_level=np.int64(1))
    assert mp.read_table(other).num_rows == 1


def test_half_a_character_in_a_value(path):
    assert refused(mp.read_table, path, filter=f's == "{HALF}"', match="half a character") == "filter"
    found = refused(mp.read_table, path, checks={"s": {"max": HALF}}, match="half a character")
    assert found == "argument"
    assert mp.read_table(path, filter='s == "x"').num_rows == 1
