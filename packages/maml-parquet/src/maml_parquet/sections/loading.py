"""Text and files to records: the functions that users call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from maml_parquet.arguments import check_maml, check_path, is_word
from maml_parquet.errors import MamlError, Problem
from maml_parquet.sections.datamaps import type_words
from maml_parquet.sections.records import Maml, Profile, Role
from maml_parquet.sections.rules import PROFILES, ROLES, read_document
from maml_parquet.sections.specs import VERSIONS
from maml_parquet.telling import warn
from maml_parquet.text.nodes import Dialect, compose
from maml_parquet.text.reading import MAX_BYTES, MAX_LINE, lines

_Word = TypeVar("_Word", bound=str)

_DIALECTS: tuple[Dialect, ...] = ("yaml", "line")


def parse(
    text: str | bytes,
    *,
    dialect: Dialect = "yaml",
    profile: Profile = "parquet",
    role: Role = "write",
    source: str = "",
    max_line: int = MAX_LINE,
    datamap: Mapping[str, str] | None = None,
) -> Maml:
    r"""Return the MAML that the text is.

    Parameters
    ----------
    text
        A whole MAML; bytes are UTF-8.
    dialect
        ``yaml``, or ``line`` for files that are split at the first colon of each line and are not YAML.
    profile
        ``parquet``, or ``spec-1.0``, ``spec-1.1``, ``spec-1.2``: the rules of that version of the specification.
    role
        ``write`` describes a table to be written; ``read`` a file that exists, so that types and table are not asked
        for; ``table-type`` the type of a table, whose sizes must be numbers.
    source
        The name of the file, for messages.
    max_line
        The most characters of one line.
    datamap
        Words of other programs for types, in any case: ``{"float": "float32"}``. With a map, words that stand for one
        type are read too, like ``double`` and ``bool``; an empty one is for those alone.

    Raises
    ------
    MamlError
        Everything that is wrong, with its lines.

    Warns
    -----
    MamlWarning
        For what is odd but usable; also in `Maml.notices`.

    Examples
    --------
    >>> maml = parse("table: t\nversion: 1.10\nfields:\n- name: ra\n  unit: deg\n  data_type: Float64\n")
    >>> maml.fields[0].name, maml.fields[0].unit, str(maml.fields[0].data_type)
    ('ra', 'deg', 'float64')
    """
    return _finished(*_read(text, dialect, profile, role, source, max_line, datamap))


def load(
    path: str | os.PathLike[str],
    *,
    dialect: Dialect = "yaml",
    profile: Profile = "parquet",
    role: Role = "write",
    max_line: int = MAX_LINE,
    datamap: Mapping[str, str] | None = None,
) -> Maml:
    """Return the MAML that the file holds; as `parse`, and OSError where the file cannot be read."""
    check_path("path", path)
    return _finished(*_read(_bytes(path), dialect, profile, role, os.fspath(path), max_line, datamap))


def problems(
    text: str | bytes,
    *,
    dialect: Dialect = "yaml",
    profile: Profile = "parquet",
    role: Role = "write",
    max_line: int = MAX_LINE,
    datamap: Mapping[str, str] | None = None,
) -> tuple[Problem, ...]:
    r"""Return everything that is wrong with the text, in the order of its lines; what `parse` would raise.

    Examples
    --------
    >>> for problem in problems("Author: A\nfields:\n- name: x\n  data_type: int8\n"):
    ...     print(problem.code, problem.line)
    table-missing 1
    type-invalid 4
    """
    try:
        return _read(text, dialect, profile, role, "", max_line, datamap)[1]
    except MamlError as error:
        if error.code == "argument":
            raise
        return error.problems


def validate(
    source: str | os.PathLike[str] | bytes | Maml,
    *,
    dialect: Dialect = "yaml",
    profile: Profile = "parquet",
    role: Role = "write",
    max_line: int = MAX_LINE,
    datamap: Mapping[str, str] | None = None,
) -> None:
    r"""Raise MamlError with everything that is wrong with a file, a text or a MAML that was parsed.

    A text with a line end or a colon and a blank in it, and bytes, are the MAML itself; any other text is the path of a
    file. What was parsed is looked at by the role and the profile that are given here, not by those it was parsed with.

    Examples
    --------
    >>> validate("table: t\nfields: [{name: x, data_type: int32}]")
    >>> validate(parse("extra: {remap: [ra: RA]}", role="read"), role="read")
    """
    if isinstance(source, Maml):
        _check_word("profile", profile, PROFILES)
        _check_word("role", role, ROLES)
        words = type_words(datamap)
        _finished(*read_document(source.root, role=role, profile=profile, source=source.source, type_words=words))
    elif isinstance(source, bytes) or (isinstance(source, str) and ("\n" in source or ": " in source)):
        parse(source, dialect=dialect, profile=profile, role=role, max_line=max_line, datamap=datamap)
    else:
        load(source, dialect=dialect, profile=profile, role=role, max_line=max_line, datamap=datamap)


def valid_for(maml: Maml) -> list[str]:
    r"""Return the versions of the specification that the MAML is valid for.

    Examples
    --------
    >>> text = "table: t\nversion: '1'\ndate: 2024-05-06\nauthor: A\nfields: [{name: x, data_type: int32}]\n"
    >>> valid_for(parse(text))
    ['1.0', '1.1', '1.2']
    >>> valid_for(parse(text + "extra: {a: b}\n"))
    ['1.1', '1.2']
    """
    check_maml("maml", maml)
    profiles: dict[str, Profile] = dict(zip(VERSIONS, PROFILES[1:], strict=True))
    return [
        version
        for version, profile in profiles.items()
        if not read_document(maml.root, role="write", profile=profile)[1]
    ]


def _read(
    text: str | bytes,
    dialect: Dialect,
    profile: Profile,
    role: Role,
    source: str,
    max_line: int,
    datamap: Mapping[str, str] | None,
) -> tuple[Maml, tuple[Problem, ...]]:
    _check_word("dialect", dialect, _DIALECTS)
    _check_word("profile", profile, PROFILES)
    _check_word("role", role, ROLES)
    words = type_words(datamap)
    try:
        root, found = compose(lines(text, max_line=max_line), dialect)
    except MamlError as error:
        raise MamlError(error.problems, source) from None
    return read_document(root, role=role, profile=profile, source=source, found=found, type_words=words)


def _finished(maml: Maml, found: tuple[Problem, ...]) -> Maml:
    if found:
        raise MamlError(found, maml.source)
    prefix = f"{maml.source}:" if maml.source else ""
    for notice in maml.notices:
        warn(f"{prefix}{notice}")
    return maml


def _check_word(name: str, word: _Word, allowed: tuple[_Word, ...]) -> None:
    if not is_word(word, allowed):
        raise MamlError([Problem("argument", (), f"{name} is {word!r}; use one of {', '.join(allowed)}")])


def _bytes(path: str | os.PathLike[str]) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(MAX_BYTES + 1)
