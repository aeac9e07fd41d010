"""Plain values that cannot be changed: maps, and tuples for lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

import msgpack

from mlarray.errors import MLArrayError
from mlarray.header.wire import encode, normalise

_NAN: Final = float("nan")


class FrozenMap(Mapping[str, Any]):
    """A map that cannot be changed; maps and lists in it cannot either. `to_dict` gives a copy that can.

    Examples
    --------
    >>> FrozenMap({"a": [1, {"b": 2}]})["a"]
    (1, FrozenMap({'b': 2}))
    """

    __slots__ = ("_plain",)
    _plain: Mapping[str, Any]

    def __init__(self, plain: Mapping[str, Any]) -> None:
        """Take over a plain map, which nobody changes from now on."""
        object.__setattr__(self, "_plain", plain)

    def __getitem__(self, key: str) -> Any:
        return freeze(self._plain[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)

    def __repr__(self) -> str:
        return f"FrozenMap({dict(self._plain)!r})"

    def __eq__(self, other: object) -> bool:
        return equal(self._plain, other)

    def __hash__(self) -> int:
        return hash(frozenset(self._plain))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise _frozen(name)

    def __setitem__(self, key: str, value: object) -> NoReturn:
        raise _frozen(key)

    def __delitem__(self, key: str) -> NoReturn:
        raise _frozen(key)

    def __copy__(self) -> FrozenMap:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenMap:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (encode(self._plain),)

    def to_dict(self) -> dict[str, Any]:
        """Return a copy that may be changed."""
        found: dict[str, Any] = copied(self._plain)
        return found


def _unpacked(raw: bytes) -> FrozenMap:
    return FrozenMap(msgpack.unpackb(raw))


def _frozen(key: str) -> TypeError:
    return TypeError(f"{key!r} cannot be set here: this map is frozen. Change a copy, to_dict(), and assign that whole")


def freeze(value: Any) -> Any:
    """Return a plain value so that it cannot be changed.

    Examples
    --------
    >>> freeze([1, [2, 3]])
    (1, (2, 3))
    """
    if isinstance(value, dict):
        return FrozenMap(value)
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def copied(plain: Mapping[str, Any]) -> Any:
    """Return a copy of a plain map, however deep it is.

    Examples
    --------
    >>> copied({"a": [1, b"2", None]})
    {'a': [1, b'2', None]}
    """
    return msgpack.unpackb(encode(plain))


def equal(plain: Any, other: object) -> bool:
    """Whether a plain map, and another map, frozen or not, hold the same; NaN equals NaN here.

    Examples
    --------
    >>> equal({"a": [float("nan")]}, {"a": (float("nan"),)}), equal({"a": 1}, {"a": 2})
    (True, False)
    """
    if not isinstance(other, Mapping):
        return False
    try:
        theirs = normalise(other)
    except MLArrayError:
        return False
    return bool(plain == theirs or _one_nan(plain) == _one_nan(theirs))


def _one_nan(plain: Mapping[str, Any]) -> Any:
    """Return a copy in which every NaN is the same object, which lists and maps take for equal."""

    def items(listed: list[Any]) -> list[Any]:
        return [_NAN if item != item else item for item in listed]  # noqa: PLR0124  (NaN alone differs from itself)

    def pairs(listed: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: _NAN if item != item else item for key, item in listed}  # noqa: PLR0124

    return msgpack.unpackb(encode(plain), list_hook=items, object_pairs_hook=pairs)
