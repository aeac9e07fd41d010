"""The one door to tensorstore: imported when first used, and refused in a forked child of a process that used it.

Making contexts and specs leaves a process safe to fork; any read, write, list or open of an array does not, since
tensorstore then has threads and locks that a forked child lacks, and its first use there ends the process.
"""

from __future__ import annotations

import os
from typing import Any, Final

from worldarray.errors import ForkError, problem

ERRORS: Final = (ValueError, IndexError, NotImplementedError)
"""What tensorstore raises for its statuses: INVALID_ARGUMENT and most others, OUT_OF_RANGE, UNIMPLEMENTED."""


class _Owner:
    """The process that first did I/O through this module; a forked child inherits the parent's answer."""

    pid: int = 0


def module() -> Any:
    """Return tensorstore for making contexts and specs, which leaves this process safe to fork."""
    import tensorstore

    return tensorstore


def using() -> Any:
    """Return tensorstore for I/O, and remember that this process has used it.

    Raises
    ------
    ForkError
        This process was forked from one that had used tensorstore.
    """
    refuse_fork()
    return module()


def refuse_fork() -> None:
    """Remember that this process uses tensorstore.

    Raises
    ------
    ForkError
        This process was forked from one that had used tensorstore.
    """
    pid = os.getpid()
    if _Owner.pid != pid:
        if _Owner.pid:
            message = (
                f"this process ({pid}) was forked from one ({_Owner.pid}) that had already read through tensorstore, "
                "and tensorstore would end it; start workers with the spawn or forkserver method, or open and read "
                "in the child alone"
            )
            raise ForkError(problem("forked", ("tensorstore",), message))
        _Owner.pid = pid


def used() -> bool:
    """Whether this process, or the one it was forked from, has done I/O through tensorstore."""
    return _Owner.pid != 0
