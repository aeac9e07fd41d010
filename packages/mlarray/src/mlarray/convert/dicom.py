"""A series of DICOM images: stored values, real positions, and every element of every file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.array import MLArray
from mlarray.convert import sources
from mlarray.convert.dicom_geometry import SeriesPlace, place_series
from mlarray.convert.dicom_metadata import metadata
from mlarray.convert.dicom_slices import Plane, planes_of
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, FormatError, Notice, Problem, warn
from mlarray.geometry import index_map
from mlarray.geometry.compose import Geometry, space_document

_UNITS: Final = {"BQML": "becquerel_per_milliliter", "HU": "hounsfield_unit"}
"""Of Units (PET), as far as they are listed."""


def from_dicom(path: Any, *, series_uid: str | None = None, **layout: Any) -> MLArray:
    """Return a DICOM series as an array in memory: axes z, y, x for slice, row, column; the patient space (LPS).

    Values are the stored ones; RescaleSlope and RescaleIntercept become `values.scale` and `values.offset`. Positions
    are those of the files; uneven gaps are warned of. Where slices are rescaled differently (PET), the values are
    physical, as float32. An enhanced image gives a slice per frame. All metadata is in `meta.source`, by keyword.

    Parameters
    ----------
    path
        A folder, a file, or a list of files; what is no image in a folder is left out.
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
    files, folder = _files(path)
    read = [(file, found) for file in files if (found := _header(pydicom, file, skip=folder)) is not None]
    if not read:
        raise FormatError(Problem("not_found", (), "no DICOM image is there"), path=str(path))
    chosen = _series(read, series_uid)
    planes = planes_of(chosen)
    place = _place(planes)
    values, note = _values(planes, place, _pixels(chosen))
    found = _Found(chosen, [planes[index] for index in place.order], place, [*place.warnings, *note])
    return _array(pydicom, found, values, layout)


@dataclass(frozen=True)
class _Found:
    """A series: its files as they were given, its planes in order, where they lie, and what there is to warn of."""

    files: Sequence[tuple[Path, Any]]
    planes: Sequence[Plane]
    place: SeriesPlace
    notes: list[Notice]


def _files(path: Any) -> tuple[list[Path], bool]:
    """Return the files to read, and whether they are those of a folder, of which some may be no images."""
    if isinstance(path, (str, bytes, os.PathLike)):
        found = Path(os.fsdecode(path)).expanduser()
        if not found.is_dir():
            return [found], False
        return sorted(file for file in found.iterdir() if file.is_file()), True
    return [Path(os.fsdecode(item)).expanduser() for item in path], False


