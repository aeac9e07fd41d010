"""Creations that something stands in the way of: refused before the group is touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from trees import tree

import worldarray as wa
from worldarray.errors import AccessError, WorldArrayError


def make(path: str, **more: object) -> wa.WorldArray:
    return wa.create(path, (16, 16), "uint8", (8.0, 8.0), (4.0, 4.0), chunks=(8, 8), **more)


OBSTACLES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a file where the level goes": ("zarr3", lambda group: (group / "s0").write_text("precious")),
    "a file where a zarr v2 level goes": ("zarr2", lambda group: (group / "s0").write_text("precious")),
    "a pipe where the level goes": ("zarr3", lambda group: os.mkfifo(group / "s0")),
    "a folder called zarr.json": ("zarr3", lambda group: (group / "s0" / "zarr.json").mkdir(parents=True)),
    "a folder called .zarray": ("zarr2", lambda group: (group / "s0" / ".zarray").mkdir(parents=True)),
    "a folder called .zattrs in the group": ("zarr2", lambda group: (group / ".zattrs").mkdir()),
    "a link to nothing called zarr.json": (
        "zarr3",
        lambda group: ((group / "s0").mkdir(), (group / "s0" / "zarr.json").symlink_to("nothing")),
    ),
    "attributes that are no JSON": (
        "zarr2",
        lambda group: ((group / "s0").mkdir(), (group / "s0" / ".zattrs").write_bytes(b"\xff")),
    ),
}


@pytest.mark.parametrize("exists", ["error", "adopt"])
@pytest.mark.parametrize(("format", "obstacle"), OBSTACLES.values(), ids=OBSTACLES)
def test_what_stands_in_the_way_of_a_level_is_found_before_the_first_write(
    tmp_path: Path, format: str, obstacle: Callable[[Path], object], exists: str
) -> None:
    group = tmp_path / "em.zarr"
    group.mkdir()
    obstacle(group)
    before = tree(group)
    with pytest.raises(WorldArrayError):
        make(f"{group}/s0", format=format, exists=exists)
    assert tree(group) == before


@pytest.mark.parametrize("name", ["zarr.json", "s0.__lock", "x" * 300, "a\\b", "a\ud800", os.fsdecode(b"a\xff")])
def test_a_name_that_no_level_can_have_is_found_before_the_first_write(tmp_path: Path, name: str) -> None:
    make(f"{tmp_path}/em.zarr/s0")
    before = tree(tmp_path)
    with pytest.raises(WorldArrayError):
        make(f"{tmp_path}/em.zarr/{name}")
    with pytest.raises(WorldArrayError):
        wa.open_pyramid(f"{tmp_path}/em.zarr", mode="r+").add_level(name, 2)  # type: ignore[attr-defined]
    assert tree(tmp_path) == before


def test_attributes_of_a_group_that_are_no_mapping_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldArrayError):
        make(f"{tmp_path}/em.zarr/s0", group_attrs=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes root to become another user")
def test_a_folder_of_the_level_that_this_user_may_not_write_in_is_found_before_the_first_write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        group = Path(folder, "em.zarr")
        make(f"{group}/s0")
        (group / "s1").mkdir(mode=0o755)
        for path in (Path(folder), group):
            path.chmod(0o777)
        (group / "zarr.json").chmod(0o666)
        before = tree(group)
        os.seteuid(65534)
        try:
            with pytest.raises(AccessError):
                make(f"{group}/s1")
        finally:
            os.seteuid(0)
        assert tree(group) == before
