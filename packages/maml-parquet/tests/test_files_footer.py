"""The walk over a parquet file's footer: bytes by hand, files of five programs, and what is broken."""

import io
import os
import random
import struct
import time
import tracemalloc

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from maml_parquet.errors import CODES, MamlError
from maml_parquet.files import footer
from maml_parquet.files.footer import items, parse_footer, read_footer

# FileMetaData by hand. A field's head is (distance from the field before << 4 | kind); integers are zigzag (n -> 2 n).
VERSION = b"\x15\x04"  # field 1, int32 2
# field 2, a list of two structures: the root (name "schema", one part inside), and the column "x" (int64 is type 2).
SCHEMA = b"\x19\x2c" + b"\x48\x06schema\x15\x02\x00" + b"\x15\x04\x38\x01x\x00"
ROWS = b"\x16\x06"  # field 3, int64 3
GROUPS = b"\x19\x0c"  # field 4, an empty list of structures
# field 5, three pairs: a -> 1, a -> 2, and b without a value.
PAIRS = b"\x19\x3c" + b"\x18\x01a\x18\x011\x00" + b"\x18\x01a\x18\x012\x00" + b"\x18\x01b\x00"
BY = b"\x18\x02me"  # field 6
WHOLE = VERSION + SCHEMA + ROWS + GROUPS + PAIRS + BY + b"\x00"


def whole(data, *, first=b"PAR1", last=b"PAR1", length=None):
    return first + data + struct.pack("<I", len(data) if length is None else length) + last


def arrow_file(metadata, **columns):
    sink = io.BytesIO()
    schema = pa.table(columns or {"x": [1, 2, 3]}).schema
    with pq.ParquetWriter(sink, schema) as writer:
        writer.write_table(pa.table(columns or {"x": [1, 2, 3]}))
        writer.add_key_value_metadata(metadata)
    return sink.getvalue()


def answered(read, data):
    """The answer, or None where the data is refused as it should be."""
    try:
        return read(data)
    except MamlError as error:
        if error.code != "file":
            raise
        return None


def test_a_footer_by_hand_is_read_whole():
    found = parse_footer(WHOLE)
    assert found.num_rows == 3
    assert found.num_row_groups == 0
    assert found.created_by == "me"
    assert found.names == ("x",)
    assert found.items == (("a", "1"), ("a", "2"), ("b", ""))
    assert items(io.BytesIO(whole(WHOLE))) == found.items


def test_a_file_without_keys_has_none():
    assert items(io.BytesIO(whole(VERSION + SCHEMA + ROWS + GROUPS + b"\x00"))) == ()


@pytest.mark.parametrize(
    "unknown",
    [
        b"\x31",  # field 9: true, which is in the head
        b"\x33\x7f",  # a byte
        b"\x36\x80\x80\x01",  # an integer of three bytes
        b"\x37" + bytes(8),  # a double
        b"\x38\x03abc",  # a string
        b"\x39\x31\x01\x02\x01",  # a list of three truth values
        b"\x3a\x25\x02\x04",  # a set of two integers
        b"\x3b\x00",  # an empty map
        b"\x3b\x01\x85\x01a\x08",  # a map of one string to one int32
        b"\x3c\x16\x02\x00",  # a structure
        b"\x3d" + bytes(16),  # a UUID
        b"\x06\xc8\x01\x02",  # field 100, its number (zigzag 200) written out
    ],
)
def test_fields_that_are_not_known_are_passed_over(unknown):
    assert parse_footer(WHOLE[:-1] + unknown + b"\x00") == parse_footer(WHOLE)


def test_columns_are_the_outermost_names():
    table = pa.table(
        {
            "a": pa.array([1], pa.int32()),
            "s": pa.array([{"p": 1, "q": {"r": "t"}}]),
            "v": pa.array([[1.0, 2.0]], pa.list_(pa.float64(), 2)),
            "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
            "z.é": pa.array([True]),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    assert read_footer(sink).names == ("a", "s", "v", "m", "z.é")


def test_a_table_without_columns_has_no_names():
    sink = io.BytesIO()
    pq.write_table(pa.table({}), sink)
    assert read_footer(sink).names == ()


def test_repeated_keys_stay_in_order():
    pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("", "empty"), ("c", ""), ("a", "1")]
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, pa.schema([("x", pa.int64())]), store_schema=False) as writer:
        writer.add_key_value_metadata(pa.KeyValueMetadata(pairs))
    assert items(sink) == tuple(pairs)


