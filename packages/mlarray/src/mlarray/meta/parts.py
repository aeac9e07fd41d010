"""The top of a header: each key of it as an attribute of `Meta`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from mlarray.meta.fields import Place

if TYPE_CHECKING:
    from mlarray.meta.meta import Meta

T = TypeVar("T")


class Part(Generic[T]):
    """One key of the top of a header, as an attribute: read as its views, set as plain values, None to take it away."""

    def __init__(self, doc: str, read: Callable[[Meta], T]) -> None:
        """Describe a key."""
        self.__doc__, self._get = doc, read

    def __set_name__(self, owner: type[Meta], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, meta: None, owner: type[Meta]) -> Part[T]: ...

    @overload
    def __get__(self, meta: Meta, owner: type[Meta]) -> T: ...

    def __get__(self, meta: Meta | None, owner: type[Meta]) -> Part[T] | T:
        return self if meta is None else self._get(meta)

    def __set__(self, meta: Meta, value: Any) -> None:
        meta.assign((self._name,), value)

    def __delete__(self, meta: Meta) -> None:
        self.__set__(meta, None)


def each(meta: Meta, key: str, view: Callable[[Meta, Place], T]) -> tuple[T, ...]:
    """Return a view per entry of a list of the header."""
    listed = meta.at((key,))
    return tuple(view(meta, (key, index)) for index in range(len(listed))) if isinstance(listed, list) else ()
