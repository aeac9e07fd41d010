"""The formats that can be converted: one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from mlarray.errors import ArgumentError, MLArrayError, Problem


@dataclass(frozen=True)
class Format:
    """One format: how its files are called, what converts it, and what that needs."""

    name: str
    suffixes: tuple[str, ...]
    """Of files, lower-case; several dots count."""
    read: str
    """``module:function``, which takes a path and returns an `MLArray`."""
    write: str | None
    """``module:function``, which takes an array, a path and `overwrite`; None where nothing is written."""
    extra: str
    folder: Callable[[Path], bool] | None = None
    """Whether a folder holds one array of this format."""
    options: frozenset[str] = frozenset()
    """What `read` takes beside the layout."""


_DIRECTORY: Final = "DICOMDIR"
"""The table of contents of a disc, which is a DICOM file and no image; the images are in folders beside it."""


def _series(folder: Path) -> bool:
    """Whether a folder holds DICOM files, by the magic word of one of them."""
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and path.name.upper() != _DIRECTORY)
    return any(_dicom(path) for path in files)


def _dicom(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(132)[128:] == b"DICM"


def _zarr(folder: Path) -> bool:
    return any(folder.joinpath(name).is_file() for name in (".zattrs", ".zgroup", ".zarray", "zarr.json"))


_PLACES: Final = frozenset({"level", "box", "voxel_size", "units"})

FORMATS: Final = (
    Format("nifti", (".nii", ".nii.gz", ".hdr", ".img"), "nifti:from_nifti", "nifti:to_nifti", "nifti"),
    Format("omezarr", (".zarr",), "omezarr:from_worldarray", "omezarr:to_worldarray", "worldarray", _zarr, _PLACES),
    Format("dicom", (".dcm",), "dicom:from_dicom", None, "dicom", _series, frozenset({"series_uid"})),
    Format("itk", (".nrrd", ".nhdr", ".mha", ".mhd"), "itk:from_itk", "itk:to_itk", "itk"),
)


def format_of(path: Path) -> Format:
    """Return the format of a file or folder that is read, or of a path to write.

    Raises
    ------
    ArgumentError
        No row knows it.

    Examples
    --------
    >>> format_of(Path("brain.nii.gz")).name
    'nifti'
    """
    if path.is_dir():
        for row in FORMATS:
            if row.folder is not None and row.folder(path):
                return row
    elif path.is_file() and _dicom(path):
        return next(row for row in FORMATS if row.name == "dicom")
    for row in FORMATS:
        if path.name.lower().endswith(row.suffixes):
            return row
    known = ", ".join(suffix for row in FORMATS for suffix in row.suffixes)
    message = f"{path} is of no format that is converted: {known}, or a folder with a DICOM series or an OME-Zarr"
    raise ArgumentError(Problem("unsupported", ("path",), message))


def function(where: str) -> Callable[..., Any]:
    """Return the function that a row names."""
    module, _, name = where.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"mlarray.convert.{module}"), name)
    return found


def needed(module: str, extra: str) -> Any:
    """Return a library that a converter needs.

    Raises
    ------
    MLArrayError
        It is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ImportError:
        message = f"this needs {module}, which is not installed: pip install 'mlarray[{extra}]'"
        raise MissingLibraryError(Problem("unavailable", (), message)) from None


class MissingLibraryError(MLArrayError, ImportError):
    """A library that a converter needs is not installed."""
