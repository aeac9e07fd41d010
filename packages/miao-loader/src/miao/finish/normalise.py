"""Values become what a model is fed: scaled to [0, 1], standardised over a patch. In float32, whatever comes after."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from miao.errors import ArgumentError

if TYPE_CHECKING:
    import torch

    from miao.records import Normalisation

_LEAST_SPREAD: Final = 1e-8
"""What a standard deviation is at least, so that a constant patch becomes 0."""


def divisor(dtype: str, rule: Normalisation) -> float | None:
    """Return what values of a stored dtype are divided by: the largest integer; None where they stay as they are.

    Raises
    ------
    ArgumentError
        The values are neither integers nor floats nor booleans.

    Examples
    --------
    >>> from miao.records import Normalisation
    >>> divisor("uint8", Normalisation()), divisor("int16", Normalisation()), divisor("float32", Normalisation())
    (255.0, 32767.0, None)
    >>> divisor("uint8", Normalisation(normalize=False)) is None
    True
    """
    if dtype == "bfloat16":
        return None
    kind = np.dtype(dtype).kind
    if kind not in "biuf":
        raise ArgumentError(
            f"the image holds {dtype}; images are of integers, floats or booleans", code="unsupported", at=("dtype",)
        )
    return float(np.iinfo(dtype).max) if rule.normalize and kind in "iu" else None


def bounds(rule: Normalisation) -> tuple[float, float] | None:
    """Return the range that values are clipped to, or None; ``normalize: false`` leaves them alone.

    Examples
    --------
    >>> from miao.records import Normalisation
    >>> bounds(Normalisation(low=10.0, high=20.0)), bounds(Normalisation())
    ((10.0, 20.0), None)
    """
    if rule.normalize and rule.low is not None and rule.high is not None:
        return rule.low, rule.high
    return None


def normalise(values: torch.Tensor, dtype: str, rule: Normalisation, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return values scaled to [0, 1]: within bounds where the rule has them, else by the largest stored integer.

    Parameters
    ----------
    values
        Any shape; float32, or the stored integers themselves.
    dtype
        What the values are stored as: ``"uint8"``.
    rule
        Bounds (lo, hi): clip(x, lo, hi) - lo over hi - lo. Without: integers over their largest value, so int8 reaches
        -128 / 127; floats and booleans as they are.
    out
        float32 of the same shape, of any strides; written to where it is given.

    Returns
    -------
    torch.Tensor
        float32, NaN where the values are; `out` where that is given.

    Examples
    --------
    >>> import torch
    >>> from miao.records import Normalisation
    >>> normalise(torch.tensor([0, 51, 255], dtype=torch.uint8), "uint8", Normalisation())
    tensor([0.0000, 0.2000, 1.0000])
    >>> normalise(torch.tensor([0.0, 3.0, 9.0]), "float32", Normalisation(low=2.0, high=4.0))
    tensor([0.0000, 0.5000, 1.0000])
    """
    import torch

    if out is None:
        out = torch.empty(values.shape, dtype=torch.float32, device=values.device)
    limits, largest = _scaling(dtype, rule)
    if limits is not None:
        low, high = limits
        return out.copy_(values).clamp_(low, high).sub_(low).div_(high - low)
    if largest is None:
        return out.copy_(values)
    if values.dtype is getattr(torch, "uint16", None):
        # Torch copies it, and divides by nothing.
        return out.copy_(values).div_(largest)
    return torch.div(values, _scalar(largest, values.device), out=out)


@lru_cache(maxsize=256)
def _scaling(dtype: str, rule: Normalisation) -> tuple[tuple[float, float] | None, float | None]:
    return bounds(rule), divisor(dtype, rule)


@lru_cache(maxsize=64)
def _scalar(value: float, device: torch.device) -> torch.Tensor:
    """Return a float32 of no axes: of a Python number the result's dtype would be torch's default."""
    import torch

    return torch.tensor(value, dtype=torch.float32, device=device)


def patch_normalise(stack: torch.Tensor, axis: int, reference: int) -> torch.Tensor:
    """Standardise the scales of one sample in place by the mean and spread of one of them.

    Parameters
    ----------
    stack
        float32, every scale of a sample.
    axis
        Where the scales are counted.
    reference
        The scale that `statistics` are taken of, all its channels together.

    Returns
    -------
    torch.Tensor
        `stack`; a constant reference becomes 0, NaN stays NaN.

    Examples
    --------
    >>> import torch
    >>> patch_normalise(torch.tensor([[1.0, 3.0, float("nan")], [4.0, 2.0, 2.0]]), 0, 0)
    tensor([[-0.7071,  0.7071,     nan],
            [ 1.4142,  0.0000,  0.0000]])
    """
    mean, spread = statistics(stack.select(axis, reference).reshape(1, -1))
    return stack.sub_(mean[0]).div_(spread[0])


def statistics(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return mean and unbiased standard deviation of each row, NaN left out, computed in float64.

    Parameters
    ----------
    values
        float32 of shape (rows, values).

    Returns
    -------
    tuple of torch.Tensor
        Mean and standard deviation, float64 of shape (rows,). The deviation is at least 1e-8, as it is of a single
        value; both are NaN where a row holds nothing but NaN, or infinities.

    Examples
    --------
    >>> import torch
    >>> [found.tolist() for found in statistics(torch.tensor([[2.0, 4.0, float("nan")], [5.0, 5.0, 5.0]]))]
    [[3.0, 5.0], [1.4142135623730951, 1e-08]]
    """
    exact = values.double()
    mean = exact.mean(1)
    count: torch.Tensor | int = exact.shape[1]
    # Looking whether there is NaN waits for a device; there, NaN is always left out.
    if values.device.type != "cpu" or bool(mean.isnan().any()):
        absent = exact.isnan()
        count = (~absent).sum(1)
        mean = exact.masked_fill(absent, 0.0).sum(1) / count
        squares = (exact - mean[:, None]).masked_fill(absent, 0.0).square().sum(1)
        spread = (squares / (count - 1).clamp(min=1)).sqrt().clamp(min=_LEAST_SPREAD)
        return mean, spread.masked_fill(mean.isnan(), math.nan)
    squares = exact.sub_(mean[:, None]).square_().sum(1)
    return mean, (squares / max(count - 1, 1)).sqrt().clamp(min=_LEAST_SPREAD)
