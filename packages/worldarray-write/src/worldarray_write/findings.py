"""Everything that is wrong with what a caller asks, so that one error tells all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from worldarray.errors import ArgumentError, Problem, WorldArrayError

T = TypeVar("T")
P = ParamSpec("P")


class Findings:
    """What is wrong with the arguments of one call, collected.

    Examples
    --------
    >>> from worldarray.arguments import positive
    >>> found = Findings()
    >>> found.take(positive, (0.0,), "voxel_size") is None
    True
    >>> [p.code for p in found.problems]
    ['not_positive']
    """

    def __init__(self) -> None:
        self.errors: list[WorldArrayError] = []

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems found, in order."""
        return tuple(found for error in self.errors for found in error.problems)

    def take(self, parse: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Return ``parse(*args)``, or None after noting the problems it raises."""
        try:
            return parse(*args, **options)
        except WorldArrayError as error:
            self.errors.append(error)
            return None

    def check(self) -> None:
        """Raise one error with every problem found, or return.

        It is of the class that all of them have, else an ArgumentError.
        """
        if not self.errors:
            return
        kinds = {type(error) for error in self.errors}
        kind = kinds.pop() if len(kinds) == 1 else ArgumentError
        raise kind(*self.problems)
