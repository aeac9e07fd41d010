"""The one door to blosc2: imported when it is first used, with one thread in a forked child."""

from __future__ import annotations

import os
from typing import Any

_registered = False


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
            os.register_at_fork(after_in_child=_one_thread)
    return blosc2


def _one_thread() -> None:
    import blosc2

    blosc2.set_nthreads(1)
