"""WritableArray: a WorldArray whose whole write units may be written, by many processes without a lock."""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub
from typing import TYPE_CHECKING, Any

from worldarray.arguments import index_tuple
from worldarray.array import WorldArray
from worldarray.errors import ArgumentError, problem
from worldarray.opening import choose
from worldarray.opening.opened import Opened
from worldarray.opening.options import OpenArguments, check_retries
from worldarray_write.unchanged import check_unchanged, described, refuse_other_keys
from worldarray_write.write_plan import Target, check_aligned, check_box, checked_data, every_box

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)

    from worldarray.io.retry import Retry
    from worldarray_write.io.arrays import Writer


class WritableArray(WorldArray):
    """One array that is read as a `worldarray.WorldArray` is, and written in whole write units.

    A write commits before it returns. Writers of different units, in any number of processes, need no lock and no
    order: a unit is stored by one put. Handles pickle; each process opens its own store, and reads the array's document
    then: an array that is gone, or is stored in another way than when the handle was made, is not written.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from worldarray_write import create
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vol = create(f"{folder}/em.zarr/s0", (4, 6), "uint8", voxel_size=(8, 4), translation=(4, 2), chunks=(2, 3))
    ...     vol.write_index((2, 0), (4, 3), np.full((2, 3), 7, "uint8"))
    ...     int(vol.read_index((0, 0), (4, 6)).sum())
    42
    """

    writable = True

    def __init__(self, opened: Opened, *, store_fill: bool = False) -> None:
        super().__init__(opened)
        self._store_fill = store_fill
        self._target = Target.of(opened.view.stored, opened.view.pins)
        self._writer: Writer | None = None
        self._is_checked = False

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the open stores: a copy opens its own."""
        return {**super().__getstate__(), "_writer": None, "_is_checked": False}

    def write_index(
        self,
        begin: Sequence[int],
        end: Sequence[int],
        data: Any,
        *,
        partial: bool = False,
        retries: Retry | None = None,
    ) -> None:
        """Write the voxels [begin, end) of the stored grid.

        Parameters
        ----------
        begin, end
            One integer per kept axis: multiples of `write_shape`, or the array's end.
        data
            Shape ``end - begin`` and the array's dtype; the byte order may differ.
        partial
            Take any box, reading and rewriting the units it cuts. Unsafe while anything else writes one of them.
        retries
            Tried again as this policy says; by default a write is tried once.

        Raises
        ------
        ArgumentError
            The box is no union of whole write units or reaches outside the array, or the data has another shape or
            dtype; or the array has changed since the handle was made. Nothing is written then.
        StoreNotFoundError
            The array was removed since the handle was made.
        ForkError
            This process was forked from one that had used tensorstore.
        """
        check_retries(retries)
        low = index_tuple(begin, "begin", self.ndim)
        high = index_tuple(end, "end", self.ndim)
        plain = self._target.is_plain(low, high)
        if not plain:
            check_box(self._target, low, high)
            if not partial:
                check_aligned(self._target, low, high)
        shape = tuple(map(sub, high, low))
        values = checked_data(self.level_path, data, shape, self.dtype)
        if plain:
            self._writing().write_plain(tuple(map(slice, low, high)), values, retries)
        elif 0 not in shape:
            box = every_box(self._target, low, high)
            every = values.reshape([part.stop - part.start for part in box])
            self._writing().write(box, every, retries, whole=not partial)

    def write(self, box: object, data: Any, *, partial: bool = False, retries: Retry | None = None) -> None:
        """Write the voxels whose centres lie in a world box, half-open, in the handle's units.

        The box is over the spatial axes, or over every kept axis; nothing is padded and nothing is resampled.

        Raises
        ------
        ArgumentError
            As for `write_index`.
        """
        if self.resampled:
            message = "the handle has a resample target, and nothing is resampled on writing; open without voxel_size"
            raise ArgumentError(problem("invalid_argument", (self.level_path, "voxel_size"), message))
        begin, end = self.index_box(box)
        self.write_index(begin, end, data, partial=partial, retries=retries)

    def write_chunk(self, index: Sequence[int], data: Any, *, retries: Retry | None = None) -> None:
        """Write the whole write unit at an index of the write grid, one entry per kept axis.

        `data` has that unit's shape, clipped at the array's end.

        Raises
        ------
        ArgumentError
            There is no such unit, or the data has another shape or dtype.
        """
        at = index_tuple(index, "index", self.ndim)
        units = [self._target.unit[axis] for axis in self._target.kept]
        begin = tuple(i * unit for i, unit in zip(at, units, strict=True))
        for axis, (i, b, n) in enumerate(zip(at, begin, self.meta.shape, strict=True)):
            if i < 0 or b >= n:
                last = -(-n // units[axis]) - 1
                message = (
                    f"axis {self.axes[axis]!r} has {f'write units 0 to {last}' if n else 'no write units'}, not {i}"
                )
                raise ArgumentError(problem("out_of_range", (self.level_path, "index", axis), message))
        end = tuple(min(b + unit, n) for b, unit, n in zip(begin, units, self.meta.shape, strict=True))
        self.write_index(begin, end, data, retries=retries)

    def reopen(self, context: tensorstore.Context | None = None, **overrides: Any) -> WritableArray:
        """Return the same array opened again for writing, as `worldarray.WorldArray.reopen` does for reading.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            An override is none of `open`'s arguments, or asks for what is not written.
        """
        again = super().reopen(context, **overrides)
        assert isinstance(again, WritableArray)
        check_writable(again.opened)
        again._store_fill = self._store_fill
        return again

    def _writing(self) -> Writer:
        """Return what writes the array, made on first use."""
        if self._writer is None:
            from worldarray_write.io.arrays import Writer  # noqa: PLC0415  (documents need no tensorstore)

            opened, context = self._opened, self._opened.arguments.context
            self._check_unchanged()
            self._writer = Writer(opened.facts, opened.folder, self._target, context, store_fill=self._store_fill)
        return self._writer

    def _check_unchanged(self) -> None:
        """Check the array before its store is opened, once per handle and process."""
        if not self._is_checked:
            check_unchanged(self._opened)
            self._is_checked = True

    def _open_store(self) -> tensorstore.TensorStore:
        from worldarray.io.arrays import open_facts  # noqa: PLC0415  (documents need no tensorstore)

        opened, context = self._opened, self._opened.arguments.context
        self._check_unchanged()
        store: tensorstore.TensorStore = open_facts(
            opened.facts, opened.folder, context, write=True, store_fill=self._store_fill
        )
        return store


def open_writable(arguments: OpenArguments) -> WritableArray:
    """Return the handle of ``worldarray.open(…, mode="r+")``: what stands there is opened, nothing is made.

    Raises
    ------
    ArgumentError
        The array is no zarr, is reached through http or a symbolic link, or one field of a structured dtype is asked
        for: none of these is written. Or its chunks are keyed with another dimension separator than its document says,
        and no `dimension_separator` is given.
    """
    return WritableArray(check_writable(choose.open_array(arguments)))


def check_writable(opened: Opened) -> Opened:
    """Refuse an array that this package does not write.

    Raises
    ------
    ArgumentError
        It is N5 or precomputed, reached through http or a symbolic link, one field of a structured dtype, or its chunks
        are keyed with another separator than its document says.
    """
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    stored, arguments = opened.view.stored, opened.arguments
    if stored.format not in ("zarr2", "zarr3"):
        message = f"is {stored.format}; only zarr v2 and v3 are written"
        raise ArgumentError(problem("unsupported", stored.path, message))
    if arguments.field is not None:
        message = f"field={arguments.field!r}: one field of a structured dtype is read, but not written"
        raise ArgumentError(problem("unsupported", (stored.path, "field"), message))
    store.check_writable(opened.location)
    store.refuse_symlink(opened.location)
    if arguments.dimension_separator is None:
        refuse_other_keys(choose.source_of(opened.location, arguments.context), described(opened))
    return opened
