"""Views of the maps of a header: an attribute per key of the format; setting one changes the header, or raises."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from mlarray.errors import ArgumentError, MLArrayError, Problem
from mlarray.header.check_axes import TYPES
from mlarray.header.check_spaces import OPPOSITES
from mlarray.header.check_values import KINDS, LAYOUTS
from mlarray.layout.compression import from_document
from mlarray.meta.frozen import freeze

if TYPE_CHECKING:
    import blosc2

    from mlarray.meta.meta import Meta

Place = tuple[str | int, ...]


class Field(NamedTuple):
    """One key of a map: its view where it is a map (of several, in a list), its default, the words that it may be."""

    view: type[View] | None = None
    several: bool = False
    default: Any = None
    words: tuple[str, ...] = ()


class View(Mapping[str, Any]):
    """A map of a header, seen through the `Meta` that holds it.

    An attribute is a key of the format, None (or the format's default) where it is absent. Setting one changes the
    header after the whole of it was checked; None takes the key away. Keys that the format does not know are items:
    ``view["org_key"]``. Lists are tuples: assign a new list to change one.
    """

    _fields: ClassVar[Mapping[str, Field]] = {}
    _meta: Meta
    _place: Place

    def __init__(self, meta: Meta, place: Place) -> None:
        object.__setattr__(self, "_meta", meta)
        object.__setattr__(self, "_place", place)

    def _plain(self) -> Mapping[str, Any]:
        found = self._meta.at(self._place)
        if isinstance(found, Mapping):
            return found
        where = "/".join(map(str, self._place))
        raise MLArrayError(Problem("not_found", self._place, f"{where} is not there any more; look it up again"))

    def __getattr__(self, name: str) -> Any:
        field = self._fields.get(name)
        if field is None:
            known = ", ".join(self._fields)
            message = f"{type(self).__name__} has no attribute {name!r}; it has {known}; other keys are items"
            raise AttributeError(message)
        plain = self._plain()
        if name not in plain:
            return self._absent(name, field)
        value = plain[name]
        if field.view is not None and field.several and isinstance(value, list):
            return tuple(field.view(self._meta, (*self._place, name, index)) for index in range(len(value)))
        if field.view is not None and isinstance(value, dict):
            return field.view(self._meta, (*self._place, name))
        if field.words and value not in field.words:
            return "other" if "other" in field.words else None
        return freeze(value)

    def _absent(self, name: str, field: Field) -> Any:  # noqa: ARG002  (views that know better override it)
        return () if field.several else field.default

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            known = ", ".join(self._fields)
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; it has {known}")
        self._meta.assign((*self._place, name), value)

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __getitem__(self, key: str) -> Any:
        return freeze(self._plain()[key])

    def __setitem__(self, key: str, value: Any) -> None:
        self._meta.assign((*self._place, key), value)

    def __delitem__(self, key: str) -> None:
        if key not in self._plain():
            raise KeyError(key)
        self._meta.assign((*self._place, key), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain())

    def __len__(self) -> int:
        return len(self._plain())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self._plain())!r})"

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == (other.to_dict() if isinstance(other, View) else other)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return self.to_dict()

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Return a copy as plain values, which may be changed."""
        found: dict[str, Any] = copy.deepcopy(dict(self._plain()))
        return found


_UNIT = {"unit": Field(), "unit_code": Field()}


class Axis(View):
    """One axis of the array: name, type, labels, and the sampling of an axis that is not of type space."""

    _fields: ClassVar = {
        "name": Field(),
        "type": Field(words=TYPES),
        "labels": Field(),
        "start": Field(),
        "step": Field(),
        "coordinates": Field(),
        **_UNIT,
    }

    def _absent(self, name: str, field: Field) -> Any:
        if name == "type":
            return self._meta.axis_types[int(self._place[1])]
        return super()._absent(name, field)


class SpaceAxis(View):
    """One axis of a space: name, unit, and the word toward which its coordinate grows."""

    _fields: ClassVar = {"name": Field(), **_UNIT, "increases_toward": Field(words=tuple(OPPOSITES))}


class Reference(View):
    """The physical frame that a space is: two spaces are one frame where scheme and id agree."""

    _fields: ClassVar = {"scheme": Field(), "id": Field()}


class FromArray(View):
    """The map from array indices (voxel centres) to a space: a matrix, or scale and translation per array axis."""

    _fields: ClassVar = {"array_axes": Field(), "matrix": Field(), "scale": Field(), "translation": Field()}


class Space(View):
    """A named coordinate system, and where the array lies in it."""

    _fields: ClassVar = {
        "name": Field(),
        "reference": Field(Reference),
        "axes": Field(SpaceAxis, several=True),
        "from_array": Field(FromArray),
    }


class Values(View):
    """What the stored numbers mean; physical value = scale * stored + offset."""

    _fields: ClassVar = {
        "kind": Field(default="measurement", words=KINDS),
        **_UNIT,
        "scale": Field(default=1),
        "offset": Field(default=0),
        "fill": Field(),
        "labels": Field(),
        "label_layout": Field(words=LAYOUTS),
    }


class Statistics(View):
    """Statistics of the stored values."""

    _fields: ClassVar = {
        name: Field() for name in ("min", "max", "mean", "median", "standard_deviation", "percentiles")
    }


class Box(View):
    """One box: half-open over array indices, closed over coordinates of a space."""

    _fields: ClassVar = {"min": Field(), "max": Field(), "label": Field(), "score": Field()}


class Boxes(View):
    """Boxes, in the frame "index" or in that of a space."""

    _fields: ClassVar = {"frame": Field(), "axes": Field(), "items": Field(Box, several=True)}

    # A mapping's own `items` would hide the key of that name.
    @property
    def items(self) -> Any:
        """The boxes."""
        return self.__getattr__("items")


class MlProfile(View):
    """The profile `ml`: what training needs to know of an image."""

    _fields: ClassVar = {
        "profile_version": Field(),
        "statistics": Field(Statistics),
        "boxes": Field(Boxes),
        "patch_size": Field(),
        "split": Field(),
    }


class MedicalProfile(View):
    """The profile `medical`: curated metadata by DICOM keyword."""

    _fields: ClassVar = {"profile_version": Field(), "dicom": Field()}


class Profiles(View):
    """Metadata of a domain; those of third parties are items under their reverse-domain name."""

    _fields: ClassVar = {"ml": Field(MlProfile), "medical": Field(MedicalProfile)}

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key) if key in self._fields and key in self._plain() else super().__getitem__(key)


class HistoryEntry(View):
    """One thing that was done; entries are only ever added."""

    _fields: ClassVar = {name: Field() for name in ("action", "tool", "time", "from", "warnings")}

    def __setattr__(self, name: str, value: Any) -> None:
        raise ArgumentError(Problem("read_only", self._place, "history is only added to; call meta.add_history"))


class Storage(View):
    """How the array was cut and compressed: portable settings alone."""

    _fields: ClassVar = {
        "chunk_size": Field(),
        "block_size": Field(),
        "patch_size": Field(),
        "compression": Field(),
    }

    def to_cparams(self, *, nthreads: int = 1) -> blosc2.CParams:
        """Return the recorded compression as blosc2.CParams; the library's default where none is recorded.

        Raises
        ------
        ArgumentError
            blosc2 does not know the codec or a filter.
        """
        return from_document(self._plain().get("compression")).to_cparams(nthreads=nthreads)