def test_what_is_not_utf8_is_told_as_escapes_and_kept_as_bytes():
    data = VERSION + SCHEMA + ROWS + GROUPS + b"\x19\x1c" + b"\x18\x02\xffk\x18\x03\xc3\xa9\x80\x00" + b"\x00"
    found = parse_footer(data)
    assert found.items == (("\\xffk", "é\\x80"),)
    assert found.raw_items == ((b"\xffk", b"\xc3\xa9\x80"),)


def test_the_position_of_an_open_file_stays():
    file = io.BytesIO(whole(WHOLE))
    file.seek(5)
    assert read_footer(file).num_rows == 3
    assert file.tell() == 5


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (b"PAR1PAR1", "8 bytes"),
        (b"survey,1\nsurvey,2\n", "no parquet file"),
        (whole(WHOLE)[:-9] + b"\x00" * 9, "torn"),
        (whole(WHOLE, first=b"PK\x03\x04"), "begins with"),
        (whole(WHOLE, first=b"PARE", last=b"PARE"), "encrypted"),
        (whole(WHOLE, length=len(WHOLE) + 1), f"claims a footer of {len(WHOLE) + 1} bytes and has {len(WHOLE)}"),
        (whole(WHOLE, length=2**32 - 1), "claims a footer of 4294967295 bytes"),
        (whole(b""), "ends too early"),
        (whole(b"\x00"), "no version"),
        (whole(VERSION + ROWS.replace(b"\x16", b"\x26") + GROUPS + b"\x00"), "no columns"),
        (whole(VERSION + SCHEMA + GROUPS.replace(b"\x19", b"\x29") + b"\x00"), "no number of rows"),
        (whole(VERSION + SCHEMA + ROWS + b"\x00"), "no row groups"),
        (whole(VERSION + SCHEMA + b"\x16\x05" + GROUPS + b"\x00"), "number of rows is -3"),
        (whole(VERSION + SCHEMA + ROWS + GROUPS + b"\x19\x1c\x28\x01v\x00\x00"), "no key"),
        (whole(VERSION + SCHEMA + ROWS + GROUPS + b"\x19\x18\x01a\x00"), "something else than structures"),
        (whole(VERSION + SCHEMA + ROWS + b"\x19\x16\x02\x00"), "something else than structures"),
        (whole(VERSION + b"\x19\x1c\x48\x01r\x15\x02\x00" + ROWS + GROUPS + b"\x00"), "1 parts of its columns"),
        (whole(VERSION + b"\x19\x2c\x48\x01r\x00\x48\x01x\x00" + ROWS + GROUPS + b"\x00"), "after the last column"),
        (whole(VERSION + b"\x19\x1c\x15\x02\x00" + ROWS + GROUPS + b"\x00"), "no name"),
        (whole(WHOLE + b"\x00"), "1 bytes follow its end"),
        (whole(WHOLE + bytes(29)), "29 bytes follow its end"),
        (whole(b"\x1f\x00\x00"), "no kind of value"),
        (whole(b"\x15" + b"\xff" * 11 + b"\x01\x00"), "no end"),
        (whole(b"\x19" * 50 + b"\x00"), "more than 32"),
    ],
)
def test_what_is_no_parquet_file_is_named_as_such(data, words, tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(data)
    for file in (path, str(path), io.BytesIO(data)):
        with pytest.raises(MamlError) as caught:
            items(file)
        assert caught.value.code == "file"
        assert "file" in CODES
        assert words in str(caught.value)
    with pytest.raises(MamlError, match=r"t\.parquet"):
        items(path)


def test_a_missing_file_is_not_found_and_a_folder_is_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        items(tmp_path / "none.parquet")
    with pytest.raises(OSError, match=tmp_path.name):
        items(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "p")
    with pytest.raises(MamlError, match="pipe"):
        items(tmp_path / "p")


def test_a_footer_above_the_limit_is_not_read(tmp_path):
    path = tmp_path / "t.parquet"
    with path.open("wb") as file:
        file.write(b"PAR1")
        file.truncate(4 + footer.MAX_FOOTER + 1)
        file.seek(0, os.SEEK_END)
        file.write(struct.pack("<I", footer.MAX_FOOTER + 1) + b"PAR1")
    tracemalloc.start()
    try:
        with pytest.raises(MamlError, match=str(footer.MAX_FOOTER)):
            items(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_file_that_shrinks_while_it_is_read_is_an_error():
    class Shrinking(io.BytesIO):
        def read(self, size=-1):
            return super().read(size)[:-1] if size > 8 else super().read(size)

    with pytest.raises(MamlError, match="ended while it was read"):
        items(Shrinking(whole(WHOLE)))


def test_every_beginning_of_a_footer_is_torn():
    real = arrow_file({"k": "v"})
    for data in (WHOLE, real[-8 - int.from_bytes(real[-8:-4], "little") : -8]):
        assert parse_footer(data)
        for end in range(len(data)):
            with pytest.raises(MamlError, match="torn"):
                parse_footer(data[:end])


def test_every_beginning_of_a_file_is_refused():
    data = arrow_file({"k": "v"})
    for end in range(len(data)):
        with pytest.raises(MamlError):
            items(io.BytesIO(data[:end]))


@pytest.mark.parametrize("seed", range(8))
def test_mutated_footers_give_an_answer_or_a_maml_error(seed):
    data = arrow_file(pa.KeyValueMetadata([("a", "x" * 40), ("b", "y")]), u=[1.5, None], w=["s", "t"])
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    random_ = random.Random(seed)
    for _ in range(400):
        mutated = bytearray(data)
        for _ in range(random_.choice((1, 1, 2, 8))):
            place = random_.randrange(begin, len(data))
            how = random_.randrange(4)
            if how == 0:
                mutated[place % len(mutated)] = random_.randrange(256)
            elif how == 1:
                del mutated[place % len(mutated)]
            elif how == 2:
                mutated.insert(place % len(mutated), random_.choice((0, 0x19, 0x7F, 0xFC, 0xFF)))
            else:
                mutated[place % len(mutated)] ^= 1 << random_.randrange(8)
        found = answered(read_footer, io.BytesIO(bytes(mutated)))
        assert found is None or all(isinstance(text, str) for pair in found.items for text in pair)


@given(st.binary(max_size=200), st.integers(0, len(WHOLE)))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_an_answer_or_a_maml_error(data, keep):
    found = answered(parse_footer, WHOLE[:keep] + data)
    assert found is None or all(isinstance(text, str) for pair in found.items for text in pair)


@pytest.mark.parametrize(
    "claim",
    [
        # Lists that claim 2^35 - 1 structures, strings, truth values; strings and maps that claim as much.
        WHOLE[:-1] + b"\x19\xfc\xff\xff\xff\xff\x7f",
        WHOLE[:-1] + b"\x19\xf8\xff\xff\xff\xff\x7f",
        WHOLE[:-1] + b"\x19\xf1\xff\xff\xff\xff\x7f",
        WHOLE[:-1] + b"\x18\xff\xff\xff\xff\x7f",
        WHOLE[:-1] + b"\x1b\xff\xff\xff\xff\x7f\x88",
        VERSION + b"\x19\xfc\xff\xff\xff\xff\x7f",
        VERSION + SCHEMA + ROWS + GROUPS + b"\x19\xfc\xff\xff\xff\xff\x7f",
        # A root that claims 2^30 parts: zigzag 2^31 is 80 80 80 80 08.
        VERSION + b"\x19\x1c\x48\x01r\x15\x80\x80\x80\x80\x08\x00" + ROWS + GROUPS + b"\x00",
    ],
)
def test_claims_cost_neither_time_nor_memory(claim):
    tracemalloc.start()
    began = time.perf_counter()
    try:
        with pytest.raises(MamlError, match="torn"):
            parse_footer(claim)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - began < 1


def test_the_time_grows_with_the_bytes_and_not_faster():
    def seconds(size):
        # Field 7: a list of `size` empty lists, one byte each; the count is a varint of four bytes.
        count = bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21])
        began = time.perf_counter()
        assert parse_footer(WHOLE[:-1] + b"\x19\xf9" + count + b"\x09" * size + b"\x00").num_rows == 3
        return time.perf_counter() - began

    small = min(seconds(100_000) for _ in range(3))
    assert min(seconds(800_000) for _ in range(3)) < 8 * 4 * small