def _header(pydicom: Any, path: Path, *, skip: bool) -> Any:
    """Return the dataset of an image; None for a file of a folder that is none."""
    try:
        found = pydicom.dcmread(path)
    except pydicom.errors.InvalidDicomError:
        if not skip:
            raise FormatError(Problem("wrong_value", (), "no DICOM file"), path=str(path)) from None
        return None
    except (OSError, ValueError, KeyError, AttributeError, TypeError, NotImplementedError, EOFError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(Problem("corrupt", (), f"the DICOM file is damaged: {error}"), path=str(path)) from None
    if "Rows" not in found:
        if not skip:
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


def _place(planes: Sequence[Plane]) -> SeriesPlace:
    slices = [plane.place() for plane in planes]
    frames = {plane.word("FrameOfReferenceUID") for plane in planes}
    if len(frames) > 1:
        message = f"slices lie in the frames of reference {', '.join(sorted(frames))}; one belongs there"
        raise FormatError(Problem("conflict", ("FrameOfReferenceUID",), message), path=str(planes[0].path))
    first = planes[0]
    thickness = first.number("SpacingBetweenSlices") or first.number("SliceThickness")
    try:
        found = place_series(slices, abs(thickness) if thickness else None)
    except FormatError as error:
        index = error.at[0]
        assert isinstance(index, int)
        raise FormatError(*error.problems, path=str(planes[index].path)) from None
    if first.groups and list(found.order) not in (list(range(len(planes))), list(range(len(planes)))[::-1]):
        message = "the frames do not follow one another along their normal; split the image into single frames first"
        raise FormatError(Problem("unsupported", ("PerFrameFunctionalGroupsSequence",), message), path=str(first.path))
    return found


def _pixels(chosen: Sequence[tuple[Path, Any]]) -> list[NDArray[Any]]:
    """Return the stored values, plane by plane, in the order of the files."""
    found = [plane for path, dataset in chosen for plane in _decoded(path, dataset)]
    shapes = {plane.shape for plane in found}
    if len(shapes) > 1:
        raise FormatError(
            Problem("conflict", ("Rows",), f"slices have the shapes {sorted(shapes)}; one belongs there"),
            path=str(chosen[0][0]),
        )
    return found


def _decoded(path: Path, dataset: Any) -> NDArray[Any]:
    """Return the stored values of a file: one plane, or one per frame."""
    plane = Plane(path, dataset)
    samples = plane.number("SamplesPerPixel") or 1
    if samples != 1:
        message = f"{samples:g} samples per pixel: colour images are not converted"
        raise FormatError(Problem("unsupported", ("SamplesPerPixel",), message), path=str(path))
    try:
        values: NDArray[Any] = dataset.pixel_array
    except (AttributeError, ValueError, RuntimeError, NotImplementedError, KeyError, IndexError, TypeError) as error:
        syntax = getattr(getattr(dataset, "file_meta", None), "TransferSyntaxUID", None)
        name = f"{getattr(syntax, 'name', 'unknown')} {syntax or ''}".strip()
        reason = "; ".join(line.strip() for line in str(error).splitlines())
        message = f"the pixels cannot be decoded (transfer syntax {name}): {reason}"
        raise FormatError(Problem("unsupported", ("PixelData",), message), path=str(path)) from None
    if values.ndim == 2:
        return values[None]
    if values.ndim != 3:
        message = f"pixels of shape {values.shape}: planes of one value per pixel are converted"
        raise FormatError(Problem("unsupported", ("PixelData",), message), path=str(path))
    return values


def _values(
    planes: Sequence[Plane], place: SeriesPlace, pixels: Sequence[NDArray[Any]]
) -> tuple[tuple[NDArray[Any], dict[str, Any]], list[Notice]]:
    """Return the stored values in order, what they mean, and what there is to warn of."""
    if len(pixels) != len(planes):
        message = f"{len(pixels)} planes of pixels are there, and {len(planes)} are placed"
        raise FormatError(Problem("conflict", ("NumberOfFrames",), message), path=str(planes[0].path))
    ordered = [pixels[index] for index in place.order]
    first = planes[0]
    meaning: dict[str, Any] = {"kind": "label" if first.word("Modality") == "SEG" else "measurement", **_unit(first)}
    notes: list[Notice] = []
    if first.word("PhotometricInterpretation") == "MONOCHROME1":
        notes.append(
            Notice(
                "unsupported",
                ("PhotometricInterpretation",),
                "MONOCHROME1: the highest value is black; values are stored as they are",
            )
        )
    if first.get("ModalityLUTSequence"):
        notes.append(
            Notice(
                "unsupported",
                ("ModalityLUTSequence",),
                "a ModalityLUTSequence says what the values mean; they are stored as they are, without it",
            )
        )
    rescale = [
        (planes[index].number("RescaleSlope") or 1.0, planes[index].number("RescaleIntercept") or 0.0)
        for index in place.order
    ]
    if len(set(rescale)) == 1:
        if rescale[0] != (1.0, 0.0):
            meaning |= {"scale": rescale[0][0], "offset": rescale[0][1]}
        return (np.stack(ordered), meaning), notes
    # PET rescales slice by slice: no single scale holds.
    notes.append(
        Notice(
            "conflict",
            ("RescaleSlope",),
            "RescaleSlope and RescaleIntercept differ between slices; values are rescaled, as float32",
        )
    )
    scaled = [part * slope + inter for part, (slope, inter) in zip(ordered, rescale, strict=True)]
    return (np.stack(scaled).astype(np.float32), meaning), notes


def _unit(plane: Plane) -> dict[str, str]:
    """Return the unit of the values after rescaling, where an element says it."""
    kind = plane.word("RescaleType")
    computed = plane.word("Modality") == "CT" and kind == "" and plane.get("RescaleIntercept") is not None
    if kind == "HU" or computed:
        return {"unit": "hounsfield_unit"}
    unit = _UNITS.get(plane.word("Units"))
    return {"unit": unit} if unit else {}


def _array(
    pydicom: Any, found: _Found, content: tuple[NDArray[Any], dict[str, Any]], layout: Mapping[str, Any]
) -> MLArray:
    axes = [{"name": name, "type": "space"} for name in "zyx"]
    space = space_document(axes, ["space"] * 3, Geometry(matrix=found.place.matrix), "patient")
    frame = found.planes[0].word("FrameOfReferenceUID")
    if frame:
        reference = {"scheme": "dicom_frame_of_reference", "id": frame}
        space = {"name": space.pop("name"), "reference": reference, **space}
    made = MLArray(content[0], axes=axes, spaces=[space], values=content[1], **layout)
    if len(found.files) == 1:
        files, turned = list(found.files), found.place.order[0] > 0
    else:
        files, turned = [found.files[index] for index in found.place.order], False
    entry = {
        "format": "dicom",
        "files": [sources.file_entry(path.name, path.read_bytes()) for path, _ in files],
        "reader": f"pydicom {pydicom.__version__}",
        "index_map": index_map.document((0, 1, 2), (turned, False, False)),
        "header": metadata([dataset for _, dataset in files]),
    }
    warn(found.notes, files[0][0].name)
    return sources.attach(made, entry, [note.message for note in found.notes])
