"""Print by how many bytes something raises the peak of this process: ``table_peaks.py write|read FILE GROUPS ROWS``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import catalogues
import memory

import maml_parquet as mp


def _write(path: Path, groups: int, rows: int) -> None:
    """Write one batch again and again: it is made before, and is not part of the peak."""
    batch = catalogues.table(rows)
    with mp.open_writer(path, catalogues.schema(), row_group_size=rows, overwrite=True) as writer:
        for _ in range(groups):
            writer.write(batch)


def _read(path: Path, groups: int, rows: int) -> None:
    with mp.open_table(path) as table:
        assert sum(batch.num_rows for batch in table.iter_batches()) == groups * rows


_DOES = {"write": _write, "read": _read}


def main() -> None:
    """Do the thing with a small file first, so that what is imported for it does not count."""
    does, path, groups, rows = _DOES[sys.argv[1]], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    small = path.with_name("small.parquet")
    _write(small, 1, 1_000)
    _read(small, 1, 1_000)
    if not path.exists():
        _write(path, groups, rows)
    if does is _write:
        # What is written is there before; a reader has no table.
        catalogues.table(rows)
    before = memory.reset_peak()
    does(path, groups, rows)
    print(max(memory.peak_size() - before, 1))


if __name__ == "__main__":
    main()
