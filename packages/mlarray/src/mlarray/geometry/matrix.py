"""The matrix of a space: array indices (voxel centres) to coordinates, columns in the order of the array's axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

Matrix = list[list[float]]
"""One row per axis of the space and [0, …, 0, 1]; one column per array axis that it uses, and the translation."""

THINNEST: Final = 1e-9
"""The smallest singular value of a linear part that has full rank, relative to the largest."""


def columns_of(array_axes: Sequence[str], axis_names: Sequence[str]) -> tuple[int, ...]:
    """Return the positions in the array of the axes that a space uses, ascending: the columns of its matrix.

    Examples
    --------
    >>> columns_of(["x", "z"], ["t", "z", "y", "x"])
    (1, 3)
    """
    return tuple(sorted(axis_names.index(name) for name in array_axes))


def expanded(from_array: Mapping[str, Any], space_axes: Sequence[str], axis_names: Sequence[str]) -> Matrix:
    """Return the matrix of a space with its columns in array order, scale and translation written out.

    Parameters
    ----------
    from_array
        ``{array_axes, matrix}`` or ``{array_axes, scale, translation}``, as a document holds it.
    space_axes
        The names of the axes of the space.
    axis_names
        The names of the axes of the array, C order.

    Examples
    --------
    >>> expanded({"array_axes": ["x", "y"], "scale": [0.5, -0.25], "translation": [3, 4]}, ["x", "y"], ["y", "x"])
    [[0.0, 0.5, 3.0], [-0.25, 0.0, 4.0], [0.0, 0.0, 1.0]]
    """
    array_axes = from_array["array_axes"]
    rows = from_array["matrix"] if "matrix" in from_array else _from_scale(from_array, space_axes)
    order = sorted(range(len(array_axes)), key=lambda column: axis_names.index(array_axes[column]))
    order.append(len(array_axes))
    return [[float(row[column]) + 0.0 for column in order] for row in rows]


def matching(array_axes: Sequence[str], space_axes: Sequence[str]) -> tuple[int, ...] | None:
    """Return for each array axis the row of the space axis that its scale belongs to; None where names overlap in part.

    By name where both hold the same names, by position where they share none.

    Examples
    --------
    >>> matching(["z", "y"], ["y", "z"]), matching(["i", "j"], ["x", "y"]), matching(["x", "j"], ["x", "y"])
    ((1, 0), (0, 1), None)
    """
    if set(array_axes) == set(space_axes):
        return tuple(space_axes.index(name) for name in array_axes)
    return None if set(array_axes) & set(space_axes) else tuple(range(len(array_axes)))


def _from_scale(from_array: Mapping[str, Any], space_axes: Sequence[str]) -> Matrix:
    array_axes, scale = from_array["array_axes"], from_array["scale"]
    translation = from_array.get("translation") or [0.0] * len(scale)
    rows = matching(array_axes, space_axes)
    assert rows is not None, "the document was checked"
    found = [[0.0] * (len(scale) + 1) for _ in range(len(scale) + 1)]
    for column, row in enumerate(rows):
        found[row][column] = float(scale[column])
        found[row][-1] = float(translation[column])
    found[-1][-1] = 1.0
    return found


def full_rank(matrix: Sequence[Sequence[float]]) -> bool:
    """Whether the columns of the linear part are independent: sigma_min > 1e-9 sigma_max.

    Parameters
    ----------
    matrix
        With the last row; all numbers finite.

    Examples
    --------
    >>> full_rank([[2, 0, 5], [0, 3, 6], [0, 0, 1]]), full_rank([[1, 2, 0], [2, 4, 0], [0, 0, 1]])
    (True, False)
    """
    simple = _lengths(matrix)
    if simple is None:
        linear = np.array([row[:-1] for row in matrix[:-1]], float)
        if linear.shape[0] < linear.shape[1]:
            return False
        simple = np.linalg.svd(linear, compute_uv=False).tolist()
    return bool(simple) and min(simple) > THINNEST * max(simple)


def _lengths(matrix: Sequence[Sequence[float]]) -> list[float] | None:
    """Return the singular values where no row and no column holds two numbers that are not zero, else None."""
    width = len(matrix[0]) - 1
    found = [0.0] * width
    for row in matrix[:-1]:
        used = -1
        for column in range(width):
            if row[column]:
                if used >= 0 or found[column]:
                    return None
                used, found[column] = column, abs(row[column])
    return found
