"""Arguments that no caller means: each gets an error of this package, at once, or the right answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import worldarray as wa
from worldarray.demo import demo_pyramid
from worldarray.errors import WorldArrayError

HUGE = 10**400
GRID = wa.Grid((4, 5, 6), (8.0, 8.0, 8.0), (4.0, 4.0, 4.0), chunks=(2, 2, 2))
CALLS: dict[str, Callable[[], Any]] = {
    "a size of 400 digits": lambda: wa.Grid((1,), (HUGE,), (0,)),
    "a box of 400 digits": lambda: wa.Box((0,), (HUGE,)),
    "indices of 400 digits": lambda: wa.Box.from_index((0,), (HUGE,), (1.0,), (0.0,)),
    "sizes that are no numbers": lambda: wa.Box.from_index((0,), (1,), ("a",), (0.0,)),  # type: ignore[arg-type]
    "sizes that are none": lambda: wa.index_range((0,), (1,), None, (0,)),  # type: ignore[arg-type]
    "quotients beyond a float": lambda: wa.index_range((0,), (1,), (5e-324,), (0,)),
    "a box beyond a float": lambda: GRID.index_box(((-1e308,) * 3, (1e308,) * 3)),
    "endless levels": lambda: wa.level_factors((8.0, 8.0), max_levels=2**62),
    "a ratio that is none": lambda: wa.level_factors((8.0,), ratio=None, max_levels=1),  # type: ignore[arg-type]
    "a ratio of 400 digits": lambda: wa.level_factors((8.0,), ratio=HUGE, max_levels=1),
    "endless axes": lambda: wa.default_axes(2**62),
    "keys of endless axes": lambda: wa.parse_chunk_key("c/0", "zarr3", ndim=2**62),
    "keys of half an axis": lambda: wa.parse_chunk_key("c/0", "zarr3", ndim=0.5),  # type: ignore[arg-type]
    "a list for a format": lambda: wa.chunk_key((0,), []),  # type: ignore[arg-type]
    "an array for a separator": lambda: wa.chunk_key((0,), "zarr2", np.zeros(3)),  # type: ignore[arg-type]
    "a list for a mode": lambda: wa.select_level([("s0", (1,))], (1,), []),  # type: ignore[arg-type]
    "a list for a snap mode": lambda: wa.Box((0,), (1,)).snap((1,), (0,), []),  # type: ignore[arg-type]
    "numbers for axes": lambda: wa.Grid((1,), (1,), (0,), axes=(1,)),  # type: ignore[arg-type]
    "true for axes": lambda: wa.Grid((1,), (1,), (0,), axes=True),  # type: ignore[arg-type]
    "numbers for units": lambda: wa.Grid((1,), (1,), (0,), units=(1,)),  # type: ignore[arg-type]
    "numbers for axis types": lambda: wa.Grid((1,), (1,), (0,), axis_types=(1,)),  # type: ignore[arg-type]
    "a dtype that is a mapping": lambda: GRID.meta({"x": "nanometer"}),  # type: ignore[arg-type]
    "a grid of nothing": lambda: wa.Grid.from_meta(None),  # type: ignore[arg-type]
    "grids compared with nothing": lambda: GRID.meta("u1").same_grid(None),  # type: ignore[arg-type]
    "an axis that is none": lambda: GRID.meta("u1").axis_index(None),  # type: ignore[arg-type]
    "a cache of 2^64 bytes": lambda: wa.capped_context(cache_bytes=2**64),
    "a delay of 400 digits": lambda: wa.Retry(base_delay=HUGE),
    "a span of time for a delay": lambda: wa.Retry(base_delay=np.timedelta64(1, "s")),  # type: ignore[arg-type]
    "reads in an array without axes": lambda: wa.read_many(np.array(3)),  # type: ignore[arg-type]
    "a path of half a character": lambda: wa.detect("a\ud800"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_argument_that_cannot_be_used_is_an_error_of_this_package(call: Callable[[], Any]) -> None:
    with pytest.raises(WorldArrayError):
        call()


def test_a_context_without_axes_counts_on_every_side() -> None:
    assert wa.blocks((10,), (4,), context=np.array(1))[1].read_begin == (3,)  # type: ignore[arg-type]


def test_a_path_joined_with_nothing_is_itself() -> None:
    assert wa.store.join("em.zarr/") == "em.zarr"


@pytest.mark.skipif(os.sep != "/", reason="names are Unicode here")
def test_an_array_in_a_folder_that_is_no_utf8_is_refused_where_it_is_read(tmp_path: Any) -> None:
    with demo_pyramid() as path:
        group = os.path.join(os.fsencode(tmp_path), b"\xff.zarr")  # noqa: PTH118
        shutil.copytree(os.fsencode(path), group)
    vol = wa.open(os.fsdecode(group), level="s0")
    with pytest.raises(WorldArrayError, match="UTF-8"):
        vol.read_index((0, 0, 0), (1, 1, 1))


def test_a_grid_read_as_far_as_400_digits_is_refused() -> None:
    with demo_pyramid() as path:
        vol = wa.open(path, level="s0")
        with pytest.raises(WorldArrayError):
            vol.read_onto(vol, (0, 0, 0), (HUGE, 1, 1))


READS: dict[str, Callable[[wa.WorldArray], Any]] = {
    "more voxels than memory": lambda vol: vol.read(((0, 0, 0), (1e8, 1e8, 1e8))),
    "more indices than memory": lambda vol: vol.read_index((0, 0, 0), (2**60, 1, 1)),
    "finer voxels than memory": lambda vol: vol.read(vol.box, voxel_size=(1e-4, 1e-4, 1e-4)),
    "finer means than memory": lambda vol: vol.read(vol.box, voxel_size=(1e-4, 1e-4, 1e-4), method="linear"),
    "voxels of 1e-300": lambda vol: vol.read(vol.box, voxel_size=(1e-300, 1e-300, 1e-300)),
    "voxels of 5e-324": lambda vol: vol.read(vol.box, voxel_size=(5e-324, 5e-324, 5e-324)),
    "an empty box wider than an array": lambda vol: vol.read_index((0, 0, 0), (0, 10**30, 1)),
    "an anchor of 1e300": lambda vol: vol.read(vol.box, voxel_size=(7, 7, 7), anchor=(1e300, 1e300, 1e300)),
    "an anchor of 1e18": lambda vol: vol.read(vol.box, voxel_size=(7, 7, 7), anchor=(1e18, 1e18, 1e18)),
    "a span of time as padding": lambda vol: vol.read(vol.box, padding=np.timedelta64(1, "s")),
    "an array as a method": lambda vol: vol.read(vol.box, method=np.zeros(3)),  # type: ignore[arg-type]
    "true as a selection": lambda vol: vol.read(vol.box, select=True),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_that_cannot_be_is_refused_before_anything_is_allocated(read: Callable[[wa.WorldArray], Any]) -> None:
    with demo_pyramid() as path, pytest.raises(WorldArrayError):
        read(wa.open(path, level="s0"))


def test_a_declared_voxel_size_beyond_a_float_is_refused() -> None:
    with demo_pyramid() as path, pytest.raises(WorldArrayError):
        wa.open(path, level="s0", base_voxel_size=(1e308, 1e308, 1e308)).box  # noqa: B018


@pytest.mark.skipif(os.sep != "/", reason="a backslash separates folders here")
def test_a_backslash_is_refused_since_data_would_be_looked_for_in_another_folder() -> None:
    with pytest.raises(WorldArrayError, match="backslash"):
        wa.detect("a\\b.zarr")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")  # noqa: PTH110
def test_a_document_that_is_an_endless_device_is_not_read(tmp_path: Any) -> None:
    (tmp_path / "zarr.json").symlink_to("/dev/zero")
    with pytest.raises(WorldArrayError, match="device"):
        wa.detect(str(tmp_path))


def test_text_that_an_output_cannot_encode_is_printed_as_escapes(tmp_path: Any) -> None:
    with demo_pyramid() as path:
        group = tmp_path / "\u00fc.zarr"
        shutil.copytree(path, group)
    command = [sys.executable, "-m", "worldarray.cli", "info", str(group)]
    shown = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"\\xfc.zarr" in shown.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_an_answer_that_cannot_be_written_is_one_line() -> None:
    with demo_pyramid() as path, open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "worldarray.cli", "info", path]
        shown = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert shown.returncode == 1
    assert shown.stderr.startswith(b"worldarray: the answer cannot be written")
    assert shown.stderr.count(b"\n") == 1
