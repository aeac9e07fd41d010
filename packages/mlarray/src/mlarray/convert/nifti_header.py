"""The header that an array is written to NIfTI with: the one it came with, or a new one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.convert import sources
from mlarray.convert.nifti_geometry import SECONDS, TIMES, VECTORS, NiftiPlace, affine_of_space, axes_of
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, At, Notice, Problem, warn
from mlarray.geometry import index_map

if TYPE_CHECKING:
    from mlarray.array import MLArray

LABEL_INTENT: Final = 1002
SIZES: Final = {1: 348, 2: 540}
"""Bytes of a header by its version."""
_KINDS: Final[Mapping[str, np.dtype[Any]]] = {"b1": np.dtype("u1"), "f2": np.dtype("f4")}
"""What NIfTI has no datatype for, and what holds all its values."""
_LONGEST: Final = 32767
"""The largest size of an axis in NIfTI-1."""
_SQUARE: Final = 1e-5
"""How far from right angles the columns of a qform may be."""


@dataclass(frozen=True)
class Written:
    """What is written: all bytes before the voxels, and the voxels."""

    header: bytes
    voxels: bytes
    version: int
    endian: str
    lead: bytes = b""
    """What stands before the voxels in the second file of a pair."""


def write_back(array: MLArray) -> Written:
    """Return the bytes of an array, with the header of its source where it has one.

    Raises
    ------
    ArgumentError
        NIfTI cannot hold the array.
    """
    if 0 in array.shape:
        raise ArgumentError(Problem("unsupported", ("shape",), f"{array.shape} has no voxels; NIfTI needs some"))
    entry = sources.entry_of(array, "nifti")
    if entry is None or not _usable(array, entry):
        return _fresh(array)
    header = entry["header"]
    changed = sources.changes(array, entry)
    stored = _cast(index_map.invert(entry["index_map"], array.to_numpy()))
    raw = _edited(array, stored, header, changed)
    tail = b"" if changed & {"shape", "dtype"} else header.get("tail", b"")
    voxels = _bytes(stored, header["endian"]) + tail
    return Written(raw, voxels, header["version"], header["endian"], header.get("lead", b""))


def _usable(array: MLArray, entry: Mapping[str, Any]) -> bool:
    """Whether the header of a source fits the axes that the array has now: the spatial ones first, then others."""
    header, order = entry.get("header") or {}, (entry.get("index_map") or {}).get("axes")
    if header.get("version") not in list(SIZES) or header.get("endian") not in ("<", ">"):
        return False
    if not all(isinstance(header.get(key, b""), bytes) for key in ("raw", "lead", "tail")):
        return False
    if len(header.get("raw", b"")) < SIZES[header["version"]] or order is None or len(order) != array.ndim:
        return False
    types = [array.meta.axis_types[stored] for stored in np.argsort(order)]
    space = types.count("space")
    return "space" not in types[space:] and (space == 3 or (space < 3 and space == array.ndim))


def _cast(values: NDArray[Any]) -> NDArray[Any]:
    dtype: np.dtype[Any] = _KINDS.get(values.dtype.str[1:], values.dtype)
    return values.astype(dtype, copy=False)


def _bytes(stored: NDArray[Any], endian: Any) -> bytes:
    """Return the voxels as NIfTI has them: the first axis fastest."""
    return stored.astype(stored.dtype.newbyteorder(endian), copy=False).tobytes(order="F")


def framed(written: Written, *, pair: bool) -> bytes:
    """Return a header as that of a pair or of a single file: the magic word, and where the voxels begin."""
    at, words = (344, (b"n+1\0", b"ni1\0")) if written.version == 1 else (4, (b"n+2\0", b"ni2\0"))
    if written.header[at : at + 4] == words[pair]:
        return written.header
    size = SIZES[written.version]
    changed = bytearray(written.header)
    changed[at : at + 4] = words[pair]
    changed += b"\0" * max(0, size + 4 - len(changed) if not pair else 0)
    changed += b"\0" * (-len(changed) % 16 if not pair else 0)
    kind = kind_of(written.version)
    made = kind(bytes(changed[:size]), endianness=written.endian, check=False)
    made["vox_offset"] = len(written.lead) if pair else len(changed)
    return bytes(made.binaryblock) + bytes(changed[size:])


def kind_of(version: int) -> Any:
    """Return nibabel's header of a version."""
    nibabel = needed("nibabel", "nifti")
    return nibabel.nifti1.Nifti1Header if version == 1 else nibabel.nifti2.Nifti2Header


