"""The mechanics of a parquet file: entries in order with repeats, even row groups, rows that nobody shares."""

import base64
import time
from datetime import datetime, timedelta, timezone

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet.errors import MamlError
from maml_parquet.files import output as output_module
from maml_parquet.files.options import Options
from maml_parquet.files.output import Output, Waiting, copied

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        pa.field("flux", pa.list_(pa.field("element", pa.float32(), nullable=False), 2), nullable=False),
        pa.field("kind", pa.large_string()),
        pa.field("z", pa.float64()),
    ]
)


def rows(start, stop):
    count = stop - start
    return pa.Table.from_arrays(
        [
            pa.array(range(start, stop), pa.int32()),
            pa.FixedSizeListArray.from_arrays(
                pa.array(np.arange(2 * start, 2 * stop, dtype="f4")), type=SCHEMA.field("flux").type
            ),
            pa.array(["α"] * count, pa.large_string()),
            pa.array([None] * count, pa.float64()),
        ],
        schema=SCHEMA,
    )


def groups(path):
    metadata = pq.read_metadata(path)
    return [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]


def keys(path):
    found = duckdb.sql(f"select key, value from parquet_kv_metadata('{path}')").fetchall()
    return [(key.decode(), value.decode()) for key, value in found]


def test_entries_keep_their_order_and_repeats_and_arrows_schema_is_last(tmp_path):
    path = tmp_path / "x.parquet"
    items = [("b", "1"), ("a", "two\nlines"), ("b", "3"), ("é", ""), ("a", "4")]
    output = Output(path, SCHEMA, Options())
    output.write(rows(0, 3))
    output.close(items)
    found = keys(path)
    assert found[:-1] == items
    assert found[-1][0] == "ARROW:schema"
    blob = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(found[-1][1])))
    assert blob.remove_metadata() == SCHEMA
    assert pq.read_schema(path).metadata[b"b"] == b"1"
    assert pq.read_table(path).equals(rows(0, 3).replace_schema_metadata(None))


def test_arrows_schema_is_what_arrow_writes_itself(tmp_path):
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    output = Output(ours, SCHEMA, Options())
    output.write(rows(0, 3))
    output.close([("a", "1")])
    pq.write_table(rows(0, 3).replace_schema_metadata({"a": "1"}), theirs)
    assert dict(keys(ours))["ARROW:schema"] == dict(keys(theirs))["ARROW:schema"]


@pytest.mark.parametrize(
    ("size", "batches", "expected"),
    [
        # 4 batches of 300: 1200 rows.
        (1000, [300] * 4, [1000, 200]),
        (500, [300] * 4, [500, 500, 200]),
        (np.int64(300), [300] * 4, [300] * 4),
        (7, [3, 20], [7, 7, 7, 2]),
        (10, [0, 5, 0], [5]),
        (1, [2], [1, 1]),
        # 1200 rows are far below 256 MiB.
        (None, [300] * 4, [1200]),
    ],
)
def test_row_groups_are_even_whatever_the_batches_are(tmp_path, size, batches, expected):
    path = tmp_path / "x.parquet"
    output = Output(path, SCHEMA, Options(row_group_size=size))
    start = 0
    for count in batches:
        output.write(rows(start, start + count))
        start += count
    output.close([])
    assert groups(path) == expected
    assert pq.read_table(path).equals(rows(0, start))


def test_row_groups_without_a_size_take_so_many_bytes(tmp_path, monkeypatch):
    # 4 + 8 + (2 + 8) + 8 bytes of values a row, some bits of validity: some 30 to 40 bytes a row, 4000 rows in 2**17.
    monkeypatch.setattr(output_module, "GROUP_BYTES", 2**17)
    path = tmp_path / "x.parquet"
    output = Output(path, SCHEMA, Options())
    for start in range(0, 10_000, 500):
        output.write(rows(start, start + 500))
    output.close([])
    assert all(3_000 <= count <= 4_500 for count in groups(path)[:-1])
    assert sum(groups(path)) == 10_000
    monkeypatch.setattr(output_module, "GROUP_BYTES", 1)
    output = Output(path, SCHEMA, Options())
    output.write(rows(0, 2_500))
    output.close([])
    assert groups(path) == [1_000, 1_000, 500]


