"""Frames that were looked at, opened by blosc2: from a file, from one that is mapped, from bytes."""

from __future__ import annotations

import dataclasses
import mmap
import os
from typing import Any

from mlarray.errors import FormatError, Problem
from mlarray.io import runtime
from mlarray.io.frame import FrameInfo
from mlarray.io.frame_header import damaged

Identity = tuple[int, int, int, int]
"""Of a file: which one, and in which state."""
Buffer = mmap.mmap | bytes
"""A frame, and what may stand behind it."""


def identity(status: os.stat_result) -> Identity:
    """Return which file it is, and in which state."""
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def decodable(info: FrameInfo) -> FrameInfo:
    """Refuse a frame whose codec or filters this blosc2 does not have: it would not say so.

    Raises
    ------
    FormatError
        There is one.
    """
    blosc2 = runtime.module()
    for kind, numbers in ((blosc2.Codec, (info.codec,)), (blosc2.Filter, info.filters)):
        for number in numbers:
            try:
                kind(number)
            except ValueError:
                message = f"it is compressed with a {kind.__name__.lower()} that this blosc2 does not have: {number}"
                raise FormatError(Problem("unsupported", (), message)) from None
    return info


def mapped(descriptor: int) -> mmap.mmap | None:
    """Return an open file, mapped for reading; None where it cannot be."""
    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None


def over(buffer: Buffer, length: int, path: str) -> Any:
    """Return the blosc2.NDArray of a frame in a file that is mapped, or in bytes: nothing is copied.

    blosc2 maps files as well; it takes longer to open one, and a little longer to read.

    Raises
    ------
    FormatError
        blosc2 cannot read it.
    """
    frame = memoryview(buffer)[:length]
    try:
        found = runtime.module().ndarray_from_cframe(frame, copy=False)
    except runtime.REFUSALS as error:
        raise damaged(str(error), path) from None
    found.frame = frame  # blosc2 keeps its address alone
    return found


def from_path(path: str, mode: str, *, maps: bool, nthreads: int) -> Any:
    """Return the blosc2.NDArray of a file, which blosc2 opens itself: ``r``, ``r+`` or ``c``.

    Raises
    ------
    FormatError
        blosc2 cannot open it.
    """
    try:
        found = runtime.open_frame(
            path, "a" if mode == "r+" else "r", mmap_mode=mode if maps else None, nthreads=nthreads
        )
    except FileNotFoundError:
        raise
    except UnicodeEncodeError:
        message = "the name of the file, or of its folder, is no UTF-8 text, which blosc2 needs; rename it"
        raise FormatError(Problem("unsupported", (), message), path=path) from None
    except runtime.REFUSALS as error:
        raise damaged(f"truncated? {error}", path) from None
    if not isinstance(found, runtime.module().NDArray):
        message = f"it holds a {type(found).__name__}, not an array"
        raise FormatError(Problem("wrong_type", (), message), path=path)
    if mode != "r":
        # As many threads compress as decode; given to `open`, it would set the other settings back to defaults.
        try:
            found.schunk.cparams = dataclasses.replace(found.schunk.cparams, nthreads=nthreads)
        except (OverflowError, ValueError) as error:
            raise damaged(f"its filters have a parameter that this blosc2 does not take: {error}", path) from None
    return found
