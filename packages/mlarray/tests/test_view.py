"""The picture: which slices, which way round, and what is drawn."""

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import ArgumentError
from mlarray.view.slices import plan_slices, scale_bar


def test_slices_go_through_the_middle_and_are_turned_as_radiologists_look():
    z, y, x = plan_slices((4, 5, 6), ("z", "y", "x"), (0, 1, 2), (3, 2, 1), "SAR")
    assert [one.title for one in (z, y, x)] == ["z = 2", "y = 2", "x = 3"]
    assert [one.key for one in (z, y, x)] == [
        (2, slice(None), slice(None)),
        (slice(None), 2, slice(None)),
        (slice(None), slice(None), 3),
    ]
    # Anterior and superior up, the patient's right on the left; the index grows that way, so both are turned.
    assert (z.letters, z.turned, z.size) == (("A", "P", "R", "L"), (True, True), (2, 1))
    assert (y.letters, y.turned, y.size) == (("S", "I", "R", "L"), (True, True), (3, 1))
    assert (x.letters, x.turned, x.size) == (("S", "I", "A", "P"), (True, True), (3, 2))


def test_nothing_is_turned_where_it_is_right_already_or_not_known():
    first = plan_slices((4, 5, 6), ("z", "y", "x"), (0, 1, 2), (1, 1, 1), "IPL")[0]
    assert (first.letters, first.turned) == (("A", "P", "R", "L"), (False, False))
    first = plan_slices((4, 5, 6), ("z", "y", "x"), (0, 1, 2), (1, 1, 1), None)[0]
    assert (first.letters, first.turned) == (("", "", "", ""), (False, False))


def test_superior_is_up_whatever_the_order_of_the_axes():
    x, y, z = plan_slices((6, 5, 4), ("x", "y", "z"), (0, 1, 2), (1, 2, 3), "LPS")
    assert [(one.down, one.across) for one in (x, y, z)] == [(2, 1), (2, 0), (1, 0)]
    assert [one.letters for one in (x, y, z)] == [("S", "I", "A", "P"), ("S", "I", "R", "L"), ("A", "P", "R", "L")]
    assert (x.turned, x.size, x.cross) == ((True, False), (3, 2), (2, 2))


def test_an_index_is_per_axis_or_per_axis_shown():
    names = ("t", "z", "y", "x")
    for index in ((1, 3, 2, 0), (3, 2, 0)):
        found = plan_slices((2, 4, 5, 6), names, (1, 2, 3), (1, 1, 1), None, index)
        assert found[0].index == (1 if len(index) == 4 else 0, 3, None, None)
    for wrong, words in (((4, 0, 0), "outside"), ((1, 2), "expected")):
        with pytest.raises(ArgumentError, match=words):
            plan_slices((2, 4, 5, 6), names, (1, 2, 3), (1, 1, 1), None, wrong)


def test_two_axes_make_one_slice_and_one_axis_none():
    assert len(plan_slices((4, 5), ("y", "x"), (0, 1), (1, 1), None)) == 1
    with pytest.raises(ArgumentError, match="needs two"):
        plan_slices((4,), ("x",), (0,), (1,), None)


@pytest.mark.parametrize(("extent", "length"), [(180, 20), (200, 50), (0.9, 0.2), (4, 1), (39.9, 5), (4e-6, 1e-6)])
def test_a_scale_bar_is_round_and_at_most_a_quarter(extent, length):
    assert scale_bar(extent) == length


def pixels(path):
    from matplotlib.image import imread

    return imread(path)[..., :3]


@pytest.fixture
def drawn(tmp_path):
    pytest.importorskip("matplotlib")
    from mlarray.view.picture import view

    def draw(array, name="a", **options):
        array.save(tmp_path / f"{name}.mla")
        view(tmp_path / f"{name}.mla", tmp_path / f"{name}.png", **options)
        return pixels(tmp_path / f"{name}.png")

    return draw


def share(picture, colour):
    """The middle (row, column) of the pixels of a colour, as shares of the picture; None where there are none."""
    rows, columns = np.nonzero(np.abs(picture - np.array(colour)).max(axis=2) < 0.02)
    if not len(rows):
        return None
    return rows.mean() / picture.shape[0], columns.mean() / picture.shape[1]


@pytest.mark.parametrize("order", ["zyx", "xyz", "yzx"])
def test_the_patients_left_is_drawn_on_the_right_and_superior_up(drawn, order):
    labels = np.zeros((20, 20, 20), "u1")
    labels[14:, :, 3:6] = 1  # index grows superior, and left: high z is up, low x is the right hand, drawn on the left
    labels[:6, :, 14:17] = 2
    values = {"kind": "label", "labels": {1: {"color": "#ff0000"}, 2: {"color": "#0000ff"}}}
    labels = labels.transpose(["zyx".index(name) for name in order])
    axes = [
        {"name": name, "increases_toward": word}
        for name, word in zip("xyz", ("left", "posterior", "superior"), strict=True)
    ]
    grid = {"array_axes": ["x", "y", "z"], "matrix": np.eye(4).tolist()}
    space = {"name": "patient", "axes": axes, "from_array": grid}
    array = MLArray(labels, axes=list(order), spaces=[space], values=values)
    assert array.letter_codes() == order.translate(str.maketrans("xyz", "LPS"))
    picture = drawn(array)
    third = picture.shape[1] // 3
    normal = order.index("y")  # the coronal slice is normal to y
    coronal = picture[:, normal * third : (normal + 1) * third]
    red, blue = share(coronal, (1, 0, 0)), share(coronal, (0, 0, 1))
    assert red[0] < 0.5 < blue[0]
    assert red[1] < 0.5 < blue[1]


def test_an_array_without_letters_is_drawn_as_it_is_stored(drawn):
    values = np.zeros((20, 30), "u1")
    values[:5, 20:] = 200
    picture = drawn(MLArray(values, axes=["y", "x"]), window=(0, 100))
    bright = share(picture, (1, 1, 1))
    assert bright[0] < 0.5 < bright[1]


@pytest.mark.parametrize(
    "array",
    [
        MLArray(np.zeros((3, 4, 5), "f4")),
        MLArray(np.full((2, 3, 4, 5), np.nan), axes=["t", "z", "y", "x"], spacing=(1, 2, 3)),
        MLArray(np.zeros((4, 5), bool)),
        MLArray(np.ones((3, 4, 5), "c8")),
        MLArray(np.zeros((4, 5, 3), "u1"), axes=["y", "x", "c"]),
    ],
    ids=["constant", "nan", "bool", "complex", "colour"],
)
def test_odd_arrays_are_drawn_without_a_warning(drawn, array):
    assert drawn(array).shape[1] > 300


def test_nothing_is_replaced_unless_asked(drawn, tmp_path):
    from mlarray.view.picture import view

    drawn(MLArray(np.zeros((3, 4, 5))))
    with pytest.raises(FileExistsError):
        view(tmp_path / "a.mla", tmp_path / "a.png")
    with pytest.raises(ArgumentError, match="png"):
        view(tmp_path / "a.mla", tmp_path / "a.jpg")
    for window in ((float("nan"), 1), (5, 5), (2, 1)):
        with pytest.raises(ArgumentError, match="window"):
            view(tmp_path / "a.mla", tmp_path / "b.png", window=window)
    with pytest.raises(ArgumentError, match="outside"):
        view(tmp_path / "a.mla", tmp_path / "b.png", index=(9, 0, 0))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mla", "a.png"]
