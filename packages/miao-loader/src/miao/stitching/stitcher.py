"""Stitcher: predictions of a sequential dataset are blended into one placed array per volume."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from miao.errors import ArgumentError, ArgumentTypeError, MiaoError, MiaoWarning
from miao.stitching.blending import patch_weights
from miao.stitching.blocks import BlockSums
from miao.stitching.target import Target, target_of

if TYPE_CHECKING:
    from miao.dataset import VolumeDataset
    from miao.records import Ints, VolumeInfo

Array = np.ndarray[Any, Any]
Path = str | os.PathLike[str]

_BLOCKS: Final = {1: 4096, 2: 512, 3: 64, 4: 32}
"""The edge of a chunk by the number of axes, unless one is asked for."""
_DTYPES: Final = "iuf"


class WriteExtraError(MiaoError, ImportError):
    """Stitching needs worldarray-write."""


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
        if dataset.config.sampling != "sequential":
            raise ArgumentError(
                "predictions are stitched by their place in a grid; give the dataset sampling: sequential",
                code="wrong_value",
                at=("dataset",),
            )
        _require_write()
        self._volumes = dataset.volumes
        self._paths = _paths(out, [volume.name for volume in self._volumes])
        self._dtype = np.dtype(dtype)
        if self._dtype.kind not in _DTYPES:
            raise ArgumentError(
                f"dtype is {self._dtype}; it is of integers or floats", code="wrong_value", at=("dtype",)
            )
        self._dataset = dataset
        self._blend = blend
        self._chunks = _chunks(chunks, len(self._volumes[0].patch))
        self._memory = memory
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
        values = _array(predictions)
        names, places = _places(batch)
        patch = tuple(self._dataset.config.patch_size)
        rank = len(patch)
        if len(values) != len(names) or values.shape[-rank:] != patch or values.ndim - rank not in {1, 2}:
            raise ArgumentError(
                f"predictions have shape {values.shape}; for this batch it is ({len(names)}, {_listed(patch)}), "
                "with or without channels behind the first",
                code="wrong_length",
                at=("predictions",),
            )
        for value, name, place in zip(values, names, places, strict=True):
            self._whole(name, 0 if value.ndim == rank else value.shape[0]).add(value, place)

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
            index = [volume.name for volume in self._volumes].index(name)
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

    def add(self, value: Array, place: Sequence[int]) -> None:
        """Add one patch at a position of the grid, both in output order."""
        stored = [self._order.index(axis) for axis in range(len(self._order))]
        index = tuple(int(place[i]) for i in stored)
        number = int(np.ravel_multi_index(index, self._counts))
        if self._added[number]:
            raise ArgumentError(
                f"position {tuple(place)} of {self.name} was added before; each is added once",
                code="duplicate",
                at=("batch", "meta", "grid_index"),
            )
        self._added[number] = 1
        axes = [0, *(1 + i for i in stored)]
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
            limits = np.iinfo(dtype)
            values = np.clip(np.rint(values), limits.min, limits.max)
        begin = (0, *start) if self.channels else start
        end = tuple(low + size for low, size in zip(begin, values.shape, strict=True))
        self._array.write_index(begin, end, values.astype(dtype))


def _require_write() -> None:
    try:
        import worldarray_write  # noqa: F401, PLC0415  (an extra)
    except ImportError as error:
        raise WriteExtraError(
            "miao.Stitcher needs worldarray-write; install it: pip install 'miao-loader[write]'", code="unsupported"
        ) from error


def _paths(out: Path | Mapping[str, Path], names: Sequence[str]) -> dict[str, str]:
    if isinstance(out, Mapping):
        missing = [name for name in names if name not in out]
        if missing:
            raise ArgumentError(f"out has no path for volume {missing[0]!r}", code="missing_key", at=("out",))
        return {name: os.fspath(out[name]) for name in names}
    text = os.fspath(out)
    if len(names) > 1 and "{volume}" not in text:
        raise ArgumentError(
            f"out is one path for {len(names)} volumes; put {{volume}} into it, or give a mapping from their names",
            code="wrong_length",
            at=("out",),
        )
    return {name: text.replace("{volume}", name) for name in names}


def _chunks(chunks: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    if chunks is None:
        return (_BLOCKS[rank],) * rank
    found = tuple(int(size) for size in chunks)
    if len(found) != rank or min(found) < 1:
        raise ArgumentError(
            f"chunks is {list(chunks)}; it has {rank} whole numbers of at least 1", code="wrong_length", at=("chunks",)
        )
    return found


def _array(predictions: Any) -> Array:
    if hasattr(predictions, "detach"):
        predictions = predictions.detach().to("cpu")
        predictions = (predictions.float() if predictions.is_floating_point() else predictions).numpy()
    found = np.asarray(predictions)
    if found.dtype.kind not in "bf":
        raise ArgumentTypeError(
            f"predictions are of {found.dtype}; patches are averaged where they overlap, which labels cannot be: "
            "stitch scores, and take the largest afterwards",
            code="wrong_type",
            at=("predictions",),
        )
    return found.astype("float32", copy=False)


def _places(batch: Mapping[str, Any]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the volume and the position in its grid of each sample of a batch."""
    meta = batch.get("meta", {})
    if "grid_index" not in meta:
        raise ArgumentError(
            "the batch has no meta.grid_index; it comes from a dataset with sampling: sequential",
            code="missing_key",
            at=("batch", "meta"),
        )
    columns = [[int(value) for value in column] for column in meta["grid_index"]]
    return list(meta["volume"]), list(zip(*columns, strict=True))


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
