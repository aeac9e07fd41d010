"""WorldArray: one stored array, read by voxel index or by world box. It composes; the thinking is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from worldarray.arguments import index_tuple
from worldarray.grid import Grid
from worldarray.handle import Handle
from worldarray.opening import choose
from worldarray.opening.options import check_callable, check_choice, check_retries
from worldarray.reads import onto, planning
from worldarray.reads.padding import check_padding
from worldarray.reads.planning import Finish, ReadPlan, Transform
from worldarray.reads.selection import Pins, Select, pin_axes
from worldarray.reads.view import Lattice, View, spatial_numbers, spatial_sizes
from worldarray.resample import Method

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)

    from worldarray.io.arrays import Reader
    from worldarray.io.retry import PendingRead, Retry

_TRANSFORMS_KEPT: Final = 64
"""Of how many transforms a handle remembers the dtype: callers may pass a new function with every read."""


class WorldArray(Handle):
    """One array, placed: `read_index` takes voxels in the stored grid, `read` takes boxes in world units.

    Nothing is read from the array before the first read. Handles are safe to use from several threads, and pickle to
    what they were opened from; a worker process opens its own.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     vol = wa.open(path, level="s0")
    ...     vol.read_index((0, 0, 0), (2, 3, 4)).shape
    (2, 3, 4)
    """

    def read_index(
        self,
        begin: Sequence[int],
        end: Sequence[int],
        padding: Any = None,
        *,
        mask: bool = False,
        retries: Retry | None = None,
        select: Select | None = None,
        transform: Transform | None = None,
    ) -> Any:
        """Return the voxels [begin, end) of the stored grid, padded where they lie outside it.

        Parameters
        ----------
        begin, end
            One integer per axis of `axes`, less those that `select` pins.
        padding
            A value of the result's dtype, or "edge"; the handle's own by default. It is never transformed.
        mask
            Return (array, mask) instead: a boolean array, True inside the data.
        transform
            Applied to the stored values before padding; the handle's own by default.

        Returns
        -------
        numpy.ndarray
            Shape ``end - begin``, C-contiguous, native byte order.

        Raises
        ------
        ArgumentError
            A wrong number of entries, end before begin, or padding that the dtype does not hold.
        DataError
            A chunk is corrupt; the message names its file.
        """
        view, how, plan = self._plan_index(begin, end, padding, mask, select, transform)
        return self._execute(view, plan, how, retries)

    def read_index_async(
        self,
        begin: Sequence[int],
        end: Sequence[int],
        padding: Any = None,
        *,
        mask: bool = False,
        retries: Retry | None = None,
        select: Select | None = None,
        transform: Transform | None = None,
        batch: Any = None,
    ) -> PendingRead[Any]:
        """Start `read_index` and return at once; ``.result()`` gives its array, retried as `read_index` would be.

        `batch` is a tensorstore.Batch: reads of one batch are issued together when it is released.
        """
        from worldarray.io.retry import PendingRead  # noqa: PLC0415  (reading documents needs no tensorstore)

        view, how, plan = self._plan_index(begin, end, padding, mask, select, transform)
        if plan.extent.empty:
            return PendingRead.ready(planning.finish(plan, None, how))
        pending = self._reading(view.read_pins).start(plan.fetched, self._policy(retries), batch)
        return pending.then(lambda block: planning.finish(plan, block, how))

    def read(  # noqa: PLR0913  (the arguments of the specification)
        self,
        box: object,
        voxel_size: Any = None,
        padding: Any = None,
        method: Method | None = None,
        *,
        mask: bool = False,
        retries: Retry | None = None,
        strict: bool = False,
        anchor: Any = None,
        transform: Transform | None = None,
        post_transform: Transform | None = None,
        select: Select | None = None,
    ) -> Any:
        """Return the voxels whose centres lie in a world box, half-open, in the handle's units.

        Parameters
        ----------
        box
            A (begin, end) pair, a `Box`, or anything with ``begin``/``end`` or ``offset``/``shape``; over the spatial
            axes, or over every axis.
        voxel_size
            Read at this size, per spatial axis: where it is not the stored one, the data is resampled by `method`.
        padding, method
            The handle's own by default. `method` is "nearest" (the voxel that holds the target's centre) or "linear"
            (the block mean at a whole factor, else interpolation). A block that the far edge of the data cuts is the
            mean of the voxels that exist.
        strict
            Raise where a face lies on neither voxel corners nor voxel centres.
        anchor
            A world position for a lower corner of a target voxel; the source's corner by default.
        transform, post_transform
            Applied to the stored values before resampling, and to the resampled ones before padding.

        Returns
        -------
        numpy.ndarray
            Axes as `axes`, less those that `select` pins; with ``mask=True``, (array, mask).
        """
        view = self._selected(select)
        how = self._finish(view, padding, mask, transform, post_transform)
        lattice = self._lattice(view, voxel_size, anchor)
        begin, end = planning.spans(view, box, lattice, strict=strict)
        plan = self._plan(view, lattice, begin, end, self._chosen(method), how)
        return self._execute(view, plan, how, retries)

    def read_onto(  # noqa: PLR0913  (what `read` takes, on another grid)
        self,
        grid: Grid | WorldArray,
        begin: Sequence[int] | None = None,
        end: Sequence[int] | None = None,
        *,
        padding: Any = None,
        method: Method | None = None,
        mask: bool = False,
        retries: Retry | None = None,
        transform: Transform | None = None,
        post_transform: Transform | None = None,
        select: Select | None = None,
    ) -> Any:
        """Return this data on the voxels [begin, end) of another grid or array: exactly that shape, voxel for voxel.

        `begin` and `end` have one integer per spatial axis of `grid` (all of it by default). Where both voxel sizes
        are equal the read is an index read by the centre rule; else the data is resampled onto the grid.

        Raises
        ------
        ArgumentError
            The two have other spatial axes.
        """
        view = self._selected(select)
        target = grid.target if isinstance(grid, Handle) else grid
        lattice, low, high = onto.onto_lattice(view, target, begin, end)
        how = self._finish(view, padding, mask, transform, post_transform)
        first, stop = onto.whole_axes(view, low, high)
        plan = self._plan(view, lattice, first, stop, self._chosen(method), how)
        return self._execute(view, plan, how, retries)

    def list_chunks(self) -> list[tuple[int, ...]]:
        """Return the indices of the write units that exist in storage, sorted, by listing keys; over the kept axes.

        Raises
        ------
        ArgumentError
            The array is a sharded precomputed one, or stands on http, which cannot list.
        """
        from worldarray.io.listing import list_stored  # noqa: PLC0415  (only listing needs it)

        stored = list_stored(self._opened.location, self._opened.facts, self._opened.arguments.context)
        if not self._view.pins:
            return stored
        return [kept for kept in map(self._kept_unit, stored) if kept is not None]

    @property
    def ts(self) -> tensorstore.TensorStore:
        """The array as tensorstore has it, opened on first use: axes in C order, origin 0, selected axes dropped.

        Raises
        ------
        ForkError
            This is a forked child of a process that used tensorstore: use spawn or forkserver.
        """
        from worldarray.io import runtime  # noqa: PLC0415  (reading documents needs no tensorstore)

        runtime.refuse_fork()
        store: tensorstore.TensorStore = self._reading().opened
        return store

    def reopen(self, context: tensorstore.Context | None = None, **overrides: Any) -> WorldArray:
        """Return the same array opened again on another context, with some of `open`'s arguments replaced.

        The padding, method and retries that were set on the handle are kept.

        Raises
        ------
        ArgumentTypeError
            An override is none of `open`'s arguments.
        """
        kept = {"padding": self._padding, "method": self._method, "retries": self._retries}
        return type(self)(choose.reopen(self._opened, context, {**kept, **overrides}))

    # How a read is carried out ---------------------------------------------------------------------------------------

    def _selected(self, select: Select | None) -> View:
        """Return the handle's view with the axes that this read pins dropped as well."""
        if not select:
            return self._view
        return self._view.pin(pin_axes(self._view.meta, select))

    def _finish(
        self, view: View, padding: Any, mask: bool, transform: Transform | None, post_transform: Transform | None
    ) -> Finish:
        transform = self._opened.arguments.transform if transform is None else transform
        plain = padding is None and not mask and transform is None and post_transform is None
        default, known = self._padding, self._plain
        if plain and known is not None and known[0] is default:
            return known[1]
        dtype = view.meta.dtype
        if transform is not None or post_transform is not None:
            check_callable(transform, "transform")
            check_callable(post_transform, "post_transform")
            dtype = self._result_dtype(view, transform, post_transform)
        value = check_padding(default if padding is None else padding, dtype)
        how = Finish(value, dtype, mask, transform, post_transform)
        if plain:
            self._plain = (default, how)
        return how

    def _result_dtype(self, view: View, transform: Transform | None, post_transform: Transform | None) -> Any:
        key = (transform, post_transform, view.meta.ndim)
        try:
            found = self._dtypes.get(key)
        except TypeError:
            return self._tried(view, transform, post_transform)
        if found is None:
            if len(self._dtypes) >= _TRANSFORMS_KEPT:
                self._dtypes.clear()
            found = self._dtypes[key] = self._tried(view, transform, post_transform)
        return found

    @staticmethod
    def _tried(view: View, transform: Transform | None, post_transform: Transform | None) -> Any:
        meta = view.meta
        return planning.result_dtype(meta.dtype, meta.fill_value, meta.ndim, transform, post_transform)

    def _chosen(self, method: Method | None) -> Method:
        if method is None:
            return self._method
        check_choice("method", method)
        return method

    @staticmethod
    def _lattice(view: View, voxel_size: Any, anchor: Any) -> Lattice:
        if voxel_size is None and anchor is None:
            return view.lattice
        count = len(view.spatial)
        size = view.lattice.voxel_size if voxel_size is None else spatial_sizes(count, voxel_size, "voxel_size")
        corner = view.anchor if anchor is None else spatial_numbers(count, anchor, "anchor")
        return view.lattice_at(size, corner)

    def _plan_index(
        self,
        begin: Sequence[int],
        end: Sequence[int],
        padding: Any,
        mask: bool,
        select: Select | None,
        transform: Transform | None,
    ) -> tuple[View, Finish, ReadPlan]:
        view = self._selected(select)
        how = self._finish(view, padding, mask, transform, None)
        low = index_tuple(begin, "begin", view.meta.ndim)
        high = index_tuple(end, "end", view.meta.ndim)
        return view, how, planning.plan_index(view.meta.shape, low, high, edge=how.edge)

    @staticmethod
    def _plan(
        view: View, lattice: Lattice, begin: planning.Index, end: planning.Index, method: Method, how: Finish
    ) -> ReadPlan:
        if lattice.stored:
            return planning.plan_index(view.grid.shape, begin, end, edge=how.edge)
        return planning.plan_lattice(view, lattice, begin, end, method, edge=how.edge)

    def _execute(self, view: View, plan: ReadPlan, how: Finish, retries: Retry | None) -> Any:
        block = None
        if not plan.extent.empty:
            block = self._reading(view.read_pins).read(plan.fetched, self._policy(retries))
        return planning.finish(plan, block, how)

    def _reading(self, pins: Pins = ()) -> Reader:
        """Return what reads the array, opened on first use, with the axes of one read pinned as well."""
        reader = self._reader
        if reader is None:
            from worldarray.io.arrays import Reader  # noqa: PLC0415  (documents need no tensorstore)

            opened, context = self._opened, self._opened.arguments.context
            store = self._open_store()
            reader = self._reader = Reader(store, opened.location, opened.facts, context).pin(self._view.pins)
        return reader.pin(pins) if pins else reader

    def _open_store(self) -> tensorstore.TensorStore:
        """Open the stored array, every axis; a writable handle opens it for writing as well."""
        from worldarray.io.arrays import open_facts  # noqa: PLC0415  (documents need no tensorstore)

        opened = self._opened
        store: tensorstore.TensorStore = open_facts(opened.facts, opened.folder, opened.arguments.context)
        return store

    def _policy(self, retries: Retry | None) -> Retry:
        if retries is None:
            return self.retries
        check_retries(retries)
        return retries
