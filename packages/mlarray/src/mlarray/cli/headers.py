"""The header of a file, read without a voxel of it."""

from __future__ import annotations

from typing import Any

from mlarray.errors import FormatError, Notice, Problem
from mlarray.header.canonical import TOP, canonical
from mlarray.header.check import check_source_document, check_user_document
from mlarray.header.parse import parse
from mlarray.header.wire import decode
from mlarray.io.frame import read_header_of
from mlarray.io.paths import resolve
from mlarray.meta.meta import CORE, SOURCE, USER


def header_of(path: Any, *, source: bool = False, user: bool = False, strict: bool = True) -> dict[str, Any]:
    """Return the header of a file in canonical order, with the lazy keys where they are asked for.

    Raises
    ------
    FormatError
        The file is no .mla file of format version 1.
    OSError
        It cannot be read.
    """
    name = resolve(path)
    wanted = [CORE, *([SOURCE] if source else []), *([USER] if user else [])]
    info, raw = read_header_of(name, *wanted)
    if CORE not in raw:
        message = "not an .mla file: no 'mlarray' metadata (a plain blosc2 array?)"
        raise FormatError(Problem("missing_key", (), message), path=name)
    document = parse(raw[CORE], info.shape, info.dtype, strict=strict, path=name).document
    found = {**canonical(document, writer=document.get("writer", ""), had=frozenset(document))}
    found = {key: found[key] for key in (*TOP, *(key for key in found if key not in TOP)) if key in document}
    found["version"] = document["version"]
    for key, short, empty in ((SOURCE, "source", []), (USER, "user", {})):
        if key in wanted:
            found[short] = decode(raw[key], key=key, unique=False).get(short) if key in raw else empty
    return found


def problems_of(path: Any) -> tuple[tuple[Problem, ...], tuple[Notice, ...]]:
    """Return all that is wrong with the metadata of a file, and what is odd about it.

    Raises
    ------
    OSError
        It cannot be read.
    """
    name = resolve(path)
    notices: tuple[Notice, ...] = ()
    found: list[Problem] = []
    try:
        info, raw = read_header_of(name, CORE, SOURCE, USER)
        if CORE not in raw:
            return (Problem("missing_key", (), "not an .mla file: no 'mlarray' metadata"),), ()
        notices = parse(raw[CORE], info.shape, info.dtype).notices
    except FormatError as error:
        return error.problems, ()
    for key, check in ((SOURCE, check_source_document), (USER, check_user_document)):
        if key in raw:
            try:
                found += check(decode(raw[key], key=key, unique=False)).problems
            except FormatError as error:
                found += error.problems
    return tuple(found), notices
