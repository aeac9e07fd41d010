"""Arrays in memory: compressed, or plain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, FormatError, Problem
from mlarray.io import opening, runtime
from mlarray.io.assign import fitting, storable
from mlarray.io.blosc_store import BloscStore, closed
from mlarray.io.dtypes import check_dtype, check_shape
from mlarray.io.frame import of_bytes, read_info, read_key
from mlarray.io.kept_keys import KeptKeys
from mlarray.layout.records import Layout

MOST_CHUNKS: Final = 1 << 28
"""Their index takes eight bytes each."""


class MemoryStore(KeptKeys, BloscStore):
    """A compressed array in memory, and its metadata keys in a dict."""

    def __init__(self, array: Any, keys: Mapping[str, bytes] | None = None) -> None:
        super().__init__(array, array.schunk.dparams.nthreads)
        self._keys = dict(keys or {})


class PlainStore(KeptKeys):
    """A numpy array, and metadata keys in a dict."""

    path: str | None = None
    mode: str | None = None

    def __init__(self, array: NDArray[Any]) -> None:
        self._array: NDArray[Any] | None = array
        self._shape, self._dtype = array.shape, array.dtype
        self._keys: dict[str, bytes] = {}

    @property
    def inherited(self) -> bool:
        """False: no file is written."""
        return False

    @property
    def array(self) -> NDArray[Any]:
        """The numpy array itself."""
        if self._array is None:
            raise closed()
        return self._array

    @property
    def shape(self) -> tuple[int, ...]:
        """Size per axis, C order."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """As stored, byte order too."""
        return self._dtype

    @property
    def layout(self) -> Layout | None:
        """None: it is cut into no chunks."""
        return None

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._array is None

    def __getitem__(self, key: Any) -> Any:
        """Return a copy of what numpy gives for the key."""
        return self.array[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        array = self.array
        given = fitting(storable(value, self._dtype), np.broadcast_to(np.empty((), bool), self._shape)[key].shape)
        with np.errstate(invalid="ignore", over="ignore"):
            array[key] = given

    def read_box(self, start: tuple[int, ...], stop: tuple[int, ...], out: NDArray[Any]) -> None:
        """Copy a box into an array of its shape."""
        out[...] = self.array[tuple(map(slice, start, stop))]

    def flush(self) -> None:
        """Write out what is pending: nothing is."""

    def close(self) -> None:
        """Let go of the array; a second time does nothing."""
        self._array = None


def settings(layout: Layout | None, nthreads: int = 1) -> dict[str, Any]:
    """Return what blosc2's constructors take for a layout."""
    nthreads = runtime.threads(nthreads)
    found: dict[str, Any] = {"cparams": {"nthreads": nthreads}, "dparams": runtime.module().DParams(nthreads=nthreads)}
    if layout is not None:
        found["cparams"] = layout.compression.to_cparams(nthreads=nthreads)
        if layout.chunk:
            found |= {"chunks": layout.chunk, "blocks": layout.block}
    return found


def in_memory(array: NDArray[Any], layout: Layout | None, nthreads: int = 1) -> MemoryStore:
    """Return a compressed copy of an array.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        Its dtype or its number of axes is none that a file holds.
    """
    check_dtype(array.dtype)
    check_shape(array.shape)
    plain = np.ascontiguousarray(array).reshape(array.shape)
    return MemoryStore(runtime.module().asarray(plain, **settings(layout, nthreads)))


def constant(
    shape: tuple[int, ...], dtype: np.dtype[Any], fill: Any, layout: Layout | None, nthreads: int = 1
) -> MemoryStore:
    """Return a compressed array of one value, which takes hardly any memory; None is zeros."""
    return MemoryStore(constant_array(shape, dtype, fill, layout, nthreads=nthreads))


def plain(shape: tuple[int, ...], dtype: np.dtype[Any], fill: Any) -> PlainStore:
    """Return an array of one value, uncompressed; None is zeros.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        The value cannot be stored; the shape is too large for the memory.
    """
    check_shape(shape, dtype.itemsize)
    value = fitting(storable(0 if fill is None else fill, dtype), ()).astype(dtype)
    try:
        return PlainStore(np.full(shape, value, dtype))
    except (MemoryError, ValueError):
        message = f"the shape {shape} does not fit into memory uncompressed; leave compressed=False out"
        raise ArgumentError(Problem("out_of_range", ("shape",), message)) from None


def constant_array(
    shape: tuple[int, ...], dtype: np.dtype[Any], fill: Any, layout: Layout | None, *, nthreads: int = 1, **where: Any
) -> Any:
    """Return a blosc2.NDArray of one value, in memory or, given urlpath and mode, in a file."""
    blosc2 = runtime.module()
    check_dtype(dtype)
    check_shape(shape, dtype.itemsize)
    if layout is not None:
        _check_chunks(shape, layout.chunk)
    given = {**settings(layout, nthreads), **where}
    value = fitting(storable(0 if fill is None else fill, dtype), ()).astype(dtype)
    if not any(value.tobytes()):
        return blosc2.zeros(shape, dtype=dtype, **given)
    return blosc2.full(shape, value[()], dtype=dtype, **given)


def _check_chunks(shape: tuple[int, ...], chunk: tuple[int, ...]) -> None:
    """Refuse more chunks than an index in memory lists: blosc2 would take all of it, or fail without a word."""
    count = math.prod(-(-size // length) for size, length in zip(shape, chunk, strict=False))
    if count > MOST_CHUNKS:
        message = f"the shape {shape} in chunks of {chunk} makes {count} of them, and {MOST_CHUNKS} can be listed"
        raise ArgumentError(Problem("out_of_range", ("shape",), f"{message}; give a larger patch_size or chunk_size"))


def from_cframe(frame: bytes, nthreads: int = 1) -> MemoryStore:
    """Return the compressed array that the bytes of a frame hold, with its metadata keys.

    Raises
    ------
    FormatError
        They are no whole frame of an array.
    """
    read = of_bytes(frame)
    info = opening.decodable(read_info(read, len(frame)))
    keys = {name: read_key(read, info, name) for name in info.offsets}
    return MemoryStore(
        runtime.in_memory(frame if info.length == len(frame) else frame[: info.length], nthreads=nthreads), keys
    )


def load_file(path: str, nthreads: int = 1) -> MemoryStore:
    """Return a compressed copy of a file in memory, which so many threads decode.

    Raises
    ------
    FormatError
        It is no whole frame of an array.
    OSError
        It cannot be read.
    """
    with open(path, "rb") as file:
        frame = file.read()
    try:
        return from_cframe(frame, nthreads)
    except FormatError as error:
        raise FormatError(*error.problems, path=path) from None
