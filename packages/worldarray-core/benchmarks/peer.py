"""The public peer as a black box: a worker process in an environment of its own, asked for timings over a pipe."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness import Job, Timer

PEER = "worldarray==0.9.0"
PATIENCE = 180.0
"""Seconds that installing and importing the peer may take."""
_WORKER = Path(__file__).with_name("peer_worker.py")


class PeerError(RuntimeError):
    """The peer did not answer a job with a time."""


class Peer:
    """A running worker."""

    def __init__(self, process: subprocess.Popen[str], hello: dict[str, Any]) -> None:
        self._process = process
        self.hello = hello

    def timer(self, job: Job) -> Timer:
        """Return the timer of a job."""

        def timed(count: int) -> float:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps({**job, "count": count}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline() or '{"error": "the worker ended"}')
            if "error" in answer:
                raise PeerError(answer["error"])
            return float(answer["seconds"])

        return timed


@contextmanager
def absent() -> Iterator[tuple[None, str]]:
    """Give no peer."""
    yield None, f"{PEER} is not compared: it was left out"


@contextmanager
def running(
    name: str = PEER, library: str = "tensorstore", worker: Path = _WORKER
) -> Iterator[tuple[Peer | None, str]]:
    """Give a running peer and what to say about it; None where it cannot be installed here.

    `library` is what both sides stand on, at the version that is installed here.
    """
    command = ["uv", "run", "--no-project", "--isolated", "--python", f"{sys.version_info[0]}.{sys.version_info[1]}"]
    command += ["--with", name, "--with", f"{library}=={version(library)}", "python", str(worker)]
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError as error:
        yield None, f"{name} is not compared: uv cannot be run ({error})"
        return
    with process:
        hello = _hello(process)
        if hello is None:
            process.kill()
            yield None, f"{name} is not compared: it cannot be installed here"
            return
        try:
            yield (
                Peer(process, hello),
                f"peer: {name}, a worker process of its own on {library} {hello[library]}",
            )
        finally:
            process.kill()


def _hello(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    assert process.stdout is not None
    impatience = threading.Timer(PATIENCE, process.kill)
    impatience.start()
    try:
        line = process.stdout.readline()
    finally:
        impatience.cancel()
    found: dict[str, Any] | None = json.loads(line) if line else None
    return found
