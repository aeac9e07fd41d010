"""What functions are given: problems that are told where it is none of what they take."""

from __future__ import annotations

import os
from collections.abc import Container

from maml_parquet.errors import MamlError, Problem


def check_path(name: str, path: object) -> None:
    """Raise MamlError `argument` for anything that is neither a text nor an object with a path, or no name can be.

    Examples
    --------
    >>> check_path("path", "x.parquet")
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise _none_of(name, path, "a path")
    if not text:
        raise MamlError([Problem("argument", (name,), f"{name} is empty; give the path of a file")])
    try:
        is_name = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        words = f"{name} is {text!r}, which holds a character that no name of a file can have; give another path"
        raise MamlError([Problem("argument", (name,), words)])


def is_word(value: object, allowed: Container[str]) -> bool:
    """Return whether a value is one of some words, whatever it is.

    Examples
    --------
    >>> is_word("warn", ("warn", "off")), is_word(["warn"], ("warn", "off"))
    (True, False)
    """
    return isinstance(value, str) and value in allowed


def check_maml(name: str, maml: object) -> None:
    """Raise MamlError `argument` for anything that is no parsed MAML."""
    from maml_parquet.sections.records import Maml  # noqa: PLC0415

    if not isinstance(maml, Maml):
        raise _none_of(name, maml, "a parsed MAML, like load('x.maml')")


def _none_of(name: str, value: object, wanted: str) -> MamlError:
    words = f"{name} is of the type {type(value).__name__}; give {wanted}"
    return MamlError([Problem("argument", (name,), words)])
