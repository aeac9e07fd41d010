"""What the documents of stores say about the groups that a configuration names; no voxel is read here."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from miao.errors import At, VolumeError, VolumeNotFoundError
from miao.volumes.nearby import advice

if TYPE_CHECKING:
    from worldarray import ArrayMeta, Pyramid

THREADS: Final = 16
"""Documents of remote stores are asked for by this many threads; local ones are read faster by one."""


class Place(NamedTuple):
    """A group: where a store is, and the key of the group in it ("" or "." for its root)."""

    path: str
    key: str

    @property
    def url(self) -> str:
        """The path of the group itself."""
        key = self.key.strip("/")
        return self.path if key in {"", "."} else f"{self.path.rstrip('/')}/{key}"


@dataclass(frozen=True)
class Group:
    """The levels of one group as its documents give them, in the store's own units, every axis."""

    path: str
    names: tuple[str, ...]
    metas: tuple[ArrayMeta, ...]
    outer_scaled: bool
    """Whether the multiscale itself has a scale other than 1, which was applied."""


@dataclass(frozen=True)
class Failure:
    """Why the documents of a group could not be read."""

    error: Exception


def fetch(places: Iterable[Place]) -> dict[Place, Group | Failure]:
    """Return the documents of each group, read once however often it is named."""
    unique = list(dict.fromkeys(places))
    if any("://" in place.path for place in unique):
        with ThreadPoolExecutor(min(THREADS, len(unique))) as pool:
            return dict(zip(unique, pool.map(_tried, unique), strict=True))
    return {place: _tried(place) for place in unique}


def require(found: Group | Failure, place: Place, at: At) -> Group:
    """Return a group that was read.

    Raises
    ------
    VolumeNotFoundError
        Nothing that can be read stands there.
    VolumeError
        It stands there but is not what it should be; the message says what it is.
    """
    if isinstance(found, Group):
        return found
    error = found.error
    if isinstance(error, VolumeError):
        raise VolumeError(error.message, code=error.code, at=at) from error
    if isinstance(error, FileNotFoundError):
        raise VolumeNotFoundError(
            f"there is no multiscale group {place.key!r} in {place.path}: {error}; {advice(place.path, place.key)}",
            code="not_found",
            at=at,
        ) from error
    code = str(getattr(error, "code", "wrong_value"))
    raise VolumeError(f"{place.url} cannot be read as a pyramid: {error}", code=code, at=at) from error


def _tried(place: Place) -> Group | Failure:
    from worldarray.errors import WorldArrayError  # noqa: PLC0415  (on first use)

    try:
        return _read(place)
    except (WorldArrayError, VolumeError, OSError) as error:
        return Failure(error)


def _read(place: Place) -> Group:
    import worldarray  # noqa: PLC0415  (on first use)

    pyramid = worldarray.open_pyramid(place.url, units=None)
    names = pyramid.names
    if len(pyramid.path) < len(place.url.rstrip("/")) and _is_array(place.url):
        raise VolumeError(f"{place.url} is an array, {_array_advice(pyramid)}", code="wrong_type")
    return Group(pyramid.path, names, pyramid.metas(), _scales(pyramid.outer_transforms))


def _array_advice(pyramid: Pyramid) -> str:
    """Return what else than an array a volume is: the group that lists it, or one that has to be made."""
    if any(meta.placed_by for meta in pyramid.metas()):
        return f"one level of {pyramid.path}; give the key of the group that holds the levels"
    return (
        f"and {pyramid.path} has no multiscales that say how large its voxels are; have them written, for example by "
        "worldarray_write.ensure_group_entry, and give the key of that group"
    )


def _is_array(url: str) -> bool:
    import worldarray  # noqa: PLC0415  (on first use)

    node = worldarray.detect(url, missing_ok=True)
    return node is not None and node.kind == "array"


def _scales(transforms: Iterable[object]) -> bool:
    """Whether a raw transformation is a scale that changes something."""
    for entry in transforms:
        scale = entry.get("scale") if isinstance(entry, dict) else None
        if isinstance(scale, list) and any(value != 1 for value in scale):
            return True
    return False
