"""Reads that are tried again when a store is busy: the policy, a loop over it, and pending reads that keep it."""

from __future__ import annotations

import math
import numbers
import operator
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.io import messages, runtime

T = TypeVar("T")
U = TypeVar("U")

_MIB: Final = 1 << 20
_GROWTH: Final = 1.3


class _Pace(NamedTuple):
    """How long a read may take: MiB per second, and the least and most seconds."""

    rate: float
    least: float
    most: float


_PACES: Final = {True: _Pace(16, 5, 120), False: _Pace(256, 5, 30)}


def _seconds(value: object, name: str, *, above_zero: bool) -> None:
    at = ("retries", name)
    if not isinstance(value, numbers.Real):
        raise ArgumentTypeError(problem("wrong_type", at, f"{name} is a number of seconds, not {value!r}"))
    try:
        finite = math.isfinite(value)
    except (OverflowError, TypeError):  # an integer of hundreds of digits, numpy's span of time
        finite = False
    if not finite or value < 0 or (above_zero and value == 0):
        rule = "a finite number above 0" if above_zero else "a finite number, 0 or more"
        raise ArgumentError(problem("out_of_range", at, f"{name} is {value}; it is {rule}"))


@dataclass(frozen=True)
class Retry:
    """How often a data read is tried and how long each attempt may take.

    Attempt k (from 1) waits ``timeout * k`` seconds for its data; between attempts it sleeps
    ``base_delay * 1.3 ** (k - 1)`` seconds and up to one more. Tried again are timeouts and what a busy store says:
    UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, HTTP 5xx and 429, and tensorstore's own retries used up.

    Examples
    --------
    >>> Retry().timeout_for(1 << 30, remote=True), Retry().timeout_for(1 << 30, remote=False)
    (64.0, 5.0)
    >>> Retry(timeout=2.5).timeout_for(1 << 30, remote=True)
    2.5
    """

    max_attempts: int = 10
    timeout: float | None = None
    """Seconds for the first attempt; None takes them from the size of the read (`timeout_for`)."""
    base_delay: float = 1.0
    """Seconds before the second attempt."""

    def __post_init__(self) -> None:
        try:
            attempts = operator.index(self.max_attempts)
        except TypeError:
            message = f"max_attempts is a whole number, not {self.max_attempts!r}"
            raise ArgumentTypeError(problem("wrong_type", ("retries", "max_attempts"), message)) from None
        if attempts < 1:
            message = f"max_attempts is {attempts}; one attempt is the least"
            raise ArgumentError(problem("out_of_range", ("retries", "max_attempts"), message))
        if self.timeout is not None:
            _seconds(self.timeout, "timeout", above_zero=True)
        _seconds(self.base_delay, "base_delay", above_zero=False)

    def timeout_for(self, nbytes: int, *, remote: bool) -> float:
        """Return the seconds the first attempt at reading `nbytes` bytes may take.

        Without `timeout` that is MiB / 16 between 5 and 120 for a remote store, MiB / 256 between 5 and 30 for a local
        one.
        """
        if self.timeout is not None:
            return float(self.timeout)
        rate, least, most = _PACES[remote]
        return float(min(max(nbytes / _MIB / rate, least), most))

    def pause(self, attempt: int, jitter: float) -> float:
        """Return the seconds between attempt `attempt` (from 1) and the next, `jitter` in [0, 1) included."""
        return float(self.base_delay * _GROWTH ** (attempt - 1) + jitter)


DEFAULT: Final = Retry()


def _jitter() -> float:
    import random  # noqa: PLC0415  (slow to import, rarely needed)

    return random.random()  # noqa: S311  (spreads retries, guards nothing)


@dataclass(frozen=True)
class Clock:
    """Where sleeping, jitter and the time come from; tests pass their own."""

    sleep: Callable[[float], object] = time.sleep
    jitter: Callable[[], float] = _jitter
    now: Callable[[], float] = time.monotonic


REAL: Final = Clock()


Explain = Callable[[Exception], Exception]
"""From an error as tensorstore raised it to the one that is raised instead."""


