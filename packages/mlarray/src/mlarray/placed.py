"""What an array knows of where its voxels lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.description import place_spaces
from mlarray.errors import ArgumentError, Problem, UnknownNameError
from mlarray.geometry import derive
from mlarray.geometry.compose import Geometry
from mlarray.geometry.matrix import Matrix, expanded
from mlarray.geometry.sampling import axis_coordinates
from mlarray.handle import Handle

_NAMES: Final = tuple(("axes", position, key) for position in range(8) for key in ("name", "type"))
"""The places of what spaces need to know of the axes; of the list itself beside them, the place of no entry is -1."""


class Placed(Handle):
    """The geometry of an array: of its default space, or of one that is named.

    Indices are of voxel centres: index 0 lies in the middle of the first voxel. Spacing is per array axis that the
    space uses, C order; origin and coordinates are per axis of the space; direction is space axes by array axes.
    """

    def _space(self, name: str | None) -> Mapping[str, Any] | None:
        spaces = self.meta.at(("spaces",)) or []
        found = 0 if name is None else self._position(spaces, name)
        self.meta.usable(("spaces",) if found is None else ("spaces", found), ("axes", -1), *_NAMES)
        if found is not None:
            return spaces[found] if spaces else None
        known = ", ".join(str(space["name"]) for space in spaces) or "none"
        raise UnknownNameError(Problem("unknown_name", ("space",), f"there is no space {name!r}; there are: {known}"))

    @staticmethod
    def _position(spaces: Any, name: str) -> int | None:
        listed = spaces if isinstance(spaces, list) else []
        named = [one.get("name") if isinstance(one, dict) else None for one in listed]
        return named.index(name) if name in named else None

    def _matrix(self, space: Mapping[str, Any]) -> Matrix:
        return expanded(space["from_array"], [axis["name"] for axis in space["axes"]], self.meta.axis_names)

    def _some(self, name: str | None) -> Matrix:
        space = self._space(name)
        if space is None:
            message = "the array lies in no space; give spacing, matrix or space"
            raise UnknownNameError(Problem("unknown_name", ("space",), message))
        return self._matrix(space)

    def matrix(self, space: str | None = None) -> list[list[float]] | None:
        """Return the matrix from array indices to coordinates, with the last row; None where there is no space.

        One row per axis of the space, one column per array axis that it uses, in array order, and the translation.

        Raises
        ------
        UnknownNameError
            There is no space of that name.
        """
        found = self._space(space)
        return None if found is None else self._matrix(found)

    @property
    def spacing(self) -> list[float] | None:
        """The distance between neighbouring voxels per array axis of the default space; None without one.

        Setting it keeps origin and direction. It raises where the axes of the space have several units.
        """
        space = self._space(None)
        if space is None:
            return None
        derive.refuse_mixed_units(space, ("spaces", 0, "axes"))
        return derive.spacing(self._matrix(space))

    @spacing.setter
    def spacing(self, value: Any) -> None:
        self._rewrite(Geometry(spacing=value))

    @property
    def origin(self) -> list[float] | None:
        """The coordinates of the centre of voxel 0 in the default space; None without one. May be set."""
        space = self._space(None)
        return None if space is None else derive.origin(self._matrix(space))

    @origin.setter
    def origin(self, value: Any) -> None:
        self._rewrite(Geometry(origin=value))

    @property
    def direction(self) -> list[list[float]] | None:
        """The unit vector of each array axis, as columns, in the default space; None without one. May be set."""
        space = self._space(None)
        return None if space is None else derive.direction(self._matrix(space))

    @direction.setter
    def direction(self, value: Any) -> None:
        self._rewrite(Geometry(direction=value))

    @property
    def affine(self) -> list[list[float]] | None:
        """The matrix of the default space; None without one. May be set."""
        return self.matrix()

    @affine.setter
    def affine(self, value: Any) -> None:
        self._rewrite(Geometry(matrix=value))

    def _rewrite(self, geometry: Geometry) -> None:
        if not geometry.given:
            raise ArgumentError(Problem("wrong_type", (), "None takes no geometry away; assign meta.spaces = []"))
        meta = self.meta
        meta.usable(("axes",), ("spaces",))
        document = meta.to_dict()
        document["spaces"] = place_spaces(document, geometry, None)
        meta._replace(document)

    def letter_codes(self, space: str | None = None) -> str | None:
        """Return one letter per array axis, the initial of the word toward which its index grows: "IPL".

        None where the space is not anatomical, or there is none.

        Raises
        ------
        UnknownNameError
            There is no space of that name.
        """
        found = self._space(space)
        if found is None:
            return None
        return derive.letter_codes(self._matrix(found), [axis.get("increases_toward") for axis in found["axes"]])

    def index_to_space(self, index: Any, space: str | None = None) -> NDArray[np.float64]:
        """Return the coordinates of array indices.

        Parameters
        ----------
        index
            Shape (..., n) over the array axes that the space uses, in array order; fractions are allowed.
        space
            A name; None is the default space.

        Raises
        ------
        UnknownNameError
            There is no such space.
        ArgumentError
            The last axis has another length.
        """
        return derive.to_space(self._some(space), index)

    def space_to_index(self, coord: Any, space: str | None = None) -> NDArray[np.float64]:
        """Return the array indices of coordinates, fractions and all; the inverse of `index_to_space`.

        Raises
        ------
        UnknownNameError
            There is no such space.
        ArgumentError
            The last axis has another length than the space has axes.
        """
        return derive.to_index(self._some(space), coord)

    def axis_coordinates(self, axis: str | int) -> list[float] | None:
        """Return the coordinate of each index of an axis that is not of type space; None where it has none.

        Raises
        ------
        UnknownNameError
            There is no such axis.
        """
        self.meta.usable(("axes", -1))
        names = self.meta.axis_names
        position = axis if isinstance(axis, int) else names.index(axis) if axis in names else len(names)
        if not -len(names) <= position < len(names):
            message = f"there is no axis {axis!r}; there are: {', '.join(names)}"
            raise UnknownNameError(Problem("unknown_name", ("axis",), message))
        self.meta.usable(("axes", position % len(names)))
        return axis_coordinates(self.meta.at(("axes",))[position], self.shape[position])

    @property
    def spatial_ndim(self) -> int:
        """How many axes are of type space."""
        return self.meta.axis_types.count("space")
