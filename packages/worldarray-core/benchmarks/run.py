"""Measure the package: ``run.py [NAME…] [--quick]`` prints a table per family and writes ``results/<NAME>.json``.

Every line is a ratio to a reference measured in the same run. Nothing depends on a time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import bench_grids
import bench_imports
import bench_listing
import bench_open
import bench_reads
import bench_resample
import memory
import peer
from harness import QUICK, Effort, Grown, Growth, Line, Result, grow, growth_table, measure, table

FAMILIES = {
    "reads": bench_reads.lines,
    "open": bench_open.lines,
    "resample": bench_resample.lines,
    "grids": bench_grids.lines,
    "listing": bench_listing.lines,
    "imports": bench_imports.lines,
}
GROWTHS = (bench_reads.growth, bench_open.growth, bench_resample.growth, bench_grids.growth, bench_listing.growth)
NAMES = (*FAMILIES, "growth", "kernels")
TABLE = (*FAMILIES, "growth")
"""What is measured where nothing is named: the speed table, and cost as work grows."""


def main(arguments: list[str] | None = None) -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}; {', '.join(TABLE)} if none"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, three rounds, no peer: to see that it runs")
    parser.add_argument("--no-peer", action="store_true", help="leave the public peer out")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("results"), help="where JSON goes")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.names) - set(NAMES))
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; choose from {', '.join(NAMES)}")
    warnings.simplefilter("error")
    effort = QUICK if given.quick else Effort()
    with tempfile.TemporaryDirectory(prefix="worldarray-benchmarks-") as folder, _peer(given) as (other, says):
        print(f"{environment_line()}; {says}", flush=True)
        for name in given.names or TABLE:
            found = run(name, Path(folder), effort, other)
            _write(given.results / f"{name}.json", found, effort, says)
    return 0


def run(name: str, root: Path, effort: Effort, other: peer.Peer | None) -> list[Result] | list[Grown]:
    """Measure one family and print it."""
    print(flush=True)
    if name == "growth":
        grown = [grow(growth, effort) for growth in _growths(root, effort)]
        print(growth_table(grown), flush=True)
        return grown
    lines = (
        bench_resample.kernels(quick=effort.quick) if name == "kernels" else FAMILIES[name](root, quick=effort.quick)
    )
    results = [_measured(line, effort, other) for line in lines]
    if name == "resample":
        results += [
            memory.measure(peak, 1 if effort.quick else 3) for peak in bench_resample.peaks(root, quick=effort.quick)
        ]
    print(table(results))
    for note in dict.fromkeys(note for result in results for note in result.notes):
        print(note)
    for says in dict.fromkeys(result.says for result in results):
        print(f"reference: {says}")
    sys.stdout.flush()
    return results


def environment_line() -> str:
    """Return what the numbers were measured with."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "tensorstore"))
    return f"Python {platform.python_version()}, {versions}, {os.cpu_count()} cores"


def _growths(root: Path, effort: Effort) -> Iterator[Growth]:
    for family in GROWTHS:
        yield from family(root, quick=effort.quick)


def _measured(line: Line, effort: Effort, other: peer.Peer | None) -> Result:
    try:
        return measure(line, effort, None if other is None else other.timer)
    except peer.PeerError as error:
        result = measure(line, effort)
        result.notes.append(f"the peer cannot do {line.name!r}: {error}")
        return result


def _peer(given: argparse.Namespace) -> AbstractContextManager[tuple[peer.Peer | None, str]]:
    return peer.absent() if given.quick or given.no_peer else peer.running()


def _write(path: Path, found: list[Result] | list[Grown], effort: Effort, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"environment": environment_line(), "peer": says, "quick": effort.quick, "lines": [asdict(r) for r in found]}
    path.write_text(json.dumps(told, indent=1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