def place_of(header: Any) -> NiftiPlace:
    """Return what a header says of where voxels lie."""
    sform = [[float(v) for v in header[f"srow_{name}"]] for name in "xyz"]
    qform = None
    try:
        if int(header["qform_code"]) > 0:
            qform = header.get_qform().tolist()
    except (ValueError, needed("nibabel", "nifti").spatialimages.HeaderDataError):
        qform = [[math.nan] * 4] * 4  # a quaternion longer than one, or negative sizes: left out with a warning
    return NiftiPlace(
        ndim=int(header["dim"][0]),
        sform=[*sform, [0.0, 0.0, 0.0, 1.0]],
        sform_code=int(header["sform_code"]),
        qform=qform,
        qform_code=int(header["qform_code"]),
        pixdim=[float(v) for v in header["pixdim"][1:8]],
        units=int(header["xyzt_units"]),
        toffset=float(header["toffset"]),
    )


def _edited(array: MLArray, stored: NDArray[Any], header: Mapping[str, Any], changed: frozenset[str]) -> bytes:
    """Return the original header with the fields that a change touches written anew; the same bytes if none does."""
    size = SIZES[header["version"]]
    made = kind_of(header["version"])(header["raw"][:size], endianness=header["endian"], check=False)
    before = axes_of(place_of(made), int(made["intent_code"]), made["dim"][1 : 1 + int(made["dim"][0])])
    offset = made["vox_offset"].copy()
    if changed & {"shape", "dtype"}:
        if header["version"] == 1 and max(stored.shape) > _LONGEST:
            message = f"{array.shape} does not fit the NIfTI-1 header that the array came with"
            raise ArgumentError(Problem("out_of_range", ("shape",), message))
        _typed(made, stored)
        made["dim"] = 1
        made["dim"][0] = stored.ndim
        made["dim"][1 : 1 + stored.ndim] = stored.shape
    if changed & {"shape", "dtype", "data"}:
        made["cal_max"] = made["cal_min"] = 0
    _scaled(made, array)
    _meant(made, array.meta.values.kind)
    if array.ndim > 3 and before[-4:-3]:
        now = array.meta.at(("axes",))[array.ndim - 4]
        if any(now.get(key) != before[-4].get(key) for key in ("start", "step", "unit_code", "coordinates")):
            _sampled(made, now)
    if "geometry" in changed:
        message = "the geometry was changed since the image was converted; sform and qform are written anew"
        warn([Notice("conflict", ("spaces",), message)])
        _placed(made, array, keep=int(made["sform_code"]) or None)
    made["vox_offset"] = offset
    return bytes(made.binaryblock) + bytes(header["raw"][size:])


def _fresh(array: MLArray) -> Written:
    space, others = _spatial(array)
    types = array.meta.axis_types
    time = [index for index in others if types[index] == "time"][:1]
    rest = sorted((index for index in others if index not in time), key=lambda index: types[index] != "component")
    values = array.to_numpy().transpose(space[::-1] + time + rest)
    # x, y, z, t, rest: what is missing in front of another axis is one long.
    gap = (1,) * (3 - len(space)) + (() if time else (1,)) if others else ()
    stored = _cast(values.reshape((*values.shape[: len(space)], *gap, *values.shape[len(space) :]) or (1,)))
    if stored.ndim > 7:
        raise ArgumentError(Problem("out_of_range", ("shape",), f"{stored.ndim} axes; NIfTI holds at most 7"))
    version = 1 if max(stored.shape) <= _LONGEST else 2
    made = kind_of(version)()
    _typed(made, stored)
    made.set_data_shape(stored.shape)
    _scaled(made, array)
    _meant(made, array.meta.values.kind)
    for index in time:
        _sampled(made, array.meta.at(("axes",))[index])
    _placed(made, array, keep=None)
    made["magic"] = made.single_magic
    made["vox_offset"] = SIZES[version] + 4
    return Written(bytes(made.binaryblock) + b"\0\0\0\0", _bytes(stored, made.endianness), version, made.endianness)


def _spatial(array: MLArray) -> tuple[list[int], list[int]]:
    """Return the positions of the axes that become x, y and z (the last first), and of the others."""
    names, spaces = array.meta.axis_names, array.meta.at(("spaces",)) or []
    if spaces:
        used = set(spaces[0]["from_array"]["array_axes"])
        space = [index for index, name in enumerate(names) if name in used]
    else:
        space = [index for index, kind in enumerate(array.meta.axis_types) if kind == "space"]
    if len(space) > 3:
        message = f"{len(space)} spatial axes ({', '.join(names[index] for index in space)}); NIfTI holds three"
        raise ArgumentError(Problem("out_of_range", ("axes",), message))
    return space, [index for index in range(array.ndim) if index not in space]


