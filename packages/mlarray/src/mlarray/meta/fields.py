"""Maps of a header as objects: a table of fields per map, and the base of the views that have one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from mlarray.errors import FieldError, MLArrayError, Problem
from mlarray.header.report import shown
from mlarray.meta.frozen import FrozenMap, copied, equal, freeze

if TYPE_CHECKING:
    from mlarray.meta.meta import Meta

Place = tuple[str | int, ...]


class Field:
    """One key of a map, as an attribute of its view."""

    def __init__(
        self,
        doc: str,
        *,
        view: type[View] | None = None,
        several: bool = False,
        default: Any = None,
        words: tuple[str, ...] = (),
        key: str = "",
    ) -> None:
        """Describe a key.

        Parameters
        ----------
        doc
            What it means.
        view, several
            What shows its map, or each map of its list.
        default
            What it is where it is absent.
        words
            What it may be; a word of a later minor version reads as "other" where that is one, else as the default.
        key
            The key, where it is not what the attribute is called.
        """
        self.__doc__ = doc
        self.view, self.several, self.words, self.key = view, several, words, key
        self.default = () if several else default

    def __set_name__(self, owner: type[View], name: str) -> None:
        self.key = self.key or name

    def __get__(self, view: View | None, owner: type[View] | None = None) -> Any:
        return self if view is None else view._read(self)

    def __set__(self, view: View, value: Any) -> None:
        view._assign(self.key, value)

    def __delete__(self, view: View) -> None:
        view._assign(self.key, None)

    def shown(self, meta: Meta, place: Place, value: Any) -> Any:
        """Return a plain value as people get it; where a map belongs and none stands, a view that says so when used."""
        if self.view is None:
            return freeze(value)
        if not self.several:
            return self.view(meta, place)
        return tuple(self.view(meta, (*place, index)) for index in range(len(value) if isinstance(value, list) else 0))


class View(Mapping[str, Any]):
    """A map of a header, seen through the `Meta` that holds it.

    An attribute is a key of the format, None (or the format's default) where it is absent. Setting one changes the
    header after the whole of it was checked; None, or ``del``, takes the key away. Keys that the format does not know
    are items: ``view["org_key"]``. Lists are tuples: assign a new list to change one.
    """

    _fields: ClassVar[Mapping[str, Field]] = {}
    _optional: ClassVar[bool] = False
    """Whether there is a view of an absent map: an empty one, which is there once something is set."""
    _meta: Meta
    _place: Place

    def __init_subclass__(cls) -> None:
        """Collect the table of fields, by key."""
        cls._fields = {field.key: field for field in vars(cls).values() if isinstance(field, Field)}

    def __init__(self, meta: Meta, place: Place) -> None:
        object.__setattr__(self, "_meta", meta)
        object.__setattr__(self, "_place", place)

    def _plain(self) -> Mapping[str, Any]:
        found = self._meta.at(self._place)
        if isinstance(found, Mapping):
            return found
        if found is None and self._optional:
            return {}
        self._meta.usable(self._place)
        message = "no map stands there (any more); look it up again, or assign one"
        raise MLArrayError(Problem("not_found", self._place, message))

    def _read(self, field: Field) -> Any:
        plain = self._plain()
        if field.key not in plain:
            return self._absent(field)
        value = plain[field.key]
        if field.words and value not in field.words:
            return "other" if "other" in field.words else field.default
        return field.shown(self._meta, (*self._place, field.key), value)

    def _absent(self, field: Field) -> Any:
        if field.view is not None and field.view._optional:
            return field.view(self._meta, (*self._place, field.key))
        return field.default

    def _assign(self, key: str, value: Any) -> None:
        self._meta.assign((*self._place, key), value)

    def __getattr__(self, name: str) -> Any:
        if name in self._fields:  # a key that is a word of Python: getattr(entry, "from")
            return self._read(self._fields[name])
        raise self._unknown(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(getattr(type(self), name, None), Field):
            raise self._unknown(name)
        object.__setattr__(self, name, value)

    def _unknown(self, name: str) -> FieldError:
        return unknown(type(self).__name__, name, self._fields, (*self._place, name))

    def __getitem__(self, key: str) -> Any:
        value = self._plain()[key]
        field = self._fields.get(key)
        return freeze(value) if field is None else field.shown(self._meta, (*self._place, key), value)

    def __setitem__(self, key: str, value: Any) -> None:
        self._assign(key, value)

    def __delitem__(self, key: str) -> None:
        if key not in self._plain():
            raise KeyError(key)
        self._assign(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain())

    def __len__(self) -> int:
        return len(self._plain())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]

    def __repr__(self) -> str:
        plain = self._meta.at(self._place)
        if not isinstance(plain, Mapping) and not (plain is None and self._optional):
            return f"<{type(self).__name__}: {shown(plain)} stands where a map belongs>"
        plain = plain or {}
        given = [f"{key}={value!r}" for key, value in plain.items() if key in self._fields]
        others = {key: value for key, value in plain.items() if key not in self._fields}
        return f"{type(self).__name__}({', '.join([*given, f'**{others!r}'] if others else given)})"

    def __eq__(self, other: object) -> bool:
        return equal(self._plain(), other)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> FrozenMap:
        return FrozenMap(self.to_dict())

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenMap:
        return FrozenMap(self.to_dict())

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMap, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Return a copy as plain values, which may be changed."""
        found: dict[str, Any] = copied(self._plain())
        return found


def unknown(what: str, name: str, fields: Mapping[str, Any], at: Place) -> FieldError:
    """Return the error for an attribute that there is not."""
    near = difflib.get_close_matches(name, fields, 1)
    guess = f"did you mean {near[0]!r}? It" if near else "it"
    message = f"{what} has no attribute {name!r}; {guess} has {', '.join(fields)}. Other keys are items: [{name!r}]"
    return FieldError(Problem("unknown_name", at, message))
