"""Rules between fields against brute force."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from miao.config.models import MiaoConfig, problems

VOLUME = {"name": "em", "path": "em.zarr", "image_key": "raw"}
BOUNDS = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2), st.integers(1, 2)), min_size=1, max_size=3)


def codes(**fields):
    try:
        MiaoConfig(volumes=[VOLUME], output_axes="lyx", patch_size=[5, 6], **fields)
    except ValidationError as error:
        return [(code, at) for code, at, _ in problems(error)]
    return []


@settings(max_examples=120, deadline=None)
@given(BOUNDS)
def test_unsorted_draws_are_refused_where_some_draw_is_finer_than_the_one_before(bounds):
    ranges = [[[low], [low + more]] for low, more, _ in bounds]
    scales = [(low, low + more) for low, more, count in bounds for _ in range(count)]
    runs_down = any(list(draw) != sorted(draw) for draw in product(*scales))
    sampling = {"ranges": ranges, "n_scales": [count for _, _, count in bounds], "sort": False}
    expected = [("conflict", ("resolution_sampling", "sort"))] if runs_down else []
    assert codes(resolution_sampling=sampling, sample_windows=True) == expected
    assert codes(resolution_sampling={**sampling, "sort": True}, sample_windows=True) == []
    assert codes(resolution_sampling=sampling) == []


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=4))
def test_windows_need_sizes_that_do_not_decrease_on_any_axis(scales):
    expected = [
        ("order", ("resolutions", scale, axis))
        for scale in range(1, len(scales))
        for axis in range(2)
        if scales[scale][axis] < scales[scale - 1][axis]
    ]
    assert codes(resolutions=[list(one) for one in scales], sample_windows=True) == expected
    assert codes(resolutions=[list(one) for one in scales]) == []


def test_many_frames_are_checked_without_their_names():
    frames = [{**VOLUME, "name": f"em{number}", "fixed_axes": {"t": "0:1000000"}} for number in range(20)]
    found = MiaoConfig(volumes=frames, output_axes="lyx", patch_size=[5, 6], resolutions=[[8, 9]])
    found.samples_per_epoch = 3
    assert len(found.volumes) == 20
