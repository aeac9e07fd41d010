"""The worker that times the public peer, in the peer's environment: JSON jobs in, JSON answers out, a line each."""

from __future__ import annotations

import json
import os
import sys
from functools import lru_cache
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import numpy as np
from harness import Timer, timer

from mlarray import MLArray


@lru_cache(maxsize=8)
def _file(source: str, patch: tuple[int, ...] | int | None, labels: tuple[str, ...] | None) -> str:
    path = f"{source}.{os.getpid()}.{abs(hash((patch, labels)))}.mla"
    more = {} if labels is None else {"axis_labels": list(labels)}
    size = list(patch) if isinstance(patch, tuple) else patch
    MLArray(np.load(source), patch_size=size, **more).save(path)
    return path


@lru_cache(maxsize=8)
def _open(path: str) -> Any:
    return MLArray.open(path)


def _job(job: dict[str, Any]) -> Timer:
    patch = tuple(job["patch"]) if isinstance(job["patch"], list) else job["patch"]
    path = _file(job["source"], patch, tuple(job["labels"]) if job.get("labels") else None)
    keys = cycle([tuple(slice(a, a + n) for a, n in zip(start, job["size"], strict=True)) for start in job["starts"]])
    if job["op"] == "patch":
        array = _open(path)
        return timer(lambda: array[next(keys)])

    def opened() -> None:
        array = MLArray.open(path)
        array[next(keys)]
        array.close()

    return timer(opened)


def main() -> None:
    """Answer jobs until the pipe closes."""
    print(json.dumps({"blosc2": version("blosc2")}), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            answer: dict[str, Any] = {"seconds": _job(job)(job["count"])}
        except Exception as error:  # noqa: BLE001  (whatever the peer raises is told)
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
