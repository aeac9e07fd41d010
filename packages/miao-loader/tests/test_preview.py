"""Pictures of samples: what they show alike in every scale."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

import torch

from miao.preview import _figure


def test_a_label_has_one_colour_in_every_scale():
    # Label 3 is beside 1 in the first scale and beside 5 in the second.
    label = torch.tensor([[[0, 1, 3]], [[0, 3, 5]]])
    sample = {
        "img": torch.zeros(2, 1, 3),
        "label": label,
        "bbox": torch.tensor([[[2.0, 4.0], [5.0, 13.0]], [[1.0, 0.0], [7.0, 18.0]]]),
        "pixel_size": torch.tensor([[3.0, 3.0], [6.0, 6.0]]),
        "meta": {"volume": "a", "coordinate": (1, 2)},
    }
    panels = _figure(sample, "lyx", ["y", "x"]).axes[2:]
    colours = [panel.images[0].to_rgba(panel.images[0].get_array())[0].tolist() for panel in panels]
    assert colours[0][2] == colours[1][1]
    assert colours[0][0] == colours[1][0]
    assert len({tuple(colour) for colour in (*colours[0], colours[1][2])}) == 4
