"""intensity_jitter, additive_noise, percentile_normalize: the image alone."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Numbers

from miao import intensities
from miao.augment import additive_noise, intensity_jitter, percentile_normalize
from miao.errors import AugmentError

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.bool]


def test_intensity_jitter_is_the_image_times_one_number_plus_another():
    # 0.9 + 0.25 * 0.2 = 0.95 and -0.1 + 0.75 * 0.2 = 0.05.
    rng = Numbers(0.25, 0.75)
    jittered = intensity_jitter(rng, torch.tensor([0.0, 1.0, 2.0]))
    assert rng.left == []
    torch.testing.assert_close(jittered, torch.tensor([0.05, 1.0, 1.95]))


def test_intensity_jitter_draws_from_the_given_ranges():
    jittered = intensity_jitter(Numbers(0.5, 0.5), torch.tensor([10.0]), scale=(2, 4), shift=[-3, 1])
    assert jittered.tolist() == [29.0]  # 10 * 3 - 1


@pytest.mark.parametrize(("dtype", "kept"), [*[(d, d) for d in FLOATS], *[(d, torch.float32) for d in INTEGERS]])
def test_floats_keep_their_dtype_and_integers_become_float32(dtype, kept):
    image = torch.tensor([0, 1, 1]).to(dtype)
    before = image.clone()
    jittered = intensity_jitter(np.random, image, scale=(2, 2), shift=(0.5, 0.5))
    assert jittered.dtype == kept
    assert jittered.tolist() == [0.5, 2.5, 2.5]
    noisy = additive_noise(np.random, image, scale=0)
    assert noisy.dtype == kept
    assert noisy.tolist() == [0, 1, 1]
    scaled = percentile_normalize(image, 0, 100)
    assert scaled.dtype == (torch.float32 if dtype == torch.float64 else kept)
    assert scaled.tolist() == [0, 1, 1]
    assert torch.equal(image, before)


def test_half_floats_are_rounded_once():
    # float16 of 2 to 4 are 1/512 apart. (1 + 1/1024) * 3 is 3 + 1.5/512, and 0.001 is 0.512/512: 3 + 2.012/512, which
    # is rounded to 3 + 2/512 = 3.00390625. Rounded twice, the product would be 3 + 2/512 and the sum 3 + 3/512.
    image = torch.tensor([1.0009765625], dtype=torch.float16)
    assert intensity_jitter(np.random, image, scale=(3, 3), shift=(0.001, 0.001)).tolist() == [3.00390625]


@pytest.mark.parametrize("rng", [np.random, np.random.RandomState(1), np.random.default_rng(1)])
def test_every_kind_of_rng_of_numpy_draws(rng):
    image = torch.full((3, 4, 5), 0.5)
    jittered = intensity_jitter(rng, image)
    assert len(jittered.unique()) == 1
    assert 0.35 <= float(jittered.flatten()[0]) <= 0.65
    assert len(additive_noise(rng, image).unique()) > 50


def test_additive_noise_draws_a_seed_and_then_the_deviation():
    rng = Numbers(0.5, 0.25)
    noise = additive_noise(rng, torch.zeros(100, 100), scale=0.8)
    assert rng.left == []
    # 0.25 * 0.8 = 0.2; of 10000 values mean and deviation are known to about 0.002.
    assert float(noise.std()) == pytest.approx(0.2, abs=0.008)
    assert float(noise.mean()) == pytest.approx(0, abs=0.01)
    # The same noise again; of half the deviation half of it; of another seed another one.
    assert torch.equal(additive_noise(Numbers(0.5, 0.25), torch.zeros(100, 100), scale=0.8), noise)
    torch.testing.assert_close(additive_noise(Numbers(0.5, 0.125), torch.zeros(100, 100), scale=0.8), noise / 2)
    assert not torch.equal(additive_noise(Numbers(0.6, 0.25), torch.zeros(100, 100), scale=0.8), noise)


def test_additive_noise_leaves_the_generator_of_torch_alone():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    additive_noise(np.random, torch.zeros(4, 5))
    assert torch.equal(torch.rand(4), expected)


def test_the_deviation_is_drawn_per_sample_up_to_scale():
    rng = np.random.default_rng(5)
    deviations = [float(additive_noise(rng, torch.zeros(4000), scale=0.3).std()) for _ in range(200)]
    assert min(deviations) < 0.02
    assert 0.27 < max(deviations) < 0.32
    assert np.mean(deviations) == pytest.approx(0.15, abs=0.02)


def test_percentile_normalize_interpolates_between_neighbours():
    # Of 0, 10, ..., 100 the percentile 25 lies at place 2.5: 25. The percentile 75 at 7.5: 75. So (v - 25) / 50.
    image = torch.arange(11).flip(0) * 10
    scaled = percentile_normalize(image, 25, 75, clamp=False)
    torch.testing.assert_close(scaled, (image - 25) / 50)
    torch.testing.assert_close(percentile_normalize(image, 25, 75), ((image - 25) / 50).clamp(0, 1))


def test_percentile_normalize_takes_1_and_99_by_default_and_clamps():
    image = torch.arange(101, dtype=torch.float32)  # the percentile q is q
    scaled = percentile_normalize(image)
    torch.testing.assert_close(scaled, ((image - 1) / 98).clamp(0, 1))
    assert float(scaled.min()) == 0
    assert float(scaled.max()) == 1


def test_percentiles_are_over_all_scales_and_channels_of_the_image():
    image = torch.arange(2 * 3 * 8, dtype=torch.float32).view(2, 3, 2, 2, 2)
    torch.testing.assert_close(percentile_normalize(image, 0, 100), image / 47)


def test_a_constant_image_becomes_0():
    for value in (0.0, 7.0, -3.0):
        assert percentile_normalize(torch.full((2, 3, 4), value)).count_nonzero() == 0


def test_where_both_percentiles_are_one_value_it_is_subtracted():
    # One voxel of a thousand is 5: both percentiles are 2, so that it becomes 3, or 1 where it is cut.
    image = torch.full((1000,), 2.0)
    image[17] = 5
    assert percentile_normalize(image, clamp=False).unique().tolist() == [0, 3]
    assert percentile_normalize(image).unique().tolist() == [0, 1]


def test_nan_and_infinities_do_not_count_and_nan_stays():
    image = torch.tensor([float("nan"), 2.0, 4.0, 6.0, float("inf"), float("-inf")])
    scaled = percentile_normalize(image, 0, 100)
    assert scaled[1:].tolist() == [0, 0.5, 1, 1, 0]
    assert scaled[0].isnan()
    nothing = percentile_normalize(torch.full((3,), float("nan")))
    assert nothing.isnan().all()


def test_an_empty_and_a_single_voxel():
    assert percentile_normalize(torch.empty(0, 3)).shape == (0, 3)
    assert percentile_normalize(torch.tensor([4.0])).tolist() == [0]


def test_integers_beyond_float32_are_told_apart():
    # 2**24 + 1 is no float32. Over 2**24 .. 2**24 + 4 it is a quarter of the way.
    image = torch.tensor([0, 1, 4]) + 2**24
    assert percentile_normalize(image, 0, 100).tolist() == [0, 0.25, 1]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_floats_come_back_as_they_were(dtype):
    image = torch.tensor([0.0, 1.0, 2.0, 4.0], dtype=dtype)
    scaled = percentile_normalize(image, 0, 100)
    assert scaled.dtype == dtype
    assert scaled.tolist() == [0, 0.25, 0.5, 1]


def test_of_very_large_images_a_sample_decides_and_the_same_one_every_time(monkeypatch):
    monkeypatch.setattr(intensities, "EXACT", 1000)
    image = torch.from_numpy(np.random.default_rng(0).permutation(20001).astype(np.float32))
    scaled = percentile_normalize(image, 10, 90, clamp=False)
    assert torch.equal(percentile_normalize(image, 10, 90, clamp=False), scaled)
    # (v - 2000) / 16000 were all looked at; of 10000 a percentile is known to about 0.3 of a hundredth.
    torch.testing.assert_close(scaled, (image - 2000) / 16000, atol=0.03, rtol=0)
    exact = percentile_normalize(image, 10, 90, clamp=False, sample_size=None)
    torch.testing.assert_close(exact, (image - 2000) / 16000)
    assert not torch.equal(exact, scaled)


def test_up_to_2_24_voxels_all_are_looked_at():
    assert intensities.EXACT == 2**24


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40),
    st.floats(0, 60),
    st.floats(0.5, 40),
)
def test_percentiles_are_those_of_numpy(values, lower, more):
    image = np.array(values, np.float32)
    low, high = np.percentile(image.astype(np.float64), (lower, lower + more))
    # A spread that float32 has no normal number for is none: 2^-126 is the smallest.
    spread = high - low if high - low >= 2**-126 else 1
    # What is beyond float32 is infinite there.
    with np.errstate(over="ignore"):
        expected = ((image.astype(np.float64) - low) / spread).astype(np.float32).astype(np.float64)
    # What is lost is in the subtraction of float32 numbers, relative to their size.
    lost = 4e-7 * max(1, float(np.abs(image).max())) / spread
    scaled = percentile_normalize(torch.from_numpy(image), lower, lower + more, clamp=False).numpy()
    finite = np.isfinite(expected)
    assert np.array_equal(scaled[~finite], expected[~finite])
    assert np.all(np.abs(scaled - expected)[finite] <= (lost + 4e-7 * np.abs(expected) + 1e-6)[finite])


@pytest.mark.parametrize("scale", [(1, 2, 3), 1.0, None, (2, 1), (0, float("nan")), ("a", "b")])
def test_a_range_is_a_low_and_a_high_number(scale):
    for name in ("scale", "shift"):
        with pytest.raises(AugmentError, match=f"{name}: is"):
            intensity_jitter(np.random, torch.ones(2), **{name: scale})
    intensity_jitter(np.random, torch.ones(2), scale=(1, 1), shift=np.array([0, 1]))


@pytest.mark.parametrize("scale", [-0.1, float("inf"), (0, 1), "loud"])
def test_the_scale_of_noise_is_a_number_from_0(scale):
    with pytest.raises(AugmentError, match="scale: is"):
        additive_noise(np.random, torch.ones(2), scale=scale)


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ({"lower": -1}, "lower"),
        ({"upper": 101}, "upper"),
        ({"lower": 50, "upper": 50}, "upper"),
        ({"lower": 99, "upper": 1}, "upper"),
        ({"lower": float("nan")}, "lower"),
        ({"sample_size": 0}, "sample_size"),
    ],
)
def test_percentiles_are_two_of_0_to_100(given, at):
    with pytest.raises(AugmentError) as raised:
        percentile_normalize(torch.ones(3), **given)
    assert raised.value.at == (at,)
    percentile_normalize(torch.ones(3), lower=0, upper=100, sample_size=1)


def test_what_is_no_rng_and_no_image_is_said():
    for change in (intensity_jitter, additive_noise):
        with pytest.raises(AugmentError, match="rng: is Tensor"):
            change(torch.ones(2), torch.ones(2))
        with pytest.raises(AugmentError, match="img: is ndarray"):
            change(np.random, np.ones(2))
    with pytest.raises(AugmentError, match="img: is list"):
        percentile_normalize([1, 2, 3])
    with pytest.raises(AugmentError, match=r"img: is torch\.complex64"):
        percentile_normalize(torch.ones(2, dtype=torch.complex64))


def test_tensors_stay_on_their_device():
    assert intensity_jitter(np.random, torch.empty(2, 3, device="meta")).device.type == "meta"
