"""A file that is being filled: it has another name until it is closed."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import Any

import numpy as np

from mlarray.errors import MLArrayError
from mlarray.io import locks
from mlarray.io.blosc_store import BloscStore
from mlarray.io.file_store import write_keys
from mlarray.io.frame import check_keys
from mlarray.io.kept_keys import KeptKeys
from mlarray.io.memory_store import constant_array
from mlarray.io.publish import check_written, discard, replace, temporary_name
from mlarray.layout.records import Layout


class CreateStore(KeptKeys, BloscStore):
    """An array under a temporary name; `publish` puts it in place, `close` without it takes it away."""

    path: str
    mode: str

    def __init__(self, path: str, array: Any, name: str, *, overwrite: bool) -> None:
        super().__init__(array)
        self.path, self.mode = path, "w"
        self._name, self._overwrite = name, overwrite
        self._keys: dict[str, bytes] = {}

    def publish(self) -> None:
        """Write the metadata and put the file in place.

        Raises
        ------
        FileExistsError
            Something stands there by now, which may not be replaced.
        LockedError
            Another handle has the file open for writing.
        ReadOnlyError
            It is the process that this one was forked from that creates the file.
        """
        array = self.writable()
        check_keys(self._keys)
        if self._overwrite and not locks.free(self.path):
            raise locks.locked(self.path)
        try:
            write_keys(array, self._keys, frozenset())
        except RuntimeError as error:
            raise self._unwritable(error) from None
        super().close()
        del array
        check_written(self._name, self.path, self._keys)
        with locks.held(self.path) if self._overwrite else contextlib.nullcontext():
            replace(self._name, self.path, exclusive=not self._overwrite)

    def close(self) -> None:
        """Let go, and take the temporary file away if it was not published."""
        if not self.closed:
            super().close()
        if not self.inherited:
            discard(self._name)


def create_file(
    path: str,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    layout: Layout | None,
    *,
    fill: Any = None,
    overwrite: bool,
) -> CreateStore:
    """Begin a file of one value (None: 0).

    Raises
    ------
    FileExistsError
        Something stands there, and `overwrite` is not set.
    ArgumentTypeError, ArgumentError
        The dtype or the shape is none that files hold.
    """
    if not overwrite and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "something stands there already; mode='w' would replace it", path)
    name = temporary_name(path)
    try:
        array = constant_array(shape, dtype, fill, layout, urlpath=name, mode="w")
    except RuntimeError as error:
        discard(name)
        if isinstance(error, MLArrayError):
            raise
        raise OSError(errno.EIO, f"the file cannot be made ({error}): is the disk full?", path) from None
    except BaseException:
        discard(name)
        raise
    return CreateStore(path, array, name, overwrite=overwrite)
