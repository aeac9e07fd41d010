"""Ready augmentations, for ``augment_fn: {factory: miao.augment_std.em_default}`` in a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from miao.augment import intensity_jitter, rot90isocube
from miao.errors import AugmentError
from miao.tensor_axes import range_of, spatial_dims_for

__all__ = ["em_default"]

Sample = dict[str, Any]


def em_default(
    scale: Sequence[float] = (0.9, 1.1),
    shift: Sequence[float] = (-0.1, 0.1),
    rotate: bool = True,
    *,
    axes: str | None = None,
) -> Callable[[Sample], Sample]:
    """Return an ``augment_fn``: one of the 48 symmetries of a cube for image and label, then jitter of the intensities.

    It draws from ``numpy.random``, which PyTorch seeds anew in every worker, and can be sent to workers itself. The
    label of a volume without labels is left alone.

    Parameters
    ----------
    scale, shift
        Ranges of the jitter: the image times a number of the first, plus a number of the second.
    rotate
        Whether to turn; patches and voxels are to be cubic then. Set it to false for anisotropic data.
    axes
        The ``output_axes`` of the dataset, where its spatial axes are not the last three.

    Raises
    ------
    AugmentError
        A range is no (low, high), or `axes` have no three spatial axes; samples that cannot be turned raise it when
        they are.

    Examples
    --------
    >>> import torch
    >>> augment = em_default(scale=(2, 2), shift=(0, 0))
    >>> sample = {"img": torch.ones(1, 1, 4, 4, 4), "label": torch.empty(0), "pixel_size": torch.full((1, 3), 8.0)}
    >>> augment(sample)["img"].unique().tolist()
    [2.0]
    """
    if isinstance(scale, Mapping):
        raise AugmentError(
            "em_default makes an augment_fn and takes no sample; in a configuration it is "
            "{factory: miao.augment_std.em_default, kwargs: {...}}",
            code="wrong_type",
            at=("augment_fn",),
        )
    layout = "lczyx" if axes is None else axes
    dims = (spatial_dims_for(layout), spatial_dims_for(layout.replace("c", "")))
    if rotate and len(dims[0]) != 3:
        raise AugmentError(
            f"{layout!r} has {len(dims[0])} spatial axes; turning needs three: set rotate to false",
            code="wrong_length",
            at=("axes",),
        )
    return partial(
        _augmented, scale=range_of(scale, "scale"), shift=range_of(shift, "shift"), dims=dims if rotate else None
    )


def _augmented(
    sample: Sample,
    *,
    scale: tuple[float, float],
    shift: tuple[float, float],
    dims: tuple[tuple[int, ...], tuple[int, ...]] | None,
) -> Sample:
    """Return a sample with its image and label changed; without `dims` nothing is turned."""
    import numpy as np  # noqa: PLC0415

    rng = np.random
    changed = {"img": sample["img"]}
    if dims is not None:
        label = sample.get("label")
        if label is not None and label.numel():
            changed["label"] = label
        turned = rot90isocube(
            rng, *changed.values(), spatial_dims=dims[: len(changed)], pixel_size=sample.get("pixel_size")
        )
        changed = dict(zip(changed, turned, strict=True))
    changed["img"] = intensity_jitter(rng, changed["img"], scale, shift)
    return {**sample, **changed}
