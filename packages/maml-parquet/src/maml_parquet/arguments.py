"""What functions are given: problems that are told where it is none of what they take."""

from __future__ import annotations

import os

from maml_parquet.errors import MamlError, Problem


def check_path(name: str, path: object) -> None:
    """Raise MamlError `argument` for anything that is neither a text nor an object with a path.

    Examples
    --------
    >>> check_path("path", "x.parquet")
    """
    if not isinstance(path, str | os.PathLike):
        raise _none_of(name, path, "a path")


def check_maml(name: str, maml: object) -> None:
    """Raise MamlError `argument` for anything that is no parsed MAML."""
    from maml_parquet.sections.records import Maml  # noqa: PLC0415

    if not isinstance(maml, Maml):
        raise _none_of(name, maml, "a parsed MAML, like load('x.maml')")


def _none_of(name: str, value: object, wanted: str) -> MamlError:
    words = f"{name} is of the type {type(value).__name__}; give {wanted}"
    return MamlError([Problem("argument", (name,), words)])
