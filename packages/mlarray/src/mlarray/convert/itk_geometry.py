"""Where the voxels of an NRRD or ITK image lie: header text or ITK's numbers in, our spaces out, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.convert.nifti_geometry import MILLIMETERS
from mlarray.errors import ArgumentError, Problem
from mlarray.geometry import derive
from mlarray.geometry.compose import PATIENT_AXES, from_array
from mlarray.geometry.matrix import columns_of, expanded
from mlarray.header import units

_ANATOMICAL: Final = {
    "right-anterior-superior": (-1.0, -1.0, 1.0),
    "ras": (-1.0, -1.0, 1.0),
    "left-anterior-superior": (1.0, -1.0, 1.0),
    "las": (1.0, -1.0, 1.0),
    "left-posterior-superior": (1.0, 1.0, 1.0),
    "lps": (1.0, 1.0, 1.0),
}
"""The spaces of NRRD that say where the patient lies, and what turns each of their axes to LPS."""
_LPS: Final = {
    "left": (0, 1.0),
    "right": (0, -1.0),
    "posterior": (1, 1.0),
    "anterior": (1, -1.0),
    "superior": (2, 1.0),
    "inferior": (2, -1.0),
}
"""The row of LPS that a word belongs to, and its sign there."""
_SPATIAL_KINDS: Final = frozenset({"domain", "space", "time", "???", "none"})
_VECTOR_KINDS: Final = ("vector", "covariant-vector", "normal", "gradient", "point")
_MICRO: Final = str.maketrans("\u00b5\u03bc", "uu")
_SQUARE: Final = 1e-6
"""How far from right angles directions may be: beyond, ITK would change them silently."""
_SAME: Final = 1e-5
"""By what share of the largest number a header's text and ITK's numbers may differ."""


@dataclass(frozen=True)
class NrrdPlace:
    """What the header of an NRRD file says of its axes, in the order of the file (the fastest first)."""

    space: str
    """In lower-case letters; empty where there is none."""
    matrix: tuple[tuple[float, ...], ...] | None
    """Rows of LPS (or of the file's own space), columns x, y, z and the origin; None where it gives no directions."""
    component: int | None
    """Which axis of the file has no direction, or a kind that is not spatial."""
    vector: bool
    """Whether that axis holds components of a vector."""
    units: tuple[str, ...]
    """Per axis of the space; empty where there are none."""

    @property
    def anatomical(self) -> bool:
        """Whether the space has anatomical directions."""
        return self.space in _ANATOMICAL


def nrrd_place(fields: Mapping[str, str]) -> NrrdPlace:
    """Return what the fields of an NRRD header say.

    Examples
    --------
    >>> place = nrrd_place(
    ...     {
    ...         "space": "RAS",
    ...         "kinds": "list domain domain",
    ...         "space directions": "none (2,0) (0,3)",
    ...         "space origin": "(5,7)",
    ...     }
    ... )
    >>> place.component, place.vector, place.matrix
    (0, False, ((-2.0, 0.0, -5.0), (0.0, -3.0, -7.0)))
    """
    space = re.sub(r"-time$|(?<=^[rl][ap]s)t$", "", fields.get("space", "").strip().lower())
    directions = _vectors(fields.get("space directions", ""))
    kinds = fields.get("kinds", "").lower().split()
    component = next((k for k, vector in enumerate(directions) if vector is None), None)
    if component is None:
        component = next((k for k, kind in enumerate(kinds) if kind not in _SPATIAL_KINDS), None)
    kind = kinds[component] if component is not None and component < len(kinds) else ""
    origin = next(iter(_vectors(fields.get("space origin", ""))), None)
    return NrrdPlace(
        space,
        _nrrd_matrix([vector for vector in directions if vector is not None], origin, space),
        component,
        kind.removeprefix("2-").removeprefix("3-").removeprefix("4-") in _VECTOR_KINDS,
        tuple(_unit(text) for text in re.findall(r'"([^"]*)"', fields.get("space units", ""))),
    )


def _vectors(text: str) -> list[list[float] | None]:
    found: list[list[float] | None] = []
    for word in re.findall(r"none|\([^)]*\)", text):
        try:
            found.append(None if word == "none" else [float(part) for part in word[1:-1].split(",")])
        except ValueError:
            return []
    return found


def _nrrd_matrix(
    directions: Sequence[list[float]], origin: list[float] | None, space: str
) -> tuple[tuple[float, ...], ...] | None:
    if not directions or len({len(vector) for vector in directions} | {len(directions)}) != 1:
        return None
    columns = [*directions, origin or [0.0] * len(directions)]
    if len(columns[-1]) != len(directions):
        return None
    signs = _ANATOMICAL.get(space, (1.0,) * len(directions))
    return tuple(
        tuple(sign * value + 0.0 for value in row) for sign, row in zip(signs, zip(*columns, strict=True), strict=False)
    )


def _unit(text: str) -> str:
    return text.strip().translate(_MICRO)


@dataclass(frozen=True)
class ItkPlace:
    """Where ITK says that voxels lie, in its own order: x first."""

    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: tuple[float, ...]
    """Row by row."""

    @property
    def spatial(self) -> int:
        """How many axes are spatial."""
        return min(len(self.spacing), 3)

    @property
    def cosines(self) -> NDArray[np.float64]:
        """The direction as a square."""
        return np.array(self.direction).reshape(len(self.spacing), -1)

    @property
    def step(self) -> float:
        """Of the fourth axis; below 0 where it runs backwards."""
        return float(self.spacing[3] * self.cosines[3, 3]) + 0.0

    @property
    def mixed(self) -> bool:
        """Whether a fourth axis is no axis of its own: it leans toward the spatial ones, or they toward it."""
        square = self.cosines
        return bool(np.abs(square[3:, :3]).max(initial=0) > _SQUARE or np.abs(square[:3, 3:]).max(initial=0) > _SQUARE)


def space_of(place: ItkPlace, nrrd: NrrdPlace | None = None) -> tuple[dict[str, Any], list[str]]:
    """Return the space of an image over its axes z, y, x, and what there is to warn of.

    ITK's directions are LPS. The text of an NRRD header wins, since it is what the file says: a space that is not
    anatomical has no directions toward parts of a body, and its numbers are not rounded on the way through ITK's.

    Examples
    --------
    >>> space, _ = space_of(ItkPlace((0.5, 2, 3), (7, 8, 9), (1, 0, 0, 0, 1, 0, 0, 0, 1)))
    >>> space["name"], space["from_array"]["matrix"][:2]
    ('patient', [[0.0, 0.0, 0.5, 7.0], [0.0, 2.0, 0.0, 8.0]])
    """
    count = place.spatial
    linear = place.cosines[:count, :count] * np.array(place.spacing[:count])
    rows = [[*map(float, row), float(move)] for row, move in zip(linear, place.origin, strict=False)]
    warnings = []
    if nrrd is not None and nrrd.matrix is not None and len(nrrd.matrix) == count:
        said = np.array(nrrd.matrix)
        if np.abs(said - rows).max() > _SAME * np.abs(said).max():
            warnings.append("SimpleITK places the voxels elsewhere than the header of the file does, which is taken")
        rows = [list(row) for row in nrrd.matrix]
    matrix = [[*row[:-1][::-1], row[-1]] for row in rows]
    matrix = [[value + 0.0 for value in row] for row in matrix] + [[0.0] * count + [1.0]]
    names = ["x", "y", "z"][:count]
    array_axes = names[::-1]
    patient = count == 3 and (nrrd is None or nrrd.anatomical)
    given = nrrd.units if nrrd is not None and len(nrrd.units) >= count else ()
    axes = []
    for index, (name, word) in enumerate(PATIENT_AXES[:count]):
        unit = _named(given[index]) if given else _named("mm") if patient else {}
        axes.append({"name": name, **unit, **({"increases_toward": word} if patient else {})})
    name = "patient" if patient else "scanner" if nrrd is not None and nrrd.space == "scanner-xyz" else "world"
    return {"name": name, "axes": axes, "from_array": from_array(array_axes, names, matrix)}, warnings


def _named(text: str) -> dict[str, str]:
    if not text:
        return {}
    unit, code = units.resolve(None, text) if text in units.names() else units.resolve(text, None)
    return {"unit": str(unit), **({"unit_code": code} if code else {})}


def place_of_space(space: Mapping[str, Any], axis_names: Sequence[str], dimension: int) -> ItkPlace:
    """Return where ITK places what a space places: in LPS where all its axes are anatomical, lengths in millimetres.

    Parameters
    ----------
    space
        An entry of `spaces`.
    axis_names
        Of the array.
    dimension
        How many axes the image has, without components.

    Raises
    ------
    ArgumentError
        ITK cannot hold it: sheared, another number of axes than it has, not its last axes, mixed units.

    Examples
    --------
    >>> words = ("anterior", "right", "superior")
    >>> axes = [{"name": word, "increases_toward": word, "unit_code": "cm"} for word in words]
    >>> grid = {"array_axes": ["z", "y", "x"], "matrix": [[0, 2, 0, 3], [0, 0, 1, 4], [5, 0, 0, 6], [0, 0, 0, 1]]}
    >>> place = place_of_space({"name": "s", "axes": axes, "from_array": grid}, ["z", "y", "x"], 3)
    >>> place.spacing, place.origin, place.direction
    ((10.0, 20.0, 50.0), (-40.0, -30.0, 60.0), (-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0))
    """
    at = ("spaces", 0, "from_array")
    rows = expanded(space["from_array"], [axis["name"] for axis in space["axes"]], axis_names)[:-1]
    count, wide = len(rows), len(rows[0]) - 1
    if count != wide or count != min(dimension, 3):
        message = f"{count} space axes over {wide} array axes; ITK places {min(dimension, 3)} by as many"
        raise ArgumentError(Problem("unsupported", at[:2], message))
    if columns_of(space["from_array"]["array_axes"], axis_names) != tuple(range(dimension - count, dimension)):
        message = "other axes stand between or after those of the space; ITK has the spatial ones last (its first)"
        raise ArgumentError(Problem("unsupported", (*at, "array_axes"), message))
    rows = _toward_lps(
        space["axes"], [[f * value for value in row] for f, row in zip(_factors(space), rows, strict=True)]
    )
    matrix = [*rows, [0.0] * count + [1.0]]
    cosines = np.array(derive.direction(matrix))[:, ::-1]
    if np.abs(cosines.T @ cosines - np.eye(count)).max() > _SQUARE:
        message = "the axes are not at right angles (sheared), which ITK would change silently; resample first"
        raise ArgumentError(Problem("unsupported", at, message))
    return ItkPlace(
        tuple(derive.spacing(matrix)[::-1]),
        tuple(derive.origin(matrix)),
        tuple(float(value) + 0.0 for value in cosines.ravel()),
    )


def _factors(space: Mapping[str, Any]) -> list[float]:
    """Return by what each row is multiplied: to millimetres, or by 1 where no axis has a unit of length."""
    codes = [axis.get("unit_code") for axis in space["axes"]]
    known = [code in MILLIMETERS for code in codes]
    if any(known) and not all(known):
        message = f"space {space['name']!r} has axes with and without a unit of length; give all of them one"
        raise ArgumentError(Problem("conflict", ("spaces", 0, "axes"), message))
    return [MILLIMETERS[str(code)] if is_known else 1.0 for code, is_known in zip(codes, known, strict=True)]


def _toward_lps(axes: Sequence[Mapping[str, Any]], rows: list[list[float]]) -> list[list[float]]:
    places = [_LPS.get(str(axis.get("increases_toward"))) for axis in axes]
    if len(rows) != 3 or sorted(place[0] for place in places if place is not None) != [0, 1, 2]:
        return rows
    found: list[list[float]] = [[]] * 3
    for row, place in zip(rows, places, strict=True):
        assert place is not None
        found[place[0]] = [place[1] * value + 0.0 for value in row]
    return found
