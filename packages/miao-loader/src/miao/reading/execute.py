"""Plans become crops: the reads of all samples are issued together before any is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import numpy as np

from miao.errors import ReadError
from miao.reading.runtime import Levels
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


@dataclass(frozen=True)
class Window:
    """Voxels [start, stop) of one level over its sampled axes, and what of them the array does not hold."""

    level: LevelInfo
    axes: str
    start: Ints
    stop: Ints
    shape: Ints
    """Of the result: larger than the window where that is padded."""
    at: Ints = ()
    """Where the window lies in the result, where it is padded."""
    fill: int = 0

    @property
    def index(self) -> tuple[slice, ...]:
        """The slices to read, the channel whole."""
        spans = iter(zip(self.start, self.stop, strict=True))
        return tuple(slice(None) if axis == "c" else slice(*next(spans)) for axis in self.axes)

    @property
    def empty(self) -> bool:
        """Whether nothing of it is in the array."""
        return any(low >= high for low, high in zip(self.start, self.stop, strict=True))


def image_window(pyramid: PyramidInfo, plan: ScalePlan) -> Window:
    """Return the window of the image that a scale reads."""
    size = plan.scale.size
    stop = tuple(begin + count for begin, count in zip(plan.start, size, strict=True))
    return Window(pyramid.levels[plan.scale.level], pyramid.read_axes, plan.start, stop, size)


def label_window(pyramid: PyramidInfo, plan: ScalePlan, fill: int | None) -> Window:
    """Return the window of the labels that a scale reads: what lies outside the array is filled."""
    assert plan.scale.label_level is not None
    level = pyramid.levels[plan.scale.label_level]
    size = plan.scale.label_size
    stop = tuple(begin + count for begin, count in zip(plan.label_start, size, strict=True))
    inside = tuple(max(begin, 0) for begin in plan.label_start)
    end = tuple(min(high, extent) for high, extent in zip(stop, level.shape, strict=True))
    if inside == plan.label_start and end == stop:
        return Window(level, pyramid.axes, plan.label_start, stop, size)
    at = tuple(low - begin for low, begin in zip(inside, plan.label_start, strict=True))
    return Window(level, pyramid.axes, inside, end, size, at, fill or 0)


class Pending:
    """Reads that are under way; `result` waits for them."""

    def __init__(
        self, levels: Levels, volumes: Sequence[VolumeInfo], plans: Sequence[SamplePlan], futures: list[Any]
    ) -> None:
        self._levels = levels
        self._volumes = volumes
        self._plans = plans
        self._futures = futures

    def result(self) -> list[RawSample]:
        """Return the crops of every plan, in order.

        Raises
        ------
        ReadError
            Voxels could not be read; the message names the volume, the place and the file.
        """
        futures = iter(self._futures)
        found = []
        for plan in self._plans:
            volume = self._volumes[plan.volume]
            images = [self._crop(volume, plan, next(futures)) for _ in plan.scales]
            labels = [self._crop(volume, plan, next(futures)) for _ in plan.scales] if volume.label else None
            found.append(RawSample(images, labels))
        return found

    def _crop(self, volume: VolumeInfo, plan: SamplePlan, item: tuple[Window, Any]) -> Array:
        window, future = item
        block = None if window.empty else self._block(volume, plan, window, future)
        if not window.at:
            assert block is not None
            return block
        return _padded(window, block)

    def _block(self, volume: VolumeInfo, plan: SamplePlan, window: Window, future: Any) -> Array:
        opened = self._levels.get(window.level)
        failure: Exception | None = None
        if future is not None:
            try:
                block: Array = future.result(timeout=_LEAST_SECONDS)
            except (ValueError, IndexError, NotImplementedError, TimeoutError) as error:
                failure = error
            else:
                return block
        if failure is not None and self._levels.settings.missing_chunks == "error":
            _refuse(volume, plan, window, failure)
        return _checked(opened, volume, plan, window)


def _checked(opened: Any, volume: VolumeInfo, plan: SamplePlan, window: Window) -> Array:
    """Return a window read through the handle of worldarray: tried again where the store is busy, its errors named."""
    index = window.index
    extents = [range(*span.indices(size)) for span, size in zip(index, opened.handle.shape, strict=True)]
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
        f"{_named(window.axes.replace('c', ''), window.start)} to {window.stop} of {window.level.path}: {error}",
        code=code if isinstance(code, str) else "bad_chunk",
        at=(volume.name,),
    ) from error


def _named(axes: str, values: Sequence[int]) -> str:
    return f"({', '.join(f'{axis}={value}' for axis, value in zip(axes, values, strict=True))})"


def _padded(window: Window, block: Array | None) -> Array:
    """Return the window with what the array does not hold filled."""
    dtype = np.dtype(window.level.dtype)
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    if limits is None or not limits.min <= window.fill <= limits.max:
        dtype = np.dtype("int64")
    whole = np.full(window.shape, window.fill, dtype)
    if block is not None:
        inside = tuple(slice(low, low + count) for low, count in zip(window.at, block.shape, strict=True))
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
    """
    windows = [window for plan in plans for window in _windows(volumes[plan.volume], plan)]
    opened = {id(window): levels.get(window.level) for window in windows}
    import tensorstore

    futures: list[Any] = []
    with tensorstore.Batch() as batch:
        for window in windows:
            level = opened[id(window)]
            raw = level.vouched and not window.empty
            futures.append((window, level.store[window.index].read(batch=batch) if raw else None))
    return Pending(levels, volumes, plans, futures)


def _windows(volume: VolumeInfo, plan: SamplePlan) -> list[Window]:
    found = [image_window(volume.image, scale) for scale in plan.scales]
    if volume.label is not None:
        found += [label_window(volume.label, scale, volume.label_fill) for scale in plan.scales]
    return found
