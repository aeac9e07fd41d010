"""Stitcher: predictions of a sequential dataset are blended into one placed array per volume."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from miao.arguments import whole_number
from miao.errors import ArgumentError, ArgumentTypeError, MiaoError, MiaoWarning
from miao.stitching.arguments import Path, array_of, chunks_of, dtype_of, paths_of, places_of
from miao.stitching.blending import patch_weights
from miao.stitching.blocks import BlockSums
from miao.stitching.target import Target, target_of

if TYPE_CHECKING:
    from miao.dataset import VolumeDataset
    from miao.records import Ints, VolumeInfo

Array = np.ndarray[Any, Any]

_HALF: Final = float(np.nextafter(2.0**63, 0))
"""The largest double that int64 holds."""


class WriteExtraError(MiaoError, ImportError):
    """Stitching needs worldarray-write."""


class TargetError(ArgumentError):
    """The array of a volume cannot be made where it should."""


class TargetExistsError(TargetError, FileExistsError):
    """Something stands where the array of a volume should be made; nothing is overwritten."""


class Stitcher:
    """Blends the predictions of a sequential dataset into one array per volume, placed as the volume is.

    Every position of the grid is added once, in any order. A block of the array is written when all its patches were
    added, so memory stays bounded; blocks that wait beyond `memory` lie in a temporary folder meanwhile. Leaving the
    ``with`` block writes those that still wait, and warns of positions that never came.

    Parameters
    ----------
    dataset
        A `VolumeDataset` with ``sampling: sequential``.
    out
        Where the array is made, GROUP/LEVEL; for several volumes a path with ``{volume}`` in it, or a mapping from
        their names. Nothing that exists is overwritten.
    blend
        "hann" fades patches towards their faces, "mean" counts every voxel alike.
    dtype
        Of the array; integers are rounded half to even, and clipped.
    chunks
        Voxels of a chunk per spatial axis, in the order of ``output_axes``.
    memory
        Bytes of waiting blocks that are kept in memory.

    Raises
    ------
    ArgumentError
        The dataset is not sequential, or `out` does not name one array for each volume.
    WriteExtraError
        worldarray-write is not installed.

    Examples
    --------
    >>> import pathlib, tempfile, miao, worldarray
    >>> from miao.demo import demo_config
    >>> with demo_config() as fields, tempfile.TemporaryDirectory() as folder:
    ...     fields |= {"sampling": "sequential", "resolutions": [[8, 8, 8]], "overlap": 2}
    ...     dataset = miao.VolumeDataset(fields, verbose=False)
    ...     out = pathlib.Path(folder, "seg.zarr", "s0")
    ...     with miao.Stitcher(dataset, out) as stitcher:
    ...         for batch in miao.loader(dataset, batch_size=4):
    ...             stitcher.add(batch["img"][:, 0, 0], batch)
    ...     array = worldarray.open(out)
    ...     array.shape, array.voxel_size, round(float(array.read_index((2, 3, 4), (3, 4, 5))[0, 0, 0]) * 255)
    ((24, 32, 40), (8.0, 8.0, 8.0), 9)
    """

    def __init__(
        self,
        dataset: VolumeDataset,
        out: Path | Mapping[str, Path],
        blend: str = "hann",
        *,
        dtype: Any = "float32",
        chunks: Sequence[int] | None = None,
        memory: int = 1 << 30,
    ) -> None:
        config = getattr(dataset, "config", None)
        if config is None or not hasattr(dataset, "grid"):
            raise ArgumentTypeError(
                f"dataset is {type(dataset).__name__}; give a VolumeDataset", code="wrong_type", at=("dataset",)
            )
        if config.sampling != "sequential":
            raise ArgumentError(
                "predictions are stitched by their place in a grid; give the dataset sampling: sequential",
                code="wrong_value",
                at=("dataset",),
            )
        _require_write()
        self._volumes = dataset.volumes
        self._names = [volume.name for volume in self._volumes]
        self._paths = paths_of(out, self._names)
        self._dtype = dtype_of(dtype)
        self._dataset = dataset
        self._blend = blend
        self._chunks = chunks_of(chunks, len(self._volumes[0].patch))
        self._memory = whole_number(memory, "memory")
        patch_weights(blend, (1,))  # so that a wrong word is refused before anything is made
        self._open: dict[str, _Whole] = {}
        self._closed = False

    def __enter__(self) -> Stitcher:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(complete=kind is None)

    def add(self, predictions: Any, batch: Mapping[str, Any]) -> None:
        """Add the predictions of one batch.

        Parameters
        ----------
        predictions
            A tensor or array (B, *spatial) or (B, C, *spatial), spatial axes in the order of ``output_axes``; of the
            first scale.
        batch
            The batch that they were made of: its ``meta`` says where they belong.

        Raises
        ------
        ArgumentError
            The shape is not that of patches, a position is added twice, or predictions have another number of
            channels than before.
        """
        if self._closed:
            raise ArgumentError("this stitcher is closed", code="invalid_argument")
        values = array_of(predictions)
        names, places = places_of(batch)
        patch = tuple(self._dataset.config.patch_size)
        rank = len(patch)
        shape = values.shape
        if shape[-rank:] != patch or len(shape) - rank not in {1, 2} or shape[0] != len(names) or 0 in shape:
            raise ArgumentError(
                f"predictions have shape {values.shape}; for this batch it is ({len(names)}, {_listed(patch)}), "
                "with or without channels behind the first",
                code="wrong_length",
                at=("predictions",),
            )
        if self._dtype.kind in "iu" and not np.isfinite(values).all():
            raise ArgumentError(
                f"predictions hold NaN or infinities, which {self._dtype} cannot; replace them, or use a dtype of "
                "floats",
                code="not_finite",
                at=("predictions",),
            )
        channels = 0 if len(shape) - rank == 1 else shape[1]
        added: set[tuple[str, int]] = set()
        for name, place in zip(names, places, strict=True):
            number = self._whole(name, channels).number(place)
            if (name, number) in added:
                raise _twice(name, place)
            added.add((name, number))
        # Only now, so that a batch is added whole or not at all.
        for value, name, place in zip(values, names, places, strict=True):
            self._open[name].add(value, place)

    def close(self, *, complete: bool = True) -> None:
        """Write the blocks that still wait; without `complete` they are left out of the array."""
        if self._closed:
            return
        self._closed = True
        try:
            for whole in self._open.values():
                if complete:
                    whole.finish()
        finally:
            for whole in self._open.values():
                whole.sums.close()

    def _whole(self, name: str, channels: int) -> _Whole:
        found = self._open.get(name)
        if found is None:
            if name not in self._names:
                raise ArgumentError(
                    f"the dataset has no volume {name!r}; it has {', '.join(self._names)}",
                    code="unknown_name",
                    at=("batch", "meta", "volume"),
                )
            index = self._names.index(name)
            volume = self._volumes[index]
            grid = self._dataset.grid(index)
            target = target_of(volume, self._dataset.scales(index)[0], grid.origins())
            found = self._open[name] = _Whole(self, volume, target, channels)
        if found.channels != channels:
            raise ArgumentError(
                f"predictions of {name} have {channels or 'no'} channels here and {found.channels or 'no'} before",
                code="conflict",
                at=("predictions",),
            )
        return found

    def made(self, volume: VolumeInfo, target: Target, channels: int) -> tuple[Any, Ints]:
        """Make the array of one volume, and return it with the blocks it is written in."""
        import worldarray_write  # noqa: PLC0415  (an extra)

        stored = [volume.order.index(axis) for axis in range(len(target.shape))]
        block = tuple(min(self._chunks[i], size) for i, size in zip(stored, target.shape, strict=True))
        first: tuple[Any, ...] = ("c",) if channels else ()
        with _named_target(self._paths[volume.name]):
            array = worldarray_write.create(
                self._paths[volume.name],
                shape=(*(channels for _ in first), *target.shape),
                dtype=self._dtype,
                voxel_size=(*(1.0 for _ in first), *target.voxel),
                translation=(*(0.0 for _ in first), *target.translation),
                axes=(*first, *target.axes),
                axis_types=(*("channel" for _ in first), *("time" if axis == "t" else "space" for axis in target.axes)),
                units=(*("" for _ in first), *target.units),
                chunks=(*(channels for _ in first), *block),
            )
        return array, block

    @property
    def blend(self) -> str:
        """How overlapping patches are weighted."""
        return self._blend

    @property
    def memory(self) -> int:
        """Bytes of waiting blocks that are kept in memory."""
        return self._memory


class _Whole:
    """The array of one volume while it is filled."""

    def __init__(self, owner: Stitcher, volume: VolumeInfo, target: Target, channels: int) -> None:
        self.name = volume.name
        self.channels = channels
        self._order = volume.order
        self._origins = target.origins
        self._counts = tuple(map(len, target.origins))
        self._added = bytearray(int(np.prod(self._counts)))
        self._array, block = owner.made(volume, target, channels)
        self._weights = patch_weights(owner.blend, volume.patch)
        self.sums = BlockSums(target.shape, block, channels, target.origins, volume.patch, self._write, owner.memory)

    def number(self, place: Sequence[int]) -> int:
        """Return the number of a position of the grid, given in output order, that was not added yet."""
        counts = tuple(self._counts[axis] for axis in self._order)
        if len(place) != len(counts) or any(here >= count for here, count in zip(place, counts, strict=True)):
            raise ArgumentError(
                f"there is no position {tuple(place)} in the grid of {self.name}, which has {counts}; give the batch "
                "that the predictions were made of",
                code="out_of_range",
                at=("batch", "meta", "grid_index"),
            )
        number = int(np.ravel_multi_index(self._index(place), self._counts))
        if self._added[number]:
            raise _twice(self.name, place)
        return number

    def _index(self, place: Sequence[int]) -> Ints:
        """Return a position in the store's order."""
        return tuple(place[self._order.index(axis)] for axis in range(len(self._order)))

    def add(self, value: Array, place: Sequence[int]) -> None:
        """Add one patch at a position of the grid, both in output order."""
        index = self._index(place)
        self._added[self.number(place)] = 1
        axes = [0, *(1 + self._order.index(axis) for axis in range(len(self._order)))]
        whole = value if self.channels else value[None]
        start = tuple(own[k] for own, k in zip(self._origins, index, strict=True))
        self.sums.add(start, np.ascontiguousarray(whole.transpose(axes)), self._weights)

    def finish(self) -> None:
        """Write what still waits, and say which positions never came."""
        waiting = self.sums.finish()
        missing = self._added.count(0)
        if missing:
            warnings.warn(
                f"{missing} of {len(self._added)} positions of {self.name} were never added; {waiting} blocks are "
                "written without them",
                MiaoWarning,
                stacklevel=4,
            )

    def _write(self, start: Ints, values: Array) -> None:
        dtype = self._array.dtype
        if dtype.kind in "iu":
            # In doubles, which hold the limits of 32 bits; of 64 bits the largest one that converts.
            limits = np.iinfo(dtype)
            most = min(float(limits.max), _HALF if dtype.kind == "i" else 2 * _HALF)
            values = np.clip(np.rint(values.astype(np.float64)), limits.min, most)
        begin = (0, *start) if self.channels else start
        end = tuple(low + size for low, size in zip(begin, values.shape, strict=True))
        self._array.write_index(begin, end, values.astype(dtype))


def _twice(name: str, place: Sequence[int]) -> ArgumentError:
    return ArgumentError(
        f"position {tuple(place)} of {name} was added before; each is added once",
        code="duplicate",
        at=("batch", "meta", "grid_index"),
    )


@contextmanager
def _named_target(path: str) -> Iterator[None]:
    """Say of which argument a path is where no array can be made."""
    from worldarray.errors import WorldArrayError  # noqa: PLC0415  (where something is written)

    try:
        yield
    except (WorldArrayError, OSError) as error:
        kind = TargetExistsError if isinstance(error, FileExistsError) else TargetError
        code = "already_exists" if isinstance(error, FileExistsError) else "invalid_argument"
        raise kind(f"no array can be made at {path}: {error}", code=code, at=("out",)) from error


def _require_write() -> None:
    try:
        import worldarray_write  # noqa: F401, PLC0415  (an extra)
    except ImportError as error:
        raise WriteExtraError(
            "miao.Stitcher needs worldarray-write; install it: pip install 'miao-loader[write]'", code="unsupported"
        ) from error


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
