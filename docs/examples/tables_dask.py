"""A catalogue in several files, each with its MAML, that dask reads and sums up in parallel.

    uv run docs/examples/tables_dask.py --output sky
    uv run docs/examples/tables_dask.py --output sky --files 16 --rows 1000000

Every file is written by a task of its own, batch by batch, and read by partitions, so that neither needs the memory of
the whole. It makes new files only, in a new folder or in the one that ``--output`` names.
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
table: stars
survey: Made up
description: Stars that no one has seen
author: A. Nobody <a.nobody@example.org>
fields:
- name: id
  ucd: meta.id;meta.main
  data_type: int64
- name: tile
  info: Part of the sky
  data_type: string
  array_size: 8
- name: parallax
  unit: mas
  ucd: pos.parallax.trig
  data_type: float64
- name: g
  unit: mag
  info: Brightness in the band g
  ucd: phot.mag;em.opt
  data_type: float32
  qc: {min: 0, max: 25, miss: Null}
"""

TILES: Final = ("north", "south", "plane")
BATCH: Final = 5_000
"""Rows that a task has in memory at once."""


# 1. A catalogue in several files -------------------------------------------------------------------------------------


def batches(number: int, rows: int) -> Iterator[dict[str, Any]]:
    """Yield the stars of one file in parts; every eighth was not seen in g, which is a Null and no number."""
    rng = np.random.default_rng(number)
    for start in range(0, rows, BATCH):
        stars = np.arange(start, min(start + BATCH, rows))
        yield {
            "id": number * rows + stars,
            "tile": np.array(TILES)[rng.integers(len(TILES), size=len(stars))],
            "parallax": rng.lognormal(0, 1, len(stars)),
            "g": np.ma.MaskedArray(rng.uniform(5, 20, len(stars)).astype("float32"), stars % 8 == 7),
        }


def write(path: Path, number: int, rows: int) -> Path:
    """Write one file of the catalogue; it appears once all of it is there."""
    schema = maml_parquet.Schema.from_maml(maml_parquet.parse(MAML))
    with maml_parquet.open_writer(path, schema) as writer:
        for batch in batches(number, rows):
            writer.write(batch)
    return path


def write_all(folder: Path, files: int, rows: int) -> list[Path]:
    """Write the files in parallel."""
    from dask import compute, delayed  # noqa: PLC0415  (it takes a moment)

    tasks = [delayed(write)(folder / f"stars-{number:03}.parquet", number, rows) for number in range(files)]
    return list(compute(*tasks, scheduler="threads"))


# 2. Sums over all of it ----------------------------------------------------------------------------------------------


def per_tile(folder: Path) -> Any:
    """Return a table (pandas): for each tile its stars, those seen in g, their mean, and the mean distance in parsec.

    A parallax of p mas is a distance of 1000 / p parsec. Only the columns that are asked for are read.
    """
    import dask.dataframe as dd  # noqa: PLC0415  (it takes a moment)

    check_unit(folder, "parallax", "mas")
    # The MAML beside each file does not end as a parquet file does, so dask passes over it.
    stars = dd.read_parquet(folder, columns=["tile", "parallax", "g"])
    stars = stars.assign(distance=1000 / stars["parallax"])
    sums = stars.groupby("tile").agg({"parallax": "size", "g": ["count", "mean"], "distance": "mean"})
    table = sums.compute(scheduler="threads").sort_index()
    table.columns = ["stars", "seen", f"g [{unit(folder, 'g')}]", "distance [pc]"]
    return table


def unit(folder: Path, column: str) -> str:
    """Return the unit of a column, as the files say."""
    return maml_parquet.metadata(folder).columns[column].unit


def check_unit(folder: Path, column: str, wanted: str) -> None:
    """Raise ValueError where a column is in another unit than a formula takes it in."""
    found = unit(folder, column)
    if found != wanted:
        raise ValueError(f"{column} is in {found or 'no unit'}, the formula takes {wanted}; convert it first")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("--output", type=Path, metavar="FOLDER", help="where to put the files (default: a new folder)")
    lines.add_argument("--files", type=int, default=4, metavar="N", help="how many files (default: 4)")
    lines.add_argument("--rows", type=int, default=20_000, metavar="N", help="stars of each file (default: 20000)")
    asked = lines.parse_args(arguments)
    folder = asked.output or Path(tempfile.mkdtemp(prefix="tables-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = write_all(folder, asked.files, asked.rows)
    except (maml_parquet.MamlError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    told = maml_parquet.metadata(folder)
    print(
        f"{folder}: {told.num_rows} rows in {len(paths)} files, {told.get('table')} of the survey {told.get('survey')}"
    )
    print(per_tile(folder).to_string(float_format="{:.3f}".format))
    return 0


if __name__ == "__main__":
    sys.exit(main())
