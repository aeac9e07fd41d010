from pydantic import ValidationError

from miao.config.fixed_axes import expand
from miao.config.models import MiaoConfig, problems
from miao.config.rules import notices
from miao.config.yaml_text import parse
from miao.errors import ConfigError
from worldarray_conformance import Answer


def config(given):
    try:
        found = MiaoConfig.model_validate(given["config"])
    except ValidationError as error:
        code, at, _ = problems(error)[0]
        raise ConfigError(str(error), code=code, at=("config", *at)) from error
    return Answer(found.model_dump(mode="json"), notices(found))


def fixed_axes(given):
    try:
        found = expand(given["name"], given["fixed_axes"], given.get("weight", 1.0))
    except ConfigError as error:
        raise ConfigError(error.message, code=error.code, at=("fixed_axes", *error.at)) from error
    return [{"name": name, "fixed": fixed, "weight": weight} for name, fixed, weight in found]


def yaml(given):
    try:
        return parse(given["text"], "config.yaml")[0]
    except ConfigError as error:
        raise ConfigError(error.message, code=error.code, at=("text",)) from error


OPS = {"loader.config": config, "loader.fixed_axes": fixed_axes, "loader.yaml": yaml}
