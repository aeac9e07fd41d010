"""Measure the package: ``run.py [NAME…] [--quick]`` prints a table per family and writes ``results/<NAME>.json``.

Every line is a ratio to a reference measured in the same run. Nothing depends on a time.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import bench_grids
import bench_imports
import bench_listing
import bench_open
import bench_reads
import bench_resample
import runner

SUITE = runner.Suite(
    says=__doc__.splitlines()[0],
    results=Path(__file__).with_name("results"),
    families={
        "reads": bench_reads.lines,
        "open": bench_open.lines,
        "resample": lambda root, quick: [
            *bench_resample.lines(root, quick=quick),
            *bench_resample.peaks(root, quick=quick),
        ],
        "grids": bench_grids.lines,
        "listing": bench_listing.lines,
        "imports": bench_imports.lines,
    },
    growths=(
        bench_reads.growth,
        bench_open.growth,
        bench_resample.growth,
        bench_grids.growth,
        bench_listing.growth,
    ),
    more={"kernels": lambda root, quick: bench_resample.kernels(quick=quick)},  # noqa: ARG005  (as every family)
)

if __name__ == "__main__":
    sys.exit(runner.main(SUITE))
