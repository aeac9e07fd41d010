"""tensorstore contexts: one shared by every open of a process, and capped ones for worker processes."""

from __future__ import annotations

import operator
import os
import sys
from typing import Any, Final

from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.io import runtime

REQUESTS: Final = ("gcs_request_concurrency", "s3_request_concurrency", "http_request_concurrency")
LOCAL: Final = ("data_copy_concurrency", "file_io_concurrency")
DOCUMENT_RETRIES: Final = {"max_retries": 5, "initial_delay": "200ms", "max_delay": "2s"}
"""Waits of 0.2, 0.4, 0.8, 1.6 and 2 s: about five seconds in all."""
RETRIED: Final = ("http_request_retries", "s3_request_retries", "gcs_request_retries")

_shared: dict[tuple[int, int], Any] = {}


def shared_context(cache_bytes: int = 0) -> Any:
    """Return the tensorstore.Context that every open of this process shares, one per cache budget in bytes.

    A budget of 0 turns tensorstore's cache off. A forked child gets contexts of its own.

    Raises
    ------
    ArgumentError
        `cache_bytes` is negative or no integer.

    Examples
    --------
    >>> shared_context() is shared_context(0), shared_context() is shared_context(1 << 20)
    (True, False)
    """
    key = (os.getpid(), _count(cache_bytes, "cache_bytes", 0))
    found = _shared.get(key)
    if found is None:
        made = runtime.module().Context({"cache_pool": {"total_bytes_limit": key[1]}})
        found = _shared.setdefault(key, made)
    return found


def capped_context(cache_bytes: int = 0, concurrency: int = 1, network: bool = True) -> Any:
    """Return a new tensorstore.Context with every concurrency limited, for one worker process of many.

    Parameters
    ----------
    cache_bytes
        The budget of tensorstore's cache; 0 turns it off.
    concurrency
        How many threads copy and decode, how many read files, and how many requests are in flight per kind of store.
    network
        False leaves the request pools of S3, GCS and HTTP at tensorstore's own limits.

    Raises
    ------
    ArgumentError
        `cache_bytes` is negative, `concurrency` below 1, or either is no integer.

    Examples
    --------
    >>> capped_context() is capped_context()
    False
    """
    return runtime.module().Context(capped_context_spec(cache_bytes, concurrency, network))


def capped_context_spec(
    cache_bytes: int = 0,
    concurrency: int = 1,
    network: bool = True,
) -> dict[str, dict[str, int]]:
    """Return what `capped_context` makes its context of, for a program that builds its own opens.

    Examples
    --------
    >>> capped_context_spec(concurrency=2, network=False)  # doctest: +NORMALIZE_WHITESPACE
    {'cache_pool': {'total_bytes_limit': 0}, 'data_copy_concurrency': {'limit': 2},
     'file_io_concurrency': {'limit': 2}}
    """
    limit = _count(concurrency, "concurrency", 1)
    spec = {"cache_pool": {"total_bytes_limit": _count(cache_bytes, "cache_bytes", 0)}}
    names = LOCAL + REQUESTS if network else LOCAL
    return spec | {name: {"limit": limit} for name in names}


def document_context(context: Any = None) -> Any:
    """Return a context for reading documents: the caller's stores and caches, with short retries."""
    parent = shared_context() if context is None else context
    return runtime.module().Context(dict.fromkeys(RETRIED, DOCUMENT_RETRIES), parent)


def _count(value: object, name: str, least: int) -> int:
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        message = f"{name} is a whole number, not {value!r}"
        raise ArgumentTypeError(problem("wrong_type", (name,), message)) from None
    if count < least:
        raise ArgumentError(problem("out_of_range", (name,), f"{name} is {count}; it is at least {least}"))
    if count > sys.maxsize:
        raise ArgumentError(problem("out_of_range", (name,), f"{name} is too large; it is at most {sys.maxsize}"))
    return count
