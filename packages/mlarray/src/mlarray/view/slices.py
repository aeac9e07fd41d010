"""Which slices a picture shows, and how: data in, data out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mlarray.errors import ArgumentError, Problem

TOP: Final = frozenset("SA")
LEFT: Final = frozenset("RA")
"""The letters that stand there: superior, or anterior, is up, and the patient's right is on the left."""
_UPRIGHT: Final = ("SI", "AP", "LR")
"""Which of two axes goes down: that of the earlier pair."""
OPPOSITE_LETTER: Final = {"L": "R", "R": "L", "A": "P", "P": "A", "S": "I", "I": "S"}


@dataclass(frozen=True)
class Slice:
    """One slice: the array axes that go down and across, and the index on every other axis."""

    down: int
    across: int
    index: tuple[int | None, ...]
    """None along `down` and `across`."""
    title: str
    letters: tuple[str, str, str, str]
    """At the top, bottom, left and right of the picture; empty where there are none."""
    turned: tuple[bool, bool]
    """Whether the index grows up rather than down, and to the left rather than to the right."""
    size: tuple[float, float]
    """Of a voxel: down, across."""
    cross: tuple[int, int]
    """Where the other slices cut it: down, across."""

    @property
    def key(self) -> tuple[int | slice, ...]:
        """What to read; its rows go across where `down` is the later axis."""
        return tuple(slice(None) if at is None else at for at in self.index)


def plan_slices(
    shape: Sequence[int],
    names: Sequence[str],
    columns: Sequence[int],
    spacing: Sequence[float],
    letters: str | None,
    index: Sequence[int] | None = None,
) -> list[Slice]:
    """Return the slices through a voxel, one normal to each of the last three axes of the space (one, in 2-D).

    The first of the two axes goes down and the second to the right, unless letters are known: then superior, or else
    anterior, is up, and the patient's right, or else anterior, on the left, as radiologists look at it, whatever the
    order of the axes.

    Parameters
    ----------
    shape, names
        Of the array.
    columns
        The axes to show: those of the space; of more than three the last three.
    spacing
        Per column.
    letters
        Per column, toward which its index grows; None where there are none.
    index
        Per axis of the array, or per column; None is the middle, 0 on axes that are not shown.

    Raises
    ------
    ArgumentError
        Fewer than two axes, or an index outside.

    Examples
    --------
    >>> [one.title for one in plan_slices((4, 5, 6), "zyx", (0, 1, 2), (3, 1, 1), "SPL")]
    ['z = 2', 'y = 2', 'x = 3']
    """
    shown = list(columns)[-3:]
    if len(shown) < 2:
        message = f"{len(shown)} axis of type space; a picture needs two"
        raise ArgumentError(Problem("unsupported", ("axes",), message))
    at = _index(shape, shown, index)
    size = {axis: spacing[k] for k, axis in enumerate(columns)}
    letter = {axis: letters[k] for k, axis in enumerate(columns)} if letters else {}
    normals = shown if len(shown) == 3 else [None]
    return [_slice(at, shown, normal, names, (size, letter)) for normal in normals]


def _slice(
    at: Sequence[int],
    shown: Sequence[int],
    normal: int | None,
    names: Sequence[str],
    facts: tuple[dict[int, float], dict[int, str]],
) -> Slice:
    size, letter = facts
    down, across = sorted((axis for axis in shown if axis != normal), key=lambda axis: _upright(letter.get(axis, "")))
    ends: list[str] = []
    turned: list[bool] = []
    for axis, wanted in ((down, TOP), (across, LEFT)):
        toward = letter.get(axis, "")
        pair = [OPPOSITE_LETTER.get(toward, ""), toward]
        turned.append(toward in wanted)
        ends += pair[::-1] if turned[-1] else pair
    title = f"{names[normal]} = {at[normal]}" if normal is not None else f"{names[down]}, {names[across]}"
    return Slice(
        down=down,
        across=across,
        index=tuple(None if axis in (down, across) else value for axis, value in enumerate(at)),
        title=title,
        letters=(ends[0], ends[1], ends[2], ends[3]),
        turned=(turned[0], turned[1]),
        size=(size[down], size[across]),
        cross=(at[down], at[across]),
    )


def _upright(letter: str) -> int:
    """Return the rank of an axis for going down; all are alike where letters are not known."""
    return next((rank for rank, pair in enumerate(_UPRIGHT) if letter and letter in pair), len(_UPRIGHT))


def _index(shape: Sequence[int], shown: Sequence[int], index: Sequence[int] | None) -> list[int]:
    found = [size // 2 if axis in shown else 0 for axis, size in enumerate(shape)]
    if index is not None:
        axes = range(len(shape)) if len(index) == len(shape) else shown
        if len(index) != len(list(axes)):
            message = f"{len(index)} numbers, expected {len(shape)} (per axis) or {len(shown)} (per axis shown)"
            raise ArgumentError(Problem("wrong_length", ("index",), message))
        for axis, value in zip(axes, index, strict=True):
            if not 0 <= value < shape[axis]:
                message = f"the index {value} is outside of 0 to {shape[axis] - 1}"
                raise ArgumentError(Problem("out_of_range", ("index", axis), message))
            found[axis] = value
    return found


def scale_bar(extent: float) -> float:
    """Return a round length of about a quarter of an extent: 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> scale_bar(180.0), scale_bar(0.9)
    (20.0, 0.2)
    """
    wanted = extent / 4
    power = 10.0 ** _floor_log10(wanted)
    best = max(factor for factor in (1, 2, 5) if factor * power <= wanted * (1 + 1e-9))
    return float(f"{best * power:.6g}")


def _floor_log10(value: float) -> int:
    exponent = 0
    while 10.0 ** (exponent + 1) <= value:
        exponent += 1
    while 10.0**exponent > value:
        exponent -= 1
    return exponent
