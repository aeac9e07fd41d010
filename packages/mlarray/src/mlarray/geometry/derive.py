"""What follows from the matrix of a space: spacing, origin, direction, letter codes, coordinates both ways."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, ArgumentTypeError, At, Problem

Rows = Sequence[Sequence[float]]
OPPOSITE: Final = {
    word: other
    for pair in (("left", "right"), ("anterior", "posterior"), ("superior", "inferior"))
    for word, other in (pair, pair[::-1])
}
"""The six anatomical words, which have letters."""
TIE: Final = 1e-6
"""How near two entries of a direction are equal where letters are given: the noise of float32 at 45 degrees."""


def refuse_mixed_units(space: Mapping[str, Any], at: At) -> None:
    """Raise where the axes of a space have several units: a distance in it has none.

    Parameters
    ----------
    space
        An entry of `spaces`, units and codes filled in. No unit beside a unit is another one.
    at
        What the error points to.

    Raises
    ------
    ArgumentError
        Code conflict.

    Examples
    --------
    >>> refuse_mixed_units({"name": "world", "axes": [{"name": "y", "unit_code": "mm"}, {"name": "x"}]}, ())
    Traceback (most recent call last):
    mlarray.errors.ArgumentError: the axes of the space 'world' have several units, so a distance has none: y mm, x \
without a unit
    """
    units = [axis.get("unit_code") or axis.get("unit") for axis in space["axes"]]
    if len(set(units)) > 1:
        listed = ", ".join(
            f"{axis['name']} {unit or 'without a unit'}" for axis, unit in zip(space["axes"], units, strict=True)
        )
        message = f"the axes of the space {space['name']!r} have several units, so a distance has none: {listed}"
        raise ArgumentError(Problem("conflict", at, message))


def spacing(matrix: Rows) -> list[float]:
    """Return the distance between neighbouring voxels along each column of the matrix: its Euclidean length.

    Examples
    --------
    >>> spacing([[0, 0, 0.7, -170.1], [0, 0.7, 0, -201.3], [-2.5, 0, 0, -87], [0, 0, 0, 1]])
    [2.5, 0.7, 0.7]
    """
    return [_length([row[column] for row in matrix[:-1]]) for column in range(len(matrix[0]) - 1)]


def _length(column: Sequence[float]) -> float:
    """Return the length of a vector; exact where only one entry is not zero."""
    entries = [abs(value) for value in column if value]
    return entries[0] if len(entries) == 1 else math.hypot(*entries)


def origin(matrix: Rows) -> list[float]:
    """Return the coordinates of the centre of voxel 0, one per axis of the space.

    Examples
    --------
    >>> origin([[0, 2, 5], [3, 0, 7], [0, 0, 1]])
    [5.0, 7.0]
    """
    return [float(row[-1]) + 0.0 for row in matrix[:-1]]


def direction(matrix: Rows) -> list[list[float]]:
    """Return the linear part with every column divided by its spacing, one row per axis of the space.

    Examples
    --------
    >>> direction([[0, 2, 5], [-3, 0, 7], [0, 0, 1]])
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    lengths = spacing(matrix)
    return [
        [float(value) / length + 0.0 for value, length in zip(row[:-1], lengths, strict=True)] for row in matrix[:-1]
    ]


def letter_codes(matrix: Rows, increases_toward: Sequence[str | None]) -> str | None:
    """Return one letter per column: the initial of the word toward which its index grows.

    The largest entry of the direction decides first, then the largest of what is left; of those within 1e-6 of it the
    one of the lowest axis of the space, then of the lowest array axis.

    Parameters
    ----------
    matrix
        Columns in array order.
    increases_toward
        The word of each axis of the space.

    Returns
    -------
    None where an axis of the space that a column is given has no anatomical word. Nor has an index a letter that does
    not move along the axis left for it, as can happen where the grid is sheared by more than 45 degrees.

    Examples
    --------
    >>> rows = [[0, 0, 0.7, 0], [0, 0.7, 0, 0], [-2.5, 0, 0, 0], [0, 0, 0, 1]]
    >>> letter_codes(rows, ["left", "posterior", "superior"])
    'IPL'
    """
    cosines = direction(matrix)
    left = {(i, j): abs(value) for i, row in enumerate(cosines) for j, value in enumerate(row)}
    letters: dict[int, str] = {}
    while left:
        largest = max(left.values())
        row, column = min(cell for cell, size in left.items() if size >= largest - TIE)
        word = increases_toward[row]
        if word is None or word not in OPPOSITE or abs(cosines[row][column]) <= TIE:
            return None
        letters[column] = (word if cosines[row][column] > 0 else OPPOSITE[word])[0].upper()
        left = {cell: size for cell, size in left.items() if cell[0] != row and cell[1] != column}
    return "".join(letters[column] for column in range(len(letters)))


