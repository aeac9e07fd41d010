"""What a handle is opened with: the arguments of `open`, as one record that pickles."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.reads.planning import Transform
from worldarray.reads.selection import Select
from worldarray.resample import Method

if TYPE_CHECKING:
    import os

    from worldarray.io.retry import Retry

Units: TypeAlias = "str | Mapping[str, str] | None"

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "level_mode": ("floor", "finer", "exact", "nearest", "resample"),
    "on_mismatch": ("error", "resample", "relabel", "keep"),
    "method": ("nearest", "linear"),
    "metadata_conflicts": ("error", "warn"),
}


@dataclass(frozen=True)
class OpenArguments:
    """The arguments of `worldarray.open`; see there."""

    path: str | os.PathLike[str]
    level: str | int | None = None
    voxel_size: Any = None
    level_mode: str = "floor"
    on_mismatch: str = "error"
    padding: Any = 0
    method: Method = "nearest"
    select: Select | None = None
    units: Units = "nanometer"
    context: Any = None
    retries: Retry | None = None
    metadata_conflicts: Literal["error", "warn"] = "error"
    base_voxel_size: Any = None
    base_units: str | None = None
    anchor: Any = None
    transform: Transform | None = None
    strict_units: bool = True
    dimension_separator: str | None = None
    field: str | None = None

    def __post_init__(self) -> None:
        """Refuse a word that is none of a choice's, and a policy or transform that is none."""
        for name in CHOICES:
            check_choice(name, getattr(self, name))
        separator: object = self.dimension_separator
        if not (separator is None or (isinstance(separator, str) and separator in (".", "/"))):
            message = f"dimension_separator is {self.dimension_separator!r}; it is '.', '/' or None"
            raise ArgumentError(problem("wrong_value", ("dimension_separator",), message))
        check_retries(self.retries)
        check_callable(self.transform, "transform")

    def override(self, changes: Mapping[str, Any]) -> OpenArguments:
        """Return the arguments with some replaced.

        Raises
        ------
        ArgumentTypeError
            A name is none of `open`'s.
        """
        known = {field.name for field in fields(self)} - {"path"}
        for name in changes:
            if name not in known:
                message = f"open takes no {name!r}; it takes {', '.join(sorted(known))}"
                raise ArgumentTypeError(problem("invalid_argument", (name,), message))
        return replace(self, **changes)


def check_retries(value: object) -> None:
    """Refuse a retry policy that is none; None stands for the default.

    Raises
    ------
    ArgumentTypeError
        It is no `Retry`.
    """
    if value is None:
        return
    from worldarray.io.retry import Retry  # noqa: PLC0415  (only readers need it)

    if not isinstance(value, Retry):
        message = f"{value!r} is no retry policy; give a Retry, such as Retry(max_attempts=3)"
        raise ArgumentTypeError(problem("wrong_type", ("retries",), message))


def check_callable(value: object, name: str) -> None:
    """Refuse a transform that cannot be called; None stands for none.

    Raises
    ------
    ArgumentTypeError
        It is not callable.
    """
    if value is not None and not callable(value):
        message = f"{name} is {value!r}; give a function of an array, or None"
        raise ArgumentTypeError(problem("wrong_type", (name,), message))


def check_context(value: object) -> None:
    """Refuse a context that is none; None stands for the shared one.

    Raises
    ------
    ArgumentTypeError
        It is no tensorstore.Context.
    """
    tensorstore = sys.modules.get("tensorstore")  # whoever has a context has imported it
    if value is not None and (tensorstore is None or not isinstance(value, tensorstore.Context)):
        message = f"context is {value!r}; give a tensorstore.Context, such as shared_context() makes"
        raise ArgumentTypeError(problem("wrong_type", ("context",), message))


def check_choice(name: str, value: object) -> None:
    """Refuse a value that is none of the words an argument takes.

    Raises
    ------
    ArgumentError
        It is another; the message lists them.
    """
    words = CHOICES[name]
    if not isinstance(value, str) or value not in words:
        message = f"{name} is {value!r}; it is one of {', '.join(map(repr, words))}"
        raise ArgumentError(problem("wrong_value", (name,), message))
