"""Other formats to .mla and back, a module and a row of the table for each.

Every `from_…` returns an `MLArray` in memory, every `to_…` writes a new file and replaces nothing unless
``overwrite=True``. Each needs the library of its format, which an extra of this distribution brings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mlarray.convert.dicom import from_dicom
    from mlarray.convert.itk import from_itk, to_itk, to_itk_image
    from mlarray.convert.nifti import from_nifti, to_nifti
    from mlarray.convert.omezarr import from_worldarray, to_worldarray

__all__ = [
    "from_dicom",
    "from_itk",
    "from_nifti",
    "from_worldarray",
    "to_itk",
    "to_itk_image",
    "to_nifti",
    "to_worldarray",
]

_HOMES: Final = {
    "from_dicom": "dicom",
    "from_itk": "itk",
    "from_nifti": "nifti",
    "from_worldarray": "omezarr",
    "to_itk": "itk",
    "to_itk_image": "itk",
    "to_nifti": "nifti",
    "to_worldarray": "omezarr",
}


def __getattr__(name: str) -> Any:
    """Import a converter when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"mlarray.convert.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
