"""NIfTI-1 and NIfTI-2: stored integers and every byte of the header come along, so that a file can be written back."""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.array import MLArray
from mlarray.convert import sources
from mlarray.convert.nifti_geometry import VECTORS, axes_of, spaces_of
from mlarray.convert.nifti_header import LABEL_INTENT, SIZES, framed, kind_of, place_of, write_back
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, FormatError, Notice, Problem, warn
from mlarray.geometry import index_map
from mlarray.io.publish import replace, temporary

_MAGIC: Final = {(348, b"n+1\0"): 1, (348, b"ni1\0"): 1, (540, b"n+2\0\r\n\x1a\n"): 2, (540, b"ni2\0\r\n\x1a\n"): 2}


@dataclass(frozen=True)
class _Raw:
    """The bytes of an image: all before the voxels, and the voxels."""

    header: bytes
    voxels: bytes
    endian: str
    version: int
    files: list[dict[str, Any]]
    lead: bytes = b""
    """What stands before the voxels in the second file of a pair."""


def from_nifti(path: Any, **layout: Any) -> MLArray:
    """Return a NIfTI image as an array in memory.

    Values are the stored ones; scl_slope and scl_inter become `values.scale` and `values.offset`. The axes are those of
    the file in reverse, so that no value moves: (x, y, z, t) becomes t, z, y, x. The sform, else the qform, becomes a
    space in the DICOM patient directions (LPS).

    Parameters
    ----------
    path
        A .nii, .nii.gz, .hdr or .img file.
    layout
        As for `MLArray`.

    Raises
    ------
    FormatError
        It is no NIfTI file, or damaged.
    """
    nibabel = needed("nibabel", "nifti")
    name = Path(os.fsdecode(path)).expanduser()
    raw = _read(name)
    try:
        header = kind_of(raw.version)(raw.header[: SIZES[raw.version]], endianness=raw.endian, check=False)
        stored = _values(header, raw, name)
    except FormatError:
        raise
    except (nibabel.spatialimages.HeaderDataError, KeyError, ValueError, OverflowError) as error:
        raise FormatError(Problem("corrupt", (), f"the NIfTI header cannot be used: {error}"), path=str(name)) from None
    place = place_of(header)
    spaces, notes = spaces_of(place)
    return _array(stored, header, raw, (place, spaces, notes), {"reader": f"nibabel {nibabel.__version__}", **layout})


def _array(stored: Any, header: Any, raw: _Raw, where: tuple[Any, Any, list[Notice]], more: dict[str, Any]) -> MLArray:
    place, spaces, notes = where
    intent = int(header["intent_code"])
    axes = axes_of(place, intent, stored.shape)
    reader = more.pop("reader")
    made = MLArray(stored, axes=axes, spaces=spaces, values=_meaning(header, intent, axes), **more)
    order = list(range(stored.ndim - 1, -1, -1))
    entry = {
        "format": "nifti",
        "files": raw.files,
        "reader": reader,
        "index_map": index_map.document(order),
        "header": {
            "fields": _fields(header),
            "raw": raw.header,
            **{
                name: content
                for name, content in (("lead", raw.lead), ("tail", raw.voxels[stored.nbytes :]))
                if content
            },
            "endian": raw.endian,
            "version": raw.version,
        },
    }
    warn(notes, raw.files[0]["name"])
    return sources.attach(made, entry, [note.message for note in notes])


def _read(path: Path) -> _Raw:
    """Return the bytes of an image, of one file or of a pair."""
    lower = path.name.lower()
    plain = lower.removesuffix(".gz")
    if plain.endswith((".hdr", ".img")):
        head, body = _pair(path)
        header, voxels = _content(head), _content(body)
        files = [sources.file_entry(head.name, header), sources.file_entry(body.name, voxels)]
        endian, version, offset = _sniff(header, head)
        if not 0 <= offset <= len(voxels):
            message = f"the voxels begin at byte {offset}, and the file has {len(voxels)}; truncated?"
            raise FormatError(Problem("corrupt", (), message), path=str(body))
        return _Raw(header, voxels[offset:], endian, version, files, voxels[:offset])
    content = _content(path)
    endian, version, offset = _sniff(content, path)
    if not len(content) >= offset >= SIZES[version]:
        message = f"the voxels begin at byte {offset}, and the file has {len(content)}; truncated?"
        raise FormatError(Problem("corrupt", (), message), path=str(path))
    return _Raw(content[:offset], content[offset:], endian, version, [sources.file_entry(path.name, content)])


def _pair(path: Path) -> tuple[Path, Path]:
    """Return the header and the voxels of a pair, of which one is given; both are compressed, or none."""
    plain = path.name.lower().removesuffix(".gz")
    stem, end = path.name[: len(plain) - 4], path.name[len(plain) :]
    return path.with_name(f"{stem}.hdr{end}"), path.with_name(f"{stem}.img{end}")


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(Problem("corrupt", (), f"the gzip data is damaged: {error}"), path=str(path)) from None