def test_rows_that_grow_do_not_wait_for_as_many_as_the_first_ones_promised(tmp_path, monkeypatch):
    monkeypatch.setattr(output_module, "GROUP_BYTES", 2**20)
    schema = pa.schema([pa.field("text", pa.large_string())])
    path = tmp_path / "x.parquet"
    output = Output(path, schema, Options())
    # 1000 rows of 9 bytes: a group would be 2**20 / 9 = 116 508 rows. Then 2000 rows of 1 kB each: 2 MB.
    output.write(pa.table([pa.array(["a"] * 1000, pa.large_string())], schema=schema))
    output.write(pa.table([pa.array(["a" * 1000] * 2000, pa.large_string())], schema=schema))
    output.write(pa.table([pa.array(["b"] * 10, pa.large_string())], schema=schema))
    output.close([])
    assert groups(path) == [3000, 10]


def test_rows_that_wait_are_not_those_of_the_caller(tmp_path):
    path = tmp_path / "x.parquet"
    schema = pa.schema([pa.field("x", pa.float64())])
    values = np.arange(4.0)
    output = Output(path, schema, Options(row_group_size=6))
    for _ in range(4):
        output.write(pa.table([pa.array(values)], schema=schema))
        values += 4
    output.close([])
    # 16 rows in groups of 6: the second batch is written in part, the rest of it waits.
    assert groups(path) == [6, 6, 4]
    assert pq.read_table(path)["x"].to_pylist() == list(range(16))


def test_a_copy_keeps_no_more_than_its_rows():
    table = rows(0, 1000).slice(10, 5)
    copy = copied(table)
    assert copy.equals(table)
    assert copy.schema == SCHEMA
    # The buffers of 5 rows, each rounded up to 64 bytes: 4 columns with 7 buffers in all, and the message itself.
    assert copy.get_total_buffer_size() < 4096


def test_floats_are_split_into_bytes_and_the_rest_has_dictionaries(tmp_path):
    path = tmp_path / "x.parquet"
    output = Output(path, SCHEMA, Options())
    output.write(rows(0, 100))
    output.close([])
    group = pq.read_metadata(path).row_group(0)
    found = {group.column(index).path_in_schema: group.column(index) for index in range(4)}
    split = {name for name, column in found.items() if "BYTE_STREAM_SPLIT" in column.encodings}
    dictionary = {name for name, column in found.items() if column.has_dictionary_page}
    assert split == {"flux.list.element", "z"}
    assert dictionary == {"id", "kind"}
    assert {column.compression for column in found.values()} == {"ZSTD"}


@pytest.mark.parametrize("names", [("v", "v.list.element"), ("a.b", "a"), ("α β", "x" * 300), ("x", "X")])
def test_names_of_columns_do_not_mix_up_encodings(tmp_path, names):
    path = tmp_path / "x.parquet"
    schema = pa.schema([pa.field(names[0], pa.list_(pa.field("element", pa.float32()), 2)), (names[1], pa.string())])
    table = pa.table([pa.array([[1, 2]], schema[0].type), pa.array(["t"])], schema=schema)
    output = Output(path, schema, Options())
    output.write(table)
    output.close([])
    assert pq.ParquetFile(path).read().equals(table)


