"""Paths of .mla files."""

from __future__ import annotations

import contextlib
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
        It does not end in .mla, or, to write to, is no UTF-8 text.
    FileNotFoundError
        The file, or the folder to write to, is not there.
    PermissionError
        The folder cannot be written to.
    FormatError
        What stands there is no regular file.
    """
    try:
        text = os.fsdecode(os.fspath(path))
    except TypeError:
        raise ArgumentTypeError(Problem("wrong_type", ("path",), f"{path!r} is no path")) from None
    if not text.lower().endswith(SUFFIX):
        raise ArgumentError(_no_such_name(text, writing=writing))
    if "\0" in text:
        raise ArgumentError(Problem("wrong_value", ("path",), f"{text!r} holds a zero byte, which no name can"))
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        message = f"{text!r} holds a lone surrogate, which no name can; give another name"
        raise ArgumentError(Problem("wrong_value", ("path",), message)) from None
    found = os.path.realpath(os.path.expanduser(text))  # noqa: PTH111  (a path may be bytes)
    if writing:
        _check_target(found)
    else:
        _check_regular(os.stat(found), found)  # noqa: PTH116  (FileNotFoundError is what a caller expects)
    return found


def _no_such_name(text: str, *, writing: bool) -> Problem:
    hint = "give such a name"
    if text and not writing and Path(text).exists():
        hint = "name a file in it" if Path(text).is_dir() else "mlarray.convert reads files of other formats"
    return Problem("wrong_value", ("path",), f"{text!r} does not end in {SUFFIX}; {hint}")


def _check_target(path: str) -> None:
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder to write to does not exist; make it first", str(folder))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the folder cannot be written to; give another", str(folder))
    try:
        path.encode()
    except UnicodeEncodeError:
        message = f"{path!r} is no UTF-8 text, which blosc2 needs to write; give another name"
        raise ArgumentError(Problem("unsupported", ("path",), message)) from None
    with contextlib.suppress(FileNotFoundError):
        _check_regular(os.stat(path), path)  # noqa: PTH116


def _check_regular(status: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FormatError(Problem("wrong_type", (), "no regular file (an .mla file is one file)"), path=path)
