"""The worker that times the public peer, in the peer's environment: JSON jobs in, JSON answers out, a line each."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

from harness import Timer, timer
from torch.utils.data import DataLoader

from miao import MiaoConfig, VolumeDataset


def _dataset(config: dict[str, Any]) -> Any:
    with redirect_stdout(sys.stderr):
        return VolumeDataset(MiaoConfig(**config))


def _batches(job: dict[str, Any]) -> Callable[[], object]:
    """Return what takes the next batch of an endless loader, its cache warm."""
    batches = iter(DataLoader(_dataset(job["config"]), batch_size=job["batch"], num_workers=0))
    for _ in range(job["warm"]):
        next(batches)
    return lambda: next(batches)


@lru_cache(maxsize=1)
def _timer(text: str) -> Timer:
    """Return the timer of a job, which goes on with its batches from one call to the next."""
    job = json.loads(text)
    if job["op"] == "make":
        return timer(lambda: _dataset(job["config"]))
    return timer(_batches(job))


def main() -> None:
    """Answer jobs until the pipe closes."""
    print(json.dumps({"tensorstore": version("tensorstore")}), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        count = job.pop("count")
        try:
            answer: dict[str, Any] = {"seconds": _timer(json.dumps(job))(count)}
        except Exception as error:  # noqa: BLE001  (whatever the peer raises is told)
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
