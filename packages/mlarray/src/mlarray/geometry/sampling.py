"""The coordinates of an axis that is not of type space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def axis_coordinates(axis: Mapping[str, Any], size: int) -> list[float] | None:
    """Return the coordinate of each index: start + i step, or the listed ones; None where the axis has neither.

    Parameters
    ----------
    axis
        An entry of `axes`, checked.
    size
        How many indices the axis has.

    Examples
    --------
    >>> axis_coordinates({"start": 10, "step": 0.5}, 3), axis_coordinates({"step": -2}, 2), axis_coordinates({}, 2)
    ([10.0, 10.5, 11.0], [0.0, -2.0], None)
    """
    if "coordinates" in axis:
        return [float(value) for value in axis["coordinates"]]
    if "step" in axis:
        start, step = float(axis.get("start", 0.0)), float(axis["step"])
        return [start + index * step for index in range(size)]
    return None
