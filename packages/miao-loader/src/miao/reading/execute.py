"""Plans become crops: the reads of all samples are issued together before any is waited for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import numpy as np

from miao.errors import ReadError
from miao.reading.runtime import Levels, OpenLevel
from worldarray.errors import WorldArrayError

if TYPE_CHECKING:
    from miao.records import Ints, LevelInfo, PyramidInfo, SamplePlan, ScalePlan, VolumeInfo

Array = np.ndarray[Any, Any]

_LEAST_SECONDS: Final = 30.0
"""How long the first attempt at a window may take before it is tried again with the policy of worldarray."""


class RawSample(NamedTuple):
    """What one sample reads: one crop per scale, as stored; labels None where the volume has none."""

    images: list[Array]
    """Axes as `PyramidInfo.read_axes`, C-contiguous, native byte order."""
    labels: list[Array] | None
    """Axes as `PyramidInfo.axes`, of the stored dtype or wide enough for `label_fill`."""


class Window(NamedTuple):
    """Voxels [start, stop) of one level over its sampled axes, and what of them the array does not hold."""

    level: LevelInfo
    start: Ints
    stop: Ints
    slices: tuple[slice, ...]
    """The slices to read, the channel whole; empty where nothing of the window is in the array."""
    padded: tuple[Ints, Ints, int] | None = None
    """Of a window that leaves the array: the shape of the whole, where the part inside lies in it, and the fill."""


def image_window(pyramid: PyramidInfo, plan: ScalePlan) -> Window:
    """Return the window of the image that a scale reads."""
    start = plan.start
    stop = tuple([begin + count for begin, count in zip(start, plan.scale.size, strict=True)])
    spans = list(map(slice, start, stop))
    if pyramid.channels is not None:
        spans.insert(pyramid.read_axes.index("c"), slice(None))
    return Window(pyramid.levels[plan.scale.level], start, stop, tuple(spans))


def label_window(pyramid: PyramidInfo, plan: ScalePlan, fill: int | None) -> Window:
    """Return the window of the labels that a scale reads: what lies outside the array is filled."""
    assert plan.scale.label_level is not None
    level = pyramid.levels[plan.scale.label_level]
    begin, size = plan.label_start, plan.scale.label_size
    end = tuple([low + count for low, count in zip(begin, size, strict=True)])
    start = tuple([max(low, 0) for low in begin])
    stop = tuple([min(high, extent) for high, extent in zip(end, level.shape, strict=True)])
    if start == begin and stop == end:
        return Window(level, start, stop, tuple(map(slice, start, stop)))
    inside = all(low < high for low, high in zip(start, stop, strict=True))
    at = tuple([low - first for low, first in zip(start, begin, strict=True)])
    return Window(level, start, stop, tuple(map(slice, start, stop)) if inside else (), (size, at, fill or 0))


class Pending:
    """Reads that are under way; going through them waits for each in turn, so that it is finished while others come."""

    def __init__(
        self, levels: Levels, volumes: Sequence[VolumeInfo], plans: Sequence[SamplePlan], futures: list[Any]
    ) -> None:
        self._levels = levels
        self._volumes = volumes
        self._plans = plans
        self._futures = futures

    def __iter__(self) -> Iterator[RawSample]:
        """Yield the crops of every plan, in order.

        Raises
        ------
        ReadError
            Voxels could not be read; the message names the volume, the place and the file.
        """
        futures = iter(self._futures)
        for plan in self._plans:
            volume = self._volumes[plan.volume]
            images = [self._crop(volume, plan, next(futures)) for _ in plan.scales]
            labels = [self._crop(volume, plan, next(futures)) for _ in plan.scales] if volume.label else None
            yield RawSample(images, labels)

    def _crop(self, volume: VolumeInfo, plan: SamplePlan, item: tuple[Window, Any]) -> Array:
        window, future = item
        block = self._block(volume, plan, window, future) if window.slices else None
        if window.padded is not None:
            return _padded(window, block)
        assert block is not None
        return block

    def _block(self, volume: VolumeInfo, plan: SamplePlan, window: Window, future: Any) -> Array:
        opened = self._levels.get(window.level)
        if future is not None:
            block, _ = _waited(future)
            if block is not None:
                return block
        block = _checked(opened, volume, plan, window)
        if self._levels.settings.missing_chunks == "fill":
            return block
        # The handle waited for a busy store, and fills what is not stored: once more where that is an error.
        strict, failure = _waited(opened.store[window.slices].read())
        if strict is None:
            _refuse(volume, plan, window, failure)
        return strict


def _waited(future: Any) -> tuple[Array | None, Exception]:
    """Return what a read gives, or None and why it gives nothing."""
    try:
        return future.result(timeout=_LEAST_SECONDS), Exception()
    except (ValueError, IndexError, NotImplementedError, TimeoutError) as error:
        return None, error


def _checked(opened: Any, volume: VolumeInfo, plan: SamplePlan, window: Window) -> Array:
    """Return a window read through the handle of worldarray: tried again where the store is busy, its errors named."""
    extents = [range(*span.indices(size)) for span, size in zip(window.slices, opened.handle.shape, strict=True)]
    try:
        block: Array = opened.handle.read_index([e.start for e in extents], [e.stop for e in extents])
    except WorldArrayError as error:
        _refuse(volume, plan, window, error)
    opened.vouched = True
    return block


def _refuse(volume: VolumeInfo, plan: SamplePlan, window: Window, error: Exception) -> NoReturn:
    code = getattr(error, "code", "bad_chunk")
    raise ReadError(
        f"volume {volume.name}: the sample around level-0 voxel {_named(volume.image.axes, plan.centre)} reads "
        f"{_named(volume.image.axes, window.start)} to {window.stop} of {window.level.path}: {error}",
        code=code if isinstance(code, str) else "bad_chunk",
        at=(volume.name,),
    ) from error


def _named(axes: str, values: Sequence[int]) -> str:
    return f"({', '.join(f'{axis}={value}' for axis, value in zip(axes, values, strict=True))})"


def _padded(window: Window, block: Array | None) -> Array:
    """Return the window with what the array does not hold filled."""
    assert window.padded is not None
    shape, at, fill = window.padded
    dtype = np.dtype(window.level.dtype)
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    if dtype.kind == "f":
        # Floats stay floats: whoever finishes them refuses what is no whole number.
        dtype = np.dtype("float64")
    elif limits is None or not limits.min <= fill <= limits.max:
        dtype = np.dtype("int64")
    whole = np.full(shape, fill, dtype)
    if block is not None:
        inside = tuple(slice(low, low + count) for low, count in zip(at, block.shape, strict=True))
        whole[inside] = block
    return whole


def start_reads(levels: Levels, volumes: Sequence[VolumeInfo], plans: Sequence[SamplePlan]) -> Pending:
    """Issue the reads of every plan and return at once.

    Parameters
    ----------
    levels
        The open levels of this process.
    volumes
        What the plans count volumes in.
    plans
        The samples: per scale one window of the image, and one of the labels where the volume has them.

    Raises
    ------
    ForkError
        This process was forked from one that had read already.
    ReadError
        A level cannot be opened: it is gone, say, since the dataset was made.
    """
    import tensorstore

    windows: list[Window] = []
    opened: list[OpenLevel] = []
    # Levels are opened first: what is opened while a batch is held would wait for it.
    for plan in plans:
        volume = volumes[plan.volume]
        for window in _windows(volume, plan):
            windows.append(window)
            opened.append(_opened(levels, volume, plan, window))
    futures: list[Any] = []
    with tensorstore.Batch() as batch:
        for window, level in zip(windows, opened, strict=True):
            raw = level.vouched and window.slices
            futures.append((window, level.store[window.slices].read(batch=batch) if raw else None))
    return Pending(levels, volumes, plans, futures)


def _opened(levels: Levels, volume: VolumeInfo, plan: SamplePlan, window: Window) -> OpenLevel:
    try:
        return levels.get(window.level)
    except (ReadError, WorldArrayError) as error:
        _refuse(volume, plan, window, error)


def _windows(volume: VolumeInfo, plan: SamplePlan) -> list[Window]:
    found = [image_window(volume.image, scale) for scale in plan.scales]
    if volume.label is not None:
        found += [label_window(volume.label, scale, volume.label_fill) for scale in plan.scales]
    return found
