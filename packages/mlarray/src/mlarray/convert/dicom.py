"""A series of DICOM images: stored values, real positions, and every element of every file."""

from __future__ import annotations

import os
import warnings as python_warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.array import MLArray
from mlarray.convert import sources
from mlarray.convert.dicom_geometry import SeriesPlace, SlicePlace, place_series
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, FormatError, MLArrayWarning, Problem
from mlarray.geometry import index_map
from mlarray.geometry.compose import Geometry, space_document

_NEEDED: Final = ("ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing")
_HOUNSFIELD: Final = {"unit": "hounsfield_unit"}
_MOST_FILES: Final = 100_000


def from_dicom(path: Any, *, series_uid: str | None = None, **layout: Any) -> MLArray:
    """Return a DICOM series as an array in memory: axes z, y, x for slice, row, column; the patient space (LPS).

    Values are the stored ones; RescaleSlope and RescaleIntercept become `values.scale` and `values.offset`. Positions
    are those of the files; uneven gaps are warned of. All metadata is in `meta.source`, by keyword.

    Parameters
    ----------
    path
        A folder, a file, or a list of files; other files in a folder are left out.
    series_uid
        The SeriesInstanceUID to take where there are several.
    layout
        As for `MLArray`.

    Raises
    ------
    FormatError
        There is no image, or the images make no volume; the message says why and names the file.
    ArgumentError
        There are several series; the message lists them.
    """
    pydicom = needed("pydicom", "dicom")
    files = _files(path)
    named = Path(os.fsdecode(path)).expanduser() if isinstance(path, (str, bytes, os.PathLike)) else None
    read = [(file, found) for file in files if (found := _header(pydicom, file, alone=files == [named])) is not None]
    if not read:
        raise FormatError(Problem("not_found", (), "no DICOM image is there"), path=str(path))
    chosen = _series(read, series_uid)
    if len(chosen) == 1 and int(chosen[0][1].get("NumberOfFrames", 1) or 1) > 1:
        message = "a multi-frame image, which is not converted; split it into single frames first"
        raise FormatError(Problem("unsupported", ("NumberOfFrames",), message), path=str(chosen[0][0]))
    place = _place(chosen)
    chosen = [chosen[index] for index in place.order]
    values, meaning = _values(chosen)
    return _array(pydicom, chosen, place, (values, meaning), layout)


def _files(path: Any) -> list[Path]:
    if isinstance(path, (str, bytes, os.PathLike)):
        found = Path(os.fsdecode(path)).expanduser()
        if not found.is_dir():
            return [found]
        return sorted(file for file in found.iterdir() if file.is_file())[:_MOST_FILES]
    return [Path(os.fsdecode(item)).expanduser() for item in path]