def test_items_beyond_the_limit_are_refused_before_they_are_kept():
    number = footer.MAX_ITEMS + 1
    count = bytes([number & 127 | 128, number >> 7 & 127 | 128, number >> 14])
    data = VERSION + SCHEMA + ROWS + GROUPS + b"\x19\xfc" + count + b"\x18\x00\x00" * number + b"\x00"
    with pytest.raises(MamlError, match=str(footer.MAX_ITEMS)):
        parse_footer(data)


def test_pyarrow_reads_the_same_of_every_file():
    for metadata in ({}, {"k": "v"}, {f"k{i}": "é" * i for i in range(100)}):
        data = arrow_file(metadata)
        theirs = pq.read_metadata(io.BytesIO(data))
        ours = read_footer(io.BytesIO(data))
        assert ours.num_rows == theirs.num_rows
        assert ours.num_row_groups == theirs.num_row_groups
        assert ours.created_by == theirs.created_by
        assert dict(ours.raw_items) == theirs.metadata


def test_a_footer_whose_columns_are_encrypted_is_read():
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        """Keys wrapped by nothing: for a test alone."""

        def __init__(self, _):
            encryption.KmsClient.__init__(self)

        def wrap_key(self, key_bytes, _):
            return key_bytes.hex()

        def unwrap_key(self, wrapped_key, _):
            return bytes.fromhex(wrapped_key)

    factory = encryption.CryptoFactory(Keys)
    table = pa.table({"x": [1, 2], "y": ["a", "b"]}).replace_schema_metadata({"k": "v"})
    for plaintext in (True, False):
        how = encryption.EncryptionConfiguration(
            footer_key="f", column_keys={"c": ["x"]}, plaintext_footer=plaintext, data_key_length_bits=128
        )
        sink = io.BytesIO()
        properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), how)
        with pq.ParquetWriter(sink, table.schema, encryption_properties=properties) as writer:
            writer.write_table(table)
        if plaintext:
            assert ("k", "v") in read_footer(sink).items
        else:
            with pytest.raises(MamlError, match="encrypted footer"):
                read_footer(sink)


