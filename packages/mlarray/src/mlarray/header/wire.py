"""Plain msgpack: the bytes of a metadata key to a map and back, and Python values made plain. Nothing is unpickled."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, ItemsView, Mapping
from typing import Any, Final, NoReturn

import msgpack
import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, At, FormatError, Problem

Plain = Any
"""None, bool, int, float, str, bytes, a list of such, or a dict from str to such."""

DEEPEST: Final = 512
"""How many maps and lists may stand in one another."""
MOST_ITEMS: Final = 1_000_000
"""The largest numpy array that is written out as nested lists."""
_GZIP: Final = b"\x1f\x8b"
_INTEGERS: Final = range(-(2**63), 2**64)
_NESTS: Final = "is nested deeper than 512 maps and lists"


class _RepeatedKeyError(Exception):
    """A map has a key twice."""


class _NotPlainError(Exception):
    """Something stands in the bytes that is no plain value."""


_KEYS: Final = "has a key that is no text"
_TEXT: Final = frozenset({str})
_LEAVES: Final = frozenset({type(None), bool, int, float, str, bytes})
# First bytes of msgpack values (they stand in text and numbers too): binary, which may be a key, and extensions; and
# maps and lists.
_ODD: Final = bytes([*range(0xC4, 0xCA), *range(0xD4, 0xD9)])
_CONTAINERS: Final = bytes([*range(0x80, 0xA0), *range(0xDC, 0xE0)])
_COMPLAINTS: Final = (
    (msgpack.ExtraData, "goes on behind its map"),
    (UnicodeDecodeError, "holds text that is not UTF-8"),
    ((msgpack.StackError, RecursionError), _NESTS),
    (msgpack.FormatError, "is not msgpack"),
)


def decode(raw: bytes, *, key: str = "mlarray", unique: bool = True) -> dict[str, Any]:
    r"""Return the map that the bytes of a metadata key hold.

    Parameters
    ----------
    raw
        The bytes as stored.
    key
        The name of the key, for messages.
    unique
        Whether a key that stands twice in one map is refused.

    Raises
    ------
    FormatError
        The bytes are not one msgpack map of plain values, or come from a writer before format version 1.

    Examples
    --------
    >>> decode(b"\x81\xa7version\xa31.0")
    {'version': '1.0'}
    """
    if raw[:2] == _GZIP:
        raise FormatError(Problem("unsupported", (), before_version_1()))
    found = _unpack(raw, key)
    if isinstance(found, bytes) and found[:2] == _GZIP:
        raise FormatError(Problem("unsupported", (), before_version_1()))
    if not isinstance(found, dict):
        raise _not_plain(key, f"holds {_kind(found)}, not a map")
    if _count(raw, _ODD) or _count(raw, _CONTAINERS) > DEEPEST:
        _refuse_odd(found, key)
    if unique and _repack(found) != raw:
        _unpack(raw, key, _unique)
    return found


def _count(raw: bytes, some: bytes) -> int:
    """Return how many bytes are one of some."""
    return len(raw) - len(raw.translate(None, some))


def _repack(found: dict[str, Any]) -> bytes | None:
    """Return the bytes of a map as they are written here: bytes that are alike repeat no key."""
    try:
        return encode(found)
    except (ValueError, OverflowError, RecursionError):  # pragma: no cover  (what was unpacked can be packed)
        return None


def before_version_1() -> str:
    """Return the words for files that were written before format version 1."""
    return "written by MLArray before format v1; convert it again from its original file"


def _unpack(raw: bytes, key: str, pairs: Callable[[Any], object] | None = None) -> object:
    limit = len(raw)
    try:
        return msgpack.unpackb(
            raw,
            raw=False,
            strict_map_key=True,
            use_list=True,
            ext_hook=_refuse_extension,
            object_pairs_hook=pairs,
            max_bin_len=limit,
            max_str_len=limit,
            max_array_len=limit,
            max_map_len=limit,
        )
    except _RepeatedKeyError as error:
        message = f"the metadata key {key!r} repeats the key {error.args[0]!r} in one map; only one may stay"
        raise FormatError(Problem("duplicate", (), message)) from None
    except (_NotPlainError, ValueError, TypeError, RecursionError) as error:
        raise _not_plain(key, _complaint(error)) from None


def _complaint(error: Exception) -> str:
    """Return what bytes are like that msgpack, or a hook of ours, gave up on."""
    if isinstance(error, _NotPlainError):
        return str(error)
    for kind, words in _COMPLAINTS:
        if isinstance(error, kind):
            return words
    # A key of another type has no class of its own: msgpack's message, and that of hash(), are all there is.
    return _KEYS if "key" in str(error) or "unhashable" in str(error) else "is cut short; the file is damaged"


def _not_plain(key: str, what: str) -> FormatError:
    return FormatError(Problem("not_msgpack", (), f"the metadata key {key!r} {what}"))


def _unique(pairs: list[tuple[object, object]]) -> dict[object, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[object] = set()
        for name, _ in pairs:
            if name in seen:
                raise _RepeatedKeyError(name)
            seen.add(name)
    return found


def _refuse_extension(code: int, _: bytes) -> NoReturn:
    raise _NotPlainError(_extension(code))


def _extension(code: int) -> str:
    return f"holds a msgpack extension (type {code}); only plain values may stand there"


def _refuse_odd(document: dict[str, Any], key: str) -> None:
    """Refuse keys that are no text, timestamps (msgpack makes those itself), and what is nested too deep."""
    level: list[Any] = [document]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for container in level:
            held = container
            if type(container) is dict:
                if not _TEXT.issuperset(map(type, container)):
                    raise _not_plain(key, _KEYS)
                held = container.values()
            if not _LEAVES.issuperset(map(type, held)):
                below.extend(value for value in held if type(value) not in _LEAVES)
        if any(isinstance(value, msgpack.Timestamp) for value in below):
            raise _not_plain(key, _extension(-1))
        level = below
        if not level:
            return
    raise _not_plain(key, _NESTS)


def encode(document: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a plain map, as `normalise` leaves it.

    Examples
    --------
    >>> encode({"version": "1.0"})
    b'\x81\xa7version\xa31.0'
    """
    try:
        packed: bytes = msgpack.packb(document, use_bin_type=True, strict_types=True)
    except ValueError:  # older releases of msgpack count a leaf as a level, and stop one short of 512 maps
        packer = msgpack.Packer(use_bin_type=True, strict_types=True)
        parts = [packer.pack_map_header(len(document))]
        parts.extend(packer.pack(item) for pair in document.items() for item in pair)
        packed = b"".join(parts)
    return packed


