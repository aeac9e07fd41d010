"""Measure the package: ``run.py [NAME…] [--quick]`` prints a table per family and writes ``results/<NAME>.json``.

Every line is a ratio to a reference measured in the same run. Nothing depends on a time.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import bench_alternatives
import bench_files
import bench_patches
import peer
import runner

SUITE = runner.Suite(
    says=__doc__.splitlines()[0],
    results=Path(__file__).with_name("results"),
    families={
        "patches": bench_patches.lines,
        "files": bench_files.lines,
        "alternatives": bench_alternatives.lines,
    },
    growths=(bench_patches.growth, bench_files.growth),
    peer=partial(peer.running, "mlarray==0.0.54", "blosc2", Path(__file__).with_name("mlarray_worker.py")),
)

if __name__ == "__main__":
    sys.exit(runner.main(SUITE))
