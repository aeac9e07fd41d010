"""How much memory this machine has: what no read may ask for more than."""

from __future__ import annotations

import os
import sys
from functools import cache


@cache
def memory_bytes() -> int:
    """Return how much memory this machine has; where it does not tell, more than any has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return sys.maxsize
