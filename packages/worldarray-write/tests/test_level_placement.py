"""Behaviour 10: level_placement and level_shape, against exact arithmetic and against what reading gives."""

from fractions import Fraction
from math import ceil, isfinite

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError
from worldarray_write.documents import array_documents, group_documents
from worldarray_write.layout import Wanted, validate
from worldarray_write.multiscales import ome_multiscales
from worldarray_write.placement import level_placement, level_shape

sizes = st.floats(1e-9, 1e9)
places = st.floats(-1e12, 1e12)
factors = st.integers(1, 64)
origins = st.integers(-100, 10_000)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(sizes, places, factors, origins), min_size=1, max_size=4))
def test_a_level_is_placed_exactly_and_rounded_once(rows):
    s, t, f, o = zip(*rows, strict=True)
    size, place = level_placement(s, t, f, o)
    assert size == tuple(float(Fraction(a) * b) for a, b in zip(s, f, strict=True))
    # the mean of the centres of the source voxels that level voxel 0 covers
    for (a, b, n, first), found in zip(rows, place, strict=True):
        centres = [Fraction(b) + Fraction(a) * i for i in range(first, first + n)]
        assert found == float(sum(centres) / n)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), factors, st.integers(0, 10_000))
def test_a_level_has_as_many_voxels_as_blocks_begin_in_the_source(n, f, o):
    assume(o <= n)
    assert level_shape((n,), f, o) == (ceil(Fraction(n - o, f)),)
    assert level_shape((n,), f, o) == (len(range(o, n, f)),)


def test_a_level_shares_its_sources_corner_and_factors_compound():
    # corner 15 - 30 / 2 = 0 and 4 - 8 / 2 = 0; twice 2 is once 4
    once = level_placement((30, 8), (15, 4), (2, 4))
    twice = level_placement(*level_placement((30, 8), (15, 4), (1, 2)), (2, 2))
    assert once == twice == ((60.0, 32.0), (30.0, 16.0))


def test_the_bigdataviewer_rule_is_inverted():
    # setup: voxel 0 of level 0 centred on 0, base voxels of (4, 3); factors (2, 4): (f - 1) / 2 base voxels further on
    assert level_placement((4, 3), (0, 0), (2, 4)) == ((8.0, 12.0), (2.0, 4.5))


def test_an_origin_moves_the_level_by_that_many_source_voxels():
    # 4 + 8 * (16 + 1 / 2) = 136: from 0, 4 + 4 = 8 and 16 * 8 = 128 further
    assert level_placement((8.0,), (4.0,), 2, 16) == ((16.0,), (136.0,))
    assert level_shape((100,), 2, 16) == (42,)
    assert level_shape((100,), 2, 100) == (0,)


@pytest.mark.parametrize("origin", [0, 16])
@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_a_block_mean_read_anchored_at_the_levels_corner_is_the_level(tmp_path, format, origin):
    shape, size, translation, factor = (34, 41, 50), (30.0, 10.48, 8.0), (15.0, 5.24, 100.0), (2, 3, 4)
    planned = validate(Wanted(shape, "uint16", size, translation, format, chunks=(8, 16, 16), codecs="none"))
    attributes = ome_multiscales("zyx", "nm", [("s0", size, translation)], {"zarr2": "0.4", "zarr3": "0.5"}[format])
    for key, data in group_documents(format, attributes).items():
        (tmp_path / key).write_bytes(data)
    (tmp_path / "s0").mkdir()
    for key, data in array_documents(planned.layout).items():
        (tmp_path / "s0" / key).write_bytes(data)
    volume = wa.open(tmp_path / "s0")
    data = np.random.default_rng(7).integers(0, 60_000, shape, "uint16")
    import tensorstore as ts

    driver = {"zarr2": "zarr", "zarr3": "zarr3"}[format]
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{tmp_path}/s0/"}}
    ts.open(spec, open=True).result().write(data).result()

    coarse, centre = level_placement(size, translation, factor, origin)
    counts = level_shape(shape, factor, origin)
    corner = tuple(t - s / 2 for t, s in zip(centre, coarse, strict=True))
    end = tuple(c + n * s for c, n, s in zip(corner, counts, coarse, strict=True))
    found = volume.read((corner, end), voxel_size=coarse, method="linear", anchor=corner)
    assert found.shape == counts
    for index in [(0, 0, 0), tuple(n - 1 for n in counts), tuple(n // 2 for n in counts)]:
        begin = [origin + i * f for i, f in zip(index, factor, strict=True)]
        block = data[tuple(slice(b, b + f) for b, f in zip(begin, factor, strict=True))]
        mean = Fraction(int(block.sum(dtype="uint64")), block.size)
        assert found[index] == round(mean)  # half to even, as Python rounds fractions


@pytest.mark.parametrize(
    ("arguments", "code", "at"),
    [
        (((0.0, 8), (1, 2), 2), "not_positive", ("voxel_size", 0)),
        (((8.0, 8), (1, float("nan")), 2), "not_finite", ("translation", 1)),
        (((8.0, 8), (1,), 2), "wrong_length", ("translation",)),
        (((8.0, 8), (1, 2), (2,)), "wrong_length", ("factors",)),
        (((8.0, 8), (1, 2), (2, 0)), "not_positive", ("factors", 1)),
        (((8.0, 8), (1, 2), 2, (0, 1, 2)), "wrong_length", ("origin",)),
        (((8.0, 8), (1, 2), 1.5), "wrong_type", ("factors",)),
        (((8.0, 8), (1, 2), 2, 0.5), "wrong_type", ("origin",)),
        (((1e308, 8), (1, 2), 4), "not_finite", ("voxel_size", 0)),
    ],
)
def test_placements_that_cannot_be_are_refused(arguments, code, at):
    size, place = level_placement((8.0, 8), (1, 2), (2, 1), (0, 1))  # the neighbour that passes
    assert all(map(isfinite, (*size, *place)))
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        level_placement(*arguments)
    assert (caught.value.code, caught.value.at) == (code, at)


@pytest.mark.parametrize(
    ("arguments", "code", "at"),
    [
        (((10, -1), 2), "out_of_range", ("shape", 1)),
        (((10, 5), (2, 0)), "not_positive", ("factors", 1)),
        (((10, 5), 2, (0, 6)), "out_of_range", ("origin", 1)),
        (((10.0, 5), 2), "wrong_type", ("shape",)),
    ],
)
def test_shapes_that_cannot_be_are_refused(arguments, code, at):
    assert level_shape((10, 5), 2, (0, 5)) == (5, 0)  # the neighbour that passes
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        level_shape(*arguments)
    assert (caught.value.code, caught.value.at) == (code, at)
