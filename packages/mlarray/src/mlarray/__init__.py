"""Compressed arrays with their meaning in one file: .mla, format version 1.

`MLArray` opens, makes and saves them; `Meta` is what stands beside the values. Nothing in a file is unpickled, and
opening one reads a small header alone. `mlarray.convert` has the converters.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mlarray import convert, errors
    from mlarray.array import MLArray
    from mlarray.errors import FormatError, MLArrayError, MLArrayWarning
    from mlarray.layout.records import Compression
    from mlarray.layout.suggest import suggest_layout
    from mlarray.meta.meta import Meta

MLARRAY_SUFFIX: Final = "mla"
MLARRAY_VERSION: Final = "1.0"
MLARRAY_DEFAULT_PATCH_SIZE: Final = 192

__all__ = [
    "MLARRAY_DEFAULT_PATCH_SIZE",
    "MLARRAY_SUFFIX",
    "MLARRAY_VERSION",
    "Compression",
    "FormatError",
    "MLArray",
    "MLArrayError",
    "MLArrayWarning",
    "Meta",
    "convert",
    "errors",
    "suggest_layout",
]

_HOMES: Final = {
    "Compression": "mlarray.layout.records",
    "FormatError": "mlarray.errors",
    "MLArray": "mlarray.array",
    "MLArrayError": "mlarray.errors",
    "MLArrayWarning": "mlarray.errors",
    "Meta": "mlarray.meta.meta",
    "suggest_layout": "mlarray.layout.suggest",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
    elif name in {"convert", "errors"}:
        found = import_module(f"mlarray.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
