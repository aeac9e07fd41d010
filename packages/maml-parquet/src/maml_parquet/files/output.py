"""A parquet file that grows by tables: even row groups, and a footer whose entries keep order and repeats."""

from __future__ import annotations

import base64
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
        self._pending: list[pa.Table] = []
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
        self._pending.append(table)
        rows = sum(held.num_rows for held in self._pending)
        if self._group_rows is None and rows:
            self._group_rows = _group_rows(self._pending)
        group = self._group_rows or 1
        full = rows if final or (rows < group and self._is_large(rows)) else rows - rows % group
        if not full:
            self._pending[-1] = copied(table)
            return
        joined = pa.concat_tables(self._pending)
        self._writer.write_table(joined.slice(0, full), row_group_size=group)
        rest = joined.slice(full)
        self._pending = [copied(rest)] if rest.num_rows else []

    def close(self, items: Sequence[tuple[str, str]]) -> None:
        """End the file: the rows that wait, and the entries in their order, Arrow's schema behind them."""
        if self._pending:
            last = self._pending.pop()
            self.write(last, final=True)
        entries = pa.KeyValueMetadata(list(items))
        blob = base64.b64encode(self.schema.with_metadata(entries).serialize().to_pybytes()).decode("ascii")
        self._writer.add_key_value_metadata(pa.KeyValueMetadata([*items, ("ARROW:schema", blob)]))
        self._writer.close()

    def abandon(self) -> None:
        """Let go of the file, whatever it is by now."""
        self._pending.clear()
        self._writer.close()

    def _is_large(self, rows: int) -> bool:
        """Whether what waits fills a row group by its bytes, though its first rows promised more of them."""
        return self._rows_asked is None and rows >= GROUP_ROWS[0] and _bytes(self._pending) >= GROUP_BYTES


def copied(table: pa.Table) -> pa.Table:
    """Return a table that shares no memory with the one given, nor keeps more than its rows."""
    batches = [pa.ipc.read_record_batch(batch.serialize(), table.schema) for batch in table.to_batches()]
    return pa.Table.from_batches(batches, table.schema)


def _group_rows(tables: Sequence[pa.Table]) -> int:
    rows: int = sum(table.num_rows for table in tables)
    fewest, most = GROUP_ROWS
    return min(max(GROUP_BYTES * rows // max(_bytes(tables), 1), fewest), most)


def _bytes(tables: Sequence[pa.Table]) -> int:
    return sum(int(table.nbytes) for table in tables)


def _leaves(schema: pa.Schema) -> tuple[set[str], set[str]]:
    """Return the paths of columns of floating-point numbers, which are stored byte by byte, and those of the rest."""
    floats: set[str] = set()
    others: set[str] = set()
    for field in schema:
        path = f"{field.name}.list.element" if is_list(field.type) else field.name
        (floats if pa.types.is_floating(element_of(field.type)) else others).add(path)
    return floats, others
