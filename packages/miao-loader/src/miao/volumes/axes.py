"""The axes of stored arrays by one letter each, and what pinning some of them leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from miao.errors import At, VolumeError

if TYPE_CHECKING:
    from miao.records import PyramidInfo
    from worldarray import ArrayMeta

_NAMES: Final = {"time": "t", "channel": "c"}
_TYPES: Final = {"time": "t", "channel": "c"}


def letters(meta: ArrayMeta, at: At) -> str:
    """Return one letter of z, y, x, t, c per stored axis, by its name in any case, else by its OME type.

    Raises
    ------
    VolumeError
        An axis is none of these, or two are the same one.
    """
    types = meta.axis_types or ("",) * meta.ndim
    found = "".join(_letter(name, kind) for name, kind in zip(meta.axes, types, strict=True))
    if "?" in found:
        name = meta.axes[found.index("?")]
        raise VolumeError(
            f"{meta.path} has an axis {name!r}, which is none of z, y, x, t and c (of type time or channel under any "
            "name); rename it in the store",
            code="unsupported",
            at=at,
        )
    if len(set(found)) != len(found):
        raise VolumeError(f"{meta.path} has axes {', '.join(meta.axes)}, two of which are one", code="duplicate", at=at)
    return found


def _letter(name: str, kind: str) -> str:
    low = name.lower()
    letter = _NAMES.get(low, low)
    if letter in {"z", "y", "x", "t", "c"}:
        return letter
    return _TYPES.get(kind, "?")


def pinned_names(meta: ArrayMeta, axes: str, fixed: Mapping[str, int], at: At) -> dict[str, int]:
    """Return the stored position of each axis that is pinned, by the name that the configuration gives it.

    Raises
    ------
    VolumeError
        The array has no such axis, the index lies outside it, or two names are of one axis.
    """
    found: dict[str, int] = {}
    for name, index in fixed.items():
        position = _position(meta, axes, name)
        if position is None:
            raise VolumeError(
                f"{meta.path} has no axis {name!r} to pin; its axes are {', '.join(meta.axes)}",
                code="unknown_name",
                at=(*at, name),
            )
        if not 0 <= index < meta.shape[position]:
            raise VolumeError(
                f"{name} is pinned to index {index}, but {meta.path} has {meta.shape[position]} there: "
                f"0 to {meta.shape[position] - 1}",
                code="out_of_range",
                at=(*at, name),
            )
        if position in found.values():
            raise VolumeError(
                f"{name} pins the axis {meta.axes[position]!r} of {meta.path}, which another entry pins already; "
                "leave one of them out",
                code="duplicate",
                at=(*at, name),
            )
        found[name] = position
    return found


def _position(meta: ArrayMeta, axes: str, name: str) -> int | None:
    if name in meta.axes:
        return meta.axes.index(name)
    letter = _letter(name, "")
    return axes.index(letter) if letter in axes else None


def check_sampled(path: str, sampled: str, spatial: str, at: At) -> None:
    """Refuse stored axes that the output does not have, or lacks.

    Raises
    ------
    VolumeError
        The message names the axis and what to do: pin it, or add it to output_axes.
    """
    extra = [axis for axis in sampled if axis not in spatial]
    if extra:
        raise VolumeError(
            f"{path} has an axis {extra[0]!r}, which output_axes lacks; pin it with "
            f"fixed_axes: {{{extra[0]}: 0}}, or add it to output_axes",
            code="wrong_value",
            at=at,
        )
    missing = [axis for axis in spatial if axis not in sampled]
    if missing:
        raise VolumeError(
            f"output_axes asks for an axis {missing[0]!r}, which {path} lacks or which is pinned; it has "
            f"{', '.join(sampled) or 'none'}",
            code="unknown_name",
            at=at,
        )


def check_channels(image: PyramidInfo, output_axes: str, at: At) -> None:
    """Refuse several channels where the output has no axis for them.

    Raises
    ------
    VolumeError
        The message says to pin one, or to ask for them.
    """
    if "c" not in output_axes and image.channels is not None and image.channels > 1:
        raise VolumeError(
            f"{image.path} has {image.channels} channels and output_axes {output_axes!r} has no c; pin one with "
            "fixed_axes: {c: 0}, or add c to output_axes",
            code="wrong_value",
            at=at,
        )


def same_order(image: str, other: str, what: str, path: str, at: At) -> None:
    """Refuse labels or a mask whose axes stand in another order than the image's.

    Raises
    ------
    VolumeError
        They differ; the message has both.
    """
    if image != other:
        raise VolumeError(
            f"the {what} {path} has axes {', '.join(other)} where its image has {', '.join(image)}; both have the same "
            "sampled axes in the same order",
            code="wrong_value",
            at=at,
        )


def permutation(spatial: Sequence[str], stored: Sequence[str]) -> tuple[int, ...]:
    """Return, for each output axis, its position among the stored ones.

    Examples
    --------
    >>> permutation("xyz", "zyx")
    (2, 1, 0)
    """
    return tuple(stored.index(axis) for axis in spatial)
