"""Where the voxels of a NIfTI image lie: its affines (x, y, z to RAS) and our matrices (z, y, x to LPS), exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, Notice, Problem
from mlarray.geometry.compose import PATIENT_AXES
from mlarray.geometry.matrix import expanded, full_rank

Affine = Sequence[Sequence[float]]
SPACES: Final = {1: "patient", 2: "aligned", 3: "talairach", 4: "mni"}
"""Names by the code of an affine; the code is kept in the reference."""
CODES: Final = {name: code for code, name in SPACES.items()}
LENGTHS: Final = {1: ("meter", "m"), 2: ("millimeter", "mm"), 3: ("micrometer", "um")}
TIMES: Final = {8: ("second", "s"), 16: ("millisecond", "ms"), 24: ("microsecond", "us")}
SPECTRA: Final = {32: ("hertz", "Hz"), 40: ("parts_per_million", "[ppm]"), 48: ("radian_per_second", None)}
"""Units of a fourth axis that is not time."""
_FLIP: Final = (-1.0, -1.0, 1.0)
"""RAS to LPS, row by row."""
_RAS: Final = {
    "right": (0, 1.0),
    "left": (0, -1.0),
    "anterior": (1, 1.0),
    "posterior": (1, -1.0),
    "superior": (2, 1.0),
    "inferior": (2, -1.0),
}
"""The row of RAS that a word belongs to, and its sign there."""
MILLIMETERS: Final = {
    "pm": 1e-9,
    "Ao": 1e-7,
    "nm": 1e-6,
    "um": 1e-3,
    "mm": 1.0,
    "cm": 10.0,
    "dm": 100.0,
    "m": 1e3,
    "km": 1e6,
    "[in_i]": 25.4,
    "[ft_i]": 304.8,
    "[mi_i]": 1609344.0,
}
SECONDS: Final = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class NiftiPlace:
    """What a header says of where voxels lie; affines are None where their code is 0."""

    ndim: int
    sform: Affine | None
    sform_code: int
    qform: Affine | None
    qform_code: int
    pixdim: Sequence[float]
    """pixdim[1] and on: one per stored axis, x first."""
    units: int
    """xyzt_units."""
    toffset: float = 0.0


def matrix_of(affine: Affine, columns: int = 3) -> list[list[float]]:
    """Return an affine (index x, y, z to RAS) as our matrix (index z, y, x to LPS); signs and order alone change.

    Examples
    --------
    >>> matrix_of([[-0.7, 0, 0, 170.1], [0, 0.7, 0, -150.2], [0, 0, 2.5, -87], [0, 0, 0, 1]])[0]
    [0.0, 0.0, 0.7, -170.1]
    """
    rows = []
    for sign, row in zip(_FLIP, affine[:3], strict=True):
        linear = [sign * float(value) + 0.0 for value in row[:columns]][::-1]
        rows.append([*linear, sign * float(row[3]) + 0.0])
    return [*rows, [0.0] * columns + [1.0]]


def affine_of(matrix: Affine) -> list[list[float]]:
    """Return our matrix over z, y, x as an affine; the inverse of `matrix_of`.

    Examples
    --------
    >>> affine_of(matrix_of([[-0.7, 0, 0, 170.1], [0, 0.7, 0, -150.2], [0, 0, 2.5, -87], [0, 0, 0, 1]]))[0]
    [-0.7, 0.0, 0.0, 170.1]
    """
    rows = []
    for sign, row in zip(_FLIP, matrix[:3], strict=True):
        linear = [sign * float(value) + 0.0 for value in row[:-1]][::-1]
        rows.append([*linear, *[0.0] * (3 - len(linear)), sign * float(row[-1]) + 0.0])
    for column in range(
        len(matrix[0]) - 1, 3
    ):  # axes that are not stored: at right angles to the others, one unit long
        for row, value in zip(rows, _right_angle(rows, column), strict=True):
            row[column] = value
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def _right_angle(rows: Sequence[Sequence[float]], columns: int) -> list[float]:
    """Return a direction of length one at right angles to the first columns: to two the cross product.

    To one, the direction of the row in which it is smallest (the first of equal ones), less what lies along it.
    """
    before = [np.array([row[column] for row in rows]) for column in range(columns)]
    if columns == 0:
        return [1.0, 0.0, 0.0]
    if columns == 1:
        along = before[0] / np.linalg.norm(before[0])
        found = np.eye(3)[int(np.abs(along).argmin())]
        found = found - found.dot(along) * along
    else:
        found = np.cross(before[0], before[1])
    return [float(value) + 0.0 for value in found / np.linalg.norm(found)]


def spaces_of(place: NiftiPlace) -> tuple[list[dict[str, Any]], list[Notice]]:
    """Return the `spaces` of an image over the axes z, y, x (as many as it has), and what there is to warn of.

    The sform is the first where its code is above 0, then a qform that differs; without either, `scanner` of pixdim
    alone.
    """
    columns = min(place.ndim, 3)
    warnings: list[Notice] = []
    unit = LENGTHS.get(place.units & 7)
    if unit is None:
        message = f"xyzt_units {place.units} names no unit of length; millimetres are taken"
        warnings.append(Notice("missing_key", ("xyzt_units",), message))
        unit = LENGTHS[2]
    found: list[dict[str, Any]] = []
    for name, affine, code in (("sform", place.sform, place.sform_code), ("qform", place.qform, place.qform_code)):
        if code <= 0 or affine is None:
            continue
        matrix = matrix_of(affine, columns)
        if not np.isfinite(matrix).all() or not full_rank(matrix):
            warnings.append(Notice("wrong_value", (name,), f"the {name} is singular or not finite, and is left out"))
        elif not any(space["from_array"]["matrix"] == matrix for space in found):
            found.append(_space(matrix, code, columns, unit, {space["name"] for space in found}))
    if not found:
        message = "neither sform nor qform is set; voxel sizes alone are known, not where the patient lies"
        warnings.append(Notice("missing_key", ("sform_code",), message))
        found = [_scanner(place, columns, unit)]
    return found, warnings


def _space(
    matrix: list[list[float]], code: int, columns: int, unit: tuple[str, str], taken: set[str]
) -> dict[str, Any]:
    name = SPACES.get(code, f"nifti_{code}")
    if name in taken:
        name = f"{name}_qform"
    axes = [{"name": n, "unit": unit[0], "unit_code": unit[1], "increases_toward": word} for n, word in PATIENT_AXES]
    return {
        "name": name,
        "reference": {"scheme": "nifti_xform", "id": str(code)},
        "axes": axes,
        "from_array": {"array_axes": ["z", "y", "x"][-columns:], "matrix": matrix},
    }


def _scanner(place: NiftiPlace, columns: int, unit: tuple[str, str]) -> dict[str, Any]:
    names = ["z", "y", "x"][-columns:]
    sizes = [abs(float(place.pixdim[columns - 1 - index])) or 1.0 for index in range(columns)]
    scale = [size if np.isfinite(size) else 1.0 for size in sizes]
    return {
        "name": "scanner",
        "axes": [{"name": name, "unit": unit[0], "unit_code": unit[1]} for name in names],
        "from_array": {"array_axes": names, "scale": scale, "translation": [0.0] * columns},
    }


def axes_of(place: NiftiPlace, intent: int, shape: Sequence[int]) -> list[dict[str, Any]]:
    """Return the `axes` of an image, C order: of (x, y, z, t, …) as stored, the last first.

    The fourth is time (or `frequency`, where xyzt_units says hertz, ppm or rad/s), sampled from toffset in steps of
    pixdim[4]; the fifth holds components where the intent is a vector.

    Examples
    --------
    >>> place = NiftiPlace(4, None, 0, None, 0, (1, 1, 1, 2.5), 10, 0.5)
    >>> axes_of(place, 0, (9, 4, 3, 2))[0]
    {'name': 't', 'type': 'time', 'start': 0.5, 'step': 2.5, 'unit': 'second', 'unit_code': 's'}
    """
    found: list[dict[str, Any]] = []
    for index in range(place.ndim):
        if index < 3:
            found.append({"name": "xyz"[index], "type": "space"})
        elif index == 3:
            found.append(_time(place))
        elif index == 4 and intent in VECTORS:
            found.append({"name": "component", "type": "component"})
        else:
            found.append({"name": f"axis_{len(shape) - 1 - index}", "type": "other"})
    return found[::-1]


VECTORS: Final = (1006, 1007, 2003, 2004)
"""Intents of which the fifth axis holds components: displacement, vector, RGB, RGBA."""


def _time(place: NiftiPlace) -> dict[str, Any]:
    spectrum = SPECTRA.get(place.units & 56)
    found: dict[str, Any] = {"name": "frequency", "type": "other"} if spectrum else {"name": "t", "type": "time"}
    step = float(place.pixdim[3]) if len(place.pixdim) > 3 else 0.0
    if step and np.isfinite(step):
        start = float(place.toffset)
        found |= {"start": start if np.isfinite(start) else 0.0, "step": step}
    unit = spectrum or TIMES.get(place.units & 56)
    if unit is None:
        return found
    return {**found, "unit": unit[0]} | ({"unit_code": unit[1]} if unit[1] else {})


@dataclass(frozen=True)
class NiftiAffine:
    """What a space becomes in a header."""

    affine: list[list[float]]
    """Four rows and columns: index x, y, z to RAS."""
    code: int
    """That of the sform."""
    units: int
    """The length in xyzt_units: 1, 2, 3, or 0 where the space has no unit that is a length."""


def affine_of_space(space: Mapping[str, Any], axis_names: Sequence[str]) -> NiftiAffine | None:
    """Return the affine that a space becomes; None where its axes are not three anatomical ones.

    Axes may stand in any order and grow either way: rows are exchanged and turned round to RAS. Metres, millimetres
    and micrometres stay; other lengths become millimetres.

    Raises
    ------
    ArgumentError
        Some axes have lengths as units, and others have not.

    Examples
    --------
    >>> words = ("anterior", "left", "superior")
    >>> axes = [{"name": word, "increases_toward": word, "unit_code": "cm"} for word in words]
    >>> grid = {"array_axes": ["z", "y", "x"], "matrix": [[0, 2, 0, 3], [0, 0, 1, 4], [5, 0, 0, 6], [0, 0, 0, 1]]}
    >>> affine_of_space({"name": "s", "axes": axes, "from_array": grid}, ["z", "y", "x"]).affine[:2]
    [[-10.0, 0.0, 0.0, -40.0], [0.0, 20.0, 0.0, 30.0]]
    """
    rows = [_RAS.get(str(axis.get("increases_toward"))) for axis in space["axes"]]
    targets = [row[0] for row in rows if row is not None]
    if len(rows) != 3 or sorted(targets) != [0, 1, 2]:
        return None
    factors, units = _lengths(space)
    matrix = expanded(space["from_array"], [axis["name"] for axis in space["axes"]], axis_names)
    lps: list[list[float]] = [[]] * 3
    for row, place, factor in zip(matrix, rows, factors, strict=False):
        assert place is not None
        sign = place[1] * _FLIP[place[0]]
        lps[place[0]] = [sign * (factor * value) for value in row]
    reference = space.get("reference") or {}
    known = reference.get("scheme") == "nifti_xform" and str(reference.get("id")).isdecimal()
    code = int(reference["id"]) if known else CODES.get(space["name"], 1)
    return NiftiAffine(affine_of([*lps, matrix[-1]]), code, units)


def _lengths(space: Mapping[str, Any]) -> tuple[list[float], int]:
    """Return by what each row of a space is multiplied, and the length of xyzt_units that it then has."""
    codes = [str(axis.get("unit_code")) for axis in space["axes"]]
    for number, (_, code) in LENGTHS.items():
        if set(codes) == {code}:
            return [1.0] * len(codes), number
    if all(code in MILLIMETERS for code in codes):
        return [MILLIMETERS[code] for code in codes], 2
    if any(code in MILLIMETERS for code in codes):
        message = f"space {space['name']!r} has axes with and without a unit of length; give all of them one"
        raise ArgumentError(Problem("conflict", ("spaces", 0, "axes"), message))
    return [1.0] * len(codes), 0
