"""The worker that times the public peer, in the peer's environment: JSON jobs in, JSON answers out, a line each."""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import numpy as np
import phantoms
from harness import Timer, timer

from mlarray import MLArray


@lru_cache(maxsize=16)
def _file(source: str, patch: str, labels: str) -> Path:
    path = Path(f"{source}.{abs(hash((patch, labels)))}.mla")
    _write(source, patch, labels, path)
    return path


def _write(source: str, patch: str, labels: str, path: Path) -> None:
    """Write an array to a file; patch size and labels are JSON."""
    more = {"axis_labels": json.loads(labels)} if json.loads(labels) else {}
    MLArray(np.load(source), patch_size=json.loads(patch), **more).save(path)


@lru_cache(maxsize=16)
def _timer(text: str) -> Timer:
    """Return the timer of a job, which goes on with its patches from one call to the next."""
    job = json.loads(text)
    written = job["source"], json.dumps(job["patch"]), json.dumps(job["labels"])
    if job["op"] == "write":
        return timer(lambda: _write(*written, Path(f"{job['source']}.written.mla")))
    path = _file(*written)
    if job["op"] == "bytes":
        return lambda _: float(path.stat().st_size)
    keys = cycle([tuple(slice(a, a + n) for a, n in zip(start, job["size"], strict=True)) for start in job["starts"]])
    if job["op"] == "open":
        if not job["fresh"]:
            phantoms.forgotten(path)
            for _ in job["starts"]:
                _opened(path, next(keys))
        return timer(lambda: _opened(path, next(keys)))
    array = MLArray.load(path) if job["op"] == "loaded" else MLArray.open(path)
    return timer(lambda: array[next(keys)])


def _opened(path: Path, key: tuple[slice, ...]) -> Any:
    array = MLArray.open(path)
    found = array[key]
    array.close()
    return found


def main() -> None:
    """Answer jobs until the pipe closes."""
    print(json.dumps({"blosc2": version("blosc2")}), flush=True)
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
