"""From an error of tensorstore or the operating system to the one that is raised instead, with the path in it."""

from __future__ import annotations

import errno
from typing import Final

from worldarray.errors import (
    AccessError,
    ArgumentError,
    DataError,
    PlacementError,
    StoreNotFoundError,
    StoreUnavailableError,
    WorldArrayError,
    problem,
)
from worldarray.io import messages
from worldarray.paths import Location

ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})
_NO_RANGES: Final = "was ignored by server"
"""What tensorstore says of a server that sends a whole file where a part of it was asked for."""


def of_file(error: OSError, path: str) -> WorldArrayError:
    """Return what is raised when a local file cannot be read."""
    if error.errno in _DENIED:
        message = "the file may not be read by this user; change its permissions"
        return AccessError(problem("access_denied", (path,), message))
    return StoreUnavailableError(problem("unavailable", (path,), f"the file cannot be read: {error.strerror}"))


def of_documents(error: Exception, where: Location) -> WorldArrayError:
    """Return what is raised when the documents of a folder in a store cannot be read."""
    common = _common(error, where)
    if common is not None:
        return common
    if messages.kind(error) == "invalid":
        message = f"tensorstore cannot use this path: {messages.reason(error)}"
        return ArgumentError(problem("wrong_value", (where.text,), message))
    if where.base is not None:
        message = f"the archive cannot be read: {messages.reason(error)}"
        return DataError(problem("bad_chunk", (where.base.text,), message))
    message = f"the store's answer makes no sense here: {messages.reason(error)}; check the URL"
    return StoreUnavailableError(problem("unavailable", (where.text,), message))


def of_open(error: Exception, where: Location) -> WorldArrayError:
    """Return what is raised when tensorstore cannot open the array at `where`."""
    common = _common(error, where)
    if common is not None:
        return common
    message = f"tensorstore cannot open this array: {messages.reason(error)}"
    return PlacementError(problem("unsupported", (where.text,), message))


def of_read(error: Exception, where: Location) -> WorldArrayError:
    """Return what is raised when data of the array at `where` cannot be read; it names the file where one is known."""
    about = messages.failed(error, where)
    kind = messages.kind(error)
    if kind == "refused":
        hint = "; some servers answer so for a chunk that does not exist" if where.remote else ""
        return AccessError(problem("access_denied", (about.name,), f"reading it was refused: {about.reason}{hint}"))
    if kind in messages.RETRIED or kind == "redirected":
        return _unavailable(kind, about)
    if where.remote and _NO_RANGES in about.reason:
        message = (
            f"the server sends whole files where a part of one is asked for, as it is of shards: {about.reason}; serve "
            "the store by one that answers range requests"
        )
        return StoreUnavailableError(problem("unavailable", (about.name,), message))
    part = f"{about.part} of it" if about.part else "it"
    message = f"{part} cannot be decoded: {about.reason}; restore the file, or remove it to read its voxels as fill"
    return DataError(problem("bad_chunk", (about.name,), message))


def _common(error: Exception, where: Location) -> WorldArrayError | None:
    about = messages.failed(error, where)
    kind = messages.kind(error)
    if kind == "refused":
        message = f"reading it was refused: {about.reason}"
        return AccessError(problem("access_denied", (about.name,), message))
    if kind == "missing":
        return StoreNotFoundError(problem("not_found", (where.text,), f"nothing is there: {about.reason}"))
    return None if kind in {"other", "invalid"} else _unavailable(kind, about)


def _unavailable(kind: messages.Kind, about: messages.Failed) -> StoreUnavailableError:
    if kind == "redirected":
        message = (
            f"the server redirects elsewhere: {about.reason}; pass the address it redirects to, and for s3 check that "
            "AWS_REGION is the bucket's region"
        )
    else:
        message = f"the store did not answer as it should: {about.reason}; try again later"
    return StoreUnavailableError(problem("unavailable", (about.name,), message))
