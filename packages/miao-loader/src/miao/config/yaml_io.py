"""Configurations as YAML files."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from miao.config.values import shown
from miao.config.yaml_text import DEEPEST, dump, line_of, parse
from miao.errors import ArgumentTypeError, At, ConfigError, ConfigExistsError, ConfigNotFoundError

if TYPE_CHECKING:
    from miao.config.models import MiaoConfig

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
"""How a place begins that is no path."""


def load_config(path: str | os.PathLike[str]) -> MiaoConfig:
    """Return the configuration of a YAML file.

    A volume's path that is relative is taken from the folder of the file where something stands there, else from the
    working directory; `~` is the home folder, URLs stay as they are.

    Raises
    ------
    ConfigNotFoundError
        There is no such file. It is a FileNotFoundError.
    ConfigError
        It cannot be read, is no YAML, says a key twice, or is no mapping; the message has file and line.
    pydantic.ValidationError
        A value is not allowed; every one is listed, with its line.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    from miao.config.models import MiaoConfig, invalid, problem_of  # noqa: PLC0415

    name = _file(path)
    data, nodes = parse(_text(name), name)
    if isinstance(data, dict):
        _resolve(data, Path(name).parent)
    try:
        return MiaoConfig.model_validate(data)
    except ValidationError as error:
        found = [problem_of(line) for line in error.errors(include_url=False)]
    raise invalid(name, (one._replace(message=f"{one.message} (line {line_of(nodes, one.at)})") for one in found))


def save_config(
    cfg: MiaoConfig,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    exclude_none: bool = True,
    exclude_defaults: bool = False,
    sort_keys: bool = False,
    **yaml: Any,
) -> None:
    """Write a configuration as a YAML file, whole or not at all; folders above it are made.

    Parameters
    ----------
    cfg : MiaoConfig
        What to write.
    path : str or path
        Where. A file of the same text stays as it is; one of another text is replaced with `overwrite` only.
    overwrite : bool
        Replace another file.
    exclude_none, exclude_defaults : bool
        Leave out fields that are None, or as without a value.
    sort_keys : bool
        Sort keys, rather than the order of the fields.
    **yaml
        For `yaml.dump`, such as ``indent``.

    Raises
    ------
    ConfigExistsError
        A file of another text stands there. It is a FileExistsError.
    ConfigError
        It cannot be written there, or a keyword argument of an augment factory is nothing that YAML holds.
    """
    if not hasattr(cfg, "model_dump"):
        raise ArgumentTypeError(f"cfg is {type(cfg).__name__}; give a MiaoConfig", code="wrong_type", at=("cfg",))
    target = Path(os.path.realpath(_file(path)))
    data = _data(cfg, exclude_none=exclude_none, exclude_defaults=exclude_defaults)
    _keep_places(data, target.parent)
    _write(dump(data, sort_keys=sort_keys, **yaml), target, overwrite=overwrite)


def to_yaml(cfg: MiaoConfig, path: str | os.PathLike[str] | None = None, **how: Any) -> str:
    """Return a configuration as YAML; with a path it is written there too, as `save_config` does."""
    if path is not None:
        save_config(cfg, path, **how)
    how.pop("overwrite", None)
    data = _data(cfg, exclude_none=how.pop("exclude_none", True), exclude_defaults=how.pop("exclude_defaults", False))
    return dump(data, **{"sort_keys": False, **how})


def resolve_place(place: str, folder: str | os.PathLike[str] | None = None) -> str:
    """Return where a container is: `~` is the home folder; a relative path is taken from `folder` if it is there.

    Examples
    --------
    >>> resolve_place("s3://bucket/em.zarr", "/data"), resolve_place("nowhere.zarr", "/data")
    ('s3://bucket/em.zarr', 'nowhere.zarr')
    """
    if _URL.match(place):
        return place
    found = str(Path(place).expanduser()) if place.startswith("~") else place
    if folder is None or Path(found).is_absolute():
        return found
    beside = Path(folder).absolute() / found
    if not beside.exists() or _same(beside, Path(found)):
        return found
    return os.path.normpath(beside)


