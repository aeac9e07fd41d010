"""Configurations in Python: values of other libraries, assignment, copies. What each field allows, the cases pin."""

import copy
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

import miao
from miao.config.models import AugmentFactory, MiaoConfig, ResolutionSampling, VolumeConfig, checked, problems
from miao.config.rules import notices
from miao.errors import CODES

VOLUME = {"name": "em", "path": "em.zarr", "image_key": "raw"}
BASE = {"volumes": [VOLUME], "resolutions": [[8, 9, 10], [16, 18, 20]], "output_axes": "lczyx", "patch_size": [4, 5, 6]}


def config(**fields):
    return MiaoConfig(**{**copy.deepcopy(BASE), **fields})


def refused(**fields):
    with pytest.raises(ValidationError) as caught:
        config(**fields)
    return problems(caught.value)


def test_an_error_is_a_value_error_whose_types_are_words_of_the_table():
    with pytest.raises(ValueError, match="patch_size") as caught:
        config(patch_size=[4, 0, 6], sampling=3, units="parsnip", seed=True, volumes=[{"name": ""}], more=1)
    found = caught.value.errors()
    assert {one["type"] for one in found} <= CODES
    assert [one["loc"] for one in found] == [
        ("volumes", 0, "name"),
        ("volumes", 0, "path"),
        ("volumes", 0, "image_key"),
        ("patch_size", 1),
        ("sampling",),
        ("units",),
        ("seed",),
        ("more",),
    ]


@pytest.mark.parametrize(
    ("given", "meant"),
    [("patchsize", "patch_size"), ("Output_Axes", "output_axes"), ("samples-per-epoch", "samples_per_epoch")],
)
def test_an_unknown_key_is_met_with_the_one_that_was_meant(given, meant):
    assert refused(**{given: 1}) == [
        ("unknown_key", (given,), f"{given!r} is no key that belongs here; did you mean {meant!r}?")
    ]


def test_a_key_of_another_place_is_told_where_it_belongs():
    assert "an entry of volumes" in refused(exp_factor=2)[0][2]
    assert "the top of the configuration" in refused(volumes=[{**VOLUME, "bbox_mode": "relative"}])[0][2]
    assert "those are" in refused(parsnip=2)[0][2]


def test_values_of_numpy_and_tuples_are_plain_afterwards():
    found = config(
        patch_size=np.array([4, 5, 6], np.uint8),
        resolutions=np.array([[8, 9, 10]], np.float32),
        samples_per_epoch=np.int64(7),
        size_weighting_exponent=np.float32(0.5),
        chunk_aligned=np.bool_(True),
        overlap=(1, 2, 3),
        volumes=(
            {
                **VOLUME,
                "weight": Fraction(1, 4),
                "bounding_box": ((0, 4), (1, 6), (2, 8)),
                "fixed_axes": {"t": np.arange(2)},
            },
        ),
    )
    assert found.patch_size == [4, 5, 6]
    assert found.resolutions == [[8.0, 9.0, 10.0]]
    assert (found.samples_per_epoch, found.size_weighting_exponent, found.chunk_aligned) == (7, 0.5, True)
    assert found.overlap == [1, 2, 3]
    assert found.volumes[0].weight == 0.25
    assert found.volumes[0].bounding_box == [[0, 4], [1, 6], [2, 8]]
    assert found.volumes[0].fixed_axes == {"t": [0, 1]}
    plain = [*found.patch_size, found.samples_per_epoch, *found.volumes[0].fixed_axes["t"]]
    assert {type(one) for one in plain} == {int}
    assert {type(one) for one in (*found.resolutions[0], found.size_weighting_exponent)} == {float}
    assert found.chunk_aligned is True


def test_a_path_may_be_a_path():
    assert config(volumes=[{**VOLUME, "path": Path("data") / "em.zarr"}]).volumes[0].path == str(Path("data/em.zarr"))
    assert refused(volumes=[{**VOLUME, "path": b"em.zarr"}])[0][:2] == ("wrong_type", ("volumes", 0, "path"))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (np.bool_(True), "wrong_type"),
        (3 + 0j, "wrong_type"),
        (np.array([3]), "wrong_type"),
        (10**400, "out_of_range"),
        pytest.param(10**5000, "out_of_range", id="5001 digits"),
        (float("inf"), "not_finite"),
        ({3}, "wrong_type"),
        (b"3", "wrong_type"),
    ],
)
def test_what_is_no_whole_number(value, code):
    assert [found[:2] for found in refused(seed=value)] == [(code, ("seed",))]


def test_what_is_no_number():
    assert refused(size_weighting_exponent=10**400)[0][0] == "out_of_range"
    assert refused(size_weighting_exponent=np.float32("nan"))[0][0] == "not_finite"
    assert refused(size_weighting_exponent="0.5")[0][0] == "wrong_type"


def test_what_is_no_list():
    for value in ({4, 5, 6}, b"456", {"z": 4}, None, iter([4, 5, 6])):
        assert refused(patch_size=value)[0][:2] == ("wrong_type", ("patch_size",))


def test_a_function_belongs_to_the_dataset():
    assert "VolumeDataset(augment_fn=...)" in refused(augment_fn=math.floor)[0][2]


def test_a_factory_may_be_a_model():
    factory = AugmentFactory(factory="package.make", kwargs={"scale": [0.8, 1.2]})
    assert config(augment_fn=factory).augment_fn == factory
    assert config(augment_fn=factory.model_dump()).augment_fn == factory


