"""A configuration, however it is given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from miao.errors import ArgumentTypeError

if TYPE_CHECKING:
    from miao.config.models import MiaoConfig


def as_config(given: MiaoConfig | Mapping[str, Any] | str | os.PathLike[str]) -> MiaoConfig:
    """Return a configuration that nobody else holds, from a model, a mapping of its fields, or the path of a YAML file.

    Raises
    ------
    pydantic.ValidationError, ConfigError
        It says something that cannot be done.
    ArgumentTypeError
        It is none of these.
    """
    from miao.config.models import MiaoConfig, checked  # noqa: PLC0415  (pydantic takes a moment)
    from miao.config.yaml_io import load_config, resolve_place  # noqa: PLC0415

    if isinstance(given, (str, os.PathLike)):
        return load_config(given)
    if not isinstance(given, (MiaoConfig, Mapping)):
        raise ArgumentTypeError(
            f"config is {type(given).__name__}; give a MiaoConfig, a mapping of its fields, or the path of a YAML file",
            code="wrong_type",
            at=("config",),
        )
    config = checked(given)
    for volume in config.volumes:
        volume.path = resolve_place(volume.path)
    return config
