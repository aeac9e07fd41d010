"""Timing as ratios: timers measured in interleaved rounds of the same run, medians and the spread beside them."""

from __future__ import annotations

import gc
import math
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

Call = Callable[[], object]
Timer = Callable[[int], float]
"""From a number of calls to their mean time in seconds."""
Job = dict[str, object]
"""What the public peer's worker is asked to time."""
PeerTimer = Callable[[Job], Timer]

_MOST_ROUNDS = 150
_LONG = 1.0
"""Seconds per call from which three rounds are enough."""


@dataclass(frozen=True)
class Effort:
    """How long is measured: rounds, and about how many seconds each side takes in one."""

    rounds: int = 15
    budget: float = 0.06
    quick: bool = False

    def rounds_for(self, once: float) -> int:
        """Return how many rounds a call of `once` seconds is worth."""
        return min(self.rounds, 3 if once > _LONG else 7 if once > self.budget else self.rounds)


QUICK = Effort(rounds=3, budget=0.01, quick=True)


@dataclass(frozen=True)
class Goal:
    """What a line is held to: a ratio to its reference, microseconds over it or per item, the time of the peer."""

    ratio: float | None = None
    over_us: float | None = None
    item_us: float | None = None
    gain: float | None = None
    """The least that the peer takes, in multiples of ours; not asked for where there is no peer."""

    def __str__(self) -> str:
        parts = (
            (self.ratio, "{:g}x"),
            (self.over_us, "+{:g} us"),
            (self.item_us, "{:g} us each"),
            (self.gain, "gain {:.3g}x"),
        )
        return ", ".join(text.format(value) for value, text in parts if value is not None) or "-"

    def met(self, ratio: float, over_us: float, item_us: float, gain: float | None) -> bool | None:
        """Whether everything that is asked for holds; None where nothing is."""
        pairs = ((self.ratio, ratio), (self.over_us, over_us), (self.item_us, item_us))
        asked = [found <= limit for limit, found in pairs if limit is not None]
        if self.gain is not None and gain is not None:
            asked.append(gain >= self.gain)
        return all(asked) if asked else None


@dataclass(frozen=True)
class Line:
    """One thing measured: ours against a reference, and the public peer where it is installed."""

    name: str
    reference: Timer
    ours: Timer
    goal: Goal
    says: str
    """What the reference is, and what is warm."""
    peer: Job | None = None
    """None where the peer has nothing alike."""
    items: int = 1
    """How many things one call handles, for a goal per item."""
    noisy: bool = False
    """Whether a disk answers: many rounds of one call each, so that its pauses fall on both sides and few ratios."""
    unit: str = "s"
    """What the timers answer: seconds, or bytes."""


@dataclass(frozen=True)
class Growth:
    """One hot path at several sizes."""

    name: str
    points: Sequence[tuple[int, Timer]]


@dataclass
class Result:
    """What one line came to: medians over rounds, in seconds per call or bytes."""

    name: str
    reference: float
    ours: float
    ratio: float
    low: float
    high: float
    goal: str
    met: bool | None
    says: str
    unit: str = "s"
    over_us: float | None = None
    item_us: float | None = None
    peer_ratio: float | None = None
    gain: float | None = None
    """The peer's time in multiples of ours."""
    notes: list[str] = field(default_factory=list)


@dataclass
class Grown:
    """What a growth came to: seconds per call at each size, and the exponent of the line through them."""

    name: str
    sizes: list[int]
    seconds: list[float]
    exponent: float


def timer(call: Call) -> Timer:
    """Return the timer of a call."""

    def timed(count: int) -> float:
        gc.collect(0)
        gc.disable()
        try:
            start = time.perf_counter()
            for _ in range(count):
                call()
            return (time.perf_counter() - start) / count
        finally:
            gc.enable()

    return timed


def undoing(call: Call, undo: Call) -> Timer:
    """Return the timer of a call that is undone after each time, outside the time."""

    def timed(count: int) -> float:
        took = 0.0
        for _ in range(count):
            took += once(1)
            undo()
        return took / count

    once = timer(call)
    return timed


def restored(before: Mapping[str, str | None]) -> Call:
    """Return what makes files hold a text again, and removes what had none: a file, or a folder with all in it.

    The texts, JSON, end in another number of empty lines each time, so that nothing kept of one serves the next time.
    """

    def restore() -> None:
        end = "\n" * random.randrange(500)
        for path, text in before.items():
            if text is None:
                shutil.rmtree(path, ignore_errors=True)
                Path(path).unlink(missing_ok=True)
            else:
                Path(path).write_text(text + end, encoding="utf-8")

    return restore