def _sniff(content: bytes, path: Path) -> tuple[str, int, int]:
    """Return byte order, version, and where the voxels begin."""
    for endian in "<>":
        size = struct.unpack(f"{endian}i", content[:4])[0] if len(content) >= 4 else 0
        magic = content[344:348] if size == 348 else content[4:12]
        version = _MAGIC.get((size, magic))
        if version == 1 and len(content) >= 348:
            offset = struct.unpack(f"{endian}f", content[108:112])[0]
            if not math.isfinite(offset):
                message = f"vox_offset, where the voxels begin, is {offset}; it is a finite number of bytes"
                raise FormatError(Problem("not_finite", (), message), path=str(path))
            return endian, 1, int(offset)
        if version == 2 and len(content) >= 540:
            return endian, 2, struct.unpack(f"{endian}q", content[168:176])[0]
    raise FormatError(Problem("wrong_value", (), "no NIfTI file: it does not begin as one"), path=str(path))


def _values(header: Any, raw: _Raw, path: Path) -> NDArray[Any]:
    """Return the stored values, C order: the axes of the file in reverse."""
    shape = tuple(int(n) for n in header["dim"][1 : 1 + int(header["dim"][0])])
    code = int(header["datatype"])
    if not 1 <= int(header["dim"][0]) <= 7 or any(n < 1 for n in shape):
        message = f"dim is {list(map(int, header['dim']))}; it begins with the number of axes, from 1 to 7, then sizes"
        raise FormatError(Problem("out_of_range", (), message), path=str(path))
    if _label(code) == "unknown":
        raise FormatError(Problem("corrupt", (), f"the datatype {code} is none that NIfTI has"), path=str(path))
    dtype = header.get_data_dtype()
    if dtype.kind not in "iufc" or dtype.itemsize > 16 or (dtype.kind == "f" and dtype.itemsize > 8):
        message = (
            f"the datatype {code} ({_label(code)}) has no place in an .mla file; convert it to float64 or components"
        )
        raise FormatError(Problem("unsupported", (), message), path=str(path))
    full = shape[::-1]
    count = math.prod(full) * dtype.itemsize
    if count > len(raw.voxels):
        message = f"{count} bytes of voxels belong there, and {len(raw.voxels)} are there; truncated?"
        raise FormatError(Problem("corrupt", (), message), path=str(path))
    return np.frombuffer(raw.voxels, dtype, math.prod(full)).reshape(full)


def _label(code: int) -> str:
    names = needed("nibabel", "nifti").nifti1.data_type_codes
    return str(names.label[code]) if code in names.label else "unknown"


def _meaning(header: Any, intent: int, axes: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": "measurement"}
    if intent == LABEL_INTENT:
        found["kind"] = "label"
    elif intent in VECTORS and any(axis["type"] == "component" for axis in axes):
        found["kind"] = "vector"
    slope, inter = float(header["scl_slope"]), float(header["scl_inter"])
    if slope and math.isfinite(slope) and math.isfinite(inter) and (slope, inter) != (1.0, 0.0):
        found |= {"scale": slope, "offset": inter}
    return found


def _fields(header: Any) -> dict[str, Any]:
    """Return every field of a header as native values."""
    found = {}
    for name in header.keys():  # noqa: SIM118  (no mapping)
        value = header[name]
        found[name] = bytes(value.item()) if value.dtype.kind == "S" else value.tolist()
    return found


def to_nifti(array: MLArray, path: Any, *, overwrite: bool = False) -> None:
    """Write an array as NIfTI.

    What came from NIfTI and was not changed becomes the same bytes (before gzip); what was changed keeps its header
    with the fields that the change touches written anew. Any other array gets a header of its own, with an sform.

    Parameters
    ----------
    array
        Up to seven axes, of dtypes that NIfTI has; the spatial ones named, or typed, z, y, x in this order at the end.
    path
        A .nii, .nii.gz, .hdr or .img file; the last two are written as a pair, one file after the other.
    overwrite
        Whether what stands there is replaced.

    Raises
    ------
    FileExistsError
        Something stands there.
    ArgumentError
        NIfTI cannot hold the array.
    """
    target = sources.new_path(path, overwrite=overwrite)
    lower = target.name.lower()
    if not lower.removesuffix(".gz").endswith((".nii", ".hdr", ".img")):
        message = f"{target.name!r} ends in none of .nii, .nii.gz, .hdr and .img"
        raise ArgumentError(Problem("wrong_value", ("path",), message))
    pair = not lower.removesuffix(".gz").endswith(".nii")
    targets = [sources.new_path(part, overwrite=overwrite) for part in _pair(target)] if pair else [target]
    array.meta.usable(())
    written = write_back(array)
    header = framed(written, pair=pair)
    contents = [header, written.lead + written.voxels] if pair else [header + written.voxels]
    for place, content in zip(targets, contents, strict=True):
        with temporary(str(place)) as name:
            Path(name).write_bytes(gzip.compress(content, 6, mtime=0) if lower.endswith(".gz") else content)
            replace(name, str(place), exclusive=not overwrite)