def _typed(made: Any, stored: NDArray[Any]) -> None:
    nibabel = needed("nibabel", "nifti")
    try:
        made.set_data_dtype(stored.dtype)
    except nibabel.spatialimages.HeaderDataError:
        message = f"NIfTI has no datatype for {stored.dtype}"
        raise ArgumentError(Problem("unsupported", ("dtype",), message)) from None


def _put(made: Any, name: str, value: float | Sequence[float], at: At, part: Any = ...) -> None:
    """Write a field, whose floats may be shorter than ours.

    Raises
    ------
    ArgumentError
        It does not fit.
    """
    with np.errstate(over="ignore"):
        made[name][part] = value
    if not np.isfinite(made[name][part]).all():
        message = f"{value} does not fit the field {name} of a NIfTI header ({made[name].dtype})"
        raise ArgumentError(Problem("not_representable", at, message))


def _scaled(made: Any, array: MLArray) -> None:
    """Write scale and offset, unless the header says the same already in other words (0, NaN, 1)."""
    values = array.meta.values
    slope, inter = float(made["scl_slope"]), float(made["scl_inter"])
    said = (slope, inter) if slope and np.isfinite([slope, inter]).all() else (1.0, 0.0)
    if said != (float(values.scale), float(values.offset)):
        _put(made, "scl_slope", values.scale, ("values", "scale"))
        _put(made, "scl_inter", values.offset, ("values", "offset"))


def _meant(made: Any, kind: str) -> None:
    """Write the intent, unless the one that is there says the kind of the values already."""
    intent = int(made["intent_code"])
    if kind == "label" and intent != LABEL_INTENT:
        made["intent_code"] = LABEL_INTENT
    elif kind == "vector" and intent not in VECTORS:
        made["intent_code"] = 1007
    elif kind != "label" and intent == LABEL_INTENT:
        made["intent_code"] = 0


def _sampled(made: Any, axis: Mapping[str, Any]) -> None:
    """Write how time is sampled: in the units that NIfTI has, or in seconds."""
    if "coordinates" in axis:
        message = f"the coordinates of axis {axis['name']!r} have no place in NIfTI and are not written"
        warn([Notice("unsupported", ("axes",), message)])
    codes = {unit[1]: code for code, unit in TIMES.items()}
    unit = str(axis.get("unit_code"))
    factor = 1.0 if unit in codes else SECONDS.get(unit, 1.0)
    code = codes.get(unit, 8 if unit in SECONDS else 0)
    _put(made, "pixdim", axis.get("step", 0.0) * factor, ("axes",), 4)
    _put(made, "toffset", axis.get("start", 0.0) * factor, ("axes",))
    made["xyzt_units"] = (int(made["xyzt_units"]) & 7) | code


def _placed(made: Any, array: MLArray, keep: int | None) -> None:
    """Write sform and, where its axes are at right angles, qform."""
    spaces = array.meta.at(("spaces",)) or []
    found = affine_of_space(spaces[0], array.meta.axis_names) if spaces else None
    if found is None:
        made["sform_code"] = made["qform_code"] = 0
        for index, value in enumerate(reversed(array.spacing or [])):
            _put(made, "pixdim", value, ("spaces", 0), 1 + index)
        if spaces and spaces[0]["name"] != "scanner":
            message = f"the axes of space {spaces[0]['name']!r} have no anatomical directions: of it, NIfTI holds sizes"
            warn([Notice("unsupported", ("spaces", 0), message)])
        return
    affine, code = np.array(found.affine), keep or found.code
    made["xyzt_units"] = (int(made["xyzt_units"]) & 56) | found.units
    lengths = np.linalg.norm(affine[:3, :3], axis=0)
    _put(made, "pixdim", lengths.tolist(), ("spaces", 0), slice(1, 4))
    for name, row in zip("xyz", affine[:3].tolist(), strict=True):
        _put(made, f"srow_{name}", row, ("spaces", 0))
    made["sform_code"] = code
    linear = affine[:3, :3] / lengths
    if np.abs(linear.T @ linear - np.eye(3)).max() < _SQUARE:
        made.set_qform(affine, code)
    else:
        made["qform_code"] = 0
