"""Handle: what is known of one opened array. Facts of documents and of the view; no voxel is read here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from worldarray import chunks
from worldarray.arguments import index_tuple
from worldarray.axes import with_units
from worldarray.box import Box, along
from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.grid import Grid
from worldarray.opening import choose
from worldarray.opening.opened import Opened
from worldarray.opening.options import check_choice, check_retries
from worldarray.reads import planning
from worldarray.reads.padding import check_padding
from worldarray.reads.view import Floats
from worldarray.records import ArrayMeta
from worldarray.resample import Method
from worldarray.tiling import Blocks, blocks

if TYPE_CHECKING:
    from worldarray.io.arrays import Reader
    from worldarray.io.retry import Retry
    from worldarray.reads.planning import Finish


_WRITES: Final = frozenset({"write", "write_chunk", "write_index"})


class Handle:
    """The facts of one array; see `worldarray.WorldArray`."""

    writable = False

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._view = opened.view
        self._padding = opened.arguments.padding
        self._method = opened.arguments.method
        self._retries = opened.arguments.retries
        self._level_names = opened.level_names
        self._reader: Reader | None = None
        self._plain: tuple[Any, Finish] | None = None
        """A padding that was the default, and how a read without arguments of its own finishes with it."""
        self._dtypes: dict[Any, np.dtype[Any]] = {}
        if opened.arguments.transform is None:
            check_padding(self._padding, self.dtype)

    def __repr__(self) -> str:
        name = type(self).__name__
        size, corner = (
            with_units(f"({', '.join(f'{value:g}' for value in values)})", self._spatial_units)
            for values in (self.voxel_size, self.corner)
        )
        return f"<{name} {self.level_path} shape={self.shape} dtype={self.dtype} voxel_size={size}, corner={corner}>"

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse to be taken for an array: how much is read is for the caller to say."""
        message = "a handle is no numpy array; read it: handle.read(handle.box), handle.read_index(begin, end)"
        raise ArgumentTypeError(problem("wrong_type", (self.level_path,), message))

    if not TYPE_CHECKING:  # types know every attribute there is

        def __getattr__(self, name: str) -> Any:
            """Say how to get what only a writable handle has."""
            kind = type(self).__name__
            if name in _WRITES:
                message = f"{kind} has no {name}: it was opened to read; open with mode='r+' (worldarray-write)"
            else:
                message = f"{kind!r} object has no attribute {name!r}"
            raise AttributeError(message)

        def __getitem__(self, index: Any) -> NoReturn:
            """Refuse to be indexed, or gone through: how much is read is for the caller to say."""
            message = "a handle is not indexed; read voxels with read_index(begin, end), or a world box with read(box)"
            raise ArgumentTypeError(problem("wrong_type", (self.level_path,), message))

        def __setitem__(self, index: Any, value: Any) -> NoReturn:
            """Refuse to be indexed for writing."""
            message = "a handle is not indexed; write voxels with write_index(begin, end, data), opened with mode='r+'"
            raise ArgumentTypeError(problem("wrong_type", (self.level_path,), message))

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the open store and what is remembered of transforms: a copy opens its own."""
        return {**self.__dict__, "_reader": None, "_dtypes": {}}

    @property
    def opened(self) -> Opened:
        """What opening found, as one record: a subclass is made of it, ``MyArray(worldarray.open(path).opened)``."""
        return self._opened

    # Where it is -----------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """The path that the caller gave: an array, or a group."""
        return str(self._opened.arguments.path)

    @property
    def level_path(self) -> str:
        """The path of the array that is read."""
        return self.meta.path

    @property
    def level_name(self) -> str:
        """The name of the level in its pyramid; the last path segment of an array that no pyramid lists."""
        return self._opened.level_name

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the levels of the pyramid this array belongs to, as listed; empty where no pyramid lists it.

        Of an array that was opened by its own path, the documents above it are read for this.
        """
        if self._level_names is None:
            self._level_names = choose.level_names(self._opened)
        return self._level_names

    @property
    def remote(self) -> bool:
        """Whether reading goes over a network."""
        return self._opened.location.remote

    # What it is ------------------------------------------------------------------------------------------------------

    @property
    def meta(self) -> ArrayMeta:
        """The documents' facts of the array in the store's own units, selected axes dropped."""
        return self._view.meta

    @property
    def grid(self) -> ArrayMeta:
        """The facts in the requested units, every kept axis; of the stored grid, not of a resample target."""
        return self._view.grid

    @property
    def dtype(self) -> np.dtype[Any]:
        """The stored dtype."""
        return self._view.meta.dtype

    @property
    def ndim(self) -> int:
        """The number of kept axes."""
        return self._view.meta.ndim

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the kept axes, in the array's C order; those of every array that is read."""
        return self._view.meta.axes

    @property
    def spatial(self) -> tuple[int, ...]:
        """The indices of the spatial axes among `axes`."""
        return self._view.spatial

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each kept axis, as requested: of `voxel_size`, of `corner` and of boxes; "" where it has none."""
        return self._view.grid.units

    @property
    def _spatial_units(self) -> tuple[str, ...]:
        return tuple(self.units[axis] for axis in self.spatial)

    @property
    def shape(self) -> tuple[int, ...]:
        """The stored shape; with a resample target, on spatial axes the target voxels that cover the data."""
        shape = list(self._view.meta.shape)
        if self.resampled:
            for axis, count in zip(self.spatial, self._view.lattice.shape, strict=True):
                shape[axis] = count
        return tuple(shape)

    @property
    def resampled(self) -> bool:
        """Whether `read` resamples onto a target grid by default."""
        return not self._view.lattice.stored

    @property
    def voxel_size(self) -> Floats:
        """The size of the voxels that `read` gives, on spatial axes, in the requested units."""
        return self._view.lattice.voxel_size

    @property
    def source_voxel_size(self) -> Floats:
        """The size of the stored voxels, on spatial axes, in the requested units; relabelling does not change it."""
        view = self._view
        return view.source_size if view.relabelled_from is None else view.relabelled_from

    @property
    def translation(self) -> Floats:
        """The centre of voxel 0, on spatial axes, in the requested units; of the target grid when resampled."""
        return self._view.lattice.covering_translation if self.resampled else self._view.source_translation

    @property
    def corner(self) -> Floats:
        """The lower corner of voxel 0, on spatial axes, in the requested units; of the target grid when resampled."""
        return self._view.lattice.covering_corner if self.resampled else self._view.source_corner

    @property
    def box(self) -> Box:
        """The extent over the spatial axes: [corner, corner + shape * voxel_size)."""
        counts = [self.shape[axis] for axis in self.spatial]
        return Box(self.corner, along(self.corner, counts, self.voxel_size))

    @property
    def target(self) -> Grid:
        """The grid that `read` answers on, as a `Grid`: the resample target, or the stored grid."""
        grid = self._view.grid
        size, translation = list(grid.voxel_size), list(grid.translation)
        for axis, s, t in zip(self.spatial, self.voxel_size, self.translation, strict=True):
            size[axis], translation[axis] = s, t
        stored = not self.resampled
        return Grid(
            self.shape,
            tuple(size),
            tuple(translation),
            axes=grid.axes,
            units=grid.units,
            chunks=grid.chunk_shape if stored else None,
            shards=grid.shard_shape if stored else None,
            axis_types=grid.axis_types,
        )

    # How it reads ----------------------------------------------------------------------------------------------------

    @property
    def padding(self) -> Any:
        """What fills the part of a box outside the data by default; settable."""
        return self._padding

    @padding.setter
    def padding(self, value: Any) -> None:
        if self._opened.arguments.transform is None:
            check_padding(value, self.dtype)
        self._padding = value

    @property
    def method(self) -> Method:
        """The default resampling kernel, "nearest" or "linear"; settable."""
        return self._method

    @method.setter
    def method(self, value: Method) -> None:
        check_choice("method", value)
        self._method = value

    @property
    def retries(self) -> Retry:
        """The retry policy of data reads; settable."""
        if self._retries is None:
            from worldarray.io.retry import Retry  # noqa: PLC0415  (only readers need it)

            self._retries = Retry()
        return self._retries

    @retries.setter
    def retries(self, value: Retry) -> None:
        check_retries(value)
        self._retries = value

    # The stored grid -------------------------------------------------------------------------------------------------

    @property
    def write_shape(self) -> tuple[int, ...]:
        """The unit one writer may own: the shard shape when sharded, else the chunk shape."""
        return self.meta.write_shape

    def index_box(self, box: object) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the voxels (begin, end) of the stored grid that a world box selects, one entry per kept axis.

        A box over the spatial axes keeps the others whole, so ``read_index(*index_box(box))`` is the read of the box.
        """
        return planning.spans(self._view, box, self._view.lattice_at(None, None), strict=False)

    def blocks(
        self,
        block_shape: Sequence[int] | None = None,
        context: Any = 0,
        box: tuple[Sequence[int], Sequence[int]] | None = None,
        *,
        clip: bool = True,
    ) -> Blocks:
        """Return the blocks that tile the stored grid, of `write_shape` by default; see `worldarray.blocks`."""
        shape = self.write_shape if block_shape is None else block_shape
        return blocks(self.meta.shape, shape, context=context, box=box, clip=clip)

    def chunks_covering(
        self, begin: Sequence[int], end: Sequence[int], *, write: bool = False
    ) -> list[tuple[int, ...]]:
        """Return the indices, in C order, of the chunks that the voxels [begin, end) touch; `write`: of write units."""
        low = index_tuple(begin, "begin", self.ndim)
        high = index_tuple(end, "end", self.ndim)
        return list(
            chunks.chunk_indices(low, high, self.write_shape if write else self.meta.chunk_shape, self.meta.shape)
        )

    def chunk_key(self, index: Sequence[int]) -> str:
        """Return the storage key, relative to the array, of the write unit at `index`, one entry per kept axis.

        On a pinned axis it is the unit that holds the pinned index.

        Raises
        ------
        ArgumentError
            There is no such unit, or the array is sharded precomputed, whose files hold many chunks each.
        """
        if not self._opened.facts.keyed:
            message = "the files of a sharded precomputed scale hold many chunks each, so a chunk has no key"
            raise ArgumentError(problem("unsupported", (self.level_path,), message))
        return chunks.chunk_key(self._every_unit(index_tuple(index, "index", self.ndim)), **self._key_facts())

    def parse_chunk_key(self, key: str) -> tuple[int, ...] | None:
        """Return the index of the write unit that a storage key names, one entry per kept axis.

        None for a key that is no chunk, or one of none of the pinned indices.
        """
        if not self._opened.facts.keyed:
            return None
        found = chunks.parse_chunk_key(key, **self._key_facts())
        return None if found is None else self._kept_unit(found)

    def _pinned_units(self) -> dict[int, int]:
        """Return the write unit that holds the pinned index, per pinned stored axis."""
        unit = self._view.stored.write_shape
        return {axis: index // unit[axis] for axis, index in self._view.pins}

    def _every_unit(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """Return the index of a write unit over every stored axis."""
        pinned, kept = self._pinned_units(), iter(index)
        return tuple(pinned[axis] if axis in pinned else next(kept) for axis in range(self._view.stored.ndim))

    def _kept_unit(self, index: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the index of a write unit over the kept axes; None where it holds none of the pinned indices."""
        pinned = self._pinned_units()
        if any(index[axis] != unit for axis, unit in pinned.items()):
            return None
        return tuple(i for axis, i in enumerate(index) if axis not in pinned)

    def _key_facts(self) -> dict[str, Any]:
        stored = self._view.stored
        return {
            "format": stored.format,
            "separator": stored.storage.separator,
            "encoding": stored.storage.encoding,
            "chunk_shape": stored.write_shape,
            "shape": stored.shape,
            "origin": stored.storage.origin,
        }
