"""Ways into a store: which credentials are tried, in which order, and the kvstore spec of each."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from worldarray import store
from worldarray.errors import AccessError, ArgumentError, StoreNotFoundError, WorldArrayError, problem
from worldarray.io import contexts, messages, runtime
from worldarray.paths import Location

T = TypeVar("T")
Spec = dict[str, Any]

GCS_URL: Final = "https://storage.googleapis.com"
_DMI = "/sys/class/dmi/id/product_name"
_FAILS_AT_ONCE: Final = "127.0.0.1:1"


class Way(NamedTuple):
    """One way into a store: what people call it, and the kvstore spec of a key under it."""

    name: str
    spec: Callable[[Location, str], Spec]


def kvstore_spec(where: Location, way: Way, *, folder: bool = True) -> Spec:
    """Return tensorstore's JSON spec of `where` as a folder (a key prefix), or as the one key it names.

    >>> from worldarray.paths import parse_path
    >>> where = parse_path("s3://bucket/em.zip|zip:s0")
    >>> spec = kvstore_spec(where, ways(where)[0])
    >>> spec["driver"], spec["path"], spec["base"]["driver"], spec["base"]["bucket"], spec["base"]["path"]
    ('zip', 's0/', 's3', 'bucket', 'em.zip')
    """
    if not where.text.isascii():
        _refuse_bytes(where)
    if where.base is not None:
        inner = kvstore_spec(where.base, way, folder=where.scheme not in _OF_FILES)
        return {"driver": where.scheme, "base": inner, "path": _path(where.key, folder=folder)}
    return way.spec(where, _path(where.local_path if where.is_local else where.key, folder=folder))


def _refuse_bytes(where: Location) -> None:
    try:
        (where.text + where.local_path).encode()
    except UnicodeEncodeError as error:
        message = "the name has bytes that are no UTF-8, and tensorstore opens nothing called so; rename it"
        raise ArgumentError(problem("wrong_value", (ascii(where.text),), message)) from error


def ways(where: Location) -> tuple[Way, ...]:
    """Return the ways into the store of `where`, in the order they are tried in a fresh process."""
    return _WAYS[_base(where).scheme]


def first_allowed(where: Location, attempt: Callable[[Way], T]) -> T:
    """Return what `attempt` returns under the first way that the store does not refuse.

    Only a refusal (an error that starts PERMISSION_DENIED or UNAUTHENTICATED) leads to the next way. The way that
    worked is tried first from then on, for this bucket and endpoint and in this process.

    Raises
    ------
    AccessError
        Every way was refused; the message says what the store answered to each.
    StoreNotFoundError
        `where` lies in a local archive that is not there.
    """
    _require_archive(where)
    known = _ordered(where)
    if len(known) > 1 and _base(where).scheme == "gs":
        guard_gce_metadata()
    refused: list[tuple[Way, Exception]] = []
    for way in known:
        try:
            result = attempt(way)
        except WorldArrayError:
            raise
        except runtime.ERRORS as error:
            if not messages.is_refusal(error):
                raise
            refused.append((way, error))
        else:
            if len(known) > 1:
                _remember(where, way)
            return result
    raise _refusal(where, refused) from refused[-1][1]


def _require_archive(where: Location) -> None:
    while where.base is not None:
        if where.base.is_local and where.scheme in _OF_FILES and not os.path.isfile(where.base.local_path):  # noqa: PTH113
            raise no_archive(where.base)
        where = where.base


def no_archive(where: Location) -> StoreNotFoundError:
    """Return what is raised for an archive that is no file: asked to read one, tensorstore may wait for ever."""
    return StoreNotFoundError(problem("not_found", (where.text,), "no archive is there"))


def _refusal(where: Location, refused: list[tuple[Way, Exception]]) -> AccessError:
    answers = "; ".join(f"{way.name}: {messages.reason(error)}" for way, error in refused)
    message = f"every way in was refused ({answers}); check the path and the credentials, or that the file may be read"
    return AccessError(problem("access_denied", (where.text,), message))


StoreKey = tuple[str, str, str]
_worked: dict[StoreKey, str] = {}
_allowed: dict[tuple[StoreKey, str], str] = {}
_MOST_FOLDERS: Final = 10_000


def is_known(where: Location) -> bool:
    """Whether there is but one way to `where`, or this process has used one that works."""
    return len(ways(where)) == 1 or (_store_key(where), _base(where).key) in _allowed


def forget_ways() -> None:
    """Forget which ways worked, so that each store is asked in the first order again."""
    _worked.clear()
    _allowed.clear()


def _remember(where: Location, way: Way) -> None:
    if len(_allowed) >= _MOST_FOLDERS:
        _allowed.clear()
    key = _store_key(where)
    _worked[key] = _allowed[key, _base(where).key] = way.name


def _ordered(where: Location) -> tuple[Way, ...]:
    """Return the ways in: the one that worked for this very place first, else the one that did for its bucket."""
    known = ways(where)
    if len(known) == 1:
        return known
    key = _store_key(where)
    name = _allowed.get((key, _base(where).key)) or _worked.get(key)
    return tuple(sorted(known, key=lambda way: way.name != name))


def _store_key(where: Location) -> StoreKey:
    base = _base(where)
    return base.scheme, base.bucket, (_s3_endpoint() if base.scheme == "s3" else _gcs_url()) or ""


def _base(where: Location) -> Location:
    while where.base is not None:
        where = where.base
    return where


def _path(key: str, *, folder: bool) -> str:
    return f"{key}/" if folder and key and not key.endswith("/") else key


# -- one function per kind of store


def _file(_: Location, path: str) -> Spec:
    return {"driver": "file", "path": path}


def _memory(_: Location, path: str) -> Spec:
    return {"driver": "memory", "path": path}


def _http(where: Location, path: str) -> Spec:
    from urllib.parse import unquote  # noqa: PLC0415 - slow to import

    query = f"?{where.query}" if where.query else ""
    return {"driver": "http", "base_url": f"{where.scheme}://{where.bucket}{query}", "path": "/" + unquote(path)}


def _s3(where: Location, path: str, credentials: str) -> Spec:
    spec: Spec = {"driver": "s3", "bucket": where.bucket, "path": path, "aws_credentials": _credentials()[credentials]}
    endpoint, region = _s3_endpoint(), os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if endpoint:
        # without a region tensorstore asks the endpoint for the bucket's, which few but Amazon answer
        spec |= {"endpoint": endpoint, "aws_region": region or "us-east-1"}
    elif region:
        spec["aws_region"] = region
    return spec


@lru_cache(maxsize=1)
def _credentials() -> dict[str, dict[str, Any]]:
    """Return how this tensorstore spells each kind of credentials: in 0.1.68, for one, they have no type."""
    typed = {name: {"type": name} for name in ("anonymous", "default")}
    try:
        runtime.module().KvStore.Spec({"driver": "s3", "bucket": "bucket", "aws_credentials": typed["anonymous"]})
    except ValueError:
        return {"anonymous": {"anonymous": True}, "default": {}}
    return typed


def _s3_anonymous(where: Location, path: str) -> Spec:
    return _s3(where, path, "anonymous")


def _s3_default(where: Location, path: str) -> Spec:
    return _s3(where, path, "default")


def _s3_endpoint() -> str | None:
    found = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    return found.rstrip("/") if found else None


def _gs_default(where: Location, path: str) -> Spec:
    spec: Spec = {"driver": "gcs", "bucket": where.bucket, "path": path}
    url = _gcs_url()
    if url:
        # tensorstore keeps an open gs driver per bucket and retries, and goes on reading the host that it was opened
        # with; up to a tenth of a second that depends on the host keeps the drivers apart
        nanoseconds = 2_000_000_000 + zlib.crc32(url.encode()) % 100_000_000
        spec["gcs_request_retries"] = {**contexts.DOCUMENT_RETRIES, "max_delay": f"{nanoseconds}ns"}
    return spec


def _gs_public(where: Location, path: str) -> Spec:
    return {"driver": "http", "base_url": _gcs_url() or GCS_URL, "path": f"/{where.bucket}/{path}"}


def _gcs_url() -> str | None:
    found = os.environ.get("TENSORSTORE_GCS_HTTP_URL")
    return found.rstrip("/") if found else None


_OF_FILES: Final = frozenset({"zip"})
_WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "file": (Way("as this user", _file),),
    "memory": (Way("in memory", _memory),),
    "http": (Way("over http", _http),),
    "https": (Way("over https", _http),),
    "s3": (Way("anonymously", _s3_anonymous), Way("with default credentials", _s3_default)),
    "gs": (Way("with default credentials", _gs_default), Way("by the bucket's public URL", _gs_public)),
}


def guard_gce_metadata() -> None:
    """Off Google machines, point GCE_METADATA_ROOT at an address that refuses at once, unless it is set.

    tensorstore otherwise looks for the metadata server of a Google machine and stalls for seconds. Decided without a
    network call, from the DMI product name and the variables GCE_METADATA_ROOT and GCE_METADATA_HOST;
    ``worldarray.store.GUARD_GCE_METADATA = False`` turns it off.
    """
    if not store.GUARD_GCE_METADATA:
        return
    if os.environ.get("GCE_METADATA_ROOT") or os.environ.get("GCE_METADATA_HOST") or _on_google():
        return
    os.environ["GCE_METADATA_ROOT"] = _FAILS_AT_ONCE


def _on_google() -> bool:
    from pathlib import Path  # noqa: PLC0415  (slow to import)

    try:
        return "Google" in Path(_DMI).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
