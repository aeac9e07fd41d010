"""MLArray: an array with its metadata, in a file or in memory."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from mlarray import constructors, pickling
from mlarray.constructors import Constructors
from mlarray.errors import ArgumentError, Problem
from mlarray.files import Files, loaded
from mlarray.handle import recorded
from mlarray.io import memory_store
from mlarray.layout.arguments import resolve_layout
from mlarray.placed import Placed
from mlarray.voxels import Voxels


class MLArray(Constructors, Files, Placed, Voxels):
    """An array with its metadata: `open` and `create` for files, the constructor and its kin for memory.

    Parameters
    ----------
    array
        An array-like, which is copied; or the path of a file, which is loaded.
    axes
        A name or a map per axis, C order. The names c or channel, t or time, and z, y, x bring their types.
    space, spacing, origin, direction, matrix, affine
        Where the voxels lie: spacing per array axis of type space, origin (of the centre of voxel 0) per axis of the
        space, direction with the unit vector of each array axis as columns; or all of it as a matrix from indices to
        coordinates (`affine` is another name of it). ``space="patient"`` is the DICOM patient frame in millimetres.
    spaces, values, profiles, user, source
        Metadata as the format has it.
    meta, copy, copy_source
        Metadata to start from: a `Meta`, or another array. Source comes along from either only with
        ``copy_source=True``: it describes the array that was converted.
    patch_size, chunk_size, block_size, cparams, dparams
        The layout: the size of patches that will be read (per axis of type space; 192 by default), or chunk and block;
        blosc2's settings of compression.
    compressed
        False holds the array as it is, uncompressed, in memory.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        The array cannot be stored, or what is said of it breaks a rule of the format.

    Examples
    --------
    >>> m = MLArray(np.zeros((4, 5, 6), "i2"), spacing=(2.5, 0.7, 0.7), origin=(1, 2, 3), space="patient")
    >>> m.letter_codes(), m.index_to_space((2, 0, 0)).tolist()
    ('SPL', [1.0, 2.0, 8.0])
    """

    def __init__(  # noqa: PLR0913  (every part of the metadata has its argument)
        self,
        array: Any = None,
        *,
        axes: Any = None,
        space: str | None = None,
        spacing: Any = None,
        origin: Any = None,
        direction: Any = None,
        matrix: Any = None,
        affine: Any = None,
        spaces: Any = None,
        values: Any = None,
        profiles: Any = None,
        user: Any = None,
        source: Any = None,
        meta: Any = None,
        copy: Any = None,
        copy_source: bool = False,
        patch_size: Any = "default",
        chunk_size: Any = None,
        block_size: Any = None,
        cparams: Any = None,
        dparams: Any = None,
        compressed: bool = True,
    ) -> None:
        arguments = {key: value for key, value in locals().items() if key not in {"self", "array", "__class__"}}
        if isinstance(array, (str, bytes, os.PathLike)):
            _alone(arguments)
            self._set(loaded(array, compressed=True))
        elif array is None:
            self._set(constructors.from_array(np.empty(0), {**arguments, "patch_size": None}))
        else:
            self._set(constructors.from_array(array, arguments))

    def compress(self, **layout: Any) -> None:
        """Hold the array compressed in memory from now on, away from its file."""
        wanted = constructors.layout_alone(layout, "compress", frozenset({"dparams"}))
        chosen = resolve_layout(self.shape, self.dtype, self.meta.axis_types, wanted, self._recorded())
        store = memory_store.in_memory(self.to_numpy(), chosen, constructors.threads(layout.get("dparams")))
        self._detach(store, chosen.patch)

    def decompress(self) -> None:
        """Hold the array as plain numbers in memory from now on, away from its file; `storage` is forgotten."""
        self._detach(memory_store.PlainStore(self.to_numpy()), None)

    def _detach(self, store: Any, patch: tuple[int, ...] | None) -> None:
        fresh = self.meta.copy()
        fresh.bind(self.shape, self.dtype)
        recorded(fresh, store, patch)
        foreign = self._store.keys()
        store.set_keys({name: foreign[name] for name in foreign if not name.startswith("mlarray")})
        if self._store.mode in {"r+", "w"}:
            self.flush()
        self._store.close()
        self._store, self._meta, self._patch = store, fresh, patch

    def __reduce__(self) -> tuple[Any, ...]:
        return pickling.reduce(self, self._live(), self._options, self._patch)

    def __deepcopy__(self, memo: dict[int, Any]) -> MLArray:
        return pickling.copy(self, self._live(), self._patch)


_DEFAULTS = {"copy_source": False, "patch_size": "default", "compressed": True}


def _alone(arguments: dict[str, Any]) -> None:
    given = [key for key, value in arguments.items() if value is not _DEFAULTS.get(key) and value != _DEFAULTS.get(key)]
    if given:
        message = f"a file brings its own metadata and layout; leave {', '.join(given)} out"
        raise ArgumentError(Problem("conflict", (given[0],), message))