def _header(pydicom: Any, path: Path, *, alone: bool) -> Any:
    """Return the dataset of an image; None for a file of a folder that is none."""
    try:
        found = pydicom.dcmread(path)
    except pydicom.errors.InvalidDicomError:
        if alone:
            raise FormatError(Problem("wrong_value", (), "no DICOM file"), path=str(path)) from None
        return None
    except (OSError, ValueError, KeyError, AttributeError, TypeError, NotImplementedError, EOFError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(Problem("corrupt", (), f"the DICOM file is damaged: {error}"), path=str(path)) from None
    if "Rows" not in found:
        if alone:
            raise FormatError(Problem("missing_key", ("Rows",), "the DICOM file holds no image"), path=str(path))
        return None
    return found


def _series(read: Sequence[tuple[Path, Any]], wanted: str | None) -> list[tuple[Path, Any]]:
    counts = Counter(str(found.get("SeriesInstanceUID", "")) for _, found in read)
    listed = ", ".join(f"{uid or 'none'} ({count} files)" for uid, count in counts.items())
    if wanted is None and len(counts) > 1:
        message = f"several series: {listed}; give series_uid"
        raise ArgumentError(Problem("missing_field", ("series_uid",), message))
    if wanted is not None and wanted not in counts:
        raise ArgumentError(Problem("unknown_name", ("series_uid",), f"there is no series {wanted!r}: {listed}"))
    return [pair for pair in read if wanted is None or pair[1].get("SeriesInstanceUID") == wanted]


def _place(chosen: Sequence[tuple[Path, Any]]) -> SeriesPlace:
    slices = []
    for path, found in chosen:
        absent = [key for key in _NEEDED if found.get(key) is None]
        if absent:
            message = (
                f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing, so the image cannot be placed"
            )
            raise FormatError(Problem("missing_key", (absent[0],), message), path=str(path))
        numbers = [[float(value) for value in found[key].value] for key in _NEEDED]
        slices.append(SlicePlace(*numbers))
    first = chosen[0][1]
    thickness = first.get("SpacingBetweenSlices") or first.get("SliceThickness")
    try:
        return place_series(slices, abs(float(thickness)) if thickness else None)
    except FormatError as error:
        index = error.at[0]
        assert isinstance(index, int)
        raise FormatError(*error.problems, path=str(chosen[index][0])) from None


def _values(chosen: Sequence[tuple[Path, Any]]) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return the stored values, slice after slice, and what they mean."""
    slices = [_pixels(path, found) for path, found in chosen]
    shapes = {part.shape for part in slices}
    if len(shapes) > 1:
        raise FormatError(Problem("conflict", ("Rows",), f"slices have the shapes {sorted(shapes)}; one belongs there"))
    dtypes = {part.dtype for part in slices}
    stacked = np.stack(slices).astype(np.result_type(*dtypes), copy=False)
    rescale = [(float(f.get("RescaleSlope", 1) or 1), float(f.get("RescaleIntercept", 0) or 0)) for _, f in chosen]
    first = chosen[0][1]
    meaning: dict[str, Any] = {"kind": "measurement"}
    if str(first.get("RescaleType", "")) == "HU" or str(first.get("Modality", "")) == "CT":
        meaning |= _HOUNSFIELD
    if len(set(rescale)) == 1:
        if rescale[0] != (1.0, 0.0):
            meaning |= {"scale": rescale[0][0], "offset": rescale[0][1]}
        return stacked, meaning
    # PET rescales slice by slice: no single scale holds, so the values are physical here.
    scaled = np.stack([part * slope + inter for part, (slope, inter) in zip(slices, rescale, strict=True)])
    return scaled.astype(np.float32), meaning


def _pixels(path: Path, found: Any) -> NDArray[Any]:
    if int(found.get("SamplesPerPixel", 1)) != 1:
        message = f"{found.SamplesPerPixel} samples per pixel: colour images are not converted"
        raise FormatError(Problem("unsupported", ("SamplesPerPixel",), message), path=str(path))
    try:
        values: NDArray[Any] = found.pixel_array
    except (AttributeError, ValueError, RuntimeError, NotImplementedError, KeyError, IndexError, TypeError) as error:
        syntax = getattr(getattr(found, "file_meta", None), "TransferSyntaxUID", None)
        name = getattr(syntax, "name", "unknown")
        message = f"the pixels cannot be decoded (transfer syntax {name}): {str(error).splitlines()[0]}"
        raise FormatError(Problem("unsupported", ("PixelData",), message), path=str(path)) from None
    if values.ndim != 2:
        message = f"pixels of shape {values.shape}: one plane per file is converted"
        raise FormatError(Problem("unsupported", ("PixelData",), message), path=str(path))
    return values


def _array(
    pydicom: Any,
    chosen: Sequence[tuple[Path, Any]],
    place: SeriesPlace,
    content: tuple[NDArray[Any], dict[str, Any]],
    layout: Mapping[str, Any],
) -> MLArray:
    axes = [{"name": name, "type": "space"} for name in "zyx"]
    space = space_document(axes, ["space"] * 3, Geometry(matrix=place.matrix), "patient")
    frame = chosen[0][1].get("FrameOfReferenceUID")
    if frame:
        space = {
            "name": space.pop("name"),
            "reference": {"scheme": "dicom_frame_of_reference", "id": str(frame)},
            **space,
        }
    notes = list(place.warnings)
    if str(chosen[0][1].get("PhotometricInterpretation", "")) == "MONOCHROME1":
        notes.append("MONOCHROME1: the highest value is black; values are stored as they are")
    made = MLArray(content[0], axes=axes, spaces=[space], values=content[1], **layout)
    entry = {
        "format": "dicom",
        "files": [sources.file_entry(path.name, path.read_bytes()) for path, _ in chosen],
        "reader": f"pydicom {pydicom.__version__}",
        "index_map": index_map.document((0, 1, 2)),
        "header": _metadata([found for _, found in chosen]),
    }
    for note in notes:
        python_warnings.warn(note, MLArrayWarning, stacklevel=3)
    return sources.attach(made, entry, notes)


def _metadata(found: Sequence[Any]) -> dict[str, Any]:
    """Return the elements that all files share, and for each file those that differ."""
    each = [_elements(dataset) for dataset in found]
    shared = {key: value for key, value in each[0].items() if all(key in one and one[key] == value for one in each)}
    return {"shared": shared, "files": [{k: v for k, v in one.items() if k not in shared} for one in each]}


def _elements(dataset: Any) -> dict[str, Any]:
    """Return the elements of a dataset but its pixels by keyword; private ones by group and element."""
    found: dict[str, Any] = {}
    for parts in (getattr(dataset, "file_meta", None), dataset):
        for element in parts if parts is not None else ():
            if element.keyword != "PixelData":
                found[element.keyword or f"{element.tag.group:04X},{element.tag.element:04X}"] = _native(element)
    return found


def _native(element: Any) -> Any:
    """Return the value of an element as plain values."""
    if element.VR == "SQ":
        return [_elements(item) for item in element.value]
    value = element.value
    if isinstance(value, (bytes, bytearray)) or value is None:
        return value
    if not isinstance(value, str) and isinstance(value, Iterable) and hasattr(value, "__len__"):
        return [_one(item) for item in value]
    return _one(value)


def _one(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, (bytes, bytearray)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) or type(value).__name__ == "DSdecimal":
        return float(value)
    return str(value).encode("utf-8", "replace").decode("utf-8")
