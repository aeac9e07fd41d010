"""Rows in another order: strings that one array cannot hold come in several."""

from __future__ import annotations

import pyarrow as pa
import pytest

from maml_parquet.arrow import taking


@pytest.mark.parametrize("limit", [2**31 - 1, 40, 1])
def test_long_strings_are_taken_in_pieces(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(taking, "MAX_BYTES", limit)
    texts = [f"star {at}" for at in range(9)] + [None]
    field = pa.field("s", pa.string(), metadata={b"ucd": b"meta.id"})
    schema = pa.schema([pa.field("id", pa.int64()), field], {b"survey": b"Deep"})
    column = pa.chunked_array([texts[:3], texts[3:]], type=pa.string())
    table = pa.Table.from_arrays([pa.array(range(10)), column], schema=schema)
    found = taking.taken(table, pa.array(range(9, -1, -1)))
    assert found.schema.equals(schema, check_metadata=True)
    assert found.column("id").to_pylist() == list(range(9, -1, -1))
    assert found.column("s").to_pylist() == texts[::-1]
    assert (found.column("s").num_chunks > 1) == (limit < 2**31 - 1)
    found.validate(full=True)
