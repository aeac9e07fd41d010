"""The one place where warnings are given, on behalf of the code that called this package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from miao.errors import MiaoWarning, Notice

_HERE: Final = str(Path(__file__).parent)


def warn_notices(notices: Iterable[Notice]) -> None:
    """Warn of each, once, at the line outside this package that led here."""
    for notice in dict.fromkeys(notices):
        warnings.warn(notice.message, MiaoWarning, stacklevel=_outside())


def _outside() -> int:
    depth = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
        depth += 1
    return depth
