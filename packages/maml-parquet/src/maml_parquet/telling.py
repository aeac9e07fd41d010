"""Warnings that point at the line of the caller, however deep in this package they arise."""

from __future__ import annotations

import sys
import warnings

from maml_parquet.errors import MamlWarning

_PACKAGE = __name__.partition(".")[0]


def warn(words: str) -> None:
    """Warn with `MamlWarning`, at the line outside this package that called into it.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn("a bound is broken")
    >>> [str(one.message) for one in told]
    ['a bound is broken']
    """
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
        level += 1
    warnings.warn(words, MamlWarning, stacklevel=level)
