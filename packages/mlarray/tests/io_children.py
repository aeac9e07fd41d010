"""What child processes run in the tests of files: in a module of its own, which they can import."""

import numpy as np

from mlarray import MLArray

SHAPE = (60, 100, 120)


def noise(seed, shape=SHAPE):
    """Random values that a number stands for."""
    return np.random.default_rng(seed).integers(-1000, 1000, shape, dtype="i2")


def read(array, queue):
    """Read one voxel of a handle that came along."""
    queue.put(int(array[3, 4, 5]))


def open_and_save(path, queue):
    """Open a file, save it under another name, and make an array."""
    with MLArray.open(path) as array:
        array.save(str(path).replace("a.mla", "child.mla"), patch_size=16)
    queue.put(int(MLArray(noise(9))[3, 4, 5]))
