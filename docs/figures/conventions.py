"""The figures of the page on conventions: voxels of 8 nm, the first from 96 to 104 nm, so that its centre is at 100."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK: Final = "#22303c"
SOFT: Final = "#8795a1"
CENTRE: Final = "#00796b"
CORNER: Final = "#c2410c"
FILL: Final = "#dff0ee"
CHOSEN: Final = "#f7d9a8"
WRONG: Final = "#f6c5bd"


def _canvas(width: float, height: float, x: tuple[float, float], y: tuple[float, float]) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure  # noqa: PLC0415  (heavy)

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=x, ylim=y)
    axes.axis("off")
    return figure, axes


def _voxels(
    axes: Axes,
    corner: float,
    size: float,
    count: int,
    at: float,
    height: float = 0.6,
    *,
    fill: str = FILL,
    dots: bool = True,
) -> None:
    """Draw voxels of one axis side by side, their lower edge at height `at`, with a dot in each centre."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415  (heavy)

    for i in range(count):
        low = corner + i * size
        axes.add_patch(Rectangle((low, at), size, height, facecolor=fill, edgecolor=INK, linewidth=1.1))
        if dots:
            axes.plot([low + size / 2], [at + height / 2], "o", color=CENTRE, markersize=5)


def _arrow(axes: Axes, text: str, tip: tuple[float, float], tail: tuple[float, float], colour: str) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 1}
    axes.annotate(text, tip, tail, color=colour, ha="center", va="center", arrowprops=style)


def centre_and_corner() -> Figure:
    """Return four voxels with their centres and corners, and a box that selects two of them."""
    figure, axes = _canvas(7.2, 3.2, (86, 136), (-1.45, 2.2))
    _voxels(axes, 96, 8, 4, 0)
    _voxels(axes, 104, 8, 2, 0, fill=CHOSEN)
    for i in range(4):
        axes.text(97.0 + 8 * i, 0.48, str(i), color=SOFT, ha="center", va="center", fontsize=9)
    for edge in range(96, 129, 8):
        axes.text(edge, -0.12, str(edge), color=CORNER, ha="center", va="top")
    _arrow(axes, "corner = 96 nm\nwhere voxel 0 begins", (96, 0.62), (90.5, 1.5), CORNER)
    _arrow(axes, "translation = 100 nm\nthe centre of voxel 0", (100, 0.36), (104, 1.5), CENTRE)
    axes.annotate(
        "", (120, 0.85), (112, 0.85), arrowprops={"arrowstyle": "<->", "color": INK, "shrinkA": 0, "shrinkB": 0}
    )
    axes.text(116, 1.02, "voxel size 8 nm", ha="center", va="bottom", color=INK)
    axes.plot([103, 103, 118.5, 118.5], [-0.5, -0.72, -0.72, -0.5], color=INK, linewidth=1.6)
    axes.text(
        110.75,
        -0.85,
        "the box [103, 118.5) holds the centres 108 and 116:\nvoxels 1 and 2",
        ha="center",
        va="top",
        color=INK,
    )
    return figure


def half_a_voxel() -> Figure:
    """Return a level of means over a base level, placed right, and half a base voxel too low where nothing is said."""
    figure, axes = _canvas(7.2, 3.9, (-14, 72), (-3.6, 1.7))
    rows = ((0.0, -4, 8, 8, FILL), (-1.3, -4, 16, 4, FILL), (-2.6, -8, 16, 4, WRONG))
    for at, corner, size, count, fill in rows:
        _voxels(axes, corner, size, count, at, fill=fill)
    axes.plot([28, 28], [-1.35, 0.75], color=CORNER, linewidth=2)
    axes.plot([24, 24], [-2.65, -1.95], color=CORNER, linewidth=2)
    axes.text(28, 0.82, "an edge in the specimen, at 28 nm", color=CORNER, ha="center", va="bottom")
    axes.text(24, -2.78, "here it is shown at 24 nm", color=CORNER, ha="center", va="top")
    axes.text(61.5, 0.3, "s0, 8 nm:\ntranslation 0", color=INK, va="center", fontsize=9)
    axes.text(61.5, -1.0, "s1, 16 nm:\ntranslation 4", color=INK, va="center", fontsize=9)
    axes.text(61.5, -2.3, "s1, 16 nm:\nno translation,\nso 0", color=CORNER, va="center", fontsize=9)
    axes.plot([-4, -4], [-1.35, 0.75], color=SOFT, linewidth=1, linestyle=":")
    axes.plot([-4, -4], [-2.65, -1.35], color=SOFT, linewidth=1, linestyle=":")
    axes.annotate(
        "", (-8, -1.8), (-4, -1.8), arrowprops={"arrowstyle": "-|>", "color": CORNER, "shrinkA": 0, "shrinkB": 0}
    )
    axes.text(-3, -1.66, "4 nm too low", color=CORNER, va="center", fontsize=9)
    axes.text(
        24,
        -3.3,
        "Each value of s1 is the mean of two voxels of s0: its centre lies between theirs.",
        ha="center",
        va="center",
    )
    return figure