def normalise(value: object, at: At = ()) -> Plain:
    """Return a value of plain types alone, sharing nothing that can change with the one given.

    numpy scalars become Python's, tuples and numpy arrays of up to a million elements lists, enumeration members their
    values.

    Parameters
    ----------
    value
        What somebody wants stored.
    at
        Where it would stand, for messages.

    Raises
    ------
    ArgumentTypeError
        A value is of no type that can be stored.
    ArgumentError
        An integer does not fit into 64 bits, text is not Unicode, or maps are nested deeper than 512.

    Examples
    --------
    >>> import numpy as np
    >>> normalise({"size": (np.float32(0.5), np.int64(3)), "grid": np.eye(2)})
    {'size': [0.5, 3], 'grid': [[1.0, 0.0], [0.0, 1.0]]}
    >>> normalise({"a": {"b": [1, 2, {3}]}}, ("user",))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mlarray.errors.ArgumentTypeError: /user/a/b/2: {3} is a set, which cannot be stored; plain are ...
    """
    held: list[Plain] = [None]
    # Depth first, and without recursion: Python's own limit is lower than 512 maps in one another.
    waiting: list[_Item] = [(value, at, held, 0, len(at) + 1)]
    while waiting:
        value, at, owner, key, depth = waiting.pop()
        found, below = _plain(value, at, depth)
        owner[key] = found
        waiting.extend((item, (*at, name), found, name, depth + 1) for name, item in reversed(below))
    return held[0]


_Item = tuple[Any, At, Any, Any, int]
"""A value, where it stands, the plain container that will hold it and under which key, and how deep."""


def _plain(value: object, at: At, depth: int) -> tuple[Plain, list[tuple[str | int, object]]]:
    """Return a plain value; of a container, an empty one of its size and what belongs in it."""
    value = _unwrapped(value, at)
    for kinds, plain in _PLAIN:
        if isinstance(value, kinds):
            return plain(value, at), []
    if depth > DEEPEST:
        raise ArgumentError(Problem("out_of_range", at[:8], f"it {_NESTS}"))
    if isinstance(value, Mapping):
        pairs = _pairs(value, at)
        return dict.fromkeys(name for name, _ in pairs), pairs
    if isinstance(value, np.ndarray):
        listed = _array(value, at)
        if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8 and depth + value.ndim <= DEEPEST + 1:
            return listed, []
        value = listed
    if isinstance(value, (list, tuple)):
        return [None] * len(value), list(enumerate(value))
    raise _type(value, at)