def polars_file(path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"x": [1, 2], "y": ["a", "b"]}).write_parquet(path, metadata={"k": "é", "l": "2"})
    return {"k": "é", "l": "2"}


def duckdb_file(path):
    duckdb = pytest.importorskip("duckdb")
    where = str(path).replace("'", "''")
    duckdb.sql(
        f"COPY (SELECT 1::BIGINT AS x, 'a' AS y UNION ALL SELECT 2, 'b') TO '{where}'"
        " (FORMAT parquet, KV_METADATA {k: 'é', l: '2'})"
    )
    return {"k": "é", "l": "2"}


def pandas_file(path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"x": [1, 2], "y": ["a", "b"]}).to_parquet(path)
    return {}


def pyarrow_file(path):
    pq.write_table(pa.table({"x": [1, 2], "y": ["a", "b"]}).replace_schema_metadata({"k": "é"}), path)
    return {"k": "é"}


def astropy_file(path):
    table = pytest.importorskip("astropy.table")
    data = table.Table({"x": np.array([1, 2]), "y": np.array(["a", "b"])})
    metadata = {name: {"unit": unit, "ucd": "meta.id", "description": name} for name, unit in (("x", "deg"), ("y", ""))}
    data.write(path, format="parquet.votable", metadata=metadata)
    return {"IVOA.VOTable-Parquet.version": "1.0"}


@pytest.mark.parametrize("write", [pyarrow_file, polars_file, duckdb_file, pandas_file, astropy_file])
def test_files_of_every_program_are_read(write, tmp_path):
    path = tmp_path / "t.parquet"
    expected = write(path)
    found = read_footer(path)
    assert found.num_rows == 2
    assert found.names == ("x", "y")
    assert expected.items() <= dict(found.items).items()
    theirs = pq.read_metadata(path)
    assert dict(found.raw_items) == (theirs.metadata or {})
    assert found.num_row_groups == theirs.num_row_groups
