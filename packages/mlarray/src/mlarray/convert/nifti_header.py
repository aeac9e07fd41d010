"""The header that an array is written to NIfTI with: the one it came with, or a new one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.convert import sources
from mlarray.convert.nifti_geometry import LENGTHS, TIMES, spatial_matrix
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, MLArrayWarning, Problem
from mlarray.geometry import index_map

if TYPE_CHECKING:
    from mlarray.array import MLArray

_KINDS: Final = {"b": np.dtype("u1"), "f2": np.dtype("f4")}
_SQUARE: Final = 1e-5
"""How far from right angles the columns of a qform may be."""


def write_back(array: MLArray) -> tuple[bytes, bytes]:
    """Return all bytes before the voxels, and the voxels.

    Raises
    ------
    ArgumentError
        NIfTI cannot hold the array.
    """
    entry = sources.entry_of(array, "nifti")
    if entry is None or "raw" not in (entry.get("header") or {}) or len(entry["index_map"]["axes"]) != array.ndim:
        return _fresh(array)
    changed = sources.changes(array, entry)
    endian = entry["header"]["endian"]
    stored = index_map.invert(entry["index_map"], array.to_numpy())
    raw: bytes = entry["header"]["raw"]
    if changed:
        raw = _edited(array, stored, entry["header"], changed)
    tail = b"" if changed & {"shape", "dtype"} else entry["header"].get("tail", b"")
    return _single(raw, entry["header"]), _bytes(stored, endian) + tail


def _bytes(stored: NDArray[Any], endian: Any) -> bytes:
    """Return the voxels as NIfTI has them: the first axis fastest."""
    return stored.astype(stored.dtype.newbyteorder(endian), copy=False).tobytes(order="F")


def _single(raw: bytes, header: Mapping[str, Any]) -> bytes:
    """Return the header of a pair as that of a single file: another magic word, and the voxels right behind it."""
    at, pair = (344, b"ni1\0") if header["version"] == 1 else (4, b"ni2\0\r\n\x1a\n")
    if raw[at : at + len(pair)] != pair:
        return raw
    changed = bytearray(raw if len(raw) > (348 if header["version"] == 1 else 540) else raw + b"\0\0\0\0")
    changed[at : at + len(pair)] = pair.replace(b"ni", b"n+")
    kind = _kind(header["version"])
    made = kind(bytes(changed[: kind.template_dtype.itemsize]), endianness=header["endian"], check=False)
    made["vox_offset"] = len(changed)
    return bytes(made.binaryblock) + bytes(changed[kind.template_dtype.itemsize :])


def _kind(version: int) -> Any:
    nibabel = needed("nibabel", "nifti")
    return nibabel.nifti1.Nifti1Header if version == 1 else nibabel.nifti2.Nifti2Header


def _edited(array: MLArray, stored: NDArray[Any], header: Mapping[str, Any], changed: frozenset[str]) -> bytes:
    """Return the original header with the fields that a change touches written anew."""
    kind = _kind(header["version"])
    size = kind.template_dtype.itemsize
    made = kind(header["raw"][:size], endianness=header["endian"], check=False)
    offset = made["vox_offset"].copy()
    if changed & {"shape", "dtype"}:
        _typed(made, stored)
        made["dim"] = 1
        made["dim"][0] = stored.ndim
        made["dim"][1 : 1 + stored.ndim] = stored.shape
    if changed & {"shape", "dtype", "data"}:
        made["cal_max"] = made["cal_min"] = 0
    _scaled(made, array)
    if "geometry" in changed:
        message = "the geometry was changed since the image was converted; sform and qform are written anew"
        warnings.warn(message, MLArrayWarning, stacklevel=5)
        _placed(made, array, keep=int(made["sform_code"]) or None)
    made["vox_offset"] = offset
    return bytes(made.binaryblock) + bytes(header["raw"][size:])


def _fresh(array: MLArray) -> tuple[bytes, bytes]:
    types = array.meta.axis_types
    if array.ndim > 7:
        raise ArgumentError(Problem("out_of_range", ("shape",), f"{array.ndim} axes; NIfTI holds at most 7"))
    space = [index for index, kind in enumerate(types) if kind == "space"]
    others = [index for index, kind in enumerate(types) if kind != "space"]
    time = [index for index in others if types[index] == "time"]
    rest = [index for index in others if index not in time]
    order = space[::-1] + time + rest
    values = array.to_numpy().transpose(order)
    if others:
        # x, y, z, t, rest: what is missing in front of another axis is one long.
        fill = (1,) * (3 - len(space)) if len(space) < 3 else ()
        gap = fill + (() if time else (1,))
        values = values.reshape(values.shape[: len(space)] + gap + values.shape[len(space) :])
    made = _kind(1)()
    stored = values.astype(_KINDS.get(values.dtype.kind, _KINDS.get(values.dtype.str[1:], values.dtype)), copy=False)
    _typed(made, stored)
    made.set_data_shape(stored.shape)
    _scaled(made, array)
    if array.meta.values.kind == "label":
        made["intent_code"] = 1002
    for index in time:
        _sampled(made, array.meta.at(("axes",))[index])
    if space:
        _placed(made, array, keep=None)
    made["magic"] = b"n+1"
    made["vox_offset"] = 352
    return bytes(made.binaryblock) + b"\0\0\0\0", _bytes(stored, made.endianness)


def _typed(made: Any, stored: NDArray[Any]) -> None:
    nibabel = needed("nibabel", "nifti")
    try:
        made.set_data_dtype(stored.dtype)
    except nibabel.spatialimages.HeaderDataError:
        message = f"NIfTI has no datatype for {stored.dtype}"
        raise ArgumentError(Problem("unsupported", ("dtype",), message)) from None


def _scaled(made: Any, array: MLArray) -> None:
    """Write scale and offset, unless the header says the same already in other words (0, NaN, 1)."""
    values = array.meta.values
    slope, inter = float(made["scl_slope"]), float(made["scl_inter"])
    said = (slope, inter) if slope and np.isfinite([slope, inter]).all() else (1.0, 0.0)
    if said != (float(values.scale), float(values.offset)):
        made["scl_slope"], made["scl_inter"] = values.scale, values.offset


def _sampled(made: Any, axis: Mapping[str, Any]) -> None:
    if "step" in axis:
        made["pixdim"][4], made["toffset"] = axis["step"], axis.get("start", 0.0)
    code = {unit[1]: code for code, unit in TIMES.items()}.get(str(axis.get("unit_code")), 0)
    made["xyzt_units"] = (int(made["xyzt_units"]) & 7) | code


def _placed(made: Any, array: MLArray, keep: int | None) -> None:
    """Write sform and, where its axes are at right angles, qform."""
    spaces = array.meta.at(("spaces",)) or []
    found = spatial_matrix(spaces, array.meta.axis_names)
    spacing = array.spacing or []
    for index, value in enumerate(reversed(spacing)):
        made["pixdim"][1 + index] = value
    if found is None:
        made["sform_code"] = made["qform_code"] = 0
        return
    affine, code = np.array(found[0]), keep or found[1]
    unit = {unit[1]: code for code, unit in LENGTHS.items()}.get(str(spaces[0]["axes"][0].get("unit_code")), 2)
    made["xyzt_units"] = (int(made["xyzt_units"]) & 56) | unit
    made.set_sform(affine, code)
    linear = affine[:3, :3] / np.linalg.norm(affine[:3, :3], axis=0)
    if np.abs(linear.T @ linear - np.eye(3)).max() < _SQUARE:
        made.set_qform(affine, code)
    else:
        made["qform_code"] = 0
