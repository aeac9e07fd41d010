"""Saying notices: the one place where a notice becomes a Python warning."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from typing import Final

from worldarray.errors import Notice, PlacementWarning

_HERE: Final = os.path.dirname(__file__)  # noqa: PTH120  (pathlib is slow to import)


def warn_notices(notices: Iterable[Notice]) -> None:
    """Warn of each notice once, as a `PlacementWarning` at the line outside this package that called it."""
    for note in dict.fromkeys(notices):
        warnings.warn(PlacementWarning(note), stacklevel=_callers_level())


def _callers_level() -> int:
    level = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
        level += 1
    return level
