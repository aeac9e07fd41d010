"""NRRD, MetaImage and all else that SimpleITK reads, both ways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from mlarray.array import MLArray
from mlarray.convert import sources
from mlarray.convert.nrrd_header import raw_header
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, FormatError, Problem
from mlarray.geometry import derive, index_map
from mlarray.geometry.compose import PATIENT_AXES, from_array
from mlarray.geometry.matrix import expanded
from mlarray.io.publish import replace, temporary_name

_NAMES: Final = ("x", "y", "z", "t")
_SQUARE: Final = 1e-6
"""How far from right angles directions may be: beyond, ITK would change them silently."""


def from_itk(image: Any, **layout: Any) -> MLArray:
    """Return an image as an array in memory: axes z, y, x (reversed from ITK's), the patient directions LPS in 3-D.

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
    values = sitk.GetArrayFromImage(image)
    made = MLArray(values, axes=_axes(image), spaces=[_space(image)], values=_meaning(image), **layout)
    entry = {
        "format": name,
        "files": files,
        "reader": f"SimpleITK {sitk.Version.VersionString()}",
        "index_map": _index_map(image),
        "header": header,
    }
    return sources.attach(made, entry)


def _read(sitk: Any, path: Path) -> Any:
    previous = sitk.ProcessObject.GetGlobalWarningDisplay()
    sitk.ProcessObject.SetGlobalWarningDisplay(False)
    try:
        return sitk.ReadImage(str(path))
    except RuntimeError as error:
        reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), str(error))
        raise FormatError(
            Problem("corrupt", (), f"SimpleITK cannot read it: {reason.strip()}"), path=str(path)
        ) from None
    finally:
        sitk.ProcessObject.SetGlobalWarningDisplay(previous)


def _text(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _axes(image: Any) -> list[dict[str, Any]]:
    dimension = image.GetDimension()
    found: list[dict[str, Any]] = [{"name": name, "type": "space"} for name in _NAMES[: min(dimension, 3)]]
    if dimension == 4:
        start, step = image.GetOrigin()[3], image.GetSpacing()[3]
        found.append({"name": "t", "type": "time", "start": start, "step": step})
    found.reverse()
    if image.GetNumberOfComponentsPerPixel() > 1:
        found.append({"name": "component", "type": "component"})
    return found


def _index_map(image: Any) -> dict[str, Any]:
    count = image.GetDimension()
    order = list(range(count - 1, -1, -1))
    return index_map.document([*order, count] if image.GetNumberOfComponentsPerPixel() > 1 else order)


def _meaning(image: Any) -> dict[str, Any]:
    return {"kind": "vector"} if image.GetNumberOfComponentsPerPixel() > 1 else {}


def _space(image: Any) -> dict[str, Any]:
    dimension = image.GetDimension()
    spatial = min(dimension, 3)
    cosines = np.array(image.GetDirection()).reshape(dimension, dimension)[:spatial, :spatial]
    linear = (cosines * np.array(image.GetSpacing()[:spatial]))[:, ::-1]
    origin = image.GetOrigin()[:spatial]
    matrix = [[*map(float, row), float(move)] for row, move in zip(linear, origin, strict=True)]
    matrix.append([0.0] * spatial + [1.0])
    array_axes = list(_NAMES[:spatial][::-1])
    if spatial == 3:
        axes = [
            {"name": name, "unit": "millimeter", "unit_code": "mm", "increases_toward": word}
            for name, word in PATIENT_AXES
        ]
        return {"name": "patient", "axes": axes, "from_array": from_array(array_axes, list("xyz"), matrix)}
    return {
        "name": "world",
        "axes": [{"name": n} for n in "xy"],
        "from_array": from_array(array_axes, list("xy"), matrix),
    }


def to_itk_image(array: MLArray) -> Any:
    """Return an array as a SimpleITK.Image, with its stored values.

    Raises
    ------
    ArgumentError
        ITK cannot hold it: sheared or missing axes, more than four dimensions, a dtype that it has not.
    """
    sitk = needed("SimpleITK", "itk")
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
        space = spaces[0]
        names = [axis["name"] for axis in space["axes"]]
        matrix = expanded(space["from_array"], names, array.meta.axis_names)
        count = len(matrix) - 1
        if count != len(matrix[0]) - 1 or count != min(dimension, 3):
            wide = len(matrix[0]) - 1
            message = f"{count} space axes over {wide} array axes; ITK places {min(dimension, 3)} by as many"
            raise ArgumentError(Problem("unsupported", ("spaces", 0), message))
        direction = np.array(derive.direction(matrix))[:, ::-1]
        if np.abs(direction.T @ direction - np.eye(count)).max() > _SQUARE:
            message = "the axes are not at right angles (sheared), which ITK would change silently; resample first"
            raise ArgumentError(Problem("unsupported", ("spaces", 0, "from_array"), message))
        spacing[:count], origin[:count] = derive.spacing(matrix)[::-1], derive.origin(matrix)
        cosines[:count, :count] = direction
    time = [index for index, kind in enumerate(array.meta.axis_types) if kind == "time"]
    if dimension == 4 and time:
        axis = array.meta.at(("axes",))[time[0]]
        spacing[3], origin[3] = abs(axis.get("step", 1.0)), axis.get("start", 0.0)
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
            image.SetMetaData(key, str(value))
    name = temporary_name(str(target)) + target.suffix
    try:
        sitk.WriteImage(image, name, useCompression=True)
        replace(name, str(target), exclusive=not overwrite)
    except RuntimeError as error:
        raise ArgumentError(Problem("unsupported", ("path",), f"SimpleITK cannot write it: {error}")) from None
    finally:
        Path(name).unlink(missing_ok=True)
