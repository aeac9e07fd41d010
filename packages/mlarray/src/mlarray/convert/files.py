"""One file, or every file of a folder, from its format to that of its target."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from mlarray.array import MLArray
from mlarray.convert.table import FORMATS, Format, format_of, function
from mlarray.errors import ArgumentError, MLArrayError, Problem
from mlarray.io.paths import SUFFIX

_LAYOUT: Final = frozenset({"patch_size", "chunk_size", "block_size", "cparams", "dparams", "compressed"})
"""What every converter takes."""


@dataclass(frozen=True)
class Job:
    """One thing to convert."""

    source: Path
    target: Path


def is_mla(path: Path) -> bool:
    """Whether a path is called as an .mla file is."""
    return path.name.lower().endswith(SUFFIX)


def convert(job: Job, *, overwrite: bool = False, reading: Mapping[str, Any] | None = None) -> None:
    """Convert one file or folder: to .mla, or from .mla to the format that the target's name says.

    Raises
    ------
    FileExistsError
        The target exists, and `overwrite` is not set.
    ArgumentError
        Neither end is an .mla file, or both are.
    MLArrayError, OSError
        As the converters raise.
    """
    if not is_mla(job.source) and not os.path.lexists(job.source):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(job.source))
    if is_mla(job.source) == is_mla(job.target):
        message = f"one of {job.source} and {job.target} must end in {SUFFIX}, and only one"
        raise ArgumentError(Problem("wrong_value", ("path",), message))
    if os.path.lexists(job.target) and not overwrite:
        raise FileExistsError(errno.EEXIST, "something stands there already; overwrite to replace it", str(job.target))
    if is_mla(job.target):
        row = format_of(job.source)
        _check_options(row, reading or {})
        made: MLArray = function(row.read)(job.source, **(reading or {}))
        made.save(job.target)
        return
    row = format_of(job.target)
    if row.write is None:
        message = f"{row.name} is read only; write .nii.gz, .nrrd or .zarr"
        raise ArgumentError(Problem("unsupported", ("path",), message))
    for name in reading or {}:
        message = f"{name} says how {SUFFIX} files are made; leave it out to write {row.name}"
        raise ArgumentError(Problem("unsupported", (name,), message))
    if row.folder is None and job.target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder stands there; give another name", str(job.target))
    with MLArray.open(job.source) as array:
        function(row.write)(array, job.target, overwrite=overwrite)


def _check_options(row: Format, reading: Mapping[str, Any]) -> None:
    for name in reading:
        if name not in row.options and name not in _LAYOUT:
            takers = " and ".join(other.name for other in FORMATS if name in other.options)
            message = f"{name} is no option of {row.name}, but of {takers or 'no format'}"
            raise ArgumentError(Problem("unsupported", (name,), message))


def jobs_in(source: Path, target: Path) -> Iterator[Job]:
    """Yield what is to be converted below a folder: each file of a known format, each folder that holds one array.

    The tree is mirrored; `brain.nii.gz` becomes `brain.mla`.
    """
    for folder, folders, names in os.walk(source):
        here = Path(folder)
        inside = target / here.relative_to(source)
        if here != source and _whole(here):
            folders.clear()
            yield Job(here, inside.with_name(_stem(here.name) + SUFFIX))
            continue
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(tuple(s for row in FORMATS for s in row.suffixes if s not in {".img", ".zarr"})):
                yield Job(here / name, inside / (_stem(name) + SUFFIX))


def _whole(folder: Path) -> bool:
    return any(row.folder is not None and row.folder(folder) for row in FORMATS)


def _stem(name: str) -> str:
    for suffix in sorted((s for row in FORMATS for s in row.suffixes), key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def convert_all(
    jobs: Sequence[Job],
    *,
    overwrite: bool = False,
    reading: Mapping[str, Any] | None = None,
    workers: int = 1,
    done: Callable[[Job], None] | None = None,
) -> list[tuple[Job, str]]:
    """Convert every job; return those that failed, with the reason.

    Two jobs with one target both fail: nothing decides between them.
    """
    targets: dict[Path, list[Job]] = {}
    for job in jobs:
        targets.setdefault(job.target, []).append(job)
    failures = []
    fine = []
    for target, group in targets.items():
        if len(group) > 1:
            failures += [(job, f"{len(group)} sources would become {target.name}") for job in group]
        else:
            fine += group
    for job, reason in _results(fine, overwrite, reading or {}, workers):
        if reason is not None:
            failures.append((job, reason))
        if done is not None:
            done(job)
    return failures


def _results(
    jobs: Sequence[Job], overwrite: bool, reading: Mapping[str, Any], workers: int
) -> Iterator[tuple[Job, str | None]]:
    if workers == 1 or len(jobs) < 2:
        yield from ((job, _attempt(job, overwrite, reading)) for job in jobs)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin) as pool:
        with _uninterrupted():
            pending = {pool.submit(_attempt, job, overwrite, reading): job for job in jobs}
        try:
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            with _uninterrupted():
                pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold an interrupt back; processes that are started meanwhile get none.

    Ctrl-C goes to a whole group, and a worker that ends in the middle of taking a job would never let its pool end. So
    the parent alone is interrupted, and once: it starts nothing more, and waits for the files that are being written.
    """
    mask = getattr(signal, "pthread_sigmask", None)
    if mask is None:
        yield
        return
    before = mask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        mask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Begin a worker: an interrupt is for its parent, and a warning is a line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"


def _attempt(job: Job, overwrite: bool, reading: Mapping[str, Any]) -> str | None:
    """Convert a job; return why it could not be."""
    try:
        job.target.parent.mkdir(parents=True, exist_ok=True)
        convert(job, overwrite=overwrite, reading=reading)
    except expected() as error:
        return reason_of(error)
    return None


def expected() -> tuple[type[BaseException], ...]:
    """Return the errors by which a conversion says that it cannot be done: ours, and those of libraries in use."""
    library = sys.modules.get("worldarray.errors")
    more = () if library is None else (library.WorldArrayError,)
    return (MLArrayError, OSError, ValueError, MemoryError, *more)


def reason_of(error: BaseException) -> str:
    """Return the words of an error on one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "; ".join(str(error).splitlines()) or type(error).__name__
