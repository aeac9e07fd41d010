"""What a handle is opened with: the arguments of `open`, as one record that pickles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.reading import Transform
from worldarray.resample import Method
from worldarray.selection import Select

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
        """Refuse a word that is none of a choice's."""
        for name in CHOICES:
            check_choice(name, getattr(self, name))

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


def check_choice(name: str, value: object) -> None:
    """Refuse a value that is none of the words an argument takes.

    Raises
    ------
    ArgumentError
        It is another; the message lists them.
    """
    words = CHOICES[name]
    if value not in words:
        message = f"{name} is {value!r}; it is one of {', '.join(map(repr, words))}"
        raise ArgumentError(problem("wrong_value", (name,), message))
