"""Where a level of whole blocks of voxels lies, and how many voxels it has: exact, rounded once."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from worldarray.arguments import Floats, Indices, finite, index_tuple, positive, same_length
from worldarray.errors import ArgumentError, ArgumentTypeError, problem

PerAxis = int | Sequence[int]
"""One integer for every axis, or one per axis."""


def level_placement(
    voxel_size: Sequence[float], translation: Sequence[float], factors: PerAxis, origin: PerAxis = 0
) -> tuple[Floats, Floats]:
    """Return the voxel size and the translation of the level whose voxels are blocks of a source's voxels.

    Voxel j of the level covers the source voxels ``origin + j * f`` to ``origin + (j + 1) * f - 1`` on each axis, as a
    block mean makes it. So its size is ``voxel_size * f``, and its voxel 0 is centred at ``translation + voxel_size *
    (origin + (f - 1) / 2)``; both are computed exactly and rounded once.

    Parameters
    ----------
    voxel_size, translation
        One index step and the centre of voxel 0 of the source, per axis, in one unit.
    factors
        Source voxels per level voxel: an integer of at least 1, or one per axis.
    origin
        The source voxel that level voxel 0 begins at: an integer, or one per axis.

    Returns
    -------
    voxel_size, translation : tuple of float
        Of the level, in the same unit and order.

    Raises
    ------
    ArgumentError
        The lists differ in length, a number is not finite, a size is not positive, a factor is below 1.
    ArgumentTypeError
        A factor or an origin is no integer.

    Notes
    -----
    Behaviour 10 of the specification.

    Examples
    --------
    >>> level_placement((30.0, 8.0), (15.0, 4.0), (1, 2))
    ((30.0, 16.0), (15.0, 8.0))
    >>> level_placement((8.0,), (4.0,), 2, origin=16)
    ((16.0,), (136.0,))
    """
    sizes, places = positive(voxel_size, "voxel_size"), finite(translation, "translation")
    same_length(voxel_size=sizes, translation=places)
    blocks, begins = _factors(factors, len(sizes)), _per_axis(origin, "origin", len(sizes))
    size = [
        _rounded(Fraction(s) * f, "voxel_size", axis) for axis, (s, f) in enumerate(zip(sizes, blocks, strict=True))
    ]
    place = [
        _rounded(Fraction(t) + Fraction(s) * (o + Fraction(f - 1, 2)), "translation", axis)
        for axis, (s, t, f, o) in enumerate(zip(sizes, places, blocks, begins, strict=True))
    ]
    return tuple(size), tuple(place)


def level_shape(shape: Sequence[int], factors: PerAxis, origin: PerAxis = 0) -> Indices:
    """Return the voxels per axis of the level whose voxels are blocks of a source's voxels: ``ceil((n - origin) / f)``.

    The last voxel of an axis may be a block cut short by the end of the source.

    Parameters
    ----------
    shape
        Voxels of the source, per axis.
    factors, origin
        As for `level_placement`.

    Raises
    ------
    ArgumentError
        A list has the wrong length, an extent is negative, a factor is below 1, an origin lies beyond the source.
    ArgumentTypeError
        A value is no integer.

    Notes
    -----
    Behaviour 10 of the specification.

    Examples
    --------
    >>> level_shape((100, 201), (1, 2)), level_shape((100, 201), 2, origin=(0, 16))
    ((100, 101), (50, 93))
    """
    extents = index_tuple(shape, "shape")
    for axis, n in enumerate(extents):
        if n < 0:
            message = f"shape is {n} on axis {axis}; give 0 or more"
            raise ArgumentError(problem("out_of_range", ("shape", axis), message))
    blocks, begins = _factors(factors, len(extents)), _per_axis(origin, "origin", len(extents))
    for axis, (n, begin) in enumerate(zip(extents, begins, strict=True)):
        if begin > n:
            message = f"origin is {begin} on axis {axis}, beyond the source's {n} voxels; give at most {n}"
            raise ArgumentError(problem("out_of_range", ("origin", axis), message))
    return tuple(-((o - n) // f) for n, f, o in zip(extents, blocks, begins, strict=True))


def _factors(factors: PerAxis, ndim: int) -> Indices:
    blocks = _per_axis(factors, "factors", ndim)
    for axis, factor in enumerate(blocks):
        if factor < 1:
            message = f"factors is {factor} on axis {axis}; give whole numbers of at least 1"
            raise ArgumentError(problem("not_positive", ("factors", axis), message))
    return blocks


def _per_axis(values: Any, name: str, ndim: int) -> Indices:
    if hasattr(values, "__iter__"):
        return index_tuple(values, name, ndim)
    try:
        return (operator.index(values),) * ndim
    except TypeError as error:
        message = f"{name} is {values!r}; give an integer, or one per axis"
        raise ArgumentTypeError(problem("wrong_type", (name,), message)) from error


def _rounded(value: Fraction, name: str, axis: int) -> float:
    try:
        return float(value)
    except OverflowError:
        message = f"{name} of the level is beyond any float on axis {axis}; give smaller factors or another unit"
        raise ArgumentError(problem("not_finite", (name, axis), message)) from None
