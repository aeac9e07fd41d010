"""Columns whose statistics pyarrow must not be asked for: by hand, and files that would end the process."""

import base64
import datetime
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet import MamlError, metadata, read_table
from maml_parquet.files.chunks import Chunk, Part, unsound
from maml_parquet.files.footer import read_footer

# A root with two columns: x of int64 (type 2), which may be Null, and in the list v doubles (type 5): of its elements
# the list may be Null (1), is repeated (2), and they may be Null (3), so that there are levels from 0 to 3.
PARTS = [
    Part(b"schema", 2, None, 0),
    Part(b"x", 0, 2, 1),
    Part(b"v", 1, None, 1),
    Part(b"list", 1, None, 2),
    Part(b"element", 0, 5, 1),
]
X = Chunk(2, False, False, 1, 2)
V = Chunk(5, False, False, 2, 4)


def test_columns_that_agree_with_the_schema_are_sound():
    assert unsound(PARTS, [(X, V), (X, V)]) == frozenset()
    # No statistics of sizes.
    assert unsound(PARTS, [(X._replace(repetitions=0, definitions=0), V)]) == frozenset()


@pytest.mark.parametrize(
    "other",
    [
        V._replace(physical=4),
        V._replace(physical=None),
        V._replace(is_encrypted=True),
        V._replace(has_bytes=True),  # only of strings are bytes counted
        V._replace(repetitions=1),
        V._replace(repetitions=3),
        V._replace(definitions=3),
        V._replace(definitions=5),
    ],
)
def test_a_column_that_contradicts_the_schema_in_one_group_is_not_sound(other):
    assert unsound(PARTS, [(X, V), (X, other)]) == {1}


def test_no_column_is_sound_where_a_group_has_more_or_fewer():
    assert unsound(PARTS, [(X, V), (X,)]) == {0, 1}
    assert unsound(PARTS, [(X, V, V)]) == {0, 1}


def test_bytes_of_strings_are_sound():
    parts = [Part(b"schema", 1, None, 0), Part(b"s", 0, 6, 0)]
    assert unsound(parts, [(Chunk(6, False, True, 1, 1),)]) == frozenset()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_columns_of_every_nesting_are_sound_as_pyarrow_writes_them(tmp_path, version):
    table = pa.table(
        {
            "i": pa.array([1, None], pa.int8()),
            "s": ["a", "b"],
            "d": pa.array([b"ab", b"cd"], pa.binary(2)),
            "t": pa.array([{"a": 1, "b": [{"c": "x"}]}, None]),
            "m": pa.array([[("k", [1.0])], []], pa.map_(pa.string(), pa.list_(pa.float64()))),
            "v": pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float64(), 2)),
            "b": [True, False],
            "n": pa.nulls(2),
        }
    )
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, row_group_size=1, data_page_version=version, write_page_index=True)
    assert read_footer(path).unsound == frozenset()


def filtered(path, rule):
    """The rows that pass, found by a process of its own, which may end."""
    code = "import sys, maml_parquet as m; print(m.read_table(sys.argv[1], filter=sys.argv[2]).num_rows)"
    return subprocess.run([sys.executable, "-c", code, path, rule], capture_output=True, text=True, check=False)


def test_a_column_whose_type_is_told_in_two_ways_does_not_end_the_process(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": pa.array([1, 2, 3, 4], pa.int64())}), path, row_group_size=2, store_schema=False)
    raw = bytearray(path.read_bytes())
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    # The head of the field `meta_data`, a structure (0x1c or after a field), begins with the type: field 1, int32 2.
    at = raw.index(b"\x1c\x15\x04", raw.index(b"\x19", raw.index(b"x", footer)))
    raw[at + 2] = 0x0A  # int32 5, a double
    path.write_bytes(raw)
    assert read_footer(path).unsound == {0}
    assert metadata(path).names == ("x",)
    found = filtered(path, "x > 2")
    assert found.returncode in (0, 1), found.stderr
    assert found.stdout == "2\n" or "maml_parquet.errors.MamlError" in found.stderr


def test_an_encrypted_column_is_told_and_the_others_are_read(tmp_path):
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def __init__(self, _):
            super().__init__()

        def wrap_key(self, key, _):
            return base64.b64encode(key).decode()

    asked = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"k": ["b"]}, plaintext_footer=True, cache_lifetime=datetime.timedelta(minutes=5)
    )
    factory = encryption.CryptoFactory(Keys)
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), asked)
    path = tmp_path / "x.parquet"
    table = pa.table({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0]})
    with pq.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    assert read_footer(path).unsound == {1}
    assert read_table(path, columns=["a"], filter="a > 1").column("a").to_pylist() == [2, 3]
    with pytest.raises(MamlError, match=r"is encrypted: .*; decrypt it with"):
        read_table(path)
    found = filtered(path, "b > 2")
    assert found.returncode == 1
    assert "is encrypted" in found.stderr


def test_names_inside_columns_that_are_not_utf8_are_told(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"s": [{"inner": 1}]}), path, store_schema=False)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"inner", b"in\xffer"))
    with pytest.raises(MamlError, match="is not UTF-8"):
        read_table(path)
    path.write_bytes(raw)
    assert read_table(path).column("s").to_pylist() == [{"inner": 1}]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(MamlError, match="is a pipe, a device or a socket"):
        read_table(tmp_path / "x.parquet")
    with pytest.raises(MamlError, match="is a pipe, a device or a socket"):
        read_table(tmp_path)
