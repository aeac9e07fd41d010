"""The table that is written and read: 4 float64, 2 float32, 2 int64, an int32 and a short string, with bounds."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import maml_parquet as mp

FLOATS = ("ra", "dec", "z", "mag", "ra_error", "dec_error")
"""Columns that are written with their bytes split, as ours are."""

GROUP = 1_000_000
"""Rows of a row group."""

MAML = """
table: catalogue
author: A. Surveyor
description: Ten columns as catalogues have them.
fields:
- {name: id, unit: unitless, ucd: meta.id;meta.main, data_type: int64, qc: {min: 0, miss: }}
- {name: ra, unit: deg, ucd: pos.eq.ra, data_type: float64, qc: {min: 0, max: '< 360', miss: }}
- {name: dec, unit: deg, ucd: pos.eq.dec, data_type: float64, qc: {min: -90, max: 90, miss: }}
- {name: z, ucd: src.redshift, data_type: float64, qc: {min: 0, max: 10, miss: }}
- {name: mag, unit: mag, ucd: phot.mag, data_type: float64, qc: {min: -5, max: 40, miss: }}
- {name: ra_error, unit: arcsec, data_type: float32, qc: {min: 0, max: 10, miss: }}
- {name: dec_error, unit: arcsec, data_type: float32, qc: {min: 0, max: 10, miss: }}
- {name: tile, data_type: int64, qc: {min: 0, miss: }}
- {name: flags, data_type: int32, qc: {min: 0, max: 65535, miss: }}
- {name: kind, data_type: string, array_size: 6}
"""


def rows(*, quick: bool) -> int:
    """Return how many rows are measured."""
    return 100_000 if quick else 10_000_000


@lru_cache(maxsize=1)
def table(count: int) -> pa.Table:
    """Return the table, clustered by `ra` as catalogues that are sorted on the sky are."""
    draw = np.random.default_rng(20)
    columns: dict[str, Any] = {
        "id": np.arange(count, dtype=np.int64),
        "ra": np.sort(draw.uniform(0, 360, count)),
        "dec": draw.uniform(-90, 90, count),
        "z": draw.uniform(0, 1, count),
        "mag": np.round(draw.normal(22, 2, count).clip(-5, 40), 3),
        "ra_error": draw.uniform(0, 1, count).astype(np.float32),
        "dec_error": draw.uniform(0, 1, count).astype(np.float32),
        "tile": np.arange(count, dtype=np.int64) // 1000,
        "flags": draw.integers(0, 65536, count, dtype=np.int32),
    }
    words = pa.array(["star", "galaxy", "qso"])
    columns["kind"] = words.take(pa.array(draw.integers(0, 3, count, dtype=np.int8)))
    return pa.table(columns)


def schema() -> mp.Schema:
    """Return what the table is written with."""
    return mp.Schema.from_maml(mp.parse(MAML))


def write_bare(held: pa.Table, path: Path, *, group: int = GROUP) -> None:
    """Write with pyarrow alone, encoded as our files are."""
    others = [name for name in held.column_names if name not in FLOATS]
    pq.write_table(
        held,
        path,
        compression="zstd",
        compression_level=3,
        use_dictionary=others,
        use_byte_stream_split=list(FLOATS),
        row_group_size=group,
    )


def written(root: Path, *, quick: bool) -> Path:
    """Return the file that is read, written once by ours in ten row groups."""
    path = root / "catalogue.parquet"
    if not path.exists():
        held = table(rows(quick=quick))
        mp.write_table(held, path, schema(), row_group_size=max(held.num_rows // 10, 1_000))
    return path