@pytest.mark.parametrize("codec", ["zstd", "ZSTD", "snappy", "gzip", "brotli", "lz4", "none", None])
def test_a_level_is_for_the_codecs_that_have_levels(tmp_path, codec):
    path = tmp_path / "x.parquet"
    output = Output(path, SCHEMA, Options(compression=codec, compression_level=3))
    output.write(rows(0, 10))
    output.close([])
    expected = (codec or "uncompressed").upper().replace("NONE", "UNCOMPRESSED")
    assert pq.read_metadata(path).row_group(0).column(0).compression == expected
    assert pq.read_table(path).equals(rows(0, 10))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"write_maml": 1}, "write_maml is 1; use True or False"),
        ({"qc": "off"}, "qc is 'off'; use True or False"),
        ({"on_overlong": "cut"}, "on_overlong is 'cut'; use 'error' or 'warn'"),
        ({"file_date": "2024-05-06"}, "file_date is '2024-05-06'; write it in UTC like"),
        ({"file_date": "2024-02-30T00:00:00"}, "file_date is '2024-02-30T00:00:00'"),
        ({"file_date": "2024-05-06T07:08:09Z"}, "file_date is"),
        ({"file_date": 5}, "file_date is 5"),
        ({"file_date": datetime(2024, 5, 6)}, "in no time zone"),
        ({"compression": "zip"}, "compression is 'zip'; use one of none, snappy, lz4, gzip, brotli, zstd"),
        ({"compression_level": 1.5}, "compression_level is 1.5"),
        ({"compression_level": 99}, "compression_level is 99"),
        ({"compression": "gzip", "compression_level": 0}, "compression_level is 0"),
        ({"row_group_size": 0}, "row_group_size is 0"),
        ({"row_group_size": True}, "row_group_size is True"),
        ({"row_group_size": 1000.0}, "row_group_size is 1000.0"),
    ],
)
def test_an_option_that_is_none_is_an_error(options, words):
    with pytest.raises(MamlError) as caught:
        Options(**options)
    assert words in str(caught.value)
    assert caught.value.code == "argument"


def test_every_wrong_option_is_told_at_once():
    with pytest.raises(MamlError) as caught:
        Options(qc=0, overwrite="yes", row_group_size=-1)
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2024-05-06T07:08:09", "2024-05-06T07:08:09"),
        (datetime(2024, 5, 6, 7, 8, 9, 999, tzinfo=timezone.utc), "2024-05-06T07:08:09"),
        # 07:08 two hours east of Greenwich is 05:08 there.
        (datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2))), "2024-05-06T05:08:09"),
    ],
)
def test_the_date_of_the_file_is_in_utc(given, expected):
    assert Options(file_date=given).date() == expected


def test_without_a_date_it_is_now():
    before = datetime.now(timezone.utc).replace(microsecond=0)
    found = datetime.fromisoformat(Options().date()).replace(tzinfo=timezone.utc)
    assert before <= found <= datetime.now(timezone.utc)


@pytest.mark.parametrize("count", [1, 3, 4, 5, 16, 17, 63, 64, 65, 200])
@pytest.mark.parametrize("limit", [2**28, 2**12, 1])
def test_many_small_tables_wait_as_few_and_in_order(monkeypatch, count, limit):
    monkeypatch.setattr(output_module, "PIECES", 4)
    monkeypatch.setattr(output_module, "GROUP_BYTES", limit)
    waiting = Waiting()
    for index in range(count):
        waiting.add(rows(3 * index, 3 * index + 3))
    assert waiting.rows == 3 * count
    assert 0.9 < waiting.size / rows(0, 3 * count).nbytes < 2
    found = waiting.take()
    assert pa.concat_tables(found).equals(rows(0, 3 * count))
    if limit == 2**28:
        # The digits of the count to the base 4, added up.
        assert len(found) == sum(count // 4**power % 4 for power in range(5))
    assert (waiting.rows, waiting.size, waiting.take()) == (0, 0, [])


def test_small_batches_take_time_for_their_rows_alone(tmp_path):
    batch, seconds = rows(0, 10), []
    for count in (500, 4_000):
        output = Output(tmp_path / "x.parquet", SCHEMA, Options())
        start = time.process_time()
        for _ in range(count):
            output.write(batch)
        output.close([])
        seconds.append(time.process_time() - start)
    # 8 times the batches; were every batch to look at all that wait, it would be 64 times the time.
    assert seconds[1] < 24 * seconds[0]
    assert groups(tmp_path / "x.parquet") == [40_000]