def to_space(matrix: Rows, index: Any) -> NDArray[np.float64]:
    """Return the coordinates of indices: whole indices are centres of voxels.

    Parameters
    ----------
    matrix
        Columns in array order.
    index
        Shape (..., n) over the n columns.

    Returns
    -------
    Shape (..., m) over the m axes of the space, float64.

    Raises
    ------
    ArgumentTypeError
        A value is no number.
    ArgumentError
        The last axis is not as long as the matrix has columns.

    Examples
    --------
    >>> to_space([[0, 2, 5], [-3, 0, 7], [0, 0, 1]], (1, 10)).tolist()
    [25.0, 4.0]
    """
    linear, shift = _parts(matrix)
    found: NDArray[np.float64] = points(index, linear.shape[1], ("index",)) @ linear.T + shift
    return found


def to_index(matrix: Rows, coord: Any) -> NDArray[np.float64]:
    """Return the indices of coordinates, fractions and all; by least squares where the space has more axes.

    Parameters
    ----------
    matrix
        Columns in array order.
    coord
        Shape (..., m) over the m axes of the space.

    Returns
    -------
    Shape (..., n) over the n columns, float64.

    Raises
    ------
    ArgumentTypeError
        A value is no number.
    ArgumentError
        The last axis is not as long as the space has axes.

    Examples
    --------
    >>> to_index([[0, 2, 5], [-3, 0, 7], [0, 0, 1]], (25, 4)).tolist()
    [1.0, 10.0]
    """
    linear, shift = _parts(matrix)
    moved = points(coord, linear.shape[0], ("coord",)) - shift
    if linear.shape[0] == linear.shape[1]:
        solved: NDArray[np.float64] = np.linalg.solve(linear, moved.reshape(-1, linear.shape[0]).T).T
    else:
        solved = np.linalg.lstsq(linear, moved.reshape(-1, linear.shape[0]).T, rcond=None)[0].T
    return solved.reshape(*moved.shape[:-1], linear.shape[1]) + 0.0


def _parts(matrix: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    whole = np.array(matrix, np.float64)
    return whole[:-1, :-1], whole[:-1, -1]


def points(value: Any, width: int, at: At) -> NDArray[np.float64]:
    """Return points as float64 of shape (..., width).

    Raises
    ------
    ArgumentTypeError
        A value is no number, or the points are not all as long.
    ArgumentError
        The last axis has another length, or a number is not finite.

    Examples
    --------
    >>> points([(1, 2), (3, 4)], 2, ("index",)).shape
    (2, 2)
    """
    try:
        raw = np.asarray(value)
    except ValueError:  # lists of several lengths
        raw = np.array(None)
    if raw.dtype.kind not in "iuf":
        message = f"{value!r} is no list of points: numbers alone, and as many in each"
        raise ArgumentTypeError(Problem("wrong_type", at, message))
    found = raw.astype(np.float64)
    if not np.isfinite(found).all():
        raise ArgumentError(
            Problem("not_finite", at, f"{value!r} holds a number that is not finite; places are finite")
        )
    if found.ndim == 0 or found.shape[-1] != width:
        have = "no axis" if found.ndim == 0 else f"{found.shape[-1]} numbers"
        raise ArgumentError(Problem("wrong_length", at, f"{have} in the last axis, expected {width}"))
    return found
