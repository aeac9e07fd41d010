"""Converting a folder where people watch: how far it is, and what failed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mlarray.convert.files import Job, convert_all, jobs_in


def convert_folder(source: Path, target: Path, overwrite: bool, reading: Mapping[str, Any], workers: int) -> int:
    """Convert every image below a folder; print a summary; return 1 if any failed, or there was none."""
    jobs = list(jobs_in(source, target))
    if not jobs:
        sys.stderr.write(f"error: no image of a known format below {source}\n")
        return 1
    with _watched(len(jobs)) as done:
        failures = convert_all(jobs, overwrite=overwrite, reading=reading, workers=workers, done=done)
    for job, reason in failures:
        sys.stderr.write(f"failed: {job.source}: {reason}\n")
    sys.stdout.write(f"{len(jobs) - len(failures)} of {len(jobs)} converted, {len(failures)} failed\n")
    return 1 if failures else 0


@contextmanager
def _watched(total: int) -> Iterator[Callable[[Job], None]]:
    """Give what is called after each job: a bar of rich on a terminal, a line each elsewhere."""
    if find_spec("rich") is not None and sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415  (an extra)
        from rich.progress import Progress  # noqa: PLC0415  (an extra)

        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task("converting", total=total)
            yield lambda _: progress.advance(task)
        return
    count = 0

    def line(job: Job) -> None:
        nonlocal count
        count += 1
        sys.stderr.write(f"{count}/{total} {job.source}\n")

    yield line
