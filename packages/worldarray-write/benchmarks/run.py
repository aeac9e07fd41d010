"""Measure the package: ``run.py [NAME…] [--quick]`` prints a table per family and writes ``results/<NAME>.json``.

Every line is a ratio to a reference measured in the same run. Nothing depends on a time.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import bench_create
import bench_documents
import bench_writes
import runner

SUITE = runner.Suite(
    says=__doc__.splitlines()[0],
    results=Path(__file__).with_name("results"),
    families={
        "writes": bench_writes.lines,
        "create": bench_create.lines,
        "documents": bench_documents.lines,
    },
    growths=(bench_writes.growth, bench_create.growth, bench_documents.growth),
)

if __name__ == "__main__":
    sys.exit(runner.main(SUITE))
