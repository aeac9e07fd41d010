"""A catalogue written with its MAML and asked in SQL with duckdb, with the units that the file carries.

    uv run docs/examples/tables_duckdb.py --output sky
    uv run docs/examples/tables_duckdb.py --output sky --rows 1000000

It writes one parquet file batch by batch, and its MAML beside it. It makes new files only, in a new folder or in the
one that ``--output`` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import maml_parquet

MAML: Final = """\
table: galaxies
survey: Made up
description: Galaxies that no one has seen
author: A. Nobody <a.nobody@example.org>
fields:
- name: id
  ucd: meta.id;meta.main
  data_type: int64
- name: ra
  unit: deg
  ucd: pos.eq.ra;meta.main
  data_type: float64
  qc: {min: 0, max: '< 360'}
- name: z
  info: Redshift
  ucd: src.redshift
  data_type: float32
  qc: {min: 0}
- name: mass
  unit: solMass
  info: Stars of the galaxy
  ucd: phys.mass
  data_type: float64
  qc: {miss: Null}
- name: flux
  unit: mJy
  info: In the bands g, r and i
  ucd: phot.flux
  data_type: float32
  col_size: 3
"""

BATCH: Final = 10_000
"""Rows that are in memory at once."""


# 1. A catalogue ------------------------------------------------------------------------------------------------------


def batches(rows: int) -> Iterator[dict[str, Any]]:
    """Yield a catalogue in parts; every tenth mass is not known, which is a Null and no number."""
    rng = np.random.default_rng(3)
    for start in range(0, rows, BATCH):
        numbers = np.arange(start, min(start + BATCH, rows))
        z = rng.gamma(2, 0.25, len(numbers)).astype("float32")
        yield {
            "id": numbers,
            "ra": rng.uniform(0, 360, len(numbers)),
            "z": z,
            "mass": np.ma.MaskedArray(10 ** rng.normal(10, 0.5, len(numbers)), numbers % 10 == 9),
            "flux": (rng.lognormal(0, 1, (len(numbers), 3)) * [1, 2, 3] / (1 + z[:, None])).astype("float32"),
        }


def write(path: Path, rows: int) -> None:
    """Write the catalogue; the file appears once all of it is there."""
    schema = maml_parquet.Schema.from_maml(maml_parquet.parse(MAML))
    with maml_parquet.open_writer(path, schema) as writer:
        for batch in batches(rows):
            writer.write(batch)


# 2. Questions to it --------------------------------------------------------------------------------------------------

PER_REDSHIFT: Final = """
    SELECT floor(z * 2) / 2 AS z_from, count(*) AS galaxies, count(mass) AS weighed, avg(mass) AS mass,
        avg(flux[1]) AS flux_g, avg(flux[3]) AS flux_i
    FROM read_parquet($path) GROUP BY z_from HAVING galaxies >= 10 ORDER BY z_from
"""
"""Means in steps of 0.5 of redshift: `avg` and `count` of a column pass over Nulls, and lists count from 1."""


def ask(path: Path, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and rows of an answer."""
    import duckdb  # noqa: PLC0415  (it takes a moment)

    with duckdb.connect() as connection:
        answer = connection.execute(query, {"path": str(path)})
        return [column[0] for column in answer.description], answer.fetchall()


def keys(path: Path) -> list[tuple[str, str]]:
    """Return what duckdb itself finds in the file beside its rows, in the order of the file."""
    _, rows = ask(path, "SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata($path)")
    return [(key, value) for key, value in rows]


def with_units(names: Sequence[str], path: Path) -> list[str]:
    """Return headings: a column's unit is that of the column of the file whose name it begins with."""
    told = maml_parquet.metadata(path).columns
    units = [
        next((info.unit for column, info in told.items() if name.partition("_")[0] == column), "") for name in names
    ]
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("--output", type=Path, metavar="FOLDER", help="where to put the files (default: a new folder)")
    lines.add_argument("--rows", type=int, default=50_000, metavar="N", help="galaxies (default: 50000)")
    asked = lines.parse_args(arguments)
    folder = asked.output or Path(tempfile.mkdtemp(prefix="tables-"))
    path = folder / "galaxies.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(path, asked.rows)
    except (maml_parquet.MamlError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    told = maml_parquet.metadata(path)
    print(f"{path}: {told.num_rows} rows")
    for entry in told.entries:
        print(f"  {entry.key}: {entry.value}")
    names, rows = ask(path, PER_REDSHIFT)
    print("  ".join(f"{heading:>14}" for heading in with_units(names, path)))
    for row in rows:
        print("  ".join(f"{value:14.4g}" if isinstance(value, float) else f"{value:14}" for value in row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
