"""Where the voxels of an OME-Zarr array lie: voxel size, centre of voxel 0 and units per axis to a space, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlarray.errors import ArgumentError, Problem
from mlarray.geometry.matrix import expanded


def space_of(
    names: Sequence[str], sizes: Sequence[float], centres: Sequence[float], units: Sequence[str]
) -> dict[str, Any]:
    """Return the space `world` over spatial axes.

    Parameters
    ----------
    names, sizes, centres, units
        Per spatial axis: its name, the size of a voxel, the centre of voxel 0, and the unit of both ("": none).

    Examples
    --------
    >>> space_of(["y", "x"], [2, 0.5], [1, 3], ["micrometer", ""])["axes"]
    [{'name': 'y', 'unit': 'micrometer'}, {'name': 'x'}]
    """
    axes = [{"name": name, **({"unit": unit} if unit else {})} for name, unit in zip(names, units, strict=True)]
    scale, translation = list(map(float, sizes)), list(map(float, centres))
    return {
        "name": "world",
        "axes": axes,
        "from_array": {"array_axes": list(names), "scale": scale, "translation": translation},
    }


def place_of(
    axes: Sequence[Mapping[str, Any]], spaces: Sequence[Mapping[str, Any]]
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[str, ...]]:
    """Return size, centre of voxel 0 and unit per array axis, of the axes and spaces of a header.

    Raises
    ------
    ArgumentError
        The first space turns, mirrors or shears the grid.

    Examples
    --------
    >>> place_of([{"name": "t", "start": 5, "step": 2, "unit": "second"}, {"name": "x"}], [])
    ((2.0, 1.0), (5.0, 0.0), ('second', ''))
    """
    names = [axis["name"] for axis in axes]
    size, centre, units = [1.0] * len(names), [0.0] * len(names), [""] * len(names)
    for index, axis in enumerate(axes):
        if "step" in axis:
            size[index], centre[index] = float(axis["step"]), float(axis.get("start", 0.0))
            units[index] = axis.get("unit", "")
    if spaces:
        space = spaces[0]
        matrix = np.array(expanded(space["from_array"], [axis["name"] for axis in space["axes"]], names))
        linear = matrix[:-1, :-1]
        if (
            linear.shape[0] != linear.shape[1]
            or ((linear != 0).sum(axis=0) != 1).any()
            or (linear.sum(axis=0) < 0).any()
        ):
            message = (
                f"the space {space['name']!r} turns, mirrors or shears the grid; OME-NGFF 0.4 and 0.5 hold scale and "
                "translation alone; resample or flip the array first"
            )
            raise ArgumentError(Problem("unsupported", ("spaces", 0, "from_array"), message))
        for column, name in enumerate(sorted(space["from_array"]["array_axes"], key=names.index)):
            row = int(np.flatnonzero(linear[:, column])[0])
            at = names.index(name)
            size[at], centre[at] = float(linear[row, column]), float(matrix[row, -1])
            units[at] = space["axes"][row].get("unit", "")
    return tuple(size), tuple(centre), tuple(units)
