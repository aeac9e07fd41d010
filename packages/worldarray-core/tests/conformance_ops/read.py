import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import worldarray as wa
from worldarray.errors import PlacementWarning, WorldArrayError
from worldarray_conformance import Answer, store_bytes


def write_store(store, folder):
    for key, data in store_bytes(store).items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def relative(error, folder):
    """The same error with document paths as keys of the store."""
    prefix = f"{folder}/"
    problems = [
        replace(
            p,
            at=tuple(part.removeprefix(prefix) if isinstance(part, str) else part for part in p.at),
            message=p.message.replace(prefix, ""),
        )
        for p in error.problems
    ]
    return type(error)(*problems)


def opening(function):
    """An op over an opened handle: the store is written to a folder, and warnings are collected as notices."""

    def answer(given):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PlacementWarning)
            write_store(given["store"], Path(folder))
            try:
                found = function(wa.open(f"{folder}/{given['path']}", **given.get("open", {})), given)
            except WorldArrayError as error:
                raise relative(error, folder) from error
        return Answer(found, [entry.message.notice for entry in caught])

    return answer


def arguments(given, *names):
    return {name: given[name] for name in names if name in given}


def arrays(found, given):
    if given.get("mask"):
        array, mask = found
        assert array.flags.c_contiguous
        return {"array": array, "mask": mask}
    assert found.flags.c_contiguous
    assert found.dtype.isnative
    return {"array": found}


@opening
def handle(vol, given):
    return {
        "level": vol.level_name,
        "axes": vol.axes,
        "shape": vol.shape,
        "dtype": vol.dtype.name,
        "voxel_size": vol.voxel_size,
        "translation": vol.translation,
        "corner": vol.corner,
        "source_voxel_size": vol.source_voxel_size,
        "resampled": vol.resampled,
    }


@opening
def index(vol, given):
    return arrays(vol.read_index(**arguments(given, "begin", "end", "padding", "mask", "select")), given)


@opening
def world(vol, given):
    box = (given["box"]["begin"], given["box"]["end"])
    names = ("voxel_size", "padding", "method", "mask", "strict", "anchor", "select")
    return arrays(vol.read(box, **arguments(given, *names)), given)


@opening
def onto(vol, given):
    grid = wa.Grid(**given["grid"])
    return arrays(vol.read_onto(grid, **arguments(given, "begin", "end", "padding", "method", "mask")), given)


OPS = {"read.open": handle, "read.index": index, "read.world": world, "read.onto": onto}
