"""The fields of a configuration, their defaults and what is allowed.

Each error of a `pydantic.ValidationError` that is raised here has a word of `miao.errors.CODES` as its type, the path
to the value as its location, and a message that says what to do; `problems` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from miao.config import values
from miao.config.fixed_axes import Fixed, parsed, plain
from miao.config.rules import Problem, of_config, of_sampling, of_volume
from miao.errors import CODES, At, ConfigError, MiaoError

if TYPE_CHECKING:
    import os

    from pydantic import ModelWrapValidatorHandler
    from typing_extensions import Self

Whole = Annotated[int, BeforeValidator(values.whole)]
Count = Annotated[int, BeforeValidator(values.count)]
Several = Annotated[int, BeforeValidator(values.whole), AfterValidator(values.at_least_one)]
Number = Annotated[float, BeforeValidator(values.number)]
Size = Annotated[Number, AfterValidator(values.positive)]
Flag = Annotated[bool, BeforeValidator(values.flag)]
Text = Annotated[str, BeforeValidator(values.text)]
Name = Annotated[str, BeforeValidator(values.named)]
Dotted = Annotated[str, BeforeValidator(values.dotted)]
Sizes = Annotated[list[Size], BeforeValidator(values.some)]
Resolutions = Annotated[list[Sizes], BeforeValidator(values.some)]
Range = Annotated[list[Sizes], BeforeValidator(values.pair)]
Span = Annotated[list[Whole], BeforeValidator(values.pair)]

Strategy = Literal["log_uniform"]
Sampling = Literal["random", "sequential"]
BboxMode = Literal["absolute", "relative"]
BboxAnchor = Literal["centre", "corner"]
ImageDtype = Literal["float32", "bfloat16", "float16"]
LabelSampling = Literal["index", "position"]
LevelPolicy = Literal["strict", "relaxed"]
Border = Literal["confine", "clamp"]
MissingChunks = Literal["fill", "error"]
ZarrVersion = Literal["zarr2", "zarr3", "auto", "n5", "precomputed"]


def _of(words: Any) -> BeforeValidator:
    return BeforeValidator(values.word(get_args(words)))


def _each(value: object, entry: Any) -> list[int]:
    found = []
    for position, one in enumerate(values.some(value)):
        try:
            found.append(entry(one))
        except ConfigError as error:
            raise ConfigError(error.message, code=error.code, at=(position,)) from None
    return found


def _is_list(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def _overlap(value: object) -> int | list[int]:
    return _each(value, values.count) if _is_list(value) else values.count(value)


def _scales(value: object) -> int | list[int]:
    def several(one: object) -> int:
        return values.at_least_one(values.whole(one))

    return _each(value, several) if _is_list(value) else several(value)


def _fixed(value: object) -> dict[str, Fixed]:
    found = values.mapped(value)
    for axis in found:
        if not axis.strip():
            raise ConfigError(f"the axis {axis!r} is blank; call it as the store does", code="wrong_value", at=(axis,))
    parsed(found)
    return {axis: plain(one) for axis, one in found.items()}


def _augment(value: object) -> object:
    if isinstance(value, Mapping):
        return AugmentFactory.model_validate(value)
    if callable(value) and not isinstance(value, AugmentFactory):
        raise ConfigError(
            f"{values.shown(value)} is a function; give it to VolumeDataset(augment_fn=...)", code="wrong_type"
        )
    return value if isinstance(value, AugmentFactory) else values.dotted(value)


class _Model(BaseModel):
    """A model whose errors speak in `miao.errors.CODES`, and that an assignment leaves whole."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, use_attribute_docstrings=True)

    @model_validator(mode="wrap")
    @classmethod
    def _in_codes(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            found = [problem_of(one, cls) for one in error.errors(include_url=False)]
        raise invalid(cls.__name__, found)

    def __setattr__(self, name: str, value: Any) -> None:
        before, given = dict(self.__dict__), set(self.__pydantic_fields_set__)
        try:
            super().__setattr__(name, value)
        except ValidationError:
            object.__setattr__(self, "__dict__", before)
            object.__setattr__(self, "__pydantic_fields_set__", given)
            raise

    def changed(self, **fields: Any) -> Self:
        """Return a checked copy with other values of some fields, all taken over at once.

        Raises
        ------
        pydantic.ValidationError
            The copy would break a rule.
        """
        return type(self)(**{**self.model_dump(), **fields})


class ResolutionSampling(_Model):
    """How each sample draws its voxel sizes."""

    strategy: Annotated[Strategy, _of(Strategy)] = "log_uniform"
    """How a size is drawn between its bounds."""
    ranges: Annotated[list[Range], BeforeValidator(values.some)]
    """[min, max] per range; a bound has one entry for all axes, or one per axis, each drawn for itself."""
    n_scales: Annotated[int | list[int], BeforeValidator(_scales)] = 1
    """How many scales each range gives: one number for all, or one per range."""
    sort: Flag = True
    """Sort the scales that were drawn from fine to coarse."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _refuse(self, of_sampling(self))
        return self


class AugmentFactory(_Model):
    """A callable that returns an augment_fn, and what it is called with."""

    factory: Dotted
    """Dotted path of the callable."""
    kwargs: Annotated[dict[str, Any], BeforeValidator(values.mapped)] = Field(default_factory=dict)
    """Its keyword arguments."""


class VolumeConfig(_Model):
    """One volume to draw from. Lists per axis are in the order of output_axes."""

    name: Name
    """Unique in the configuration."""
    path: Annotated[str, BeforeValidator(values.place)]
    """The container: a path or a URL."""
    image_key: Text
    """The group of the image's pyramid in the container; empty or "." for the container itself."""
    label_key: Text | None = None
    """The group of the labels."""
    mask_key: Text | None = None
    """The group of a mask whose non-zero voxels are foreground."""
    zarr_version: Annotated[ZarrVersion, _of(ZarrVersion)] = "zarr2"
    """What the container is; "auto" finds out."""
    weight: Annotated[Number, AfterValidator(values.positive_weight)] = 1.0
    """Multiplies the probability of being drawn."""
    exp_factor: Size = 1.0
    """How much the specimen was expanded: divides the stored voxel sizes."""
    resolutions: Resolutions | None = None
    """In place of the configuration's."""
    resolution_sampling: ResolutionSampling | None = None
    """In place of the configuration's."""
    normalize: Flag = True
    """Integers are divided by the largest value of their dtype."""
    normalize_min: Number | None = None
    """With normalize_max: what becomes 0."""
    normalize_max: Number | None = None
    """With normalize_min: what becomes 1."""
    patch_normalize: Flag = False
    """Subtract the mean of each sample and divide by its standard deviation."""
    bounding_box: Annotated[list[Span], BeforeValidator(values.listed)] | None = None
    """[min, max] per axis in level-0 voxels, max left out; whatever is read lies inside."""
    fixed_axes: Annotated[dict[str, int | list[int] | str], BeforeValidator(_fixed)] | None = None
    """Pinned axes: an index, a list of them or a range "start:stop[:step]" per axis."""
    label_fill: Whole | None = None
    """What labels are outside their array; without it windows stay inside."""
    min_foreground: Annotated[Number, AfterValidator(values.fraction)] = 0.0
    """The least fraction of the first scale's window that the mask, or else the labels, cover."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _refuse(self, of_volume(self))
        return self


class MiaoConfig(_Model):
    """What a dataset draws. Lists per axis are in the order of output_axes."""

    volumes: Annotated[list[VolumeConfig], BeforeValidator(values.some)]
    """What to draw from."""
    resolutions: Resolutions | None = None
    """The voxel size of each scale."""
    resolution_sampling: ResolutionSampling | None = None
    """In place of resolutions: how each sample draws them."""
    output_axes: Annotated[str, BeforeValidator(values.layout)]
    """The axes of the image tensor: l the scales, c the channel, and x, y, z, t."""
    patch_size: Annotated[list[Several], BeforeValidator(values.some)]
    """Voxels of a patch."""
    samples_per_epoch: Count = 1000
    """Random mode: how many samples a dataset has."""
    sampling: Annotated[Sampling, _of(Sampling)] = "random"
    """Draw places, or walk a grid."""
    size_weighting_exponent: Annotated[Number, AfterValidator(values.not_negative)] = 0.0
    """A volume is drawn with probability weight * size ** size_weighting_exponent."""
    overlap: Annotated[int | list[int], BeforeValidator(_overlap)] = 0
    """Sequential mode: voxels that neighbouring patches share, for all axes or one per axis."""
    sample_windows: Flag = False
    """Draw where a coarser scale lies around the one before."""
    chunk_aligned: Flag = False
    """Random mode: keep patches inside one stored chunk where it is large enough."""
    bbox_mode: Annotated[BboxMode, _of(BboxMode)] = "absolute"
    """bbox in the world, or relative to the centre of the first scale."""
    bbox_anchor: Annotated[BboxAnchor, _of(BboxAnchor)] = "centre"
    """Whether bbox counts from voxel centres or from their corners."""
    image_dtype: Annotated[ImageDtype, _of(ImageDtype)] = "float32"
    """The dtype of the image tensor."""
    label_sampling: Annotated[LabelSampling, _of(LabelSampling)] = "index"
    """Take labels by whole voxels, or look the centre of each output voxel up."""
    level_policy: Annotated[LevelPolicy, _of(LevelPolicy)] = "strict"
    """Whether an axis on which no level is fine enough takes part in the choice of the level."""
    border: Annotated[Border, _of(Border)] = "confine"
    """Keep the common centre where every scale fits, or move coarser windows inside."""
    missing_chunks: Annotated[MissingChunks, _of(MissingChunks)] = "fill"
    """What an absent chunk is: the fill value, or an error."""
    units: Annotated[str, BeforeValidator(values.length_unit)] | None = None
    """The unit of resolutions; without it that of each store."""
    seed: Count | None = None
    """Draw sample i of an epoch from this number alone; without it from numpy's global generator."""
    cache_bytes: Count = 1 << 30
    """Bytes of decoded chunks to keep."""
    file_io_concurrency: Several = 64
    """How many files are read at once."""
    augment_fn: Annotated[str | AugmentFactory, BeforeValidator(_augment)] | None = None
    """Dotted path of a function of a sample, or of a factory of one."""
    defer_image_ops: Flag = False
    """Leave resampling and normalisation of images to finish_images."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _refuse(self, of_config(self))
        return self

    @property
    def spatial(self) -> str:
        """The spatial axes in the order of the output: output_axes without l and c."""
        return "".join(axis for axis in self.output_axes if axis not in "lc")

    @property
    def overlaps(self) -> list[int]:
        """The overlap of each spatial axis."""
        return self.overlap if isinstance(self.overlap, list) else [self.overlap] * len(self.spatial)

    def resolutions_of(self, volume: VolumeConfig) -> list[list[float]] | ResolutionSampling:
        """Return what the scales of a volume are: its own, else the configuration's."""
        for owner in (volume, self):
            found = owner.resolutions if owner.resolutions is not None else owner.resolution_sampling
            if found is not None:
                return found
        raise AssertionError("a checked configuration has resolutions")

    def to_yaml(self, path: str | os.PathLike[str] | None = None, **how: Any) -> str:
        """Return the configuration as YAML; with a path it is written there too, as `save_config` does."""
        from miao.config.yaml_io import to_yaml  # noqa: PLC0415

        return to_yaml(self, path, **how)


_BELONGS: Final[dict[str, str]] = {
    **dict.fromkeys(VolumeConfig.model_fields, "an entry of volumes"),
    **dict.fromkeys(ResolutionSampling.model_fields, "resolution_sampling"),
    **dict.fromkeys(MiaoConfig.model_fields, "the top of the configuration"),
}
_OWN_CODES: Final = {
    "extra_forbidden": "unknown_key",
    "no_such_attribute": "unknown_key",
    "missing": "missing_key",
    "finite_number": "not_finite",
    "literal_error": "wrong_value",
}
"""The word of each of pydantic's types that may appear; any other is `wrong_type`."""


def _refuse(model: BaseModel, found: Iterable[Problem]) -> None:
    listed = list(found)
    if listed:
        raise invalid(type(model).__name__, listed)


def invalid(title: str, found: Iterable[Problem]) -> ValidationError:
    """Return the error that lists problems; `title` says of what."""
    lines = [
        InitErrorDetails(type=PydanticCustomError(one.code, one.message), loc=one.at, input=one.value) for one in found
    ]
    return ValidationError.from_exception_data(title, lines)


def problem_of(line: Any, model: type[BaseModel] | None = None) -> Problem:
    """Return an error of pydantic's as a problem."""
    kind, at, value = line["type"], tuple(line["loc"]), line["input"]
    cause = (line.get("ctx") or {}).get("error")
    if isinstance(cause, MiaoError):
        return Problem(cause.code, (*at, *cause.at), cause.message, value)
    if kind in CODES:
        return Problem(kind, at, line["msg"], value)
    code = _OWN_CODES.get(kind, "wrong_type")
    key = str(at[-1]) if at else ""
    if code == "unknown_key":
        return Problem(code, at, _unknown(key, model), value)
    if code == "missing_key":
        return Problem(code, at, _missing(key, model), value)
    if kind in {"model_type", "model_attributes_type"}:
        return Problem(code, at, f"{values.shown(value)} is no mapping of names to values", value)
    return Problem(code, at, f"{line['msg']}; found {values.shown(value)}", value)


def _missing(key: str, model: type[BaseModel] | None) -> str:
    """Return that a key is missing, and what it is of the model that lacks it."""
    field = model.model_fields.get(key) if model is not None else None
    what = f" ({field.description.rstrip('.')})" if field is not None and field.description else ""
    return f"{key} is missing; give it a value{what}"


def _unknown(key: str, model: type[BaseModel] | None) -> str:
    fields = list(model.model_fields) if model is not None else list(_BELONGS)
    near = get_close_matches(key.lower().replace("-", "_"), fields, 1, 0.7)
    if near:
        return f"{key!r} is no key that belongs here; did you mean {near[0]!r}?"
    if key in _BELONGS:
        return f"{key!r} is no key that belongs here; it belongs into {_BELONGS[key]}"
    return f"{key!r} is no key that belongs here; those are {', '.join(fields)}"


def problems(error: ValidationError) -> list[tuple[str, At, str]]:
    """Return what a `ValidationError` lists: the word, the path and the message of each.

    Examples
    --------
    >>> try:
    ...     ResolutionSampling(ranges=[[[8.0], [4.0]]])
    ... except ValidationError as error:
    ...     problems(error)
    [('order', ('ranges', 0, 1, 0), 'the range runs from 8.0 down to 4.0; write [min, max]')]
    """
    return [problem_of(line)[:3] for line in error.errors(include_url=False)]


def checked(config: MiaoConfig | Mapping[str, Any]) -> MiaoConfig:
    """Return a copy of a configuration that was checked as a whole, whatever was changed inside it since it was made.

    Raises
    ------
    pydantic.ValidationError
        It breaks a rule.
    """
    data = config.model_dump() if isinstance(config, MiaoConfig) else config
    return MiaoConfig.model_validate(data)
