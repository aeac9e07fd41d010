"""A parquet file that grows by tables: even row groups, and a footer whose entries keep order and repeats."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from maml_parquet.arrow.types import element_of, is_list
from maml_parquet.files.options import Options

GROUP_BYTES: Final = 256 * 2**20
"""How many bytes of memory a row group takes where no size is given."""

GROUP_ROWS: Final = (1_000, 10_000_000)
"""The fewest and the most rows that such a row group has."""

PIECES: Final = 64
"""How many tables wait before they become one, unless they are large."""


class Output:
    """A parquet file that is being written.

    Parameters
    ----------
    schema
        The columns of every table that comes, without metadata.
    options
        Codec and size of row groups.

    Attributes
    ----------
    schema
        As it was given.
    """

    def __init__(self, path: Path, schema: pa.Schema, options: Options) -> None:
        codec, level = options.codec
        floats, others = _leaves(schema)
        self.schema = schema
        self._rows_asked = options.row_group_size
        self._group_rows = options.row_group_size
        self._waiting = Waiting()
        # Arrow's own copy of the schema would be merged with the entries at the end, which loses repeats and order.
        self._writer = pq.ParquetWriter(
            path,
            schema,
            store_schema=False,
            compression=codec,
            compression_level=level,
            use_dictionary=sorted(others - floats),
            column_encoding=dict.fromkeys(sorted(floats - others), "BYTE_STREAM_SPLIT"),
        )

    def write(self, table: pa.Table, *, final: bool = False) -> None:
        """Add rows: full row groups are written now, and copied are the rows that wait for more.

        What came is not looked at again, so that whoever gave it may change it. `final` writes all that is there.
        """
        waiting = self._waiting
        rows, size = waiting.rows + table.num_rows, waiting.size + int(table.nbytes)
        if self._group_rows is None and rows:
            self._group_rows = _group_rows(rows, size)
        group = self._group_rows or 1
        is_large = self._rows_asked is None and rows >= GROUP_ROWS[0] and size >= GROUP_BYTES
        full = rows if final or (rows < group and is_large) else rows - rows % group
        if not full:
            waiting.add(copied(table))
            return
        joined = pa.concat_tables([*waiting.take(), table])
        self._writer.write_table(joined.slice(0, full), row_group_size=group)
        if full < rows:
            waiting.add(copied(joined.slice(full)))

    def close(self, items: Sequence[tuple[str, str]]) -> None:
        """End the file: the rows that wait, and the entries in their order, Arrow's schema behind them."""
        self.write(self.schema.empty_table(), final=True)
        entries = pa.KeyValueMetadata(list(items))
        blob = base64.b64encode(self.schema.with_metadata(entries).serialize().to_pybytes()).decode("ascii")
        self._writer.add_key_value_metadata(pa.KeyValueMetadata([*items, ("ARROW:schema", blob)]))
        self._writer.close()

    def abandon(self) -> None:
        """Let go of the file, whatever it is by now."""
        self._waiting.take()
        self._writer.close()


class Waiting:
    """Tables that wait until they fill a row group: rows and bytes of all, few pieces however many came.

    Attributes
    ----------
    rows
        Rows of all tables.
    size
        Bytes of all tables.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.size = 0
        self._settled: list[pa.Table] = []
        self._levels: list[list[pa.Table]] = []

    def add(self, table: pa.Table) -> None:
        """Add a table. Small ones become one, and so do those that became so: a row is copied a few times at most."""
        self.rows += table.num_rows
        self.size += int(table.nbytes)
        for level in itertools.count():
            if level == len(self._levels):
                self._levels.append([])
            self._levels[level].append(table)
            pieces = self._levels[level]
            if len(pieces) < PIECES:
                return
            if sum(int(piece.nbytes) for piece in pieces) >= GROUP_BYTES // PIECES:
                self._settled, self._levels = self._tables(), []
                return
            table = pa.concat_tables(pieces).combine_chunks()
            self._levels[level] = []

    def take(self) -> list[pa.Table]:
        """Return the tables in the order that they came in, and wait for others."""
        found = self._tables()
        self.rows = self.size = 0
        self._settled, self._levels = [], []
        return found

    def _tables(self) -> list[pa.Table]:
        return self._settled + [table for level in reversed(self._levels) for table in level]


def copied(table: pa.Table) -> pa.Table:
    """Return a table that shares no memory with the one given, nor keeps more than its rows."""
    batches = [pa.ipc.read_record_batch(batch.serialize(), table.schema) for batch in table.to_batches()]
    return pa.Table.from_batches(batches, table.schema)


def _group_rows(rows: int, size: int) -> int:
    fewest, most = GROUP_ROWS
    return min(max(GROUP_BYTES * rows // max(size, 1), fewest), most)


def _leaves(schema: pa.Schema) -> tuple[set[str], set[str]]:
    """Return the paths of columns of floating-point numbers, which are stored byte by byte, and those of the rest."""
    floats: set[str] = set()
    others: set[str] = set()
    for field in schema:
        path = f"{field.name}.list.element" if is_list(field.type) else field.name
        (floats if pa.types.is_floating(element_of(field.type)) else others).add(path)
    return floats, others
