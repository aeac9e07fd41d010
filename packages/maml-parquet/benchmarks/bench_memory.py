"""Peaks of memory: a long table streamed out and in, against row groups."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import catalogues
from harness import Goal, Line, Timer

_PEAK = Path(__file__).with_name("table_peaks.py")


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield the peaks above what the imports take, in multiples of one row group in memory."""
    groups, rows = (4, 20_000) if quick else (80, 320_000)
    group = catalogues.table(rows).nbytes
    says = f"one of {groups} row groups, {group >> 20} MiB in memory"
    for name, word in {"streaming write": "write", "iter_batches": "read"}.items():
        ours = _peak(word, root / "long.parquet", groups, rows)
        yield Line(f"peak of {name}", lambda _: float(group), ours, Goal(4), says, unit="bytes")


def _peak(word: str, path: Path, groups: int, rows: int) -> Timer:
    command = [sys.executable, str(_PEAK), word, str(path), str(groups), str(rows)]
    return lambda _: float(subprocess.check_output(command))
