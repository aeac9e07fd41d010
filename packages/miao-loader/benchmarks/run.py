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

import bench_loading
import bench_making
import peer
import runner

SUITE = runner.Suite(
    says=__doc__.splitlines()[0],
    results=Path(__file__).with_name("results"),
    families={"loading": bench_loading.lines, "making": bench_making.lines},
    growths=(bench_making.growth,),
    peer=partial(peer.running, "miao-io==0.4.3", "tensorstore", Path(__file__).with_name("miao_worker.py")),
)

if __name__ == "__main__":
    sys.exit(runner.main(SUITE))
