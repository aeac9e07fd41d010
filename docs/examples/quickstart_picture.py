"""The picture of the quickstart: where the objects lie, and what every package made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import mlarray
import worldarray as wa
from quickstart_images import Image

AXES: Final = ("z", "y", "x")
COLOURS: Final = ((230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (204, 121, 167), (213, 94, 0))
"""Of labels, red, green and blue; they differ for people who see colours in other ways, too."""
BOX: Final = "#ffffff"
"""The colour of the frame around the box that is read and cut."""


@dataclass(frozen=True)
class Story:
    """What there is to draw."""

    image: Image
    pyramid: Path
    volume: wa.WorldArray
    """The image on cubic voxels."""
    box: wa.Box
    """What was read of it."""
    limits: tuple[float, float]
    """The values that are black and white."""
    batch: dict[str, Any]
    crop: Path
    table: Any
    """Of astropy."""
    told: str
    """What is known of the table."""


def colour(label: int) -> tuple[float, ...]:
    """Return the colour of a label, from 0 to 1."""
    return tuple(part / 255 for part in COLOURS[label % len(COLOURS)])


def draw(story: Story, picture: Path) -> None:
    """Save the picture; there is none yet."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (it takes a moment)

    figure = Figure(figsize=(15, 9.6), layout="constrained", dpi=110)
    panels = figure.subplots(2, 3).flat
    unit = wa.units.abbreviation(story.image.unit)
    for across, told in ((0, "xy"), (1, "xz")):
        axes = next(panels)
        overview(axes, story, across)
        axes.set_title(f"worldarray-write: the pyramid, {told}, with its labels", fontsize=10)
    axes = next(panels)
    plane(axes, story, story.volume, story.box, 0)
    axes.set_title(f"worldarray: the dashed box, read at {story.volume.voxel_size[0]:g} {unit}", fontsize=10)
    patches(next(panels), story)
    crop(next(panels), story)
    listing(next(panels), story)
    size, corner = numbers(story.image.voxel_size), numbers(story.image.corner)
    figure.suptitle(f"{story.image.name}: voxels of {size} {unit} (z, y, x), corner {corner} {unit}")
    with picture.open("xb") as file:
        figure.savefig(file, format="png")


# Planes --------------------------------------------------------------------------------------------------------------


def others(across: int) -> list[int]:
    """Return the axes of the plane that is cut across an axis: up or down the picture, then to the right."""
    return [axis for axis in range(len(AXES)) if axis != across]


def section(vol: wa.WorldArray, box: wa.Box, across: int) -> tuple[Any, list[float]]:
    """Return the plane of voxels in the middle of a box, 2-D, and its extent; it is cut across one axis."""
    step = vol.voxel_size[across]
    begin, end = list(box.begin), list(box.end)
    # One voxel thick: a box holds the voxels whose centres lie in it.
    begin[across], end[across] = box.centre[across] - step / 2, box.centre[across] + step / 2
    first, last = vol.target.index_box(wa.Box.of((begin, end)))
    covered = wa.Box.from_index(first, last, vol.voxel_size, vol.translation)
    down, right = others(across)
    extent = [covered.begin[right], covered.end[right], covered.end[down], covered.begin[down]]
    return vol.read(wa.Box.of((begin, end)), padding="edge").squeeze(across), extent


def plane(axes: Any, story: Story, vol: wa.WorldArray, part: wa.Box, across: int) -> None:
    """Draw a section, with a scale bar and its axes in world units."""
    values, extent = section(vol, part, across)
    low, high = story.limits
    axes.imshow(values, cmap="gray", vmin=low, vmax=high, extent=extent, interpolation="nearest")
    down, right = others(across)
    # The y and z axes of bodies point up, those of microscopes down.
    spans = (part.begin[down], part.end[down])[:: 1 if story.image.affine is not None else -1]
    axes.set(xlim=(part.begin[right], part.end[right]), ylim=spans)
    unit = wa.units.abbreviation(story.image.unit)
    axes.set(xlabel=f"{AXES[right]} ({unit})", ylabel=f"{AXES[down]} ({unit})")
    scale_bar(axes, unit)


