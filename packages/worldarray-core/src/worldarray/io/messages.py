"""What tensorstore's errors mean.

tensorstore raises a plain ValueError for most statuses and says which one only in the text, so this module, and no
other, reads error texts. Seen with 0.1.68 and 0.1.86:

- ``PERMISSION_DENIED: Forbidden [HTTP code 403]`` from http, ``[http_response_code='403']`` from s3 and gs; 401 alike
- ``ABORTED: All 5 retry attempts failed: Service Unavailable [HTTP code 503]`` after tensorstore's own retries
- ``FAILED_PRECONDITION: Error reading local file "/data/em.zarr/0.0": Truncated Zstd-compressed stream; …``
- ``DATA_LOSS: Error reading shard entry {1, 1}/{2, 2} in "s0/c/0/0" in local file "/data/em.zip": …``
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from worldarray.paths import Location

Kind = Literal["refused", "busy", "broken", "redirected", "missing", "invalid", "other"]

_STATUS = re.compile(r"([A-Z]+(?:_[A-Z]+)*): ")
_CODE = re.compile(r"\[(?:HTTP code |http_response_code=')(\d{3})'?\]")
_QUOTED = re.compile(r" ?\[[a-z_ -]+='(?:[^'\\]|\\.)*'\]")
_NAMED = re.compile(
    r"Error (?:reading|opening|decoding) (?P<part>(?:(?:shard entry|chunk) .+? in )?)"
    r'(?P<inner>"(?:[^"\\]|\\.)*" in )?(?P<local>local file )?'
    r'(?P<name>"(?:[^"\\]|\\.)*"|[a-z0-9]+://\S+?): (?P<reason>.*)',
    re.DOTALL,
)
_STATUSES: Final[dict[str, Kind]] = {
    "PERMISSION_DENIED": "refused",
    "UNAUTHENTICATED": "refused",
    "UNAVAILABLE": "busy",
    "DEADLINE_EXCEEDED": "busy",
    "RESOURCE_EXHAUSTED": "busy",
    "NOT_FOUND": "missing",
}
_CODES: Final[dict[int, Kind]] = {429: "busy", 503: "busy", 504: "busy"}
_FAMILIES: Final[dict[int, Kind]] = {3: "redirected", 5: "broken"}
_EXHAUSTED: Final = "retry attempts failed"
_BEGINNINGS: Final[dict[str, Kind]] = {
    # what 0.1.68 says where S3 refuses a listing
    "Malformed List response": "refused",
    # a bucket of a name that cannot be, say
    "Error parsing object member": "invalid",
}
RETRIED: Final[frozenset[Kind]] = frozenset({"busy", "broken"})


class Failed(NamedTuple):
    """What a read error is about: the file or key, the part of it, and tensorstore's reason."""

    name: str
    part: str
    reason: str


def kind(error: BaseException) -> Kind:
    """Return what an error of tensorstore, or a TimeoutError, says about a store.

    ``busy`` is a store that asks to come back later or does not answer, ``broken`` one that answers 5xx.

    >>> kind(ValueError("PERMISSION_DENIED: Forbidden [HTTP code 403]"))
    'refused'
    >>> kind(ValueError("ABORTED: All 5 retry attempts failed: Unknown [http_response_code='500']"))
    'broken'
    """
    if isinstance(error, TimeoutError):
        return "busy"
    text = str(error)
    found = _STATUS.match(text)
    status = found[1] if found else ""
    if status in _STATUSES:
        return _STATUSES[status]
    code = http_code(error)
    if code is not None:
        named = _CODES.get(code) or _FAMILIES.get(code // 100)
        if named is not None:
            return named
    for beginning, meaning in _BEGINNINGS.items():
        if text.startswith(beginning):
            return meaning
    return "busy" if status == "ABORTED" and _EXHAUSTED in text else "other"


def http_code(error: BaseException) -> int | None:
    """Return the HTTP status that an error carries, never one quoted in a response's body."""
    found = _CODE.search(re.sub(r"\[http_response_body='(?:[^'\\]|\\.)*'\]", "", str(error)))
    return int(found[1]) if found else None


def is_refusal(error: BaseException) -> bool:
    """Whether a store refused: what the next way in may answer otherwise."""
    return kind(error) == "refused"


def is_transient(error: BaseException) -> bool:
    """Whether asking again may help: a timeout, a busy store, HTTP 5xx or 429, retries of tensorstore used up."""
    return kind(error) in RETRIED


def reason(error: BaseException) -> str:
    """Return an error's text without the response body and the spec that tensorstore repeats in it."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return _QUOTED.sub("", str(error)).strip() if http_code(error) is None else _with_code(error)


def _with_code(error: BaseException) -> str:
    text = _CODE.sub("", _QUOTED.sub("", str(error))).strip()
    return f"{' '.join(text.split())} (HTTP {http_code(error)})"


def failed(error: BaseException, where: Location) -> Failed:
    """Return which file or key below `where` an error of a read names, else `where` itself.

    >>> from worldarray.paths import parse_path
    >>> text = 'FAILED_PRECONDITION: Error reading "s0/0.0" in local file "/data/em.zip": Truncated stream; at byte 4'
    >>> failed(ValueError(text), parse_path("/data/em.zip|zip:s0"))
    Failed(name='/data/em.zip|zip:s0/0.0', part='', reason='Truncated stream; at byte 4')
    """
    text = reason(error)
    found = _NAMED.search(text)
    if found is None:
        return Failed(where.text, "", text)
    name, inner = _plain(found["name"]), found["inner"]
    base = where if where.base is None else where.base
    if found["local"] is None and found["name"].startswith('"'):
        name = f"{base.scheme}://{base.bucket}/{name}" if base.bucket else f"{base.scheme}://{name}"
    if inner:
        name = f"{name}|{where.scheme}:{_plain(inner.removesuffix(' in '))}"
    return Failed(name, found["part"].removesuffix(" in "), found["reason"])


def _plain(name: str) -> str:
    return name[1:-1].replace('\\"', '"').replace("\\\\", "\\") if name.startswith('"') else name
