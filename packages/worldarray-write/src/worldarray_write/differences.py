"""Whether an array that exists is the one that is wanted: every field that differs, with both values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from worldarray import geometry, units
from worldarray.describing.describe import Described
from worldarray.errors import ArgumentError, Notice, notice, problem
from worldarray.grid import Grid
from worldarray.records import ArrayMeta
from worldarray_write.documents import stored_codecs, storing_of
from worldarray_write.layout import Planned


class Difference(NamedTuple):
    """One field of an array that exists: its name as an argument of `create`, what is found and what is wanted."""

    field: str
    found: Any
    wanted: Any


def differences(found: Described, wanted: Planned) -> tuple[Difference, ...]:
    """Return every field in which an array that exists is not the one that is wanted.

    Compared are the format, the shape, the dtype (but for its byte order), chunks, shards and the fill value (NaN is
    NaN); where documents name axes, the axes; where documents place it, the units by meaning, and voxel size and
    translation in one unit within rtol 1e-6. An array that no document places contradicts no placement: it is what a
    creation leaves that was interrupted. How chunks are compressed and keyed is not compared (see `storage_notices`).

    Parameters
    ----------
    found
        The array that exists, in stored units.
    wanted
        What `validate` returned.

    Examples
    --------
    >>> from worldarray.describing.describe import describe_array
    >>> from worldarray.documents.source import MappingSource
    >>> from worldarray.paths import parse_path
    >>> from worldarray_write.documents import array_documents
    >>> from worldarray_write.layout import Wanted, validate
    >>> there = validate(Wanted((60, 200), "uint16", (30, 8), (15, 4), "zarr3", chunks=(10, 64)))
    >>> documents = {f"em/{key}": data for key, data in array_documents(there.layout).items()}
    >>> found = describe_array(MappingSource(documents), parse_path("em"))
    >>> differences(found, there)
    ()
    >>> differences(found, validate(Wanted((60, 200), "uint8", (30, 8), (15, 4), "zarr3", chunks=(10, 64))))
    (Difference(field='dtype', found='uint16', wanted='uint8'),)
    """
    return meta_differences(found.meta, wanted)


def meta_differences(found: ArrayMeta, wanted: Planned) -> tuple[Difference, ...]:
    """Return `differences` of what documents say of an array, in stored units.

    Examples
    --------
    >>> from worldarray.grid import Grid
    >>> from worldarray_write.layout import Wanted, validate
    >>> found = Grid((60, 200), (30, 8), (15, 4), chunks=(10, 64)).meta("uint16")
    >>> meta_differences(found, validate(Wanted((60, 200), "uint16", (30, 8), (15, 5), "zarr3", chunks=(10, 64))))
    (Difference(field='translation', found=(15.0, 4.0), wanted=(15.0, 5.0)),)
    """
    return tuple(_compared(found, wanted))


def _compared(meta: ArrayMeta, wanted: Planned) -> Iterator[Difference]:
    layout, grid = wanted.layout, wanted.grid
    pairs = {
        "format": (meta.format, layout.format),
        "shape": (meta.shape, layout.shape),
        "dtype": (meta.dtype.name, layout.dtype.name),
        "chunks": (meta.chunk_shape, layout.chunks),
        "shards": (meta.shard_shape, layout.shards),
    }
    yield from (Difference(name, a, b) for name, (a, b) in pairs.items() if a != b)
    if meta.dtype == layout.dtype and not same_fill(meta.fill_value, layout.fill.value):
        yield Difference("fill_value", meta.fill_value, layout.fill.value)
    if meta.ndim != len(layout.shape):
        return
    if meta.axes_named and meta.axes != grid.axes:
        yield Difference("axes", meta.axes, grid.axes)
    if meta.placed_by is not None:
        yield from displaced(meta, grid)


def displaced(meta: ArrayMeta, grid: Grid) -> Iterator[Difference]:
    """Give each field in which an array is placed elsewhere than a grid: units by meaning, values in the grid's units.

    Examples
    --------
    >>> there = Grid((60, 200), (30, 8), (15, 4), chunks=(10, 64))
    >>> list(displaced(there.meta("uint16"), Grid((60, 200), (30, 8), (15, 5))))
    [Difference(field='translation', found=(15.0, 4.0), wanted=(15.0, 5.0))]
    """
    if not all(map(units.same, meta.units, grid.units)):
        yield Difference("units", meta.units, grid.units)
    sizes, places = (
        tuple(_in_unit(v, a, b) for v, a, b in zip(values, meta.units, grid.units, strict=True))
        for values in (meta.voxel_size, meta.translation)
    )
    if not geometry.same_sizes(sizes, grid.every_voxel_size):
        yield Difference("voxel_size", meta.voxel_size, grid.every_voxel_size)
    if not all(map(geometry.same_place, places, grid.every_translation, grid.every_voxel_size)):
        yield Difference("translation", meta.translation, grid.every_translation)


def _in_unit(value: float, source: str, target: str) -> float:
    """Return a value in another unit; as it is where either unit is unknown or they are of two dimensions."""
    a, b = units.parse(source), units.parse(target)
    if a is None or b is None or a.dimension != b.dimension:
        return value
    return units.convert(value, a.factor / b.factor)


def same_fill(found: Any, wanted: Any) -> bool:
    """Whether two fill values are the same: NaN is NaN, and no fill value (None) is only none.

    Examples
    --------
    >>> same_fill(np.float32("nan"), np.float32("nan")), same_fill(None, np.uint8(0))
    (True, False)
    """
    if found is None or wanted is None:
        return found is wanted
    parts = [(found.real, wanted.real), (found.imag, wanted.imag)] if np.iscomplexobj(found) else [(found, wanted)]
    return all(bool(a == b) or bool(a != a and b != b) for a, b in parts)  # noqa: PLR0124


def refuse_differences(path: str, found: Sequence[Difference]) -> None:
    """Raise one error with every difference, or return where there is none.

    Raises
    ------
    ArgumentError
        ``conflict``, once per field, with the value found and the value wanted.

    Examples
    --------
    >>> refuse_differences("em.zarr/s0", ())
    """
    if found:
        raise ArgumentError(*(problem("conflict", (path, field), _sentence(*rest)) for field, *rest in found))


def _sentence(found: Any, wanted: Any) -> str:
    return (
        f"the array that exists has {found}, but {wanted} is wanted; ask for what is there, or create another array "
        "(this package removes nothing)"
    )


_STORAGE: Final[tuple[tuple[str, Callable[[Described], Any], Callable[[Planned], Any]], ...]] = (
    ("codecs", lambda found: _codecs(found.facts.metadata), lambda wanted: stored_codecs(wanted.layout)),
    ("separator", lambda found: found.meta.storage.separator, lambda wanted: wanted.layout.separator),
    ("encoding", lambda found: found.meta.storage.encoding, lambda wanted: wanted.layout.encoding),
    ("order", lambda found: storing_of(found.facts).order, lambda wanted: wanted.layout.order),
)
"""What may differ: a name, and what it is of an array that exists and of one that is wanted."""


def storage_notices(found: Described, wanted: Planned) -> tuple[Notice, ...]:
    """Return what to log where an array that is adopted compresses or keys its chunks in another way than is wanted.

    The array's own way is kept, and nothing that is read depends on it.
    """
    if found.meta.format != wanted.layout.format:
        return ()
    path = found.meta.path
    pairs = ((name, of_found(found), of_wanted(wanted)) for name, of_found, of_wanted in _STORAGE)
    return tuple(
        notice("conflict", (path, name), f"the array that exists has {a}, not {b}; it keeps what it has")
        for name, a, b in pairs
        if a != b
    )


def _codecs(metadata: Any) -> Any:
    return metadata["compressor"] if "compressor" in metadata else metadata["codecs"]
