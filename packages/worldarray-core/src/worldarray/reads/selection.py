"""Pinning non-spatial axes to one index."""

from __future__ import annotations

import operator
from collections.abc import Mapping

from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.records import ArrayMeta

Select = Mapping[str, int]
Pins = tuple[tuple[int, int], ...]


def pin_axes(meta: ArrayMeta, select: Select | None) -> Pins:
    """Return (axis, index) for every axis that `select` names, in the array's order.

    Raises
    ------
    ArgumentError
        A name is no axis, or a spatial one, or an index is negative or beyond the axis. An axis written ``c^`` on disk
        (funlib's mark of a non-spatial axis) may be called ``c``.
    """
    if not select:
        return ()
    _check_select(select)
    pins = {_axis(meta, name): _index(meta, name, value) for name, value in select.items()}
    if len(pins) != len(select):
        message = f"two entries of {dict(select)} name one axis"
        raise ArgumentError(problem("duplicate", ("select",), message))
    return tuple(sorted(pins.items()))


def _check_select(select: object) -> None:
    if not isinstance(select, Mapping):
        message = f'{select!r} is no mapping from axis name to index; write select={{"c": 0}}'
        raise ArgumentTypeError(problem("wrong_type", ("select",), message))


def drop_pinned(meta: ArrayMeta, pins: Pins) -> ArrayMeta:
    """Return the meta without the pinned axes."""
    for axis, _ in reversed(pins):
        meta = meta.drop_axis(axis)
    return meta


def drop_selected(meta: ArrayMeta, select: Select | None) -> ArrayMeta:
    """Return the meta without the axes that `select` names, whatever the index."""
    if not select:
        return meta
    _check_select(select)
    for axis in sorted((_axis(meta, name) for name in select), reverse=True):
        meta = meta.drop_axis(axis)
    return meta


def _axis(meta: ArrayMeta, name: object) -> int:
    marked = f"{name}^"
    axes = meta.axes
    found = axes.index(name) if name in axes else axes.index(marked) if marked in axes else None
    if found is None:
        message = f"select names {name!r}; the axes of {meta.path} are {', '.join(axes) or 'none'}"
        raise ArgumentError(problem("invalid_argument", ("select", str(name)), message))
    if found in meta.spatial:
        message = f"{name!r} is a spatial axis of {meta.path}; read a box that is one voxel thick instead"
        raise ArgumentError(problem("invalid_argument", ("select", str(name)), message))
    return found


def _index(meta: ArrayMeta, name: object, value: object) -> int:
    try:
        index = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        message = f"{value!r} is no integer; an index on an axis is one"
        raise ArgumentTypeError(problem("wrong_type", ("select", str(name)), message)) from None
    size = meta.shape[_axis(meta, name)]
    if not 0 <= index < size:
        message = f"index {index} is outside the axis {name!r} of {meta.path}, which has {size} (0 to {size - 1})"
        raise ArgumentError(problem("out_of_range", ("select", str(name)), message))
    return index