def overview(axes: Any, story: Story, across: int) -> None:
    """Draw a section of the whole image with the outlines of its objects, their centroids and the box."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415  (it takes a moment)

    vol = wa.open(story.pyramid, level="s0", units=story.image.unit)
    labels = wa.open(story.pyramid / "labels" / "objects", level="s0", units=story.image.unit)
    whole = labels.read(labels.box)
    at = best([whole == int(row["id"]) for row in story.table], across, whole.shape[across])
    begin, end = [0] * whole.ndim, list(whole.shape)
    begin[across], end[across] = at, at + 1
    part = wa.Box.from_index(begin, end, vol.voxel_size, vol.translation)
    plane(axes, story, vol, part, across)
    found, extent = section(labels, part, across)
    down, right = others(across)
    for row in story.table:
        label = int(row["id"])
        outline(axes, found == label, extent, colour(label))
        axes.plot(row[AXES[right]], row[AXES[down]], "+", color=colour(label), markersize=9, markeredgewidth=1.6)
    box = story.box
    corner, (height, width) = (box.begin[right], box.begin[down]), (box.shape[down], box.shape[right])
    axes.add_patch(Rectangle(corner, width, height, fill=False, edgecolor=BOX, linewidth=1.5, linestyle="--"))


def best(objects: Sequence[Any], across: int, count: int) -> int:
    """Return which section shows the most of the objects, each by its largest section; of nearly equal ones the middle.

    Examples
    --------
    >>> one, two = np.zeros((2, 5, 4, 4), bool)
    >>> one[1:4, :2], two[2:, 3:] = True, True
    >>> best([one], 0, 5), best([two], 0, 5), best([one, two], 0, 5), best([], 0, 5)
    (2, 2, 2, 2)
    """
    areas = [found.sum(axis=tuple(others(across))) for found in objects]
    shares = sum((area / area.max() for area in areas), np.zeros(count))
    near = np.flatnonzero(shares >= 0.98 * shares.max())
    return int(near[np.argmin(abs(near - (count - 1) / 2))])


def outline(axes: Any, inside: Any, extent: Sequence[float], shade: Any, width: float = 1.5) -> None:
    """Draw the sides of voxels that are of an object and have a neighbour that is not."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415  (it takes a moment)

    left, right, bottom, top = extent
    padded = np.pad(inside, 1)
    columns, rows = np.linspace(left, right, inside.shape[1] + 1), np.linspace(top, bottom, inside.shape[0] + 1)
    # A side lies between a voxel and the next: along a row of voxels, or along a column of them.
    j, i = np.nonzero(padded[1:-1, 1:] != padded[1:-1, :-1])
    upright = [((columns[b], rows[a]), (columns[b], rows[a + 1])) for a, b in zip(j, i, strict=True)]
    j, i = np.nonzero(padded[1:, 1:-1] != padded[:-1, 1:-1])
    level = [((columns[b], rows[a]), (columns[b + 1], rows[a])) for a, b in zip(j, i, strict=True)]
    axes.add_collection(LineCollection(upright + level, colors=[shade], linewidths=width))


# What the packages made ----------------------------------------------------------------------------------------------


