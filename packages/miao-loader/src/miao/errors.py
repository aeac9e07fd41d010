"""Errors and warnings: each names where, the value found, the rule and what to do."""

from __future__ import annotations

from typing import Final, NamedTuple

At = tuple[str | int, ...]


class MiaoError(Exception):
    """What every error of this package is; `code` is a word for programs, `at` the path to the offending value."""

    def __init__(self, message: str, *, code: str = "invalid_argument", at: At = ()) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.at = at

    def __reduce__(self) -> tuple[object, ...]:
        """Keep code and place when an error of a worker process is sent to the one that waits for it."""
        return (_rebuilt, (type(self), self.message, self.code, self.at))

    def __str__(self) -> str:
        """Return ``place: message``."""
        where = render_at(self.at)
        return f"{where}: {self.message}" if where else self.message


def _rebuilt(kind: type[MiaoError], message: str, code: str, at: At) -> MiaoError:
    return kind(message, code=code, at=at)


class ArgumentError(MiaoError, ValueError):
    """A caller asked for something that cannot be done."""


class ArgumentTypeError(MiaoError, TypeError, ValueError):
    """An argument is of a type that cannot be used."""


class NotDeferredError(ArgumentError, KeyError):
    """A sample whose image is finished was given where one is that still has to be."""


class UnlikeSamplesError(ArgumentError, RuntimeError):
    """Samples of other shapes cannot be one batch. It is a RuntimeError, as torch's own is."""


class ConfigError(MiaoError, ValueError):
    """A configuration says something that cannot be done, by itself or with the stores that it names."""


class ConfigExistsError(ConfigError, FileExistsError):
    """Another configuration stands where one would be written."""


class ConfigNotFoundError(ConfigError, FileNotFoundError):
    """There is no file of a configuration."""


class PlanError(MiaoError, ValueError):
    """No window of the size that a scale reads fits where it has to."""


class VolumeError(MiaoError, ValueError):
    """The documents of a store do not agree with what the configuration says about it."""


class VolumeNotFoundError(VolumeError, FileNotFoundError):
    """Nothing that can be read stands where a volume, its labels or its mask should be."""


class ReadError(MiaoError, ValueError):
    """Voxels could not be read; the message names volume, place and file."""


class AugmentError(ArgumentError, AssertionError):
    """What an augmentation was given, or how one was given, does not fit what it does."""


class AugmentModuleError(AugmentError, ModuleNotFoundError):
    """There is no module of the name that an augmentation's path begins with."""


class ForkError(MiaoError, RuntimeError):
    """A forked worker would use tensorstore after its parent did, which would end it."""


class SampleIndexError(MiaoError, IndexError):
    """A dataset has no sample of that index."""


class MiaoWarning(UserWarning):
    """Something that is odd but usable."""


class Notice(NamedTuple):
    """What a warning says, as data: a word of `CODES`, and words for people."""

    code: str
    message: str


def render_at(at: At) -> str:
    """Return a path to a value as people write it.

    Examples
    --------
    >>> render_at(("volumes", 1, "patch_size", 0)), render_at(())
    ('volumes[1].patch_size[0]', '')
    """
    text = ""
    for part in at:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


CODES: Final = frozenset(
    {
        "already_exists",
        "bad_chunk",
        "conflict",
        "duplicate",
        "forked",
        "invalid_argument",
        "missing_field",
        "missing_key",
        "not_finite",
        "not_found",
        "not_positive",
        "not_representable",
        "order",
        "out_of_range",
        "unavailable",
        "unknown_key",
        "unknown_name",
        "unknown_unit",
        "unsupported",
        "wrong_length",
        "wrong_type",
        "wrong_value",
    }
)
"""The words of `MiaoError.code`."""
