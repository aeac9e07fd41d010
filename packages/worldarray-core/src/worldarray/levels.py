"""Which level of a pyramid answers a voxel size, and whether its levels lie on each other. Facts in, facts out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, prod
from types import MappingProxyType
from typing import Final

from worldarray.arguments import Floats, finite, positive
from worldarray.axes import with_units
from worldarray.errors import ArgumentError, ArgumentTypeError, LevelError, Notice, notice, problem
from worldarray.geometry import TOLERANCE, same_place, same_size, same_sizes
from worldarray.records import Level

LevelLike = Level | tuple[str, Sequence[float]] | tuple[str, Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Misplaced:
    """A level that does not lie on the finest one: what it says, and what a block mean of that one would have."""

    name: str
    translation: Floats
    block_mean_translation: Floats


def select_level(levels: Sequence[LevelLike], voxel_size: Sequence[float], mode: str = "floor") -> Level:
    """Return the level that answers a voxel size.

    Sizes compare with rtol 1e-6. Where several levels answer equally well the finer is taken, whatever their order.

    Parameters
    ----------
    levels
        `Level` records, or (name, voxel_size) or (name, voxel_size, translation), one size per spatial axis; a level
        given without a translation comes back with an empty one.
    voxel_size
        The size asked for, per spatial axis, in the levels' unit.
    mode
        - "floor": the level of that size, else the coarsest that is no coarser on any axis, else the first listed
        - "finer": as "floor", but an error instead of the first listed
        - "exact": the level of that size
        - "nearest": the closest one by the sum over the axes of ``|log(level / asked)|``
        - "resample": the level to resample from: the coarsest that is no coarser on any axis, else the finest

    Raises
    ------
    LevelError
        No level answers; the message lists the levels.
    ArgumentError
        A mode, size or level that cannot be used.

    Examples
    --------
    >>> levels = [("s0", (30, 8, 8)), ("s1", (30, 16, 16)), ("s2", (60, 32, 32))]
    >>> select_level(levels, (30, 20, 20)).name
    's1'
    >>> select_level(levels, (30, 20, 20), "exact")
    Traceback (most recent call last):
    worldarray.errors.LevelError: voxel_size: no level has voxels of (30, 20, 20): s0 (30, 8, 8), s1 (30, 16, 16), \
s2 (60, 32, 32); ask for one of these, or for another mode
    """
    return pick_level(levels, voxel_size, mode)


def pick_level(
    levels: Sequence[LevelLike],
    voxel_size: Sequence[float],
    mode: str,
    units: Callable[[], Sequence[str]] = tuple,
) -> Level:
    """Return what `select_level` does; `units` gives those of the spatial axes, for the words of an error.

    Examples
    --------
    >>> pick_level([("s0", (30, 8))], (4, 4), "finer", lambda: ("nanometer",) * 2)
    Traceback (most recent call last):
    worldarray.errors.LevelError: voxel_size: every level is coarser than (4, 4) nanometer on some axis: s0 (30, 8) \
