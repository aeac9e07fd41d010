"""The version of the metadata format: 1.x is read, every other one refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from mlarray.errors import Problem
from mlarray.header.report import cut, shown
from mlarray.header.wire import before_version_1

FORMAT_VERSION: Final = "1.0"
"""What this package writes."""
VERSION_1: Final = re.compile(r"1\.(0|[1-9][0-9]*)")
_VERSION: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")


@cache
def writer_name() -> str:
    """Return what this package calls itself in files: ``mlarray 0.1.0``."""
    from importlib.metadata import version  # noqa: PLC0415  (opening a file does not need it)

    return f"mlarray {version('mlarray')}"


def check_version(document: Mapping[str, Any]) -> Problem | None:
    """Return why a document cannot be read at all, or None.

    Examples
    --------
    >>> check_version({"version": "1.10"})
    >>> check_version({"version": "2.0"}).message
    'the file uses metadata format 2.0; this mlarray reads 1.x. Upgrade mlarray'
    """
    if "version" not in document:
        return Problem("unsupported", (), before_version_1())
    version = document["version"]
    if not isinstance(version, str):
        message = f"the version is {shown(version)}; it is text such as {FORMAT_VERSION!r}"
        return Problem("wrong_type", ("version",), message)
    if VERSION_1.fullmatch(version):
        return None
    found = _VERSION.fullmatch(version)
    if found is None:
        message = f"the version {shown(version)} is malformed; it is 1 and a minor number, such as {FORMAT_VERSION!r}"
        return Problem("wrong_value", ("version",), message)
    fix = "That is too old: convert it again from its original file" if found[1] in {"0", "1"} else "Upgrade mlarray"
    message = f"the file uses metadata format {cut(version)}; this mlarray reads 1.x. {fix}"
    return Problem("unsupported", ("version",), message)


def minor(version: object) -> tuple[int, str]:
    """Return the minor number of a version 1.x, as its length and its digits, which compare as numbers do.

    The number itself may be longer than Python reads; 0 for anything that is no version 1.x.

    Examples
    --------
    >>> minor("1.12"), minor("1.9") < minor("1.12"), minor(1.0)
    ((2, '12'), True, (1, '0'))
    """
    digits = version[2:] if isinstance(version, str) and VERSION_1.fullmatch(version) else "0"
    return len(digits), digits


def newer(version: object) -> bool:
    """Whether a version 1.x has a higher minor number than this package writes.

    Examples
    --------
    >>> newer("1.0"), newer("1.10")
    (False, True)
    """
    return version != FORMAT_VERSION and minor(version) > minor(FORMAT_VERSION)


def merged(version: object) -> str:
    """Return the version to write over one that was read: the higher of it and this package's own.

    Examples
    --------
    >>> merged("1.7"), merged(None)
    ('1.7', '1.0')
    """
    return f"1.{max(minor(version), minor(FORMAT_VERSION))[1]}"