def levels() -> Figure:
    """Return three levels whose corners agree, with the centre of voxel 0 of each."""
    figure, axes = _canvas(7.2, 3.3, (-16, 82), (-3.0, 1.4))
    sizes = (8, 16, 32)
    for row, size in enumerate(sizes):
        at = -1.05 * row
        _voxels(axes, 0, size, 64 // size, at)
        axes.text(-2.5, at + 0.3, f"s{row}", ha="right", va="center", color=INK)
        axes.text(66, at + 0.3, f"{size} nm:\ntranslation {size // 2}", va="center", color=CENTRE)
    axes.plot([0, 0], [-2.25, 0.85], color=CORNER, linewidth=1.8)
    axes.text(0, 0.95, "one corner for all levels: 0", color=CORNER, ha="left", va="bottom")
    axes.plot([4, 8, 16], [0.3, -0.75, -1.8], color=CENTRE, linewidth=1.2, linestyle="--")
    axes.text(
        32,
        -2.55,
        "translation of level f = translation of s0 + (f - 1) / 2 · voxel size of s0",
        ha="center",
        va="center",
    )
    return figure


def formats() -> Figure:
    """Return what each format writes for the same voxel: the centre or the corner."""
    rows = (
        ("OME-NGFF", "translation: 100", True),
        ("COSEM", "transform.translate: 100", True),
        ("NIfTI, NRRD, MetaImage, DICOM", "affine, origin, position: 100", True),
        ("xarray, CF", "coordinate: 100", True),
        ("funlib", "offset: 96", False),
        ("N5", "offset: 96", False),
        ("precomputed", "voxel_offset: 12  (12 · 8 = 96)", False),
    )
    figure, axes = _canvas(7.2, 3.9, (52, 138), (-len(rows) + 0.1, 1.5))
    axes.text(100, 1.3, "100", color=CENTRE, ha="center", va="center")
    axes.text(96, 1.3, "96", color=CORNER, ha="center", va="center")
    axes.plot([96, 96], [-len(rows) + 0.25, 1.05], color=CORNER, linewidth=1, linestyle=":")
    axes.plot([100, 100], [-len(rows) + 0.25, 1.05], color=CENTRE, linewidth=1, linestyle=":")
    for row, (name, written, centre) in enumerate(rows):
        at = -float(row)
        _voxels(axes, 96, 8, 1, at, 0.55, dots=False)
        _voxels(axes, 104, 8, 1, at, 0.55, dots=False, fill="#ffffff")
        colour, x = (CENTRE, 100) if centre else (CORNER, 96)
        axes.plot([x], [at + 0.275], "o" if centre else "s", color=colour, markersize=7)
        axes.text(93, at + 0.275, name, ha="right", va="center", color=INK)
        axes.text(115, at + 0.275, written, va="center", color=colour)
    return figure


def patient() -> Figure:
    """Return one axial slice with its axes as NIfTI and as DICOM count them, and one voxel in both."""
    from matplotlib.patches import Ellipse, Rectangle  # noqa: PLC0415  (heavy)

    figure, axes = _canvas(7.2, 3.7, (-9.5, 9.5), (-5.0, 4.9))
    axes.set_aspect("equal")
    for middle, name, sign in ((-4.8, "NIfTI: RAS", -1), (4.8, "DICOM, ITK, .mla: LPS", 1)):
        axes.add_patch(Ellipse((middle, 0), 5.4, 6.4, facecolor=FILL, edgecolor=INK))
        axes.text(middle, 4.45, name, ha="center", va="center", color=INK, fontsize=11)
        # Seen from the feet, as radiologists look at it: the patient's left is on the right of the picture.
        axes.text(middle - 3.2, 0, "R", ha="center", va="center", color=SOFT)
        axes.text(middle + 3.2, 0, "L", ha="center", va="center", color=SOFT)
        axes.text(middle, 3.55, "A", ha="center", va="center", color=SOFT)
        axes.text(middle, -3.55, "P", ha="center", va="center", color=SOFT)
        arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (middle + sign * 1.9, 0), (middle, 0), arrowprops=arrow)
        axes.annotate("", (middle, -sign * 2.1), (middle, 0), arrowprops=arrow)
        axes.text(middle + sign * 2.05, -0.35, "x", ha="center", va="center", color=INK)
        axes.text(middle + 0.35, -sign * 2.1, "y", ha="center", va="center", color=INK)
        axes.add_patch(Rectangle((middle + 0.9, 0.9), 0.7, 0.7, facecolor=CHOSEN, edgecolor=INK))
        axes.plot([middle + 1.25], [1.25], "o", color=CENTRE, markersize=4.5)
    axes.text(-4.8, -4.5, "the same centre: (-25, 25, z) mm", ha="center", va="center", color=CENTRE)
    axes.text(4.8, -4.5, "the same centre: (25, -25, z) mm", ha="center", va="center", color=CENTRE)
    return figure


def resampled() -> Figure:
    """Return a volume of 8 nm read at 12 nm, from its own corner and from a corner that is named."""
    figure, axes = _canvas(7.2, 2.9, (-9, 88), (-2.6, 1.0))
    _voxels(axes, 0, 8, 6, 0)
    _voxels(axes, 0, 12, 4, -1.1)
    _voxels(axes, -4, 12, 4, -2.2, fill=CHOSEN)
    axes.text(51, 0.3, "stored: 8 nm, corner 0", va="center", color=INK)
    axes.text(51, -0.8, "read at 12 nm:\nfrom its own corner", va="center", color=INK)
    axes.text(
        51,
        -1.9,
        "read at 12 nm, anchor = -4:\non the voxels of another\nvolume, whose corner is -4",
        va="center",
        color=INK,
    )
    axes.plot([0, 0], [-1.15, 0.8], color=CORNER, linewidth=1.8)
    axes.plot([-4, -4], [-2.35, -1.45], color=CORNER, linewidth=1.8)
    return figure


FIGURES: Final[dict[str, Callable[[], Figure]]] = {
    "centre-and-corner": centre_and_corner,
    "half-a-voxel": half_a_voxel,
    "levels": levels,
    "formats": formats,
    "patient": patient,
    "resampled": resampled,
}
"""What draws each figure, by the name of its file."""
