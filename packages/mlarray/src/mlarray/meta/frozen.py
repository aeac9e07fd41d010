"""Plain values that cannot be changed: maps, and tuples for lists."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any


class FrozenMap(Mapping[str, Any]):
    """A map that cannot be changed; maps and lists in it cannot either.

    Examples
    --------
    >>> FrozenMap({"a": [1, {"b": 2}]})["a"]
    (1, FrozenMap({'b': 2}))
    """

    __slots__ = ("_plain",)

    def __init__(self, plain: Mapping[str, Any]) -> None:
        """Take over a plain map, which nobody changes from now on."""
        self._plain = plain

    def __getitem__(self, key: str) -> Any:
        return freeze(self._plain[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)

    def __repr__(self) -> str:
        return f"FrozenMap({dict(self._plain)!r})"

    def __eq__(self, other: object) -> bool:
        return self._plain == other._plain if isinstance(other, FrozenMap) else thaw(self._plain) == thaw(other)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._plain)))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMap, (dict(self._plain),)

    def to_dict(self) -> dict[str, Any]:
        """Return a copy that may be changed."""
        found: dict[str, Any] = copy.deepcopy(dict(self._plain))
        return found


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


def thaw(value: Any) -> Any:
    """Return a plain copy of a value in which frozen maps and views may stand.

    Examples
    --------
    >>> thaw((1, FrozenMap({"a": [2]})))
    [1, {'a': [2]}]
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in value]
    return value
