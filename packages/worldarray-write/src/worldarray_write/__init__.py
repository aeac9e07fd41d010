"""Create placed OME-NGFF zarr arrays and pyramids, and write boxes of them from many processes.

Every name is reachable as ``worldarray.<name>`` too; ``worldarray.open`` and ``open_pyramid`` with ``mode="r+"`` give
the writable handles.
"""

from __future__ import annotations

from worldarray_write.codecs import codecs_of
from worldarray_write.create import create
from worldarray_write.entries import ensure_group_entry
from worldarray_write.multiscales import ome_multiscales
from worldarray_write.placement import level_placement, level_shape
from worldarray_write.pyramid import WritablePyramid, open_writable_pyramid
from worldarray_write.writable import WritableArray, open_writable

__all__ = [
    "WritableArray",
    "WritablePyramid",
    "codecs_of",
    "create",
    "ensure_group_entry",
    "level_placement",
    "level_shape",
    "ome_multiscales",
    "open_writable",
    "open_writable_pyramid",
]
