"""What places are drawn with, and choices by weight."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


class Rng(Protocol):
    """What places are drawn with: the module `numpy.random`, a `RandomState`, or anything that has these."""

    def choice(self, a: int, /, *, p: Sequence[float]) -> int:
        """Return a number below `a`, number i with probability ``p[i]``."""

    def randint(self, low: int, high: int, /) -> int:
        """Return an integer from low to ``high - 1``."""

    def uniform(self, low: float, high: float, /) -> float:
        """Return a float between low and high."""


class Shares:
    """Weights to choose by, ready for many choices.

    Examples
    --------
    >>> shares = Shares((0.25, 0.75))
    >>> shares.choose(np.random.RandomState(3)) == np.random.RandomState(3).choice(2, p=(0.25, 0.75))
    True
    """

    __slots__ = ("running", "weights")

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = tuple(weights)
        sums = tuple(accumulate(self.weights))
        self.running = tuple(value / sums[-1] for value in sums)

    def choose(self, rng: Rng | Any) -> int:
        """Return a position, drawn as ``rng.choice(len(weights), p=weights)``.

        Of numpy's own generators the same number is looked up at once: their `choice` checks its arguments each time.
        """
        if rng is np.random or type(rng) is np.random.RandomState:
            return bisect_right(self.running, rng.random_sample())
        return int(rng.choice(len(self.weights), p=self.weights))


class Integers:
    """A `numpy.random.Generator`, with the names of a RandomState."""

    def __init__(self, rng: Any) -> None:
        self.randint = rng.integers
        self.choice = rng.choice
        self.uniform = rng.uniform
