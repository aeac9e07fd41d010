"""What worker processes run: importable there by name, as tests are not."""

import hashlib

import numpy as np

import worldarray as wa


def doubled(values):
    """A transform that travels: float32, twice the stored values."""
    return values.astype("float32") * 2


class Named(wa.WorldArray):
    """A subclass, as other packages make one."""

    def title(self):
        return f"{self.level_name} at {self.voxel_size}"


def told(vol):
    """Everything that a handle says, and the bytes that it reads: a box grown past the data, and an index box."""
    grown = vol.box.grow(tuple(1.5 * s for s in vol.voxel_size))
    values, inside = vol.read(grown, mask=True)
    begin, end = vol.index_box(vol.box)
    stored = vol.read_index(begin, end)
    facts = (vol.path, vol.level_path, vol.level_name, vol.levels, vol.shape, vol.dtype, vol.axes, vol.spatial)
    placed = (vol.voxel_size, vol.source_voxel_size, vol.translation, vol.corner, vol.resampled, vol.target)
    how = (vol.padding, vol.method, vol.retries, vol.remote, type(vol).__name__)
    return facts, placed, how, (vol.meta, vol.grid), [checksum(array) for array in (values, inside, stored)]


def checksum(values):
    return hashlib.sha256(
        f"{values.dtype} {values.shape}".encode() + np.ascontiguousarray(values).tobytes()
    ).hexdigest()


def pyramid_told(pyramid):
    return pyramid.path, pyramid.names, pyramid.placements(), pyramid.metas(), [told(vol) for vol in pyramid.levels]


def same(value):
    return value


def first_voxel(path, level=0):
    vol = wa.open(path, level=level)
    return int(vol.read_index((0,) * vol.ndim, (1,) * vol.ndim).reshape(-1)[0])


def refused(path):
    """The name and the text of the error that reading a path gives here."""
    try:
        first_voxel(path)
    except wa.errors.WorldArrayError as error:
        return type(error).__name__, str(error)
    return None


def fail(vol, begin, end):
    return vol.read_index(begin, end)
