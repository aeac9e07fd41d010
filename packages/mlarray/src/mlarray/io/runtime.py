"""The one door to blosc2: imported when it is first used, with one thread in a forked child."""

from __future__ import annotations

import atexit
import ctypes
import os
import weakref
from typing import Any, Final

from mlarray.io.frame_header import damaged

REFUSALS: Final = (RuntimeError, ValueError, TypeError, KeyError, OverflowError, SystemError, OSError)
"""What blosc2 raises where a frame is damaged."""
_registered = False
_forks = 0
_threaded: weakref.WeakSet[Any] = weakref.WeakSet()


def module() -> Any:
    """Return blosc2.

    A child that was forked from a process whose blosc2 had threads waits for them for ever; one thread in the child is
    safe, so that is what every forked child gets.
    """
    global _registered  # noqa: PLW0603  (once per process)
    import blosc2

    if not _registered:
        _registered = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_in_child)
    return blosc2


def open_frame(path: str, mode: str, *, mmap_mode: str | None = None, nthreads: int = 1) -> Any:
    """Open a file that was looked at and found to be the frame of an array.

    Not with `blosc2.open`: that one looks for something else in names with ``.zarr/``, ``::`` or ``?`` in them, and
    builds, or fetches, what an array in a file says it stands for.

    Raises
    ------
    RuntimeError, ValueError, TypeError, OSError
        As blosc2 finds.
    """
    extension = module().blosc2_ext
    options: dict[str, Any] = {"dparams": {"nthreads": nthreads}}
    if mmap_mode is not None:
        options["mmap_mode"] = mmap_mode
    return extension.open(path, mode, 0, **options)


def in_memory(frame: bytes, path: str | None = None, *, nthreads: int = 1) -> Any:
    """Return the blosc2.NDArray that a frame holds, which was looked at already, in memory.

    Raises
    ------
    FormatError
        blosc2 cannot read it.
    """
    try:
        # Not copy=True: blosc2 before 4.3 frees what it may not then, where a chunk of zeros stands before another.
        made = module().ndarray_from_cframe(frame, copy=False).copy()
    except REFUSALS as error:
        raise damaged(str(error), path) from None
    if threads(nthreads) > 1:
        made.schunk.dparams = module().DParams(nthreads=nthreads)
    return made


def forks() -> int:
    """Return how many forks lie between the process that first used blosc2 and this one."""
    return _forks


def threads(wanted: int) -> int:
    """Return how many threads blosc2 may have: what is wanted, but one in a forked child."""
    return 1 if _forks else wanted


def note_threads(store: Any) -> None:
    """Remember a store whose array has threads of its own."""
    _threaded.add(store)


def _in_child() -> None:
    global _forks  # noqa: PLW0603  (once per fork)
    import blosc2

    _forks += 1
    blosc2.set_nthreads(1)
    # At exit blosc2 would wait for the threads of the parent too.
    destroy = getattr(blosc2.blosc2_ext, "destroy", None)
    if destroy is not None:
        atexit.unregister(destroy)
    for store in list(_threaded):
        store.leave_behind()
    _threaded.clear()


def keep_for_ever(value: Any) -> None:
    """Never free an object: to free an array in a forked child would be to wait for threads that are not there."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
