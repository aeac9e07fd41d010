"""Places in stores: one parser for paths, URLs and kvstore pipelines, and arithmetic on the parsed form.

Nothing here touches a store; a relative local path is made absolute against the current folder when it is parsed.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Final, NamedTuple, NoReturn

from worldarray.errors import ArgumentError, ArgumentTypeError, problem

REMOTE: Final = frozenset({"s3", "gs", "http", "https"})
SCHEMES: Final = (*sorted(REMOTE), "file", "memory")
ADAPTERS: Final = ("ocdbt", "zip")
"""What may follow a ``|``: kvstores inside a file or folder of another one."""
_ADAPTER = re.compile(r"\|(" + "|".join(ADAPTERS) + r"):")
_ANY_ADAPTER = re.compile(r"\|([a-z][a-z0-9.+-]*):")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(/*)")
_URL_SAFE = re.compile(r"[A-Za-z0-9/._~!$&'()*+,;=:@-]*")
_PLAIN = re.compile(r"\.?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
"""A path segment with nothing in it to follow."""
_UNUSABLE: Final = re.compile(r"[\\\0\ud800-\udc7f\udd00-\udfff]" if os.sep == "/" else r"[\0]")
"""What no local path can hold: a backslash leads tensorstore to another folder than everyone else."""
_FORMAT_PREFIX: Final = "precomputed://"


class Location(NamedTuple):
    """A place in a store: a folder, a key prefix, or a prefix inside a zip file. Made by `parse_path`.

    Examples
    --------
    >>> where = parse_path("s3://bucket/em.zarr/s0/")
    >>> where.text, where.scheme, where.bucket, where.key, where.name
    ('s3://bucket/em.zarr/s0', 's3', 'bucket', 'em.zarr/s0', 's0')
    >>> str(where.parent), str(where.parent.join("s1", ".zarray"))
    ('s3://bucket/em.zarr', 's3://bucket/em.zarr/s1/.zarray')
    """

    text: str
    """The normalised path: `parse_path` of it is this Location again."""
    scheme: str
    """``file``, ``s3``, ``gs``, ``http``, ``https``, ``memory``, or the adapter of a pipeline: ``zip``, ``ocdbt``."""
    key: str
    """The path inside the bucket, host or adapter, with no slash at either end; of a local path, that path."""
    bucket: str = ""
    """The bucket, or the host and port."""
    query: str = ""
    """What follows the ``?`` of an http URL; it stays at the end when the path is extended."""
    local_path: str = ""
    """Local files only: the absolute path, fixed when the Location was made."""
    base: Location | None = None
    """Pipelines only: the file or folder that the adapter reads."""

    def __str__(self) -> str:
        return self.text

    @property
    def is_local(self) -> bool:
        """Whether this is a plain file or folder, which needs no tensorstore to look at."""
        return self.scheme == "file"

    @property
    def remote(self) -> bool:
        """Whether reading it goes over a network: gs, s3, http and https, and what is inside a file there."""
        return self.base.remote if self.base is not None else self.scheme in REMOTE

    @property
    def is_root(self) -> bool:
        """Whether this is the root of a filesystem, host or bucket, where no document is ever looked for.

        The root of a zip file or of a memory store is not one: an archive often is one group.
        """
        if self.is_local:
            return self.local_path == "/"
        return self.scheme in REMOTE and not self.key

    @property
    def name(self) -> str:
        """The last segment, "" at a root.

        >>> parse_path("https://host/em%20data/s0?x=1").parent.name
        'em data'
        """
        if self.is_local:
            return self.local_path.rpartition("/")[2]
        last = self.key.rpartition("/")[2]
        return _unquote(last) if self.scheme in {"http", "https"} else last

    @property
    def parent(self) -> Location | None:
        """The enclosing folder or prefix; None at the root of a filesystem, host, bucket, archive or memory store.

        >>> [str(parse_path(p).parent) for p in ("em.zarr/s0", "em.zarr", ".", "/", "a.zip|zip:s0", "a.zip|zip:")]
        ['em.zarr', '.', '..', 'None', 'a.zip|zip:', 'None']
        """
        if self.is_local:
            folder = self.local_path.rpartition("/")[0] or "/"
            return None if self.local_path == "/" else _local(_local_parent(self.key), folder)
        return self._at(self.key.rpartition("/")[0]) if self.key else None

    def join(self, *parts: str) -> Location:
        """Return the place that relative `parts` lead to; ``.`` and ``..`` are followed, never above a root.

        >>> str(parse_path("https://host/em.zarr?token=1").join("./s0"))
        'https://host/em.zarr/s0?token=1'
        """
        tail = "/".join([part.strip("/") for part in parts]) if len(parts) != 1 else parts[0].strip("/")
        if self.is_local:
            if _PLAIN.fullmatch(tail) and self.key not in {".", "/"}:
                key = f"{self.key}/{tail}"
                return Location(key, "file", key, "", "", f"{self.local_path}/{tail}")
            key = posixpath.normpath(posixpath.join(self.key, tail))
            return _local(key, posixpath.normpath(posixpath.join(self.local_path, tail)))
        if self.scheme in {"http", "https"}:
            tail = _quote(tail)
        return self._at(_resolve(f"{self.key}/{tail}" if self.key else tail))

    def _at(self, key: str) -> Location:
        return self._replace(key=key, text=_text(self.scheme, self.bucket, key, self.query, self.base))


def parse_path(path: str | os.PathLike[str]) -> Location:
    """Return the Location that a path, URL or kvstore pipeline names.

    A path with no scheme, or a ``file://`` URL, is a local file; ``~`` is expanded. A ``precomputed://`` prefix is
    dropped, trailing slashes too.

    Raises
    ------
    ArgumentError
        The path is empty, has an unknown scheme, or names no bucket or host.
    ArgumentTypeError
        The path is neither a string nor an `os.PathLike` of one.

    Examples
    --------
    >>> str(parse_path("precomputed://gs://bucket/em/8_8_8/"))
    'gs://bucket/em/8_8_8'
    >>> str(parse_path("file:///data/em%20stack.zarr")), str(parse_path("em.zarr/./s0//"))
    ('/data/em stack.zarr', 'em.zarr/s0')
    >>> inside = parse_path("em.zip|zip:em.zarr/s0")
    >>> inside.scheme, inside.key, str(inside.base)
    ('zip', 'em.zarr/s0', 'em.zip')
    """
    text = _path_text(path)
    if text.startswith(_FORMAT_PREFIX):
        text = text[len(_FORMAT_PREFIX) :]
    if not text:
        _refuse(path, "the path is empty; pass the path or URL of an array or group")
    pieces = _ADAPTER.split(text) if "|" in text else [text]
    where = _parse_base(pieces[0], path)
    for adapter, inner in zip(pieces[1::2], pieces[2::2], strict=True):
        key = _resolve(inner.lstrip("/"))
        where = Location(_text(adapter, "", key, "", where), adapter, key, base=where)
    return where


def _path_text(path: object) -> str:
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        message = f"a path is a string or an os.PathLike of one, not {text!r}"
        raise ArgumentTypeError(problem("wrong_type", ("path",), message))
    if "\0" in text:
        _refuse(text, "a path cannot hold a NUL character")
    if not text.isascii():
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            _refuse(ascii(text), "a path is text, and this has characters that no file name can hold; rename it")
    return text


def _parse_base(text: str, given: object) -> Location:
    found = _SCHEME.match(text)
    if found is None or not found[2]:
        return _parse_local(text)
    scheme, slashes = found[1].lower(), found[2]
    if scheme not in SCHEMES:
        if slashes == "/":
            return _parse_local(text)
        _refuse(given, f"there is no scheme {scheme!r}; known ones are {', '.join(SCHEMES)}")
    if slashes == "/":
        _refuse(given, f"a URL begins {scheme}://; pass it as a string, since pathlib drops a slash")
    unknown = _ANY_ADAPTER.search(text)
    if unknown:
        _refuse(given, f"{unknown[0]!r} is no kvstore that can be read; one of {', '.join(ADAPTERS)} is")
    return _PARSERS[scheme](scheme, text[len(scheme) + 3 :], given)


def _parse_local(text: str) -> Location:
    if text.startswith("~"):
        text = os.path.expanduser(text)  # noqa: PTH111
    key = posixpath.normpath(text)
    if key.startswith("//"):
        key = key[1:]
    absolute = os.path.abspath(key)  # noqa: PTH100
    return _local(key, absolute)


def _parse_file(scheme: str, rest: str, given: object) -> Location:
    host, slash, _ = rest.partition("/")
    if host not in {"", "localhost"} or not slash:
        _refuse(given, f"a {scheme} URL has three slashes and an absolute path: {scheme}:///data/em.zarr")
    return _parse_local(_unquote(rest[len(host) :]))


def _parse_bucket(scheme: str, rest: str, given: object) -> Location:
    bucket, _, tail = rest.partition("/")
    if not bucket:
        _refuse(given, f"the URL names no bucket; write {scheme}://bucket/path")
    key = _resolve(tail)
    return Location(_text(scheme, bucket, key, "", None), scheme, key, bucket)


def _parse_http(scheme: str, rest: str, given: object) -> Location:
    rest, _, query = rest.partition("#")[0].partition("?")
    host, _, tail = rest.partition("/")
    if not host:
        _refuse(given, f"the URL names no host; write {scheme}://host/path")
    key = _resolve(tail)
    return Location(_text(scheme, host, key, query, None), scheme, key, host, query)


def _parse_memory(scheme: str, rest: str, given: object) -> Location:  # noqa: ARG001
    key = _resolve(rest.lstrip("/"))
    return Location(_text(scheme, "", key, "", None), scheme, key)


_PARSERS: Final = {
    "file": _parse_file,
    "s3": _parse_bucket,
    "gs": _parse_bucket,
    "http": _parse_http,
    "https": _parse_http,
    "memory": _parse_memory,
}


def _local(key: str, absolute: str) -> Location:
    if _UNUSABLE.search(absolute):
        message = "has a character that tensorstore cannot use: a backslash, which it takes for a slash, or no Unicode"
        _refuse(ascii(absolute), f"{message}; rename the file or folder")
    return Location(key, "file", key, local_path=absolute)


def _local_parent(key: str) -> str:
    if key == ".":
        return ".."
    if key == ".." or key.endswith("/.."):
        return key + "/.."
    head, slash, _ = key.rpartition("/")
    return head or slash or "."


def _text(scheme: str, bucket: str, key: str, query: str, base: Location | None) -> str:
    if base is not None:
        return f"{base.text}|{scheme}:{key}"
    text = f"{scheme}://{bucket}/{key}" if bucket and key else f"{scheme}://{bucket}{key}"
    return f"{text}?{query}" if query else text


def _resolve(key: str) -> str:
    """Return a key with ``.`` and ``..`` followed and no slash at its end; an empty segment inside it is kept."""
    segments: list[str] = []
    for segment in key.rstrip("/").split("/"):
        if segment == "..":
            segments[-1:] = []
        elif segment != ".":
            segments.append(segment)
    return "/".join(segments)


def _quote(text: str) -> str:
    if _URL_SAFE.fullmatch(text):
        return text
    from urllib.parse import quote  # noqa: PLC0415 - slow to import, rarely needed

    return quote(text, safe="/!$&'()*+,;=:@~")


def _unquote(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote  # noqa: PLC0415 - slow to import, rarely needed

    return unquote(text)


def _refuse(given: object, message: str) -> NoReturn:
    raise ArgumentError(problem("wrong_value", (str(given),), message))