def repeats(once: float, budget: float) -> int:
    """Return how many calls of `once` seconds take about `budget` seconds, at least one."""
    return max(1, min(10_000, int(budget / max(once, 1e-7))))


def warm(timed: Timer) -> float:
    """Return the time of the third call, after two that warm caches."""
    timed(1)
    first = timed(1)
    return first if first > _LONG else timed(1)


def measure(line: Line, effort: Effort, peer: PeerTimer | None = None) -> Result:
    """Return the medians of interleaved rounds (reference, ours, peer, reference, …); ratios are per round."""
    sides = [line.reference, line.ours]
    if peer is not None and line.peer is not None:
        sides.append(peer(line.peer))
    once = max(map(warm, sides))
    count, turns = repeats(once, effort.budget), effort.rounds_for(once)
    if line.noisy:
        count, turns = 1, min(count * turns, _MOST_ROUNDS)
    rounds = [[side(count) for side in sides] for _ in range(turns)]
    ratios = sorted(times[1] / times[0] for times in rounds)
    over = median(times[1] - times[0] for times in rounds) * 1e6
    ours = median(times[1] for times in rounds)
    item = ours / line.items * 1e6
    gain = median(times[2] / times[1] for times in rounds) if len(sides) > 2 else None
    return Result(
        name=line.name,
        reference=median(times[0] for times in rounds),
        ours=ours,
        ratio=median(ratios),
        low=ratios[0],
        high=ratios[-1],
        goal=str(line.goal),
        met=line.goal.met(median(ratios), over, item, gain),
        says=line.says,
        unit=line.unit,
        over_us=over if line.unit == "s" else None,
        item_us=item if line.goal.item_us is not None else None,
        peer_ratio=median(times[2] / times[0] for times in rounds) if len(sides) > 2 else None,
        gain=gain,
    )


def grow(growth: Growth, effort: Effort) -> Grown:
    """Return the medians at each size, measured in interleaved rounds, and the least-squares exponent."""
    counts = [repeats(warm(timed), effort.budget) for _, timed in growth.points]
    rounds = [
        [timed(count) for count, (_, timed) in zip(counts, growth.points, strict=True)]
        for _ in range(min(5, effort.rounds))
    ]
    times = [median(column) for column in zip(*rounds, strict=True)]
    sizes = [size for size, _ in growth.points]
    return Grown(growth.name, sizes, times, slope([math.log(s) for s in sizes], [math.log(t) for t in times]))


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the slope of the least-squares line."""
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return over / sum((a - middle_x) ** 2 for a in x)


# What is printed -----------------------------------------------------------------------------------------------------


def table(results: Sequence[Result]) -> str:
    """Return the results as text, one line each."""
    head = ("what", "reference", "ours", "ratio", "min-max", "over", "goal", "met", "peer", "gain")
    return columns([head, *map(_row, results)])


def _row(result: Result) -> tuple[str, ...]:
    over = "" if result.over_us is None else f"{result.over_us:+.0f} us"
    if result.item_us is not None:
        over = f"{result.item_us:.2f} us each"
    return (
        result.name,
        _amount(result.reference, result.unit),
        _amount(result.ours, result.unit),
        f"{result.ratio:.2f}x",
        f"{result.low:.2f}-{result.high:.2f}",
        over,
        result.goal,
        {True: "yes", False: "NO", None: "-"}[result.met],
        "-" if result.peer_ratio is None else f"{result.peer_ratio:.2f}x",
        "-" if result.gain is None else f"{result.gain:.2f}x",
    )


def growth_table(grown: Sequence[Grown]) -> str:
    """Return the growths as text, one line each."""
    rows = [("cost as work grows", "sizes", "times", "exponent")]
    rows += [
        (
            each.name,
            " / ".join(f"{size:g}" for size in each.sizes),
            " / ".join(_amount(value, "s") for value in each.seconds),
            f"{each.exponent:.2f}",
        )
        for each in grown
    ]
    return columns(rows)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def _amount(value: float, unit: str) -> str:
    if unit == "bytes":
        return f"{value / 2**20:.{0 if value >= 10 << 20 else 2}f} MiB"
    for name, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value / 1e-9:.3g} ns"