def patches(axes: Any, story: Story) -> None:
    """Draw the middle of every sample of the batch: a column for each, its scales below each other, with labels."""
    images, labels = (story.batch[key].numpy() for key in ("img", "label"))
    if images.ndim > labels.ndim:
        images = images[:, :, 0]
    depth, height, width = images.shape[2:]
    gap = max(1, width // 16)
    upward = story.image.affine is not None
    for sample in range(len(images)):
        for scale in range(images.shape[1]):
            grey, found = images[sample, scale, depth // 2], labels[sample, scale, depth // 2]
            left, top = sample * (width + gap), scale * (height + gap)
            extent = [left, left + width, *((top, top + height) if upward else (top + height, top))]
            axes.imshow(grey, cmap="gray", vmin=0, vmax=1, extent=extent, interpolation="nearest")
            for label in np.unique(found[found > 0]):
                outline(axes, found == label, extent, colour(int(label)))
    rows = images.shape[1] * (height + gap) - gap
    axes.set(xlim=(0, len(images) * (width + gap) - gap), ylim=(rows, 0), aspect="equal")
    across = [sample * (width + gap) + width / 2 for sample in range(len(images))]
    axes.set_xticks(across, [f"sample {sample}" for sample in range(len(images))])
    unit = wa.units.abbreviation(story.image.unit)
    sizes = [float(size[0]) for size in story.batch["pixel_size"][0]]
    middles = [scale * (height + gap) + height / 2 for scale in range(images.shape[1])]
    axes.set_yticks(middles, [f"{size:.3g} {unit}" for size in sizes], rotation=90, va="center")
    axes.tick_params(length=0)
    axes.set_frame_on(False)
    axes.set_title(f"miao-loader: a batch of {len(images)}, two voxel sizes, with labels", fontsize=10)


def crop(axes: Any, story: Story) -> None:
    """Draw the middle slice of the .mla file in its own coordinates, with the letters of the patient."""
    low, high = story.limits
    with mlarray.MLArray.open(story.crop) as m:
        values, size = m[m.shape[0] // 2], m.spacing
        depth, height, width = m.shape[0] // 2, m.shape[1], m.shape[2]
        # Faces of voxels lie half an index beside their centres.
        corners = ((-0.5, -0.5), (-0.5, width - 0.5), (height - 0.5, -0.5))
        edges = [m.index_to_space((depth, *corner)) for corner in corners]
        patient = story.image.affine is not None
        names = [axis["name"] for axis in m.meta.spaces[0]["axes"]]
        letters = m.letter_codes() if patient else None
    # Which coordinates grow along a row and along a column: x and y, the first two of the patient.
    x, y = (0, 1) if patient else (2, 1)
    extent = [edges[0][x], edges[1][x], edges[0][y], edges[2][y]]
    # Rows that are turned in the patient are longer than their coordinates tell.
    height, width = abs(extent[3] - extent[2]), abs(extent[1] - extent[0])
    aspect = (size[1] * values.shape[0] / height) / (size[2] * values.shape[1] / width)
    shown = values if patient else values[::-1]
    extent = extent if patient else [*extent[:2], extent[3], extent[2]]
    axes.imshow(
        shown, cmap="gray", vmin=low, vmax=high, interpolation="nearest", aspect=aspect, origin="lower", extent=extent
    )
    unit = "mm" if patient else wa.units.abbreviation(story.image.unit)
    axes.set(xlabel=f"{names[x]} ({unit})", ylabel=f"{names[y]} ({unit})")
    axes.set_title(
        "mlarray: the dashed box as .mla" + (", in coordinates of the patient" if patient else ""), fontsize=10
    )
    if letters:
        away = {"L": "R", "R": "L", "A": "P", "P": "A", "S": "I", "I": "S"}
        where = ((0.97, 0.5, letters[2]), (0.03, 0.5, away[letters[2]]), (0.5, 0.96, letters[1]))
        for across, up, letter in (*where, (0.5, 0.04, away[letters[1]])):
            axes.text(across, up, letter, color="#ffd400", transform=axes.transAxes, ha="center", va="center")


def listing(axes: Any, story: Story) -> None:
    """Draw the table, as astropy has read it, with its units."""
    table = story.table
    axes.set_axis_off()
    axes.set_title("maml-parquet: the objects, read by astropy", fontsize=10)
    names = ["object", "volume", "x", "y", "z", "mean"]
    heads = [f"{name}\n{table[name].unit}" if table[name].unit else f"{name}\n" for name in names]
    rows = [
        [str(row["object"]), f"{row['volume']:.6g}", *(f"{row[name]:.5g}" for name in "xyz"), f"{row['mean']:.4g}"]
        for row in table
    ]
    if not rows:
        return
    widths = [0.36, 0.15, 0.12, 0.12, 0.13, 0.12]
    bottom = max(0.1, 0.98 - 0.12 * (len(rows) + 1))
    drawn = axes.table(
        rows, colLabels=heads, colWidths=widths, bbox=[0, bottom, 1, 0.98 - bottom], cellLoc="right", edges="open"
    )
    drawn.auto_set_font_size(value=False)
    drawn.set_fontsize(9)
    told = "x, y, z: centroids, the crosses of the sections"
    axes.text(0, bottom - 0.04, f"{told}\n{story.told}", fontsize=9, va="top", transform=axes.transAxes)
    for (at, column), cell in drawn.get_celld().items():
        if at and column == 0:
            cell.set_text_props(
                color=[0.8 * part for part in colour(int(table["id"][at - 1]))], weight="bold", ha="left"
            )


# Small things --------------------------------------------------------------------------------------------------------


def scale_bar(axes: Any, unit: str) -> None:
    """Draw a bar of a round length, at most a quarter of the width, into the lower left of a panel."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    length = rounded((right - left) / 4, digits=(1, 2, 5))
    x, y = left + 0.05 * (right - left), bottom + 0.05 * (top - bottom)
    for shade, width in (("black", 6), ("white", 3)):
        axes.plot([x, x + length], [y, y], color=shade, linewidth=width, solid_capstyle="butt")
    frame = {"facecolor": "black", "alpha": 0.6, "pad": 2, "edgecolor": "none"}
    at = x, y + 0.03 * (top - bottom)
    axes.text(*at, f"{length:g} {unit}", color="white", fontsize=9, va="bottom", bbox=frame)


def rounded(value: float, digits: Sequence[float] = (1, 1.2, 1.5, 2, 2.4, 3, 4, 5, 6, 8)) -> float:
    """Return the largest number that is no larger than a positive value and is one of `digits` times a power of ten.

    Examples
    --------
    >>> rounded(27.3), rounded(0.7, digits=(1, 2, 5))
    (24.0, 0.5)
    """
    power = int(np.floor(np.log10(value)))
    below = max((d for d in digits if d * 10.0**power <= value * (1 + 1e-9)), default=1)
    return float(f"{below}e{power}")


def numbers(values: Sequence[float]) -> str:
    """Return numbers as people write them.

    Examples
    --------
    >>> numbers((40.0, 16.5))
    '(40, 16.5)'
    """
    return f"({', '.join(f'{value:.6g}' for value in values)})"
