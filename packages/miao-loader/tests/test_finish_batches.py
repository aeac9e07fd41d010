import pickle
import re

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, default_collate

from miao.errors import ArgumentError, NotDeferredError
from miao.finish.assembling import finish_sample, shapes
from miao.finish.collating import Batch, collate, collate_deferred
from miao.finish.deferred import defer_sample, finish_images
from miao.finish.records import Deferred
from miao.records import FinishPolicy, Normalisation

PLAIN = FinishPolicy("zyx", "lczyx", (2, 3, 4), "uint8", label_dtype="int32")


def fields(position):
    return {
        "bbox": torch.full((2, 2, 3), float(position)),
        "pixel_size": torch.full((2, 3), 8.0 + position),
        "meta": {
            "volume": f"v{position}",
            "coordinate": [position, 2, 3],
            "resolutions": [[8.0, 8.0, 8.0], [16.0, 16.0, 16.0 + position]],
            "source_levels": [0, 1],
            "grid_index": (position, 0, 1),
        },
    }


def same(left, right):
    """Whether two batches hold the same, types and dtypes included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, torch.Tensor):
        return left.dtype == right.dtype and torch.equal(left, right)
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def batch_of(count, labels=True):
    image, label = shapes(PLAIN, 2)
    batch = Batch.empty(count, image, label if labels else None, PLAIN)
    samples = []
    for position in range(count):
        slot = batch.slot(position)
        slot.image.fill_(position)
        lab = slot.label.fill_(10 * position) if labels else torch.empty(0, dtype=torch.int32)
        samples.append(batch.sample(position, {"img": slot.image, "label": lab, **fields(position)}))
    return batch, samples


def test_samples_of_one_batch_are_given_back_as_it():
    batch, samples = batch_of(3)
    found = collate(samples)
    assert found["img"].shape == (3, 2, 1, 2, 3, 4)
    assert found["img"].is_contiguous()
    assert found["img"].data_ptr() == batch.images.data_ptr()
    assert found["label"].data_ptr() == batch.labels.data_ptr()
    assert same(found, default_collate(samples))


def test_a_batch_of_one_sample_is_not_copied_either():
    batch, samples = batch_of(1)
    assert collate(samples)["img"].data_ptr() == batch.images.data_ptr()
    assert same(collate(samples), default_collate(samples))


@pytest.mark.parametrize("order", [[0, 1], [1, 2], [2, 1, 0], [0, 0, 0], [0, 2, 1], [1]])
def test_any_other_choice_of_samples_is_copied(order):
    batch, samples = batch_of(3)
    chosen = [samples[position] for position in order]
    found = collate(chosen)
    assert same(found, default_collate(chosen))
    start = batch.images.data_ptr()
    assert not start <= found["img"].data_ptr() < start + batch.images.nbytes


def test_samples_that_an_augmentation_replaced_are_stacked():
    _, samples = batch_of(2)
    changed = [{**sample, "img": sample["img"] + 1} for sample in samples]
    mixed = [samples[0], changed[1]]
    turned = [{**sample, "img": sample["img"].transpose(-1, -2)} for sample in samples]
    viewed = [{**sample, "img": sample["img"].view(torch.int32)} for sample in samples]
    for chosen in (changed, mixed, turned, viewed):
        assert same(collate(chosen), default_collate(chosen))


def test_samples_without_labels_collate_to_none_of_them():
    _, samples = batch_of(3, labels=False)
    found = collate(samples)
    assert found["label"].shape == (3, 0)
    assert found["label"].dtype == torch.int32
    assert same(found, default_collate(samples))


def test_labelled_and_unlabelled_samples_are_refused_with_the_reason():
    _, labelled = batch_of(1)
    _, bare = batch_of(1, labels=False)
    with pytest.raises(ArgumentError, match="labelled and unlabelled") as caught:
        collate([labelled[0], bare[0]])
    assert caught.value.at == ("samples", 1, "label")
    collate([labelled[0], labelled[0]])


def test_samples_of_other_keys_are_refused_by_name():
    _, samples = batch_of(2)
    with pytest.raises(ArgumentError, match="affinities") as caught:
        collate([samples[0], {**samples[1], "affinities": torch.zeros(3)}])
    assert caught.value.code == "conflict"
    with pytest.raises(ArgumentError, match="at least one"):
        collate([])


def test_what_is_no_dict_is_collated_as_torch_does():
    assert torch.equal(collate([torch.ones(2), torch.zeros(2)]), torch.tensor([[1.0, 1.0], [0.0, 0.0]]))


def test_batches_survive_pickling():
    _, samples = batch_of(2)
    found = collate(samples)
    assert same(pickle.loads(pickle.dumps(found)), found)


# Deferred ------------------------------------------------------------------------------------------------------------

POLICIES = {
    "identity": PLAIN,
    "channels": FinishPolicy("czyx", "lxyzc", (4, 3, 5), "uint16"),
    "dropped": FinishPolicy("zycx", "lxzy", (4, 3, 5), "int16"),
    "bounds": FinishPolicy("zyx", "lczyx", (4, 3, 5), "uint8", normalisation=Normalisation(low=5.0, high=90.0)),
    "patch": FinishPolicy("zyx", "zlcyx", (4, 3, 5), "float32", normalisation=Normalisation(per_patch=True)),
    "half": FinishPolicy("yx", "lyx", (4, 5), "uint8", "float16", normalisation=Normalisation(per_patch=True)),
    "brain": FinishPolicy("yx", "lcyx", (4, 5), "uint32", "bfloat16"),
    "wide": FinishPolicy("tzyx", "ltzyx", (2, 4, 3, 5), "int8"),
    "boolean": FinishPolicy("zyx", "lzyx", (4, 3, 5), "bool"),
    "big": FinishPolicy("zyx", "lzyx", (4, 3, 5), "uint64"),
    "double": FinishPolicy("zyx", "lzyx", (4, 3, 5), "float64"),
}


def crops_of(policy, seed, sizes=(1.0, 2.0, 1.5)):
    """Three scales: as large as the patch, twice, and between."""
    rng = np.random.default_rng(seed)
    found = []
    for factor in sizes:
        spatial = iter(policy.patch)
        channels = 1 if "c" not in policy.output_axes else 2
        shape = [channels if axis == "c" else round(next(spatial) * factor) for axis in policy.read_axes]
        kind = np.dtype(policy.source_dtype)
        values = rng.normal(size=shape) if kind.kind == "f" else rng.integers(0, 2 if kind.kind == "b" else 120, shape)
        found.append(values.astype(kind))
    return found


def both(policy, count=3, **given):
    """The images of the immediate path, and samples of the deferred one."""
    found, samples = [], []
    for seed in range(count):
        crops = crops_of(policy, seed, **given)
        channels = crops[0].shape[policy.read_axes.index("c")] if "c" in policy.read_axes else None
        image = torch.empty(shapes(policy, len(crops), channels)[0], dtype=getattr(torch, policy.image_dtype))
        finish_sample(crops, None, policy, 1, image, None)
        found.append(image)
        samples.append(defer_sample(crops, None, policy, 1, fields(seed)))
    return torch.stack(found), samples


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_finished_later_is_bit_equal_to_finished_at_once(name):
    expected, samples = both(POLICIES[name])
    found = finish_images(collate_deferred(samples))
    assert found["img"].dtype == expected.dtype
    assert found["img"].is_contiguous()
    assert torch.equal(found["img"], expected)
    assert "deferred" not in found


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_crops_finished_together_are_what_each_alone_is(name, monkeypatch):
    # What other devices do, on the CPU.
    from miao.finish import deferred

    expected, samples = both(POLICIES[name])
    batch = collate_deferred(samples)
    out = torch.empty_like(expected)
    deferred._finish_together(batch["deferred"], batch["img"], out)
    torch.testing.assert_close(out.float(), expected.float(), rtol=2e-6, atol=2e-6)


def test_policies_of_several_volumes_share_a_batch():
    other = FinishPolicy("xyz", "lczyx", (4, 3, 2), "float32", normalisation=Normalisation(per_patch=True))
    first, left = both(PLAIN, 1)
    second, right = both(other, 2)
    samples = [right[0], left[0], right[1]]
    expected = torch.stack([second[0], first[0], second[1]])
    batch = collate_deferred(samples)
    assert torch.equal(finish_images(batch)["img"], expected)
    from miao.finish import deferred

    out = torch.empty_like(expected)
    deferred._finish_together(batch["deferred"], batch["img"], out)
    torch.testing.assert_close(out, expected, rtol=2e-6, atol=2e-6)


def test_nan_is_left_out_by_those_finished_together_too():
    from miao.finish import deferred

    policy = FinishPolicy("x", "lx", (4,), "float32", normalisation=Normalisation(per_patch=True))
    rows = [np.float32([1, np.nan, 3, 8]), np.float32([2, 2, 2, 2]), np.full(4, np.nan, np.float32)]
    samples = [defer_sample([row], None, policy, 0, {}) for row in rows]
    batch = collate_deferred(samples)
    out = torch.empty(3, 1, 4)
    deferred._finish_together(batch["deferred"], batch["img"], out)
    torch.testing.assert_close(out, finish_images(batch)["img"], equal_nan=True)
    # Mean 4, variance (9 + 1 + 16) / 2 = 13.
    torch.testing.assert_close(out[0], torch.tensor([[-3.0, float("nan"), -1.0, 4.0]]) / 13**0.5, equal_nan=True)
    assert out[1].tolist() == [[0.0] * 4]


def test_crops_are_handed_over_as_they_are_stored():
    crops = crops_of(POLICIES["channels"], 0)
    sample = defer_sample(crops, None, POLICIES["channels"], 1, fields(0))
    assert [tuple(crop.shape) for crop in sample["img"]] == [crop.shape for crop in crops]
    assert {crop.dtype for crop in sample["img"]} == {torch.uint16}
    assert sample["label"].shape == (0,)
    assert sample["label"].dtype == torch.int64


def test_labels_are_not_deferred():
    labels = [np.arange(24, dtype=np.uint16).reshape(2, 3, 4), np.arange(192, dtype=np.uint16).reshape(4, 6, 8)]
    samples = [defer_sample(crops_of(PLAIN, seed)[:2], labels, PLAIN, 1, fields(seed)) for seed in range(2)]
    batch = collate_deferred(samples)
    assert batch["label"].dtype == torch.int32
    assert torch.equal(batch["label"][1, 0], torch.arange(24, dtype=torch.int32).view(2, 3, 4))
    assert batch["label"][0, 1, 1, 2].tolist() == [128, 130, 132, 134]  # Plane 2, row 4: 2 * 48 + 4 * 8.
    assert finish_images(batch)["label"] is batch["label"]


def test_everything_else_is_collated_as_ever():
    _, samples = both(PLAIN)
    batch = collate_deferred(samples)
    rest = ("bbox", "pixel_size", "meta", "label")
    assert same(
        {key: batch[key] for key in rest},
        default_collate([{key: sample[key] for key in rest} for sample in samples]),
    )
    assert isinstance(batch["img"], list)
    assert isinstance(batch["img"][0], list)
    assert all(isinstance(item, Deferred) for item in batch["deferred"])


def test_finishing_leaves_the_given_batch_alone():
    _, samples = both(PLAIN)
    batch = collate_deferred(samples)
    kept = [crop.clone() for crop in batch["img"][0]]
    once = finish_images(batch)
    assert all(map(torch.equal, batch["img"][0], kept))
    assert torch.equal(finish_images(batch)["img"], once["img"])


def test_a_batch_with_nothing_deferred_is_returned_as_it_is():
    _, samples = batch_of(2)
    batch = collate(samples)
    assert finish_images(batch) is batch


def test_the_default_collate_refuses_deferred_samples_and_says_what_to_use():
    _, samples = both(PLAIN, sizes=(1.0, 1.0))
    for joined in (default_collate, collate):
        with pytest.raises(TypeError, match=re.escape("collate_fn=miao.collate_deferred")):
            joined(samples)


def test_finished_samples_are_refused_where_deferred_ones_belong():
    _, samples = batch_of(2)
    _, deferred = both(PLAIN, 2)
    with pytest.raises(NotDeferredError, match="defer_image_ops") as caught:
        collate_deferred([deferred[0], samples[1]])
    assert caught.value.at == ("samples", 1)
    assert isinstance(caught.value, KeyError)
    with pytest.raises(ValueError, match="at least one"):
        collate_deferred([])


def test_samples_that_become_other_shapes_are_refused():
    _, small = both(PLAIN, 1)
    _, large = both(FinishPolicy("zyx", "lczyx", (2, 3, 5), "uint8"), 1)
    with pytest.raises(ArgumentError, match=r"2, 3, 5") as caught:
        finish_images(collate_deferred([small[0], large[0]]))
    assert caught.value.at == ("batch", "img", 1)


def test_an_augmentation_sees_each_sample_as_it_would_have_been():
    expected, samples = both(PLAIN)
    seen = []

    def augment(sample):
        seen.append(sample)
        return {**sample, "img": sample["img"] * 2}

    found = finish_images(collate_deferred(samples), augment_fn=augment)
    assert torch.equal(found["img"], expected * 2)
    for position, sample in enumerate(seen):
        assert torch.equal(sample["img"], expected[position])
        assert sample["meta"] == fields(position)["meta"]
        assert torch.equal(sample["bbox"], fields(position)["bbox"])
        assert sample["label"].shape == (0,)
    rest = ("label", "bbox", "pixel_size", "meta")
    unchanged = finish_images(collate_deferred(samples))
    assert same({key: found[key] for key in rest}, {key: unchanged[key] for key in rest})


def test_the_default_device_of_torch_changes_nothing():
    # "meta" holds no values: whatever were made there could not be compared.
    expected, _ = both(PLAIN, 2)
    labels = [np.zeros((2, 3, 4), np.uint16)] * 3
    torch.set_default_device("meta")
    try:
        batch = Batch.empty(2, (3, 1, 2, 3, 4), (3, 2, 3, 4), PLAIN)
        for seed in range(2):
            slot = batch.slot(seed)
            finish_sample(crops_of(PLAIN, seed), labels, PLAIN, 1, slot.image, slot.label)
        later = collate_deferred([defer_sample(crops_of(PLAIN, seed), labels, PLAIN, 1, {}) for seed in range(2)])
        found = finish_images(later)
    finally:
        torch.set_default_device(None)
    assert torch.equal(batch.images, expected)
    assert torch.equal(found["img"], expected)
    assert torch.equal(found["label"], batch.labels)


class Deferring(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return defer_sample(crops_of(POLICIES["channels"], index), None, POLICIES["channels"], 1, fields(index))


def test_workers_hand_deferred_samples_over():
    expected, _ = both(POLICIES["channels"], 4)
    batches = list(DataLoader(Deferring(), batch_size=2, num_workers=1, collate_fn=collate_deferred))
    assert torch.equal(torch.cat([finish_images(batch)["img"] for batch in batches]), expected)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_device_finishes_what_the_cpu_does(name):
    expected, samples = both(POLICIES[name])
    found = finish_images(collate_deferred(samples), device="cuda")["img"]
    assert found.is_cuda
    torch.testing.assert_close(found.cpu().float(), expected.float(), rtol=1e-5, atol=1e-5)