nanometer; ask for one of these, or for another mode
    """
    given: object = mode
    choose = _MODES.get(given) if isinstance(given, str) else None
    if choose is None:
        message = f"mode is {mode!r}; it is one of {', '.join(map(repr, _MODES))}"
        raise ArgumentError(problem("wrong_value", ("mode",), message))
    placed = _levels(levels)
    wanted = positive(voxel_size, "voxel_size")
    if placed and len(wanted) != len(placed[0].voxel_size):
        message = (
            f"voxel_size has {len(wanted)} entries {_sizes(wanted)} but the levels have "
            f"{len(placed[0].voxel_size)} spatial axes: {_listed(placed)}"
        )
        raise ArgumentError(problem("wrong_length", ("voxel_size",), message))
    if not placed:
        raise LevelError(problem("no_level", ("levels",), "there is no level to choose from; the list is empty"))
    found = choose(placed, wanted)
    if found is None:
        unit = units()
        rule = _REFUSALS[mode].format(with_units(_sizes(wanted), unit))
        message = f"{rule}: {with_units(_listed(placed), unit)}; ask for one of these, or for another mode"
        raise LevelError(problem("no_level", ("voxel_size",), message))
    return found


def match_level(levels: Sequence[LevelLike], voxel_size: Sequence[float]) -> Level | None:
    """Return the level of a voxel size within rtol 1e-6, or None.

    Examples
    --------
    >>> match_level([("s0", (10.48, 8.0))], (10.0, 8.0)) is None
    True
    """
    return _matching(_levels(levels), positive(voxel_size, "voxel_size"))


def misplaced_levels(levels: Sequence[LevelLike], declared: Sequence[bool] | None = None) -> tuple[Misplaced, ...]:
    """Return the levels that do not lie on the finest one.

    A level lies on it when both share the lower corner of voxel 0, as a block mean does, or its centre, as taking
    every other voxel does. A shared centre counts only where the store declares the level's translation: one that is
    absent, and so 0, says nothing. Compared within 1e-6 of a voxel.

    Parameters
    ----------
    levels
        `Level` records, or (name, voxel_size, translation).
    declared
        Per level, whether its store gives a translation; without it none counts as declared.

    Examples
    --------
    >>> misplaced_levels([("s0", (1.0,), (0.0,)), ("s1", (2.0,), (0.0,))])
    (Misplaced(name='s1', translation=(0.0,), block_mean_translation=(0.5,)),)
    """
    placed = _levels(levels)
    if declared is not None and len(declared) != len(placed):
        message = f"declared has {len(declared)} entries and levels {len(placed)}; give one per level"
        raise ArgumentError(problem("wrong_length", ("declared",), message))
    for index, level in enumerate(placed):
        if len(level.translation) != len(level.voxel_size):
            message = f"{level.name} has {len(level.translation)} translations; give {len(level.voxel_size)}"
            raise ArgumentError(problem("wrong_length", ("levels", index, "translation"), message))
    if not placed:
        return ()
    base = _finest(placed)
    known = declared if declared is not None else [False] * len(placed)
    return tuple(
        Misplaced(level.name, level.translation, _block_mean(base, level))
        for level, given in zip(placed, known, strict=True)
        if not _lies_on(base, level, given)
    )


def check_levels(levels: Sequence[LevelLike], declared: Sequence[bool] | None = None) -> tuple[Notice, ...]:
    """Return a notice for each level that does not lie on the finest one, with the translation a block mean would have.

    See `misplaced_levels`; nothing is ever repaired.
    """
    found = misplaced_levels(levels, declared)
    if not found:
        return ()
    base = _finest(_levels(levels)).name
    return tuple(
        notice(
            "conflict",
            (level.name, "translation"),
            f"it and {base} do not share a corner: the centre of its voxel 0 is at "
            f"{_sizes(level.translation)}, and a block mean of {base} would have it at "
            f"{_sizes(level.block_mean_translation)}; it is read where the store puts it",
        )
        for level in found
    )


def _levels(levels: Sequence[LevelLike]) -> list[Level]:
    given: object = levels
    if isinstance(given, str) or not isinstance(given, Iterable):
        message = f"levels is {levels!r}; give a list of (name, voxel_size) or (name, voxel_size, translation)"
        raise ArgumentTypeError(problem("wrong_type", ("levels",), message))
    placed = [_level(entry, index) for index, entry in enumerate(levels)]
    for index, level in enumerate(placed):
        if len(level.voxel_size) != len(placed[0].voxel_size):
            message = (
                f"{level.name} has {len(level.voxel_size)} sizes and {placed[0].name} {len(placed[0].voxel_size)}; "
                "give one per spatial axis"
            )
            raise ArgumentError(problem("wrong_length", ("levels", index, "voxel_size"), message))
    return placed


def _level(entry: object, index: int) -> Level:
    if isinstance(entry, Level):
        return entry
    if not isinstance(entry, tuple) or len(entry) not in (2, 3) or not isinstance(entry[0], str):
        message = f"{entry!r} is no level; give (name, voxel_size) or (name, voxel_size, translation)"
        raise ArgumentTypeError(problem("wrong_type", ("levels", index), message))
    try:
        translation = finite(entry[2], "translation") if len(entry) == 3 else ()
        return Level(entry[0], positive(entry[1], "voxel_size"), translation)
    except (ArgumentError, ArgumentTypeError) as error:
        found = error.problems[0]
        message = f"{entry[0]}: {found.message}"
        raise type(error)(problem(found.code, ("levels", index, *found.at), message)) from None


def _volume(level: Level) -> float:
    return prod(level.voxel_size)


def _finest(levels: Sequence[Level]) -> Level:
    """Return the smallest level; of equal ones the first by sizes, then the first listed."""
    return min(levels, key=lambda level: (_volume(level), level.voxel_size))


def _coarsest(levels: Sequence[Level]) -> Level:
    largest = max(map(_volume, levels))
    return _finest([level for level in levels if same_size(_volume(level), largest)])


def _matching(levels: Sequence[Level], wanted: Floats) -> Level | None:
    matching = [level for level in levels if same_sizes(level.voxel_size, wanted)]
    return _finest(matching) if matching else None


def _no_coarser(levels: Sequence[Level], wanted: Floats) -> Level | None:
    """Return the coarsest level that is no coarser than `wanted` on any axis."""
    found = [
        level
        for level in levels
        if all(s <= w or same_size(s, w) for s, w in zip(level.voxel_size, wanted, strict=True))
    ]
    return _coarsest(found) if found else None


def _floor(levels: Sequence[Level], wanted: Floats) -> Level:
    return _matching(levels, wanted) or _no_coarser(levels, wanted) or levels[0]


def _finer(levels: Sequence[Level], wanted: Floats) -> Level | None:
    return _matching(levels, wanted) or _no_coarser(levels, wanted)


def _nearest(levels: Sequence[Level], wanted: Floats) -> Level:
    apart = [sum(abs(log(s / w)) for s, w in zip(level.voxel_size, wanted, strict=True)) for level in levels]
    least = min(apart)
    return _finest([level for level, distance in zip(levels, apart, strict=True) if distance - least <= TOLERANCE])


def _resample(levels: Sequence[Level], wanted: Floats) -> Level:
    return _no_coarser(levels, wanted) or _finest(levels)


_MODES: Final[Mapping[str, Callable[[Sequence[Level], Floats], Level | None]]] = MappingProxyType(
    {"floor": _floor, "finer": _finer, "exact": _matching, "nearest": _nearest, "resample": _resample}
)
_REFUSALS: Final = MappingProxyType(
    {"finer": "every level is coarser than {} on some axis", "exact": "no level has voxels of {}"}
)


def _block_mean(base: Level, level: Level) -> Floats:
    """Return the centre of voxel 0 of a level of this size that shares the corner of `base`."""
    return tuple(t + (s - b) / 2 for t, b, s in zip(base.translation, base.voxel_size, level.voxel_size, strict=True))


def _lies_on(base: Level, level: Level, declared: bool) -> bool:
    same_corner, same_centre = (
        all(map(same_place, level.translation, wanted, base.voxel_size))
        for wanted in (_block_mean(base, level), base.translation)
    )
    return same_corner or (declared and same_centre)


def _listed(levels: Sequence[Level]) -> str:
    return ", ".join(f"{level.name} {_sizes(level.voxel_size)}" for level in levels)


def _sizes(values: Floats) -> str:
    return f"({', '.join(f'{value:g}' if value == float(f'{value:g}') else repr(value) for value in values)})"