def test_an_assignment_is_checked():
    found = config()
    found.samples_per_epoch = 500
    found.volumes[0].weight = 3
    assert (found.samples_per_epoch, found.volumes[0].weight) == (500, 3.0)
    with pytest.raises(ValidationError) as caught:
        found.samples_per_epoch = "x"
    assert problems(caught.value) == [("wrong_type", ("samples_per_epoch",), "'x' is no whole number")]
    assert found.samples_per_epoch == 500


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("patch_size", [4, 5], "wrong_length"),
        ("output_axes", "lcyx", "wrong_length"),
        ("resolution_sampling", {"ranges": [[[8], [16]]]}, "conflict"),
        ("resolutions", None, "missing_key"),
        ("volumes", [VOLUME, VOLUME], "duplicate"),
        ("overlap", 4, "out_of_range"),
        ("parsnip", 1, "unknown_key"),
    ],
)
def test_an_assignment_that_breaks_a_rule_leaves_everything_as_it_was(name, value, code):
    found = config(sampling="sequential", overlap=3)
    before, given = found.model_dump(), set(found.model_fields_set)
    with pytest.raises(ValidationError) as caught:
        setattr(found, name, value)
    assert problems(caught.value)[0][0] == code
    assert found.model_dump() == before
    assert found.model_fields_set == given
    found.overlap = 2
    assert found.overlap == 2


def test_a_volume_is_left_whole_too():
    volume = VolumeConfig(**VOLUME, normalize_min=1, normalize_max=7)
    with pytest.raises(ValidationError, match="normalize_max is set without normalize_min"):
        volume.normalize_min = None
    with pytest.raises(ValidationError, match="not above"):
        volume.normalize_max = 1
    assert (volume.normalize_min, volume.normalize_max) == (1.0, 7.0)


def test_several_fields_change_at_once():
    found = config()
    other = found.changed(resolutions=None, resolution_sampling={"ranges": [[[8], [16]]]}, samples_per_epoch=3)
    assert (other.resolutions, other.resolution_sampling.n_scales, other.samples_per_epoch) == (None, 1, 3)
    assert (found.resolution_sampling, found.samples_per_epoch) == (None, 1000)
    with pytest.raises(ValidationError):
        found.changed(resolutions=None)


def test_a_dump_makes_the_same_configuration():
    found = config(
        augment_fn={"factory": "package.make", "kwargs": {"a": [1, {"b": None}]}},
        volumes=[{**VOLUME, "fixed_axes": {"t": "1:25", "q": [3, 1]}, "bounding_box": [[0, 4], [1, 6], [2, 8]]}],
    )
    assert MiaoConfig(**found.model_dump()) == found
    assert MiaoConfig.model_validate_json(found.model_dump_json()) == found
    assert pickle.loads(pickle.dumps(found)) == found
    assert copy.deepcopy(found) == found


def test_a_thin_patch_from_a_dump():
    data = config().model_dump()
    data["patch_size"] = [1 if axis == "z" else 7 for axis in "zyx"]
    data["samples_per_epoch"] = 1000 // 3
    found = MiaoConfig(**data)
    assert (found.patch_size, found.samples_per_epoch) == ([1, 7, 7], 333)


def test_a_checked_copy_is_looked_at_again_as_a_whole():
    found = config(volumes=[VOLUME, {**VOLUME, "name": "b"}])
    again = checked(found)
    assert again == found
    assert again.volumes[0] is not found.volumes[0]
    found.patch_size.append(7)
    with pytest.raises(ValidationError, match="4 entries; 3 belong there"):
        checked(found)
    found.patch_size.pop()
    found.volumes[1].resolutions = [[8, 9, 10]]
    with pytest.raises(ValidationError, match="1 scale; 2 belong there"):
        checked(found)
    assert checked(BASE) == config()


def test_spatial_axes_overlaps_and_resolutions_of_a_volume():
    own = {**VOLUME, "name": "b", "resolution_sampling": {"ranges": [[[1], [2]]], "n_scales": 2}}
    found = config(output_axes="xlzcy", overlap=3, volumes=[VOLUME, own])
    assert found.spatial == "xzy"
    assert found.overlaps == [3, 3, 3]
    assert config(overlap=[1, 2, 3]).overlaps == [1, 2, 3]
    assert found.resolutions_of(found.volumes[0]) == [[8.0, 9.0, 10.0], [16.0, 18.0, 20.0]]
    assert isinstance(found.resolutions_of(found.volumes[1]), ResolutionSampling)


def test_what_is_odd_is_said_with_its_place():
    found = config(volumes=[VOLUME, {**VOLUME, "name": "b", "mask_key": "mask"}])
    assert [one[:2] for one in notices(found)] == [("missing_field", ("volumes", 1, "min_foreground"))]
    assert notices(config()) == []


def test_every_problem_between_fields_is_listed():
    found = refused(patch_size=[4], resolutions=[[8]], sampling="sequential", volumes=[VOLUME, VOLUME])
    assert [one[:2] for one in found] == [
        ("wrong_length", ("patch_size",)),
        ("wrong_length", ("resolutions", 0)),
        ("duplicate", ("volumes", 1, "name")),
    ]


def test_braces_in_a_name_stay():
    assert "'{a}'" in refused(volumes=[{**VOLUME, "name": "{a}"}] * 2)[0][2]


def test_a_schema_for_editors():
    schema = MiaoConfig.model_json_schema()
    assert set(schema["required"]) == {"volumes", "output_axes", "patch_size"}
    assert schema["properties"]["patch_size"]["description"] == "Voxels of a patch."
    assert schema["additionalProperties"] is False


def test_the_package_gives_its_models_and_imports_pydantic_late():
    assert miao.MiaoConfig is MiaoConfig
    code = "import sys, miao; print({'pydantic', 'yaml', 'torch', 'tensorstore'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
