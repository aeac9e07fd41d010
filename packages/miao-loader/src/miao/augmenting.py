"""The augmentation of a dataset, as it is given: a callable, a dotted path, or a factory with its arguments."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

from miao.errors import AugmentError, AugmentModuleError

if TYPE_CHECKING:
    from miao.config.models import AugmentFactory

Sample = dict[str, Any]


class Augmentation:
    """What is called with each sample; what a factory makes is made once per process."""

    def __init__(
        self, function: Callable[[Sample], Sample] | None, factory: str = "", kwargs: Mapping[str, Any] | None = None
    ) -> None:
        self._function = function
        self._factory = factory
        self._kwargs = dict(kwargs or {})
        self._made: tuple[int, Callable[[Sample], Sample]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what the factory made, which a worker makes for itself."""
        if self._function is not None:
            _check_sendable(self._function)
        return {**self.__dict__, "_made": None}

    def __call__(self, sample: Sample) -> Sample:
        """Return the augmented sample.

        Raises
        ------
        AugmentError
            What came back is no dict, or what the factory made is no callable.
        """
        return checked_sample(self._callable()(sample))

    def _callable(self) -> Callable[[Sample], Sample]:
        if self._function is not None:
            return self._function
        if self._made is None or self._made[0] != os.getpid():
            made = imported(self._factory)(**self._kwargs)
            if not callable(made):
                raise AugmentError(
                    f"the factory {self._factory} returned {type(made).__name__}; it returns an augment_fn, a callable",
                    code="wrong_type",
                    at=("augment_fn", "factory"),
                )
            self._made = (os.getpid(), made)
        return self._made[1]


def checked_sample(returned: object) -> Sample:
    """Return what an augmentation returned.

    Raises
    ------
    AugmentError
        It is no dict.
    """
    if isinstance(returned, dict):
        return returned
    hint = ""
    if callable(returned):
        hint = "; a factory is given as {factory: path, kwargs: {...}}, so that it is called to make one"
    raise AugmentError(
        f"augment_fn returned {type(returned).__name__}; it returns the sample, a dict{hint}", code="wrong_type"
    )


def _check_sendable(function: Callable[[Sample], Sample]) -> None:
    """Say why a callable cannot be sent to worker processes, before pickle does in words of its own."""
    try:
        ForkingPickler.dumps(function)
    except Exception as error:  # whatever the object raises
        raise AugmentError(
            f"augment_fn {function!r} cannot be sent to worker processes: {error}; pass a function of a module, a "
            "functools.partial of one or an instance of a class, or name a factory in the configuration",
            code="wrong_type",
            at=("augment_fn",),
        ) from error


def resolve(
    given: Callable[[Sample], Sample] | None, configured: str | AugmentFactory | None, *, deferred: bool
) -> Augmentation | None:
    """Return the augmentation of a dataset, or None.

    Raises
    ------
    AugmentError
        Both routes are used; image operations are deferred, so that there is no finished sample to augment yet; a
        path names nothing that can be called, or a factory does not take its arguments.
    AugmentModuleError
        There is no module of that path.
    """
    if given is not None and configured is not None:
        raise AugmentError(
            "augment_fn stands in the configuration and was passed as well; leave one of them out",
            code="conflict",
            at=("augment_fn",),
        )
    if deferred and given is not None:
        raise AugmentError(
            "with defer_image_ops samples are finished later: pass augment_fn to finish_images",
            code="conflict",
            at=("augment_fn",),
        )
    if given is not None:
        if not callable(given):
            raise AugmentError(f"augment_fn is {given!r}; it is a callable", code="wrong_type", at=("augment_fn",))
        return Augmentation(given)
    if configured is None:
        return None
    if isinstance(configured, str):
        return Augmentation(imported(configured))
    _check_arguments(imported(configured.factory), configured)
    return Augmentation(None, configured.factory, configured.kwargs)


def _check_arguments(factory: Callable[..., Any], configured: AugmentFactory) -> None:
    """Refuse arguments that a factory does not take, before a worker finds out."""
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        return  # of some built-in ones nothing is known
    try:
        signature.bind(**configured.kwargs)
    except TypeError as error:
        raise AugmentError(
            f"the factory {configured.factory} cannot be called with {sorted(configured.kwargs)}: {error}; it takes "
            f"{signature}",
            code="wrong_value",
            at=("augment_fn", "kwargs"),
        ) from None


def imported(path: str) -> Callable[..., Any]:
    """Return the callable that a dotted path names.

    Raises
    ------
    AugmentError
        The path has no dot, names no attribute of its module, or something that cannot be called.
    AugmentModuleError
        There is no such module.
    """
    module, _, name = path.rpartition(".")
    at = ("augment_fn",)
    if not module or not name:
        raise AugmentError(f"augment_fn is {path!r}; give module.function", code="wrong_value", at=at)
    try:
        found = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # what that module imports
        raise AugmentModuleError(
            f"augment_fn is {path!r}, and there is no module {error.name!r}; correct the path, or install the module",
            code="unknown_name",
            at=at,
        ) from None
    except AttributeError:
        raise AugmentError(f"module {module} has no {name!r}", code="unknown_name", at=at) from None
    if not callable(found):
        raise AugmentError(f"{path} is {type(found).__name__}, no callable", code="wrong_type", at=at)
    return found  # type: ignore[no-any-return]  # of a module that is imported by name
