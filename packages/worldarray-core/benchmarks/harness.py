"""Timing as ratios: two callables measured in interleaved rounds of the same run, medians and spread."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

Call = Callable[[], object]


@dataclass(frozen=True)
class Line:
    """One thing measured: ours against a reference, and the public peer where it is installed."""

    name: str
    reference: Call
    ours: Call
    goal: float
    """The ratio ours / reference not to exceed."""
    says: str = ""
    """What the reference is, and what is warm."""
    over_us: float | None = None
    """Where the goal is an absolute overhead instead: microseconds over the reference."""
    peer_job: dict[str, object] | None = None
    """What the peer's worker is asked to time, or None where the peer has nothing alike."""


@dataclass
class Result:
    """What one line came to: seconds per call, medians over rounds."""

    name: str
    reference: float
    ours: float
    ratio: float
    low: float
    high: float
    goal: float
    met: bool
    says: str
    over_us: float | None = None
    peer: float | None = None
    notes: list[str] = field(default_factory=list)


def repeats(call: Call, budget: float) -> int:
    """Return how many calls take about `budget` seconds, at least one."""
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-7)
    return max(1, min(10_000, int(budget / once)))


def seconds(call: Call, count: int) -> float:
    """Return the mean time of `count` calls."""
    gc.disable()
    start = time.perf_counter()
    for _ in range(count):
        call()
    took = (time.perf_counter() - start) / count
    gc.enable()
    return took


def measure(line: Line, *, rounds: int, budget: float, peer: Callable[[dict[str, object], int], float] | None) -> Result:
    """Return the medians of interleaved rounds (reference, ours, peer, reference, …) after one warm-up of each."""
    line.reference(), line.ours()
    count = repeats(line.reference, budget)
    times: dict[str, list[float]] = {"reference": [], "ours": [], "peer": []}
    for _ in range(rounds):
        times["reference"].append(seconds(line.reference, count))
        times["ours"].append(seconds(line.ours, count))
        if peer is not None and line.peer_job is not None:
            times["peer"].append(peer(line.peer_job, count))
    ratios = sorted(o / r for o, r in zip(times["ours"], times["reference"], strict=True))
    reference, ours = median(times["reference"]), median(times["ours"])
    over = (median(o - r for o, r in zip(times["ours"], times["reference"], strict=True))) * 1e6
    met = median(ratios) <= line.goal if line.over_us is None else over <= line.over_us
    return Result(
        line.name,
        reference,
        ours,
        median(ratios),
        ratios[0],
        ratios[-1],
        line.goal,
        met,
        line.says,
        over,
        median(times["peer"]) / reference if times["peer"] else None,
    )


def table(results: list[Result]) -> str:
    """Return the results as text, one line each."""
    rows = [("what", "reference", "ours", "ratio", "(min-max)", "over", "goal", "met", "peer ratio")]
    rows += [
        (
            r.name,
            _time(r.reference),
            _time(r.ours),
            f"{r.ratio:.2f}",
            f"({r.low:.2f}-{r.high:.2f})",
            f"{r.over_us:+.0f} us",
            f"{r.goal:g}x",
            "yes" if r.met else "NO",
            "-" if r.peer is None else f"{r.peer:.2f}",
        )
        for r in results
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def _time(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def write_json(results: list[Result], path: Path) -> None:
    """Write the results for the tools that gather them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(r) for r in results], indent=1), encoding="utf-8")
