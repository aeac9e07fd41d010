"""em_default: the factory of a ready augmentation."""

import subprocess
import sys
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
import torch

import miao
from miao.augment import intensity_jitter, rot90isocube
from miao.augment_std import em_default
from miao.demo import demo_config
from miao.errors import AugmentError


def sample_of(*, channels_last=False, size=(4, 4, 4), label=True, voxel=(8.0, 8.0, 8.0)):
    """Return a sample with two scales whose image is its label."""
    values = torch.arange(2 * int(np.prod(size))).view(2, *size)
    return {
        "img": values.unsqueeze(-1 if channels_last else 1).to(torch.float32),
        "label": values if label else torch.empty(0, dtype=torch.int64),
        "bbox": torch.zeros(2, 2, 3),
        "pixel_size": torch.tensor([voxel, voxel]) * torch.tensor([[1.0], [2.0]]),
        "meta": {"volume": "a", "coordinate": [1, 2, 3]},
    }


def test_it_rotates_image_and_label_alike_and_jitters_the_image():
    np.random.seed(4)
    sample = sample_of()
    augmented = em_default()(sample)
    np.random.seed(4)
    img, label = rot90isocube(np.random, sample["img"], sample["label"])
    assert torch.equal(augmented["label"], label)
    assert torch.equal(augmented["img"], intensity_jitter(np.random, img))


def test_everything_else_of_the_sample_stays_and_the_sample_itself_does():
    sample = sample_of()
    before = {key: sample[key].clone() for key in ("img", "label")}
    augmented = em_default()(sample)
    assert set(augmented) == set(sample)
    assert augmented["bbox"] is sample["bbox"]
    assert augmented["meta"] is sample["meta"]
    assert augmented is not sample
    assert all(torch.equal(sample[key], before[key]) for key in before)


def test_scale_and_shift_are_the_ranges_of_the_jitter():
    augmented = em_default(scale=[2, 2], shift=[0.5, 0.5], rotate=False)(sample_of())
    assert torch.equal(augmented["img"], sample_of()["img"] * 2 + 0.5)
    assert torch.equal(augmented["label"], sample_of()["label"])


def test_the_empty_label_of_a_volume_without_labels_is_left_alone():
    sample = sample_of(label=False)
    assert em_default()(sample)["label"] is sample["label"]
    del sample["label"]
    assert "label" not in em_default()(sample)


def test_voxels_that_are_no_cubes_are_refused_unless_rotate_is_false():
    sample = sample_of(voxel=(40.0, 8.0, 8.0))
    with pytest.raises(AugmentError, match="pixel_size"):
        em_default()(sample)
    em_default(rotate=False)(sample)


def test_a_patch_that_is_no_cube_is_refused_unless_rotate_is_false():
    sample = sample_of(size=(1, 4, 4))
    with pytest.raises(AugmentError, match="cubic patch"):
        em_default()(sample)
    em_default(rotate=False)(sample)


def test_axes_say_where_the_spatial_axes_are():
    sample = sample_of(channels_last=True)
    with pytest.raises(AugmentError, match="spatial_dims of this layout"):
        em_default()(sample)
    augmented = em_default(scale=(1, 1), shift=(0, 0), axes="lzyxc")(sample)
    assert torch.equal(augmented["img"][..., 0], augmented["label"].to(torch.float32))
    # A volume without labels has the image's axes alone.
    em_default(axes="lzyxc")(sample_of(channels_last=True, label=False))


def test_it_can_be_sent_to_workers():
    augment = ForkingPickler.loads(ForkingPickler.dumps(em_default(scale=[0.8, 1.2])))
    assert set(augment(sample_of())) == set(sample_of())


def test_the_factory_given_a_sample_says_how_it_is_configured():
    # A bare string names an augment_fn: this one is a factory, which is then called with the sample.
    with pytest.raises(AugmentError, match=r"takes no sample; .*\{factory: miao.augment_std.em_default"):
        em_default(sample_of())


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ({"scale": 1.0}, "scale"),
        ({"scale": [1.2, 0.8]}, "scale"),
        ({"shift": [0, 1, 2]}, "shift"),
        ({"axes": "lcyx"}, "axes"),
        ({"axes": "lc"}, "axes"),
    ],
)
def test_arguments_are_looked_at_when_it_is_made(given, at):
    with pytest.raises(AugmentError) as raised:
        em_default(**given)
    assert raised.value.at == (at,)
    em_default(rotate=False, axes="lcyx")


def test_a_configuration_names_the_factory_and_its_parameters():
    kwargs = {"scale": [2, 2], "shift": [0, 0], "rotate": False}
    with demo_config() as fields:
        plain = miao.VolumeDataset(fields, seed=3, verbose=False)[0]
        fields["augment_fn"] = {"factory": "miao.augment_std.em_default", "kwargs": kwargs}
        augmented = miao.VolumeDataset(fields, seed=3, verbose=False)[0]
        fields["augment_fn"]["kwargs"]["rotate"] = True
        turned = miao.VolumeDataset(fields, seed=3, verbose=False)[0]
        again = miao.VolumeDataset(fields, seed=3, verbose=False)[0]
    assert torch.equal(augmented["img"], plain["img"] * 2)
    assert torch.equal(augmented["label"], plain["label"])
    assert torch.equal(turned["img"].flatten().sort().values, augmented["img"].flatten().sort().values)
    assert torch.equal(turned["img"], again["img"])
    assert torch.equal(turned["label"], again["label"])


def test_a_bare_path_to_the_factory_says_that_it_is_one():
    with demo_config() as fields:
        fields["augment_fn"] = "miao.augment_std.em_default"
        dataset = miao.VolumeDataset(fields, seed=3, verbose=False)
        with pytest.raises(AssertionError, match=r"factory: miao\.augment_std\.em_default"):
            dataset[0]


def test_importing_augmentations_does_not_import_torch():
    code = "import sys, miao.augment, miao.augment_std, miao.labels; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
