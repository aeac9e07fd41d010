"""The worker that times the public peer, in the peer's environment: JSON jobs in, JSON answers out, a line each."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections import deque
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import worldarray as peer

_IMPORT = "import time; start = time.perf_counter(); import worldarray; print(time.perf_counter() - start)"


@lru_cache(maxsize=16)
def _open(path: str) -> Any:
    return peer.open(path)


def _read_index(job: dict[str, Any]) -> Any:
    volume, begin, end = _open(job["path"]), tuple(job["begin"]), tuple(job["end"])
    return lambda: volume.read_index(begin, end)


def _read(job: dict[str, Any]) -> Any:
    volume, box = _open(job["path"]), tuple(map(tuple, job["box"]))
    if "voxel_size" not in job:
        return lambda: volume.read(box)
    size, method = tuple(job["voxel_size"]), job["method"]
    return lambda: volume.read(box, voxel_size=size, method=method)


def _blocks(job: dict[str, Any]) -> Any:
    shape, block, context = tuple(job["shape"]), tuple(job["block"]), job["context"]
    return lambda: deque(peer.blocks(shape, block, context=context), maxlen=0)


def _open_array(job: dict[str, Any]) -> Any:
    return lambda: peer.open(job["path"]).ts


def _metas(job: dict[str, Any]) -> Any:
    return lambda: peer.open_pyramid(job["path"]).metas()


def _list_chunks(job: dict[str, Any]) -> Any:
    return _open(job["path"]).list_chunks


_CALLS = {
    "read_index": _read_index,
    "read": _read,
    "blocks": _blocks,
    "open": _open_array,
    "metas": _metas,
    "list_chunks": _list_chunks,
}


def seconds(job: dict[str, Any]) -> float:
    """Return the mean time of a job's call over its count."""
    count = job["count"]
    if job["op"] == "import":
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = job["cache"]
        command = [sys.executable, "-c", _IMPORT]
        times = [float(subprocess.check_output(command, env=environment)) for _ in range(count)]
        return sorted(times)[len(times) // 2]
    call = _CALLS[job["op"]](job)
    gc.collect(0)
    gc.disable()
    start = time.perf_counter()
    for _ in range(count):
        call()
    took = (time.perf_counter() - start) / count
    gc.enable()
    return took


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
