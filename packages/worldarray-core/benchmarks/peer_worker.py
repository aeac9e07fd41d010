"""The worker that times the public peer, in the peer's environment: JSON jobs in, JSON answers out, a line each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np
from harness import Timer, restored, timer, undoing

import worldarray as peer

_IMPORT = "import time; start = time.perf_counter(); import worldarray; print(time.perf_counter() - start)"


@lru_cache(maxsize=16)
def _open(path: str, **how: str) -> Any:
    return peer.open(path, **how)


def _read_index(job: dict[str, Any]) -> Timer:
    volume, begin, end = _open(job["path"]), tuple(job["begin"]), tuple(job["end"])
    return timer(lambda: volume.read_index(begin, end))


def _read(job: dict[str, Any]) -> Timer:
    volume, box = _open(job["path"]), tuple(map(tuple, job["box"]))
    if "voxel_size" not in job:
        return timer(lambda: volume.read(box))
    size, method = tuple(job["voxel_size"]), job["method"]
    return timer(lambda: volume.read(box, voxel_size=size, method=method))


def _blocks(job: dict[str, Any]) -> Timer:
    shape, block, context = tuple(job["shape"]), tuple(job["block"]), job["context"]
    return timer(lambda: deque(peer.blocks(shape, block, context=context), maxlen=0))


def _open_array(job: dict[str, Any]) -> Timer:
    return timer(lambda: peer.open(job["path"]).ts)


def _metas(job: dict[str, Any]) -> Timer:
    return timer(lambda: peer.open_pyramid(job["path"]).metas())


def _list_chunks(job: dict[str, Any]) -> Timer:
    return timer(_open(job["path"]).list_chunks)


@lru_cache(maxsize=16)
def _values(path: str) -> Any:
    return np.load(path)


def _write_index(job: dict[str, Any]) -> Timer:
    volume, begin, end = _open(job["path"], mode="r+"), tuple(job["begin"]), tuple(job["end"])
    values = np.ascontiguousarray(_values(job["values"])[tuple(map(slice, end))])
    return timer(lambda: volume.write_index(begin, end, values))


def _write_chunk(job: dict[str, Any]) -> Timer:
    volume, index = _open(job["path"], mode="r+"), tuple(job["index"])
    values = np.ascontiguousarray(_values(job["values"])[tuple(map(slice, job["unit"]))])
    return timer(lambda: volume.write_chunk(index, values))


def _create(job: dict[str, Any]) -> Timer:
    path, level = job["path"], job["level"]
    return undoing(lambda: peer.create(path, **level), restored(job["before"]))


def _add_level(job: dict[str, Any]) -> Timer:
    def call() -> None:
        peer.open_pyramid(job["group"], mode="r+").add_level(job["name"], factors=job["factors"])

    return undoing(call, restored(job["before"]))


def _call(job: dict[str, Any]) -> Timer:
    function, given = getattr(peer, job["function"]), job["arguments"]
    return timer(lambda: function(*given))


def _import(job: dict[str, Any]) -> Timer:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = job["cache"]
    command = [sys.executable, "-c", _IMPORT]

    def timed(count: int) -> float:
        times = [float(subprocess.check_output(command, env=environment)) for _ in range(count)]
        return sorted(times)[len(times) // 2]

    return timed


_TIMERS = {
    "read_index": _read_index,
    "read": _read,
    "blocks": _blocks,
    "open": _open_array,
    "metas": _metas,
    "list_chunks": _list_chunks,
    "write_index": _write_index,
    "write_chunk": _write_chunk,
    "create": _create,
    "add_level": _add_level,
    "call": _call,
    "import": _import,
}


def seconds(job: dict[str, Any]) -> float:
    """Return the mean time of a job's call over its count."""
    return _TIMERS[job["op"]](job)(job["count"])


def main() -> None:
    """Say which versions run here, then answer jobs until the input ends."""
    print(json.dumps({"version": peer.__version__, "tensorstore": version("tensorstore")}), flush=True)
    for line in sys.stdin:
        try:
            answer = {"seconds": seconds(json.loads(line))}
        except Exception as error:  # noqa: BLE001  (whatever the peer raises is an answer)
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