def _unwrapped(value: object, at: At) -> object:
    """Return the value of an enumeration member and of a numpy scalar, anything else as it is."""
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return _scalar(value, at) if isinstance(value, np.generic) else value


def _pairs(value: Mapping[Any, Any], at: At) -> list[tuple[str | int, object]]:
    found: dict[str | int, object] = {}
    # A mapping of ours may have a field called "items".
    for name, item in value.items() if isinstance(value, dict) else ItemsView(value):
        if isinstance(name, enum.Enum):
            name = name.value  # noqa: PLW2901  (an enumeration member stands for its value)
        if not isinstance(name, str):
            message = f"the key {name!r} is {_kind(name)}; keys of a map are text"
            raise ArgumentTypeError(Problem("wrong_type", at, message))
        text = _text(str(name), at)
        if text in found:
            raise ArgumentError(Problem("duplicate", at, f"the key {text!r} stands twice"))
        found[text] = item
    return list(found.items())


def _array(value: np.ndarray[Any, Any], at: At) -> Any:
    if value.size > MOST_ITEMS:
        message = f"an array of {value.size} elements is too large for metadata; at most {MOST_ITEMS}"
        raise ArgumentError(Problem("out_of_range", at, message))
    if value.dtype.kind not in "biufUS":
        raise ArgumentTypeError(Problem("wrong_type", at, f"an array of {value.dtype} cannot be stored in metadata"))
    return value.tolist()


def _scalar(value: np.generic, at: At) -> object:
    if value.dtype.kind not in "biufUS" or (value.dtype.itemsize > 8 and value.dtype.kind == "f"):
        raise _type(value, at)
    return value.item()


def _integer(value: int, at: At) -> int:
    if value not in _INTEGERS:
        digits = printed(value) if value.bit_length() <= 256 else f"an integer of {value.bit_length()} bits"
        message = f"{digits} does not fit into 64 bits; store it as text"
        raise ArgumentError(Problem("not_representable", at, message))
    return value


def _text(value: str, at: At) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        message = f"{value!r} cannot be written as UTF-8 (a lone surrogate); store bytes"
        raise ArgumentError(Problem("not_representable", at, message)) from None
    return value


_PLAIN: Final[tuple[tuple[Any, Any], ...]] = (
    ((type(None), bool), lambda value, _: value),
    (float, lambda value, _: float(value)),
    (int, lambda value, at: _integer(int(value), at)),
    (str, lambda value, at: _text(str(value), at)),
    ((bytes, bytearray, memoryview), lambda value, _: bytes(value)),
)
"""What stands alone, by type; a boolean before the integers that it is one of."""


def _type(value: object, at: At) -> ArgumentTypeError:
    plain = "None, booleans, numbers, text, bytes, lists, maps"
    message = f"{printed(value)} is {_kind(value)}, which cannot be stored; plain are {plain}"
    return ArgumentTypeError(Problem("wrong_type", at, message))


def printed(value: object) -> str:
    """Return the `repr` of a value, cut where it is long; its type where Python refuses to print it.

    Examples
    --------
    >>> printed(5), printed(10**5000)
    ('5', '<int>')
    """
    try:
        found = repr(value)
    except Exception:  # noqa: BLE001  (whatever a class of somebody else does)
        return f"<{type(value).__name__}>"
    return found if len(found) <= 80 else f"{found[:77]}..."


def _kind(value: object) -> str:
    names = {dict: "a map", list: "a list", str: "text", bytes: "bytes", int: "an integer", float: "a float"}
    if value is None:
        return "nil"
    return names.get(type(value), f"a {type(value).__name__}")


def is_number(value: object) -> bool:
    """Whether a plain value is a number; a boolean is none.

    Examples
    --------
    >>> is_number(1), is_number(1.5), is_number(True), is_number("1")
    (True, True, False, False)
    """
    kind = type(value)
    return kind is int or kind is float


def is_finite(value: float) -> bool:
    """Whether a number is finite."""
    return type(value) is int or math.isfinite(value)
