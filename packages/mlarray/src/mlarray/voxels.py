"""Voxels: read, written, checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from mlarray import prefetch as reading
from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.geometry.fingerprint import data_hash, rows_per_slab
from mlarray.geometry.patch import plan_patch
from mlarray.handle import Handle, fill_value
from mlarray.header.check_values import representable

if TYPE_CHECKING:
    from mlarray.array import MLArray


class Voxels(Handle):
    """What an array does with its values."""

    def __getitem__(self, key: Any) -> Any:
        """Return stored values as numpy does: an array, or a scalar for whole indices."""
        return self._live()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._live()[key] = value

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def to_numpy(self) -> NDArray[Any]:
        """Return all stored values."""
        found = np.empty(self.shape, self.dtype)
        if found.size:
            self._store.read_box((0,) * self.ndim, self.shape, found)
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the values are compressed, so there is nothing to share; leave copy=False out")
        found = self.to_numpy()
        return found if dtype is None else found.astype(dtype, copy=False)

    def physical(self, key: Any = ...) -> NDArray[Any]:
        """Return physical values, scale * stored + offset: float64, complex where complex is stored.

        Examples
        --------
        >>> from mlarray import MLArray
        >>> m = MLArray(np.array([1, 2], "u1"), values={"scale": 0.5, "offset": -1, "unit": "kelvin"})
        >>> m.physical().tolist()
        [-0.5, 0.0]
        """
        self.meta.usable(("values", "scale"), ("values", "offset"))
        values = self.meta.values
        stored = np.asarray(self[key])
        found = stored.astype(np.complex128 if stored.dtype.kind == "c" else np.float64)
        if values.scale != 1:
            found *= values.scale
        if values.offset != 0:
            found += values.offset
        return found[()]

    def read_patch(
        self, start: Sequence[int], size: Sequence[int], out: NDArray[Any] | None = None, pad_value: Any = None
    ) -> NDArray[Any]:
        """Return the patch [start, start + size) of stored values.

        Parameters
        ----------
        start, size
            Per axis, C order. What lies outside of the array is padding; a negative start is no index from the end.
        out
            Where to put it: C-contiguous, of that size and dtype; nothing is allocated then.
        pad_value
            What is outside; None is `values.fill`, or 0 where there is none.

        Raises
        ------
        ArgumentTypeError, ArgumentError
            A start or size that is none, an `out` that does not fit, a padding that the dtype does not hold.

        Examples
        --------
        >>> from mlarray import MLArray
        >>> m = MLArray(np.arange(12, dtype="i2").reshape(3, 4))
        >>> m.read_patch((2, -1), (2, 3), pad_value=-9).tolist()
        [[-9, 8, 9], [-9, -9, -9]]
        """
        store = self._live()
        plan = plan_patch(start, size, store.shape)
        if out is None:
            out = _room(plan.size, store.dtype)
        elif getattr(out, "shape", None) != plan.size or out.dtype != store.dtype:
            message = f"out must be a numpy array of shape {plan.size} and dtype {store.dtype}"
            raise ArgumentError(Problem("wrong_value", ("out",), message))
        elif not (out.flags.c_contiguous and out.flags.writeable):
            raise ArgumentError(Problem("wrong_value", ("out",), "out must be C-contiguous and writeable"))
        if not plan.pads:
            if out.size:
                store.read_box(plan.begin, plan.end, out)
            return out
        out[...] = self._padding(pad_value)
        if not plan.empty and out.size:
            box = np.empty(tuple(b - a for a, b in zip(plan.begin, plan.end, strict=True)), store.dtype)
            store.read_box(plan.begin, plan.end, box)
            out[plan.target] = box
        return out

    def _padding(self, pad_value: Any) -> Any:
        if pad_value is None:
            return fill_value(self.meta, self.dtype)
        value = np.asarray(pad_value)
        if value.ndim or value.dtype.kind not in "biufc":
            raise ArgumentTypeError(
                Problem("wrong_type", ("pad_value",), f"pad_value is {pad_value!r}; it is a number")
            )
        if value.dtype.kind != "c" and not representable(value.item(), self.dtype):
            message = f"{pad_value} cannot be stored as {self.dtype}"
            raise ArgumentError(Problem("not_representable", ("pad_value",), message))
        return value.astype(self.dtype)[()]

    def prefetch(self, keys: Iterable[Any], workers: int = 2, *, context: str | None = None) -> Iterator[Any]:
        """Yield the values of keys in their order, read ahead by worker processes, each with a handle of its own.

        Parameters
        ----------
        keys
            What would stand in ``m[key]``.
        workers
            How many processes.
        context
            The start method: "fork", "forkserver" or "spawn"; None is "spawn".

        Raises
        ------
        ArgumentError
            The array is in no file that is open for reading.
        """
        return reading.ahead(cast("MLArray", self), keys, workers, context)

    def verify(self) -> bool:
        """Whether the values are those that were fingerprinted when the file was converted.

        Raises
        ------
        ArgumentError
            No source has a fingerprint.
        """
        prints = [entry["fingerprint"] for entry in self.meta.source if "fingerprint" in entry]
        if not prints:
            message = "no source has a fingerprint, so there is nothing to compare with"
            raise ArgumentError(Problem("missing_field", ("source",), message))
        found = self.fingerprint()
        return any(entry["data"] == found for entry in prints)

    def fingerprint(self) -> str:
        """Return the hash of shape, dtype and values, read slab by slab."""
        rows = rows_per_slab(self.shape, self.dtype.itemsize)
        slabs = (
            (self[i : i + rows] for i in range(0, self.shape[0], rows)) if self.shape else iter([np.asarray(self[()])])
        )
        return data_hash(slabs, self.shape, self.dtype)


def _room(size: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    try:
        return np.empty(size, dtype)
    except (MemoryError, ValueError):
        message = f"a patch of {size} {dtype} does not fit into memory; give a smaller one"
        raise ArgumentError(Problem("out_of_range", ("size",), message)) from None
