"""Devices, as they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from miao.errors import ArgumentError

if TYPE_CHECKING:
    import torch


def device_of(device: Any) -> torch.device:
    """Return a device on which there can be tensors.

    Raises
    ------
    ArgumentError
        It is none, or this machine has none such.

    Examples
    --------
    >>> device_of("cpu")
    device(type='cpu')
    """
    import torch

    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, TypeError, AssertionError, NotImplementedError) as error:
        raise ArgumentError(
            f"device is {device!r}, where no tensor can be: {str(error).splitlines()[0]}; give one that this machine "
            "has, such as cpu",
            code="unavailable",
            at=("device",),
        ) from error
    return found