def _same(one: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return one.samefile(other)
    return False


def _file(path: object) -> str:
    """Return the path of a file as text."""
    found = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(found, str) or not found or "\0" in found:
        raise ArgumentTypeError(f"path is {path!r}; give the path of a YAML file", code="wrong_type", at=("path",))
    return found


def _text(name: str) -> str:
    try:
        raw = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        kind = ConfigNotFoundError if isinstance(error, FileNotFoundError) else ConfigError
        said = getattr(error, "strerror", None) or str(error)
        raise kind(
            f"the configuration {name!r} cannot be read: {said}; give the path of a YAML file", code="not_found"
        ) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}, line {line}: the file is not UTF-8; save it as UTF-8", code="wrong_value") from None


def _volumes(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = data.get("volumes")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _resolve(data: dict[str, Any], folder: Path) -> None:
    for volume in _volumes(data):
        place = volume.get("path")
        if isinstance(place, str):
            volume["path"] = resolve_place(place, folder)


def _keep_places(data: dict[str, Any], folder: Path) -> None:
    """Make a relative path absolute that another container beside the file would hide when it is loaded."""
    for volume in _volumes(data):
        place = volume["path"]
        if not place.startswith("~") and Path(place).exists() and resolve_place(place, folder) != place:
            volume["path"] = str(Path(place).absolute())


def _data(cfg: MiaoConfig, *, exclude_none: bool, exclude_defaults: bool) -> dict[str, Any]:
    data = cfg.model_dump(exclude_none=exclude_none, exclude_defaults=exclude_defaults)
    factory = data.get("augment_fn")
    if isinstance(factory, dict) and factory.get("kwargs"):
        factory["kwargs"] = _plain(getattr(cfg.augment_fn, "kwargs", {}), ("augment_fn", "kwargs"))
    return data


def _plain(value: object, at: At) -> Any:
    """Return a value as lists, mappings, texts and numbers, which is what YAML holds."""
    found = value.tolist() if hasattr(value, "tolist") else value
    if len(at) > DEEPEST:
        raise ConfigError(f"it lies more than {DEEPEST} deep; YAML is written less deep", code="unsupported", at=at)
    if isinstance(found, Mapping):
        return {key: _plain(one, (*at, str(key))) for key, one in found.items()}
    if isinstance(found, (list, tuple)):
        return [_plain(one, (*at, position)) for position, one in enumerate(found)]
    if found is None or isinstance(found, (bool, int, float, str)):
        return found
    raise ConfigError(
        f"{shown(found)} cannot be written as YAML; lists, mappings, texts and numbers can", code="unsupported", at=at
    )


def _write(text: str, target: Path, *, overwrite: bool) -> None:
    raw = text.encode("utf-8")
    try:
        _place(raw, target, overwrite=overwrite)
    except ConfigError:
        raise
    except (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise ConfigError(
            f"{target} cannot be written: {error.strerror or error}; give the path of a file in a folder that can be "
            "written to",
            code="unavailable",
        ) from error


def _place(raw: bytes, target: Path, *, overwrite: bool) -> None:
    if target.is_file() and target.read_bytes() == raw:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if not overwrite and target.exists():
        raise _exists(target)
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        _put(part, target, overwrite=overwrite)
    finally:
        part.unlink(missing_ok=True)


def _put(part: Path, target: Path, *, overwrite: bool) -> None:
    if not overwrite:
        try:
            os.link(part, target)
        except FileExistsError:
            raise _exists(target) from None
        except OSError:
            if target.exists():
                raise _exists(target) from None
        else:
            return
    if target.exists():
        shutil.copymode(target, part)
    part.replace(target)


def _exists(target: Path) -> ConfigExistsError:
    return ConfigExistsError(
        f"{target} already exists with other content; write to another name, or set overwrite=True",
        code="already_exists",
    )
