"""Open zarr, N5 and Neuroglancer precomputed volumes and read boxes of them in world units.

Every voxel is placed by one rule: a translation is where voxel 0's centre is. Opened volumes are in nanometres unless
`units` says otherwise; `metadata` is in the units of the store. Once the distribution worldarray-write is installed,
`create`, `ensure_group_entry`, `level_placement`, `level_shape`, `ome_multiscales` and `codecs_of` are names here too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from worldarray import errors, store, units
    from worldarray.api import detect, metadata, open, open_pyramid, open_tensorstore
    from worldarray.array import WorldArray
    from worldarray.axes import default_axes
    from worldarray.box import Box
    from worldarray.chunks import chunk_key, parse_chunk_key
    from worldarray.geometry import corner_to_centre, index_range
    from worldarray.grid import Grid
    from worldarray.io.contexts import capped_context, capped_context_spec, shared_context
    from worldarray.io.listing import list_chunk_keys
    from worldarray.io.retry import Retry
    from worldarray.levels import select_level
    from worldarray.many import IndexRead, read_many
    from worldarray.pyramid import Pyramid
    from worldarray.records import ArrayMeta, Level, Node
    from worldarray.tiling import Block, Blocks, blocks, level_factors

    # Of worldarray-write; typed code takes them from worldarray_write, which has their types.
    codecs_of: Callable[..., Any]
    create: Callable[..., Any]
    ensure_group_entry: Callable[..., Any]
    level_placement: Callable[..., Any]
    level_shape: Callable[..., Any]
    ome_multiscales: Callable[..., Any]

__all__ = [
    "ArrayMeta",
    "Block",
    "Blocks",
    "Box",
    "Grid",
    "IndexRead",
    "Level",
    "Node",
    "Pyramid",
    "Retry",
    "WorldArray",
    "blocks",
    "capped_context",
    "capped_context_spec",
    "chunk_key",
    "corner_to_centre",
    "default_axes",
    "detect",
    "errors",
    "index_range",
    "level_factors",
    "list_chunk_keys",
    "metadata",
    "open",
    "open_pyramid",
    "open_tensorstore",
    "parse_chunk_key",
    "read_many",
    "select_level",
    "shared_context",
    "store",
    "units",
]

_HOMES: Final = {
    "api": ("detect", "metadata", "open", "open_pyramid", "open_tensorstore"),
    "array": ("WorldArray",),
    "axes": ("default_axes",),
    "box": ("Box",),
    "chunks": ("chunk_key", "parse_chunk_key"),
    "geometry": ("corner_to_centre", "index_range"),
    "grid": ("Grid",),
    "io.contexts": ("capped_context", "capped_context_spec", "shared_context"),
    "io.listing": ("list_chunk_keys",),
    "io.retry": ("Retry",),
    "levels": ("select_level",),
    "many": ("IndexRead", "read_many"),
    "pyramid": ("Pyramid",),
    "records": ("ArrayMeta", "Level", "Node"),
    "tiling": ("Block", "Blocks", "blocks", "level_factors"),
}
"""The module of each public name, which is imported when the name is first used: a program pays for what it uses."""
_MODULES: Final = frozenset({"errors", "store", "units"})
WRITE_NAMES: Final = frozenset(
    {"codecs_of", "create", "ensure_group_entry", "level_placement", "level_shape", "ome_multiscales"}
)
"""What worldarray-write adds under ``worldarray.<name>`` once it is installed."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a public name from its module, or one of worldarray-write; either is imported on first use."""
        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        if name in WRITE_NAMES:
            from worldarray.api import write_name  # noqa: PLC0415  (on first use)

            return write_name(name, f"{__name__}.{name}")
        for module, names in _HOMES.items():
            if name in names:
                globals()[name] = found = getattr(import_module(f"{__name__}.{module}"), name)
                return found
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)

    def __dir__() -> list[str]:
        """Return the public names, whether or not they were used yet, with those of worldarray-write if it is there."""
        from importlib.util import find_spec  # noqa: PLC0415  (it takes a moment)

        own = {name for name in globals() if name.startswith("__")}
        return sorted({*own, *__all__, *(WRITE_NAMES if find_spec("worldarray_write") else ())})
