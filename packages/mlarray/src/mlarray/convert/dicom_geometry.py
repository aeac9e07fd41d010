"""Where the voxels of a DICOM series lie: files sorted along their normal, the matrix from their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import FormatError, Notice, Problem

UNEVEN: Final = 1e-3
"""How far two gaps between slices may differ, in millimetres."""
_ORIENTATION: Final = 1e-4
"""How far the cosines of two slices may differ."""
_FLAT: Final = 1e-6
"""The smallest length of the normal."""
_UNIT: Final = 1e-3
"""How far squares of lengths, and the product of both directions, may be from 1 and 0."""


@dataclass(frozen=True)
class SlicePlace:
    """ImagePositionPatient, ImageOrientationPatient and PixelSpacing (between rows, between columns) of one file."""

    position: Sequence[float]
    orientation: Sequence[float]
    spacing: Sequence[float]


@dataclass(frozen=True)
class SeriesPlace:
    """The order of the files, the matrix over slice, row and column (z, y, x), and what there is to warn of."""

    order: tuple[int, ...]
    matrix: list[list[float]]
    warnings: tuple[Notice, ...]


def place_series(slices: Sequence[SlicePlace], thickness: float | None = None) -> SeriesPlace:
    """Return how the slices of a series make a volume.

    Files are sorted by their position along the normal, row direction times column direction. The column of the matrix
    for slices is (last position - first) / (n - 1), for rows the column cosines times the spacing between rows, for
    columns the row cosines times that between columns; one slice alone is as thick as `thickness`.

    Raises
    ------
    FormatError
        Slices have several orientations or spacings, directions that make no plane, or two lie at one place.

    Examples
    --------
    >>> one = SlicePlace((0, 0, 5), (1, 0, 0, 0, 1, 0), (0.5, 0.75))
    >>> two = SlicePlace((0, 0, 2), (1, 0, 0, 0, 1, 0), (0.5, 0.75))
    >>> found = place_series([one, two])
    >>> found.order, found.matrix[2]
    ((1, 0), [3.0, 0.0, 0.0, 2.0])
    """
    first = slices[0]
    warnings: list[Notice] = []
    across, down = np.array(first.orientation[:3], float), np.array(first.orientation[3:], float)
    _cosines(across, down, warnings)
    for index, other in enumerate(slices[1:], 1):
        if not np.allclose(other.orientation, first.orientation, rtol=0, atol=_ORIENTATION):
            message = (
                f"slices lie along {list(first.orientation)} and {list(other.orientation)}; one direction belongs there"
            )
            raise FormatError(Problem("conflict", (index, "ImageOrientationPatient"), message))
        if not np.allclose(other.spacing, first.spacing, rtol=1e-5, atol=0):
            message = f"slices have the spacings {list(first.spacing)} and {list(other.spacing)}; one belongs there"
            raise FormatError(Problem("conflict", (index, "PixelSpacing"), message))
    normal = np.cross(across, down)
    along = np.array([np.dot(place.position, normal) for place in slices])
    order = tuple(int(index) for index in np.argsort(along, kind="stable"))
    begin, end = (np.array(slices[order[index]].position, float) for index in (0, -1))
    if len(slices) > 1:
        step = (end - begin) / (len(slices) - 1)
        _gaps(along[list(order)], order, warnings)
        part = (along - along[order[0]]) / (along[order[-1]] - along[order[0]])
        aside = max(
            np.abs(begin + p * (end - begin) - place.position).max() for p, place in zip(part, slices, strict=True)
        )
        if aside > UNEVEN:
            message = f"the slices lie up to {aside:.4g} mm beside a straight line; the matrix has the line"
            warnings.append(Notice("wrong_value", ("ImagePositionPatient",), message))
    else:
        step = normal * (thickness or 1.0)
        if not thickness:
            message = "one slice, of which no thickness is known; 1 mm is taken"
            warnings.append(Notice("missing_key", ("SliceThickness",), message))
    columns = (step, down * float(first.spacing[0]), across * float(first.spacing[1]), begin)
    matrix = [[float(column[row]) + 0.0 for column in columns] for row in range(3)]
    return SeriesPlace(order, [*matrix, [0.0, 0.0, 0.0, 1.0]], tuple(warnings))


def _cosines(across: NDArray[np.float64], down: NDArray[np.float64], warnings: list[Notice]) -> None:
    """Check that rows and columns make a plane; warn where they are no unit vectors at right angles."""
    if np.linalg.norm(np.cross(across, down)) < _FLAT:
        message = f"the rows lie along {across.tolist()}, the columns along {down.tolist()}; these make no plane"
        raise FormatError(Problem("wrong_value", (0, "ImageOrientationPatient"), message))
    off = max(abs(float(across @ across) - 1), abs(float(down @ down) - 1), abs(float(across @ down)))
    if off > _UNIT:
        message = "these are no unit vectors at right angles; the matrix has them as they are"
        warnings.append(Notice("wrong_value", ("ImageOrientationPatient",), message))


def _gaps(along: NDArray[np.float64], order: Sequence[int], warnings: list[Notice]) -> None:
    gaps = np.diff(along)
    if gaps.min() <= UNEVEN:
        at = int(gaps.argmin())
        message = f"files {order[at]} and {order[at + 1]} lie at one place ({along[at]:g} mm along the normal)"
        raise FormatError(Problem("duplicate", (order[at + 1], "ImagePositionPatient"), message))
    if gaps.max() - gaps.min() > UNEVEN:
        message = f"the gaps between slices are uneven, {gaps.min():g} to {gaps.max():g} mm; the matrix has their mean"
        warnings.append(Notice("wrong_value", ("ImagePositionPatient",), message))
