"""The picture of three orthogonal slices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.array import MLArray
from mlarray.convert.sources import new_path
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, Problem
from mlarray.geometry import derive
from mlarray.geometry.matrix import columns_of
from mlarray.io.publish import replace, temporary_name
from mlarray.view.slices import Slice, plan_slices, scale_bar

_INK: Final = "#d8d8d8"
_GROUND: Final = "#111111"
_GOLDEN: Final = 0.618033988749895


def view(
    path: Any,
    out: Any,
    *,
    space: str | None = None,
    index: Sequence[int] | None = None,
    window: tuple[float, float] | None = None,
    overwrite: bool = False,
) -> None:
    """Draw three orthogonal slices of a file into a PNG: letter codes at the edges, true proportions, a scale bar.

    Superior, else anterior, is up, and the patient's right, else anterior, on the left; without letters the array is
    shown as it is stored. Nothing but the slices is read.

    Parameters
    ----------
    path
        Of an .mla file.
    out
        Of the picture.
    space
        The space that letters and spacing are of; None is the default one, or none.
    index
        Through which voxel, per axis (or per axis shown); None is the middle.
    window
        The stored values that are black and white; None takes the lowest, and the 99.5th percentile of those above it.
    overwrite
        Whether what stands at `out` is replaced.

    Raises
    ------
    FileExistsError
        Something stands there.
    ArgumentError
        There are not two axes to show, the index lies outside, or the window is none.
    """
    needed("matplotlib", "view")
    target = new_path(out, overwrite=overwrite)
    if target.suffix.lower() != ".png":
        raise ArgumentError(Problem("wrong_value", ("out",), f"{target.name!r} does not end in .png"))
    if window is not None and not (math.isfinite(window[0]) and math.isfinite(window[1]) and window[0] < window[1]):
        raise ArgumentError(
            Problem("wrong_value", ("window",), f"the window is {window}; give a low and a higher number")
        )
    with MLArray.open(path) as array:
        slices, unit = _planned(array, space, index)
        planes = [_plane(array, one) for one in slices]
        figure = _figure(array, slices, planes, unit, window)
        figure.suptitle(
            f"{Path(str(array.filepath)).name}  {_facts(array, space, unit, slices)}", color=_INK, fontsize=10
        )
    name = temporary_name(str(target))
    try:
        figure.savefig(name, format="png", dpi=120, facecolor=_GROUND)
        replace(name, str(target), exclusive=not overwrite)
    finally:
        Path(name).unlink(missing_ok=True)


def _planned(array: MLArray, space: str | None, index: Sequence[int] | None) -> tuple[list[Slice], str]:
    names, types = array.meta.axis_names, array.meta.axis_types
    matrix = array.matrix(space)
    if matrix is None:
        columns = tuple(k for k, kind in enumerate(types) if kind == "space") or tuple(range(array.ndim))
        return plan_slices(array.shape, names, columns, [1.0] * len(columns), None, index), "voxels"
    spaces = array.meta.at(("spaces",))
    chosen = next(one for one in spaces if space in (None, one["name"]))
    columns = columns_of(chosen["from_array"]["array_axes"], names)
    first = chosen["axes"][0]
    unit = str(first.get("unit_code") or first.get("unit") or "")
    letters = array.letter_codes(space)
    return plan_slices(array.shape, names, columns, derive.spacing(matrix), letters, index), unit


def _plane(array: MLArray, one: Slice) -> NDArray[Any]:
    plane = np.asarray(array[one.key])
    plane = plane.T if one.down > one.across else plane
    return np.abs(plane) if plane.dtype.kind == "c" else plane


def _facts(array: MLArray, space: str | None, unit: str, slices: Sequence[Slice]) -> str:
    shape = " x ".join(map(str, array.shape))
    shown = {axis for one in slices for axis in (one.down, one.across)}
    names, at = array.meta.axis_names, slices[0].index
    held = "".join(f", {names[axis]} = {at[axis]}" for axis in range(array.ndim) if axis not in shown)
    matrix = array.matrix(space)
    if matrix is None:
        return f"{shape}, index space{held}"
    spacing = " x ".join(f"{value:.3g}" for value in derive.spacing(matrix))
    letters = array.letter_codes(space)
    return f"{shape}, {f'{spacing} {unit}'.strip()}{', ' + letters if letters else ''}{held}"


def _figure(array: MLArray, slices: Sequence[Slice], planes: Sequence[NDArray[Any]], unit: str, window: Any) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  (an extra)
    from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)

    widths = [plane.shape[1] * one.size[1] for plane, one in zip(planes, slices, strict=True)]
    figure = Figure(figsize=(4.2 * len(slices), 4.8), facecolor=_GROUND, layout="compressed")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(slices), squeeze=False, width_ratios=[max(w, max(widths) / 3) for w in widths])[0]
    style = _labels(array, planes) if array.meta.values.kind in {"label", "instance"} else _grey(planes, window)
    for axis, plane, one in zip(axes, planes, slices, strict=True):
        _draw(axis, plane, one, style, unit, names=array.meta.axis_names)
    return figure


def _grey(planes: Sequence[NDArray[Any]], window: Any) -> dict[str, Any]:
    if window is None:
        shown = np.concatenate([plane.ravel().astype(float) for plane in planes])
        shown = shown[np.isfinite(shown)]
        # The lowest value is background as a rule, and would be most of what is counted.
        above = shown[shown > shown.min()] if shown.size else shown
        window = (shown.min(), np.percentile(above, 99.5)) if above.size else (0.0, 1.0)
    return {"cmap": "gray", "vmin": float(window[0]), "vmax": float(window[1])}


def _labels(array: MLArray, planes: Sequence[NDArray[Any]]) -> dict[str, Any]:
    """Return colours by value: those of `values.labels`, else hues far from each other; 0 is black."""
    from matplotlib.colors import BoundaryNorm, ListedColormap, hsv_to_rgb  # noqa: PLC0415  (an extra)

    values = np.unique(np.concatenate([plane.ravel() for plane in planes]))
    named = array.meta.values.labels or {}
    colours = []
    for value in values.tolist():
        label = named.get(str(int(value))) if float(value).is_integer() else None
        hue = (float(value) * _GOLDEN) % 1.0
        colours.append(
            (label or {}).get("color") or ("#000000" if value == 0 else tuple(hsv_to_rgb((hue, 0.75, 0.95))))
        )
    edges = np.concatenate([values.astype(float) - 0.5, [float(values[-1]) + 0.5]])
    return {"cmap": ListedColormap(colours), "norm": BoundaryNorm(edges, len(colours)), "interpolation": "nearest"}


def _draw(axis: Any, plane: NDArray[Any], one: Slice, style: dict[str, Any], unit: str, names: Sequence[str]) -> None:
    height, width = plane.shape
    extent = (-0.5, width - 0.5, height - 0.5, -0.5)
    axis.imshow(plane, extent=extent, aspect=one.size[0] / one.size[1], **{"interpolation": "nearest", **style})
    axis.set_title(one.title, color=_INK, fontsize=9)
    axis.set_xlabel(names[one.across], color=_INK, fontsize=8)
    axis.set_ylabel(names[one.down], color=_INK, fontsize=8)
    axis.tick_params(colors=_INK, labelsize=7)
    for spine in axis.spines.values():
        spine.set_color("#444444")
    axis.axhline(one.cross[0], color="#ffb000", linewidth=0.5, alpha=0.6)
    axis.axvline(one.cross[1], color="#ffb000", linewidth=0.5, alpha=0.6)
    places = ((0.5, 0.985, "center", "top"), (0.5, 0.015, "center", "bottom"), (0.015, 0.5, "left", "center"))
    for (x, y, across, down), letter in zip((*places, (0.985, 0.5, "right", "center")), one.letters, strict=True):
        axis.text(
            x, y, letter, transform=axis.transAxes, ha=across, va=down, color="#ffb000", fontsize=12, weight="bold"
        )
    length = scale_bar(width * one.size[1])
    share = length / (width * one.size[1])
    axis.plot([0.96 - share, 0.96], [0.05] * 2, transform=axis.transAxes, color="white", lw=2.5, solid_capstyle="butt")
    label = f"{length:g} {unit}".strip()
    axis.text(0.96, 0.065, label, transform=axis.transAxes, ha="right", va="bottom", color="white", fontsize=8)
    axis.set_xlim(extent[1], extent[0]) if one.turned[1] else axis.set_xlim(extent[0], extent[1])
    axis.set_ylim(extent[3], extent[2]) if one.turned[0] else axis.set_ylim(extent[2], extent[3])
