"""Paths of .mla files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any, Final

from mlarray.errors import ArgumentError, ArgumentTypeError, FormatError, Problem

SUFFIX: Final = ".mla"


def resolve(path: Any, *, writing: bool = False) -> str:
    """Return a path as text, absolute and with links resolved.

    Parameters
    ----------
    path
        Text, bytes or a path object that ends in .mla, in any case.
    writing
        Whether a file will be made there: then its folder must exist; else the file must.

    Raises
    ------
    ArgumentTypeError
        It is no path.
    ArgumentError
        It does not end in .mla.
    FileNotFoundError
        The file, or the folder to write to, is not there.
    FormatError
        What stands there is no regular file.
    """
    try:
        text = os.fsdecode(os.fspath(path))
    except TypeError:
        raise ArgumentTypeError(Problem("wrong_type", ("path",), f"{path!r} is no path")) from None
    if not text.lower().endswith(SUFFIX):
        raise ArgumentError(Problem("wrong_value", ("path",), f"{text!r} does not end in {SUFFIX}; give such a name"))
    found = os.path.realpath(os.path.expanduser(text))  # noqa: PTH111  (a path may be bytes)
    if writing:
        folder = Path(found).parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write to does not exist; make it first", str(folder))
        return found
    mode = os.stat(found).st_mode  # noqa: PTH116  (FileNotFoundError is what a caller expects)
    if not stat.S_ISREG(mode):
        raise FormatError(Problem("wrong_type", (), "no regular file (an .mla file is one file)"), path=found)
    return found
