"""NRRD, MetaImage and all else that SimpleITK reads, both ways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from mlarray.array import MLArray
from mlarray.convert import sources
from mlarray.convert.itk_geometry import ItkPlace, NrrdPlace, nrrd_place, place_of_space, space_of
from mlarray.convert.nrrd_header import raw_header
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, FormatError, Notice, Problem, warn
from mlarray.geometry import index_map
from mlarray.io.publish import replace, temporary_name

_OWN: Final = ("ITK_", "NRRD_")
"""What keys begin with that ITK writes by itself."""


def from_itk(image: Any, **layout: Any) -> MLArray:
    """Return an image as an array in memory: axes z, y, x (reversed from ITK's).

    In 3-D its space is that of the patient (LPS), unless the header of an NRRD file says that it is another.

    Parameters
    ----------
    image
        A SimpleITK.Image, or the path of a file that SimpleITK reads.
    layout
        As for `MLArray`.

    Raises
    ------
    FormatError
        SimpleITK cannot read the file.
    """
    sitk = needed("SimpleITK", "itk")
    files: list[dict[str, Any]] = []
    header: dict[str, Any] = {}
    name = "itk"
    if not isinstance(image, sitk.Image):
        path = Path(os.fsdecode(image)).expanduser()
        content = path.read_bytes()
        name = {".nrrd": "nrrd", ".nhdr": "nrrd", ".mha": "metaimage", ".mhd": "metaimage"}.get(
            path.suffix.lower(), "itk"
        )
        files = [sources.file_entry(path.name, content)]
        header = raw_header(content, name)
        image = _read(sitk, path)
    header["metadata"] = {key: _text(image.GetMetaData(key)) for key in image.GetMetaDataKeys()}
    nrrd = nrrd_place(header["fields"]) if name == "nrrd" and "fields" in header else None
    place = ItkPlace(image.GetSpacing(), image.GetOrigin(), image.GetDirection())
    if place.mixed:
        message = "the fourth axis leans toward the spatial ones; no axis of an .mla file does"
        raise FormatError(Problem("unsupported", (), message), path=files[0]["name"] if files else None)
    space, notes = space_of(place, nrrd)
    values = sitk.GetArrayFromImage(image)
    made = MLArray(values, axes=_axes(image, place), spaces=[space], values=_meaning(image, nrrd), **layout)
    warn([Notice("conflict", ("spaces", 0), note) for note in notes], files[0]["name"] if files else None)
    entry = {
        "format": name,
        "files": files,
        "reader": f"SimpleITK {sitk.Version.VersionString()}",
        "index_map": _index_map(image, nrrd),
        "header": header,
    }
    return sources.attach(made, entry, notes)


def _read(sitk: Any, path: Path) -> Any:
    previous = sitk.ProcessObject.GetGlobalWarningDisplay()
    sitk.ProcessObject.SetGlobalWarningDisplay(False)
    try:
        return sitk.ReadImage(str(path))
    except RuntimeError as error:
        raise FormatError(
            Problem("corrupt", (), f"SimpleITK cannot read it: {_reason(error)}"), path=str(path)
        ) from None
    finally:
        sitk.ProcessObject.SetGlobalWarningDisplay(previous)


def _reason(error: RuntimeError) -> str:
    """Return the last line of what ITK says; those before name its source files."""
    return next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), str(error))


def _text(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _components(image: Any) -> bool:
    return bool(image.GetNumberOfComponentsPerPixel() > 1)


def _axes(image: Any, place: ItkPlace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"name": name, "type": "space"} for name in "xyz"[: place.spatial]]
    if image.GetDimension() == 4:
        found.append({"name": "t", "type": "time", "start": place.origin[3], "step": place.step})
    found.reverse()
    if _components(image):
        found.append({"name": "component", "type": "component"})
    return found


def _index_map(image: Any, nrrd: NrrdPlace | None) -> dict[str, Any]:
    """Return which axis of the file each stored axis is; components vary fastest, unless NRRD says otherwise."""
    if not _components(image):
        return index_map.document(range(image.GetDimension() - 1, -1, -1))
    where = nrrd.component if nrrd is not None and nrrd.component is not None else 0
    others = [axis for axis in range(image.GetDimension() + 1) if axis != where]
    return index_map.document([*others[::-1], where])


def _meaning(image: Any, nrrd: NrrdPlace | None) -> dict[str, Any]:
    vector = nrrd is None or nrrd.component is None or nrrd.vector
    return {"kind": "vector"} if _components(image) and vector else {}


def to_itk_image(array: MLArray) -> Any:
    """Return an array as a SimpleITK.Image, with its stored values.

    Raises
    ------
    ArgumentError
        ITK cannot hold it: sheared or missing axes, more than four dimensions, a dtype that it has not.
    """
    sitk = needed("SimpleITK", "itk")
    array.meta.usable(())
    values, vector = array.to_numpy(), "component" in array.meta.axis_types
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    values = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False))
    dimension = values.ndim - vector
    if not 2 <= dimension <= 4 or (vector and array.meta.axis_types[-1] != "component"):
        message = f"axes of the types {', '.join(array.meta.axis_types)}; ITK has 2 to 4, and components last"
        raise ArgumentError(Problem("unsupported", ("axes",), message))
    try:
        image = sitk.GetImageFromArray(values, isVector=vector)
    except (KeyError, TypeError, RuntimeError):
        raise ArgumentError(Problem("unsupported", ("dtype",), f"ITK has no pixels of {values.dtype}")) from None
    _place_image(image, array)
    return image


def _place_image(image: Any, array: MLArray) -> None:
    dimension = image.GetDimension()
    spacing, origin, cosines = np.ones(dimension), np.zeros(dimension), np.eye(dimension)
    spaces = array.meta.at(("spaces",)) or []
    if spaces:
        place = place_of_space(spaces[0], array.meta.axis_names, dimension)
        count = place.spatial
        spacing[:count], origin[:count], cosines[:count, :count] = place.spacing, place.origin, place.cosines
    if dimension == 4 and array.meta.axis_types[0] == "time":
        axis = array.meta.at(("axes",))[0]
        step = float(axis.get("step", 1.0))
        spacing[3], origin[3], cosines[3, 3] = abs(step), axis.get("start", 0.0), np.sign(step)
    image.SetSpacing(spacing.tolist())
    image.SetOrigin(origin.tolist())
    image.SetDirection(cosines.ravel().tolist())


def to_itk(array: MLArray, path: Any, *, overwrite: bool = False) -> None:
    """Write an array as NRRD, MetaImage or whatever SimpleITK writes to files of that name.

    Raises
    ------
    FileExistsError
        Something stands there, and `overwrite` is not set.
    ArgumentError
        ITK cannot hold the array; see `to_itk_image`.
    """
    sitk = needed("SimpleITK", "itk")
    target = sources.new_path(path, overwrite=overwrite)
    if target.suffix.lower() in {".mhd", ".nhdr"}:
        message = f"{target.suffix} needs a second file beside it; write .mha or .nrrd"
        raise ArgumentError(Problem("unsupported", ("path",), message))
    image = to_itk_image(array)
    for entry in array.meta.source:
        for key, value in (entry.get("header", {}).get("metadata") or {}).items():
            if not key.startswith(_OWN):
                image.SetMetaData(key, str(value))
    name = temporary_name(str(target)) + (".nii.gz" if target.name.lower().endswith(".nii.gz") else target.suffix)
    try:
        sitk.WriteImage(image, name, useCompression=True)
        replace(name, str(target), exclusive=not overwrite)
    except RuntimeError as error:
        raise ArgumentError(Problem("unsupported", ("path",), f"SimpleITK cannot write it: {_reason(error)}")) from None
    finally:
        Path(name).unlink(missing_ok=True)
