"""Measure the package: ``run.py [NAME…] [--quick]`` prints a table per family and writes ``results/<NAME>.json``.

Every line is a ratio to a reference measured in the same run: pyarrow, astropy, polars, duckdb. Nothing depends on a
time.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import bench_memory
import bench_parsing
import bench_reading
import bench_writing
import peer
import runner

SUITE = runner.Suite(
    says=__doc__.splitlines()[0],
    results=Path(__file__).with_name("results"),
    families={
        "parsing": bench_parsing.lines,
        "writing": bench_writing.lines,
        "reading": bench_reading.lines,
        "memory": bench_memory.lines,
    },
    growths=(bench_parsing.growth,),
    peer=peer.absent,
)

if __name__ == "__main__":
    sys.exit(runner.main(SUITE))
