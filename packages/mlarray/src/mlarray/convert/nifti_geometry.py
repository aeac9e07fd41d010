"""Where the voxels of a NIfTI image lie: its affines (x, y, z to RAS) and our matrices (z, y, x to LPS), exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mlarray.geometry.compose import PATIENT_AXES
from mlarray.geometry.matrix import expanded, full_rank

Affine = Sequence[Sequence[float]]
SPACES: Final = {1: "patient", 2: "aligned", 3: "talairach", 4: "mni"}
"""Names by the code of an affine; the code is kept in the reference."""
CODES: Final = {name: code for code, name in SPACES.items()}
LENGTHS: Final = {1: ("meter", "m"), 2: ("millimeter", "mm"), 3: ("micrometer", "um")}
TIMES: Final = {8: ("second", "s"), 16: ("millisecond", "ms"), 24: ("microsecond", "us")}
_FLIP: Final = (-1.0, -1.0, 1.0)
"""RAS to LPS, row by row."""


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
    if len(matrix[0]) < 4:  # an axis that is not stored: z along the third direction, one unit long
        for index, value in enumerate(_normal(rows, len(matrix[0]) - 1)):
            rows[index][2] = value
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def _normal(rows: Sequence[Sequence[float]], columns: int) -> Sequence[float]:
    x, y = (np.array([row[index] for row in rows]) for index in range(2))
    if columns < 2:
        return [0.0, 0.0, 1.0]
    found = np.cross(x, y)
    return list((found / np.linalg.norm(found)).tolist())


def spaces_of(place: NiftiPlace) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the `spaces` of an image over the axes z, y, x (as many as it has), and what there is to warn of.

    The sform is the first where its code is above 0, then a qform that differs; without either, `scanner` of pixdim
    alone.
    """
    columns = min(place.ndim, 3)
    warnings: list[str] = []
    unit = LENGTHS.get(place.units & 7)
    if unit is None:
        warnings.append(f"xyzt_units {place.units} names no unit of length; millimetres are taken")
        unit = LENGTHS[2]
    found: list[dict[str, Any]] = []
    for name, affine, code in (("sform", place.sform, place.sform_code), ("qform", place.qform, place.qform_code)):
        if code <= 0 or affine is None:
            continue
        matrix = matrix_of(affine, columns)
        if not np.isfinite(matrix).all() or not full_rank(matrix):
            warnings.append(f"the {name} is singular or not finite, and is left out")
        elif not any(space["from_array"]["matrix"] == matrix for space in found):
            found.append(_space(matrix, code, columns, unit, {space["name"] for space in found}))
    if not found:
        warnings.append("neither sform nor qform is set; voxel sizes alone are known, not where the patient lies")
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

    The fourth is time, sampled from toffset in steps of pixdim[4]; the fifth holds components where the intent is a
    vector.

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
    found: dict[str, Any] = {"name": "t", "type": "time"}
    step = float(place.pixdim[3]) if len(place.pixdim) > 3 else 0.0
    if step and np.isfinite(step):
        start = float(place.toffset)
        found |= {"start": start if np.isfinite(start) else 0.0, "step": step}
    unit = TIMES.get(place.units & 56)
    return {**found, "unit": unit[0], "unit_code": unit[1]} if unit else found


def spatial_matrix(spaces: Sequence[Mapping[str, Any]] | None, axis_names: Sequence[str]) -> tuple[Any, int] | None:
    """Return the affine and the code that a header's first space becomes; None without an LPS space.

    A space whose axes do not grow toward left, posterior and superior in this order has no RAS affine by signs alone.
    """
    if not spaces:
        return None
    space = spaces[0]
    words = [axis.get("increases_toward") for axis in space["axes"]]
    if words != [word for _, word in PATIENT_AXES]:
        return None
    matrix = expanded(space["from_array"], [axis["name"] for axis in space["axes"]], axis_names)
    reference = space.get("reference") or {}
    known = reference.get("scheme") == "nifti_xform" and str(reference.get("id")).isdigit()
    return affine_of(matrix), int(reference["id"]) if known else CODES.get(space["name"], 1)
