"""What worker processes run: importable there by name, as tests are not."""

import os
import time

import numpy as np

import worldarray as wa

SHAPE, CHUNKS = (10, 13, 16), (3, 4, 5)
"""4 x 4 x 4 units, the last ones clipped to (1, 1, 1)."""
PLACE = {"voxel_size": (30.0, 8.0, 4.0), "translation": (100.0, 20.0, 6.0)}


def run(environment, begin, task, *arguments, **named):
    """Run one of the tasks below at a time of the clock, with variables of the environment set."""
    os.environ.update(environment)
    time.sleep(max(begin - time.time(), 0))
    return globals()[task](*arguments, **named)


def values(shape=SHAPE):
    """1, 2, 3, …"""
    return np.arange(1, np.prod(shape) + 1, dtype="uint16").reshape(shape)


def fill(array, first, step):
    """Write every `step`-th unit of an array, given by its path or as a handle."""
    vol = wa.open(array, mode="r+") if isinstance(array, str) else array
    blocks = list(vol.blocks())[first::step]
    for block in blocks:
        vol.write_index(block.begin, block.end, values(vol.shape)[tuple(map(slice, block.begin, block.end))])
    return len(blocks)


def make(path, **changes):
    """Create a level; return what its handle says, or the name of the error and the fields it names."""
    given = {"shape": SHAPE, "dtype": "uint16", **PLACE, "chunks": CHUNKS}
    try:
        vol = wa.create(path, **{**given, **changes})
    except wa.errors.WorldArrayError as error:
        return type(error).__name__, {found.at[-1] for found in error.problems}
    return vol.shape, vol.translation


def make_and_fill(path, first, step, **changes):
    """Create or adopt a level and write a part of it."""
    made = make(path, **changes)
    return made, fill(path, first, step)


def add(group, name, factor, **named):
    """Add a level to a group."""
    return wa.open_pyramid(group, mode="r+").add_level(name, factor, **named).shape


def told(vol):
    """What a handle that travelled says, and its data."""
    whole = vol.read_index((0,) * vol.ndim, vol.meta.shape)
    return vol.level_path, vol.writable, vol.write_shape, vol.meta, whole.tobytes()


def wrote(vol, index):
    """Write one unit through a handle that travelled."""
    unit = list(vol.blocks())[index]
    vol.write_chunk(unit.index, np.full([e - b for b, e in zip(unit.begin, unit.end, strict=True)], 7, vol.dtype))
    return vol.list_chunks()


def enlist(group, name, voxel_size):
    """List an array in a group."""
    wa.ensure_group_entry(group, name, voxel_size, (4, 2))
