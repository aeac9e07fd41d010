"""One sample as a picture: a slice of every scale, labels below, and where the next finer scale lies."""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from miao.errors import ArgumentError, MiaoError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = np.ndarray[Any, Any]


class PictureExistsError(MiaoError, FileExistsError):
    """Something is where a picture would be drawn; nothing is overwritten unless the caller says so."""


class PictureError(ArgumentError, OSError):
    """A picture cannot be written where it should."""


class PreviewExtraError(MiaoError, ImportError):
    """Pictures need an extra that is not installed."""


def draw(sample: Mapping[str, Any], output_axes: str, path: str | os.PathLike[str], *, overwrite: bool = False) -> str:
    """Draw a sample as a PNG and return its path.

    Raises
    ------
    PictureExistsError
        Something is at `path`, and `overwrite` is false.
    PictureError
        It cannot be written there. It is an OSError.
    ArgumentError
        As of `pictured`.
    """
    target = Path(path)
    if target.exists() and not overwrite:
        raise PictureExistsError(
            f"{target} exists; pass overwrite=True to replace it", code="already_exists", at=("path",)
        )
    picture = pictured(sample, output_axes)
    try:
        _write(picture, target, overwrite=overwrite)
    except FileExistsError:
        raise PictureExistsError(
            f"{target} exists; pass overwrite=True to replace it", code="already_exists", at=("path",)
        ) from None
    except OSError as error:
        raise PictureError(
            f"{target} cannot be written: {error.strerror or error}; give a file in a folder that is there",
            code="unavailable",
            at=("path",),
        ) from error
    return str(target)


def _write(picture: bytes, target: Path, *, overwrite: bool) -> None:
    """Write a file whole or not at all; what it replaces stays until then."""
    part = target.with_name(f".{uuid.uuid4().hex}.part") if overwrite else target
    with part.open("xb") as file:
        try:
            file.write(picture)
            if overwrite:
                part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def pictured(sample: Mapping[str, Any], output_axes: str) -> bytes:
    """Return a sample as a PNG.

    Each column is a scale, its middle slice across the first spatial axis of the output. The dashed box is the extent
    of the next finer scale; axes are world positions.

    Raises
    ------
    ArgumentError
        The sample's image operations are deferred, or it has fewer than two spatial axes.
    PreviewExtraError
        There is no matplotlib.
    """
    spatial = [axis for axis in output_axes if axis not in "lc"]
    if not hasattr(sample["img"], "numpy"):
        raise ArgumentError(
            "finished samples of two or more spatial axes are drawn, and the image of this one is not finished yet: "
            "draw one of a dataset without defer_image_ops",
            code="unsupported",
        )
    if len(spatial) < 2:
        raise ArgumentError(
            f"finished samples of two or more spatial axes are drawn; output_axes {output_axes!r} has {len(spatial)}",
            code="unsupported",
        )
    held = io.BytesIO()
    _figure(sample, output_axes, spatial).savefig(held, format="png", dpi=100)
    return held.getvalue()


def _figure(sample: Mapping[str, Any], output_axes: str, spatial: list[str]) -> Any:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise PreviewExtraError(
            "pictures need matplotlib; install it: pip install 'miao-loader[preview]'", code="unsupported"
        ) from error

    images = _slices(sample["img"].float().numpy(), output_axes, spatial)
    labels = []
    if sample["label"].numel():
        labels = _slices(sample["label"].numpy(), output_axes.replace("c", ""), spatial)
    rows = 2 if labels else 1
    figure = Figure(figsize=(3.4 * len(images), 3.4 * rows + 0.7), layout="constrained")
    grid = figure.subplots(rows, len(images), squeeze=False)
    boxes = sample["bbox"].numpy()
    for scale, values in enumerate(images):
        size = ", ".join(
            f"{axis} {value:g}" for axis, value in zip(spatial, sample["pixel_size"][scale].tolist(), strict=True)
        )
        panel = grid[0][scale]
        _panel(panel, values, boxes[scale], spatial, "gray")
        panel.set_title(f"scale {scale}: {size}", fontsize=8)
        if scale:
            _box(panel, boxes[scale - 1])
        if labels:
            _panel(grid[1][scale], _shades(labels[scale]), boxes[scale], spatial, "tab20", (0, 19))
    figure.suptitle(f"{sample['meta']['volume']} at {_place(sample, spatial)}", fontsize=9)
    return figure


def _slices(values: Array, axes: str, spatial: list[str]) -> list[Array]:
    """Return the middle slice of every scale across the axes before the last two, which are rows and columns."""
    order = [axes.index("l")] + [axes.index(axis) for axis in spatial] + ([axes.index("c")] if "c" in axes else [])
    found = values.transpose(order)
    if "c" in axes:
        found = found[..., 0]
    while found.ndim > 3:
        found = found[:, found.shape[1] // 2]
    return list(found)


def _panel(
    panel: Axes,
    values: Array,
    box: Array,
    spatial: list[str],
    colours: str,
    limits: tuple[float | None, float | None] = (None, None),
) -> None:
    low, high = box
    extent = (low[-1], high[-1], high[-2], low[-2])
    panel.imshow(values, cmap=colours, vmin=limits[0], vmax=limits[1], extent=extent, interpolation="nearest")
    panel.set_xlabel(spatial[-1], fontsize=8)
    panel.set_ylabel(spatial[-2], fontsize=8)
    panel.tick_params(labelsize=6)


def _box(panel: Axes, box: Array) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415  (an extra)

    low, high = box
    corner = (float(low[-1]), float(low[-2]))
    panel.add_patch(
        Rectangle(corner, float(high[-1] - low[-1]), float(high[-2] - low[-2]), fill=False, color="tab:orange", ls="--")
    )


def _shades(labels: Array) -> Array:
    """Return labels as few colours: background stays 0, neighbours rarely share one."""
    return np.where(labels == 0, 0, 1 + (labels * 7919) % 19)


def _place(sample: Mapping[str, Any], spatial: list[str]) -> str:
    return ", ".join(f"{axis}={value}" for axis, value in zip(spatial, sample["meta"]["coordinate"], strict=True))
