"""Random changes of the intensities of an image, and their normalisation by percentiles; `miao.augment` has them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Final

from miao.errors import AugmentError
from miao.tensor_axes import RandomNumbers, check_rng, check_tensor, number_of, range_of

if TYPE_CHECKING:
    import torch

EXACT: Final = 1 << 24
"""Voxels up to which percentiles are taken of all of them."""
SEEDS: Final = 1 << 53


def intensity_jitter(
    rng: RandomNumbers,
    img: torch.Tensor,
    scale: tuple[float, float] = (0.9, 1.1),
    shift: tuple[float, float] = (-0.1, 0.1),
) -> torch.Tensor:
    """Return the image times a number of the range `scale`, plus a number of the range `shift`.

    Both are drawn once for all voxels. The defaults are for intensities of about 0 to 1. Floats keep their dtype;
    integers become float32.

    Raises
    ------
    AugmentError
        No tensor of real numbers, or a range that is no (low, high).

    Examples
    --------
    >>> import numpy as np, torch
    >>> intensity_jitter(np.random, torch.ones(2), scale=(2, 2), shift=(0.5, 0.5)).tolist()
    [2.5, 2.5]
    """
    check_rng(rng)
    check_tensor(img, ("img",))
    scale, shift = range_of(scale, "scale"), range_of(shift, "shift")
    factor = rng.uniform(*scale)
    added = rng.uniform(*shift)
    return (_floats(img) * factor).add_(added).to(_float_dtype(img))


def additive_noise(rng: RandomNumbers, img: torch.Tensor, scale: float = 0.1) -> torch.Tensor:
    """Return the image plus Gaussian noise, of a standard deviation drawn from [0, `scale`).

    `rng` gives a seed, then the deviation; the noise is made where the image is, so that another kind of device gives
    other noise. Floats keep their dtype; integers become float32.

    Raises
    ------
    AugmentError
        No tensor of real numbers, or a `scale` below 0.

    Examples
    --------
    >>> import numpy as np, torch
    >>> noisy = additive_noise(np.random, torch.zeros(1, 1, 8, 8, 8), scale=0.2)
    """
    import torch

    check_rng(rng)
    check_tensor(img, ("img",))
    scale = number_of(scale, "scale", 0)
    generator = torch.Generator(device=img.device).manual_seed(int(rng.random() * SEEDS))
    deviation = rng.random() * scale
    values = _floats(img)
    noise = torch.randn(values.shape, dtype=values.dtype, device=img.device, generator=generator)
    return noise.mul_(deviation).add_(values).to(_float_dtype(img))


def _float_dtype(img: torch.Tensor) -> torch.dtype:
    """Return the dtype that an image comes back in."""
    import torch

    return img.dtype if img.is_floating_point() else torch.float32


def _floats(img: torch.Tensor) -> torch.Tensor:
    """Return an image in a dtype that is computed in: float64 as it is, anything else float32."""
    import torch

    return img if img.dtype == torch.float64 else img.to(torch.float32)


def percentile_normalize(
    img: torch.Tensor,
    lower: float = 1.0,
    upper: float = 99.0,
    clamp: bool = True,
    *,
    sample_size: int | None = 10000,
) -> torch.Tensor:
    """Return the image with the percentile `lower` at 0 and `upper` at 1, with `clamp` cut to that range.

    Percentiles are interpolated between neighbouring values, over all voxels, scales and channels; NaN and infinities
    do not count, and NaN stays NaN. Where both percentiles are the same, the lower one is subtracted and that is all.
    16-bit floats keep their dtype; anything else becomes float32.

    Parameters
    ----------
    img
        The image.
    lower, upper
        Percentiles, from 0 to 100.
    clamp
        Whether what lies outside becomes 0 and 1.
    sample_size
        Of images of more than 2**24 voxels, how many are looked at, the same ones every time; None: all of them.

    Raises
    ------
    AugmentError
        No tensor of real numbers, or percentiles out of order.

    Examples
    --------
    >>> import torch
    >>> percentile_normalize(torch.tensor([3.0, 5.0, 7.0]), lower=0, upper=100).tolist()
    [0.0, 0.5, 1.0]
    """
    import torch

    check_tensor(img, ("img",))
    lower, upper = number_of(lower, "lower", 0, 100), number_of(upper, "upper", 0, 100)
    if lower >= upper:
        raise AugmentError(f"is {upper:g}; give more than lower, {lower:g}", code="order", at=("upper",))
    if sample_size is not None and (not hasattr(sample_size, "__index__") or index(sample_size) < 1):
        raise AugmentError(
            f"is {sample_size!r}; give a whole number of at least 1, or None", code="out_of_range", at=("sample_size",)
        )
    half = img.dtype in (torch.float16, torch.bfloat16)
    wide = img.to(torch.float32) if half or img.dtype in (torch.float32, torch.bool) else img.to(torch.float64)
    flat = wide.reshape(-1)
    if sample_size is not None and flat.numel() > EXACT:
        seeded = torch.Generator().manual_seed(0)
        flat = flat[torch.randint(flat.numel(), (sample_size,), generator=seeded).to(img.device)]
    low, high = _percentiles(flat, (lower, upper))
    # Below the smallest normal number, dividing by the spread would overflow: the image is as good as constant.
    spread = high - low if high - low >= torch.finfo(torch.float32).tiny else 1.0
    scaled = (wide - low) / spread
    return (scaled.clamp_(0, 1) if clamp else scaled).to(img.dtype if half else torch.float32)


def _percentiles(flat: torch.Tensor, percents: Sequence[float]) -> list[float]:
    """Return percentiles of the finite values of a tensor (n), interpolated; 0 where there are none."""
    import numpy as np  # noqa: PLC0415

    finite = flat.isfinite()
    values = flat if bool(finite.all()) else flat[finite]
    last = values.numel() - 1
    if last < 0:
        return [0.0] * len(percents)
    places = [percent / 100 * last for percent in percents]
    below = [min(int(place), last) for place in places]
    ranks = [(rank, min(rank + 1, last)) for rank in below]
    if values.device.type == "cpu":
        ordered: Any = np.partition(values.detach().numpy(), sorted({rank for pair in ranks for rank in pair}))
    else:
        ordered = values.sort().values
    found = []
    for place, (first, second) in zip(places, ranks, strict=True):
        before, after = float(ordered[first]), float(ordered[second])
        found.append(before + (after - before) * (place - first))
    return found