class Attempts:
    """One read that is started again as a policy says: the attempt under way and its number.

    `afresh` starts an attempt after one that timed out, and shares nothing with it; without it `start` does.
    """

    __slots__ = ("_afresh", "_clock", "_current", "_explain", "_retry", "_start", "_timeout")

    def __init__(
        self,
        start: Callable[[], Any],
        retry: Retry,
        timeout: float,
        *,
        first: Any = None,
        afresh: Callable[[], Any] | None = None,
        explain: Explain | None = None,
        clock: Clock = REAL,
    ) -> None:
        self._start = start
        self._afresh = start if afresh is None else afresh
        self._retry = retry
        self._timeout = timeout
        self._explain = explain
        self._clock = clock
        self._current = (1, start() if first is None else first)

    @property
    def future(self) -> Any:
        """The attempt under way."""
        return self._current[1]

    def result(self, within: float | None = None) -> Any:
        """Return the data; after `within` seconds raise TimeoutError and leave the attempt under way.

        A future that timed out is cancelled before the next one is started.
        """
        clock = self._clock
        end = None if within is None else clock.now() + within
        while True:
            current = number, future = self._current
            allowed, begin = self._timeout * number, self._start
            left = allowed if end is None else max(end - clock.now(), 0.0)
            try:
                return future.result(timeout=min(allowed, left))
            except TimeoutError as error:
                if left < allowed:
                    raise
                future.cancel()
                self._give_up_after(number, error)
                begin = self._afresh
            except runtime.ERRORS as error:
                self._give_up_after(number, error)
            pause = self._retry.pause(number, clock.jitter())
            clock.sleep(pause if end is None else min(pause, max(end - clock.now(), 0.0)))
            if self._current is current:  # else another thread that waits for this read has started the next
                self._current = (number + 1, begin())

    def _give_up_after(self, number: int, error: Exception) -> None:
        if number < self._retry.max_attempts and messages.is_transient(error):
            return
        if self._explain is None:
            raise error
        raise self._explain(error) from error


def wait(
    start: Callable[[], Any],
    retry: Retry = DEFAULT,
    *,
    nbytes: int = 0,
    remote: bool = False,
    explain: Explain | None = None,
    clock: Clock = REAL,
) -> Any:
    """Return the result of the future that `start` makes, starting another as `retry` says.

    Parameters
    ----------
    start
        Makes a tensorstore future, or anything with its `result` and `cancel`.
    nbytes, remote
        What the timeout is derived from where `retry` gives none (`Retry.timeout_for`).
    explain
        Makes the error to raise of the last one; without it that one is raised as it came.
    """
    return Attempts(start, retry, retry.timeout_for(nbytes, remote=remote), explain=explain, clock=clock).result()


class PendingRead(Generic[T]):
    """A read that is under way; `result` waits for it and keeps the handle's retry policy."""

    def __init__(self, attempts: Attempts | None, finish: Callable[[Any], T]) -> None:
        self._attempts = attempts
        self._finish = finish
        self._value: list[T] = []

    @classmethod
    def ready(cls, value: T) -> PendingRead[T]:
        """Return a read that needed no storage."""
        return cls(None, lambda _: value)

    def then(self, step: Callable[[T], U]) -> PendingRead[U]:
        """Return the same read with one more step made of its result."""
        finish = self._finish
        return PendingRead(self._attempts, lambda data: step(finish(data)))

    def done(self) -> bool:
        """Whether the attempt under way has ended; `result` then waits only if that attempt must be repeated."""
        return bool(self._value) or self._attempts is None or bool(self._attempts.future.done())

    def cancel(self) -> bool:
        """Cancel the attempt under way; return whether one was."""
        return not self.done() and self._attempts is not None and bool(self._attempts.future.cancel())

    def result(self, timeout: float | None = None) -> T:
        """Return the data, waiting as long as the retry policy allows, or `timeout` seconds at most.

        Raises
        ------
        TimeoutError
            `timeout` seconds passed; the read goes on, and `result` may be called again.
        DataError, AccessError, StoreUnavailableError
            As for the blocking read.
        """
        if not self._value:
            self._value.append(self._finish(None if self._attempts is None else self._attempts.result(timeout)))
        return self._value[0]
