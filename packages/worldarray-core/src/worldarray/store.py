"""Path helpers that know URLs and archives, and the one switch of the store layer."""

from __future__ import annotations

import os

from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.paths import parse_path

__all__ = ["GUARD_GCE_METADATA", "basename", "join", "parent"]

GUARD_GCE_METADATA: bool = True
"""Whether, off Google machines, GCE_METADATA_ROOT is pointed at a name that fails at once before gs:// is opened.

tensorstore otherwise asks the metadata server of a Google machine for credentials and waits for seconds.
"""


def join(path: str | os.PathLike[str], *parts: str) -> str:
    """Return `path` extended by relative `parts`, normalised; the query of an http URL stays at the end.

    Raises
    ------
    ArgumentTypeError
        A part is no string.

    Examples
    --------
    >>> join("s3://bucket/em.zarr/", "s0")
    's3://bucket/em.zarr/s0'
    >>> join("https://host/em.zarr?token=1", "s0"), join("em.zip|zip:", "em.zarr", "s0")
    ('https://host/em.zarr/s0?token=1', 'em.zip|zip:em.zarr/s0')
    """
    given: tuple[object, ...] = parts
    if not all(isinstance(part, str) for part in given):
        raise ArgumentTypeError(problem("wrong_type", ("parts",), f"parts are {parts!r}; give strings"))
    return parse_path(path).join(*parts).text


def parent(path: str | os.PathLike[str]) -> str:
    """Return the enclosing folder or prefix of `path`, normalised.

    Raises
    ------
    ArgumentError
        The path is the root of a filesystem, host, bucket, archive or memory store.

    Examples
    --------
    >>> parent("gs://bucket/em.zarr/s0"), parent("em.zarr"), parent("em.zip|zip:s0")
    ('gs://bucket/em.zarr', '.', 'em.zip|zip:')
    """
    where = parse_path(path)
    above = where.parent
    if above is None:
        raise ArgumentError(problem("wrong_value", (where.text,), "a root has no parent; pass a path below it"))
    return above.text


def basename(path: str | os.PathLike[str]) -> str:
    """Return the last segment of `path`, "" at a root.

    Examples
    --------
    >>> basename("s3://bucket/em.zarr/s0/"), basename("https://host/em.n5?token=1"), basename("s3://bucket")
    ('s0', 'em.n5', '')
    """
    return parse_path(path).name
