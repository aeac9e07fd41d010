"""A level or a box of a volume of worldarray, and back."""

import json

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.convert import from_worldarray, to_worldarray
from mlarray.errors import ArgumentError

wa = pytest.importorskip("worldarray")
pytest.importorskip("worldarray_write")

VALUES = np.arange(2 * 4 * 5 * 6, dtype="u2").reshape(2, 4, 5, 6)
TIME = {"name": "t", "type": "time", "start": 1.5, "step": 2.0, "unit": "second"}
WORLD = {
    "name": "world",
    "axes": [{"name": name, "unit": "micrometer"} for name in "zyx"],
    "from_array": {"array_axes": ["z", "y", "x"], "scale": [2, 0.5, 0.25], "translation": [1, 2, 3]},
}


@pytest.fixture
def volume(tmp_path):
    to_worldarray(MLArray(VALUES, axes=[TIME, "z", "y", "x"], spaces=[WORLD]), tmp_path / "v.zarr")
    return tmp_path / "v.zarr"


def test_placement_goes_both_ways(volume):
    opened = wa.open(volume, level="s0", units=None)
    # A translation is where the centre of voxel 0 is, there and here.
    assert opened.translation == (1.0, 2.0, 3.0)
    array = from_worldarray(volume)
    assert np.array_equal(array.to_numpy(), VALUES)
    assert array.meta.axis_types == ("time", "space", "space", "space")
    assert (array.spacing, array.origin) == ([2.0, 0.5, 0.25], [1.0, 2.0, 3.0])
    assert array.meta.spaces[0].axes[0].unit_code == "um"
    assert array.axis_coordinates("t") == [1.5, 3.5]
    assert array.verify()


def test_a_box_carries_its_own_origin(volume):
    # Centres in [3, 7) of 1, 3, 5, 7: indices 1, 2. In [2.5, 4) of 2, 2.5, …, 4: 1 to 3.
    # In [3.5, 4.1) of 3, 3.25, …: 2 to 4.
    array = from_worldarray(volume, box=wa.Box((3, 2.5, 3.5), (7, 4, 4.1)))
    assert np.array_equal(array.to_numpy(), VALUES[:, 1:3, 1:4, 2:5])
    assert array.origin == [3.0, 2.5, 3.5]
    assert array.meta.source[0]["header"]["begin"] == (0, 1, 1, 2)
    with pytest.raises(ArgumentError, match="no voxel"):
        from_worldarray(volume, box=((90, 90, 90), (91, 91, 91)))


def test_units_are_converted_when_asked(volume):
    array = from_worldarray(volume, units="nanometer")
    assert array.spacing == [2000.0, 500.0, 250.0]
    assert array.meta.spaces[0].axes[2].unit_code == "nm"


def test_a_level_of_a_pyramid_is_chosen():
    from worldarray.demo import demo_pyramid

    with demo_pyramid() as path:
        first, chosen = from_worldarray(path), from_worldarray(path, level="s2")
        by_size = from_worldarray(path, voxel_size=(40, 32, 21), units="nanometer")
        s1 = wa.open(path, level="s1")
        assert first.shape != chosen.shape
        assert by_size.shape == s1.shape
        assert by_size.origin == list(s1.translation)


def test_a_grid_that_is_turned_is_refused(tmp_path):
    for matrix in ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]):
        with pytest.raises(ArgumentError, match="OME-NGFF"):
            to_worldarray(MLArray(VALUES[0, 0], matrix=matrix), tmp_path / "a.zarr")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced(volume):
    array = MLArray(VALUES[0], spacing=(1, 1, 1))
    with pytest.raises(FileExistsError):
        to_worldarray(array, volume)
    with pytest.raises(ArgumentError, match="never replaced"):
        to_worldarray(array, volume, overwrite=True)
    assert np.array_equal(from_worldarray(volume).to_numpy(), VALUES)


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    from worldarray_write.writable import WritableArray

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(WritableArray, "write_index", stop)
    with pytest.raises(KeyboardInterrupt):
        to_worldarray(MLArray(VALUES[0], spacing=(1, 1, 1)), tmp_path / "a.zarr")
    assert list(tmp_path.iterdir()) == []


def test_label_images_are_labels_with_their_colours(volume):
    import json

    assert from_worldarray(volume).meta.values.kind == "measurement"
    path = volume / "zarr.json"
    document = json.loads(path.read_text())
    document["attributes"]["ome"]["image-label"] = {
        "colors": [{"label-value": 3, "rgba": [255, 0, 16, 128]}, {"label-value": 4, "rgba": [300, 0, 0, 0]}]
    }
    path.write_text(json.dumps(document))
    values = from_worldarray(volume).meta.values
    assert values.kind == "label"
    assert values.labels == {"3": {"color": "#ff001080"}}


def test_a_missing_volume_is_an_error_of_worldarray(tmp_path):
    with pytest.raises(wa.errors.WorldArrayError):
        from_worldarray(tmp_path / "no.zarr")


LABELS = {"10": {"name": "liver", "color": "#ff001080"}, "3": {"color": "#0102ff"}, "7": {"name": "spleen"}}


@pytest.mark.parametrize("form", ["zarr2", "zarr3"])
@pytest.mark.parametrize("kind", ["label", "instance"])
def test_labels_are_written_with_colours_and_names_and_read_again(tmp_path, form, kind):
    values = {"kind": kind, "labels": LABELS}
    array = MLArray(VALUES[0], axes=["z", "y", "x"], spaces=[WORLD], values=values)
    to_worldarray(array, tmp_path / "l.zarr", format=form, group_attrs={"by": "me"})
    document = json.loads((tmp_path / "l.zarr" / {"zarr2": ".zattrs", "zarr3": "zarr.json"}[form]).read_text())
    attributes = document if form == "zarr2" else document["attributes"]
    # By the number of the label; ff, 00, 10, 80 are 255, 0, 16, 128, and what has no fourth part is opaque.
    wanted = {
        "colors": [{"label-value": 3, "rgba": [1, 2, 255, 255]}, {"label-value": 10, "rgba": [255, 0, 16, 128]}],
        "properties": [{"label-value": 7, "name": "spleen"}, {"label-value": 10, "name": "liver"}],
    }
    if form == "zarr2":
        assert attributes["image-label"] == {"version": "0.4", **wanted}
        assert "multiscales" in attributes
    else:
        assert attributes["ome"]["image-label"] == wanted
        assert "multiscales" in attributes["ome"]
    assert attributes["by"] == "me"
    found = from_worldarray(tmp_path / "l.zarr")
    assert found.meta.values.kind == "label"
    assert found.meta.values.labels == {**LABELS, "3": {"color": "#0102ffff"}}
    assert np.array_equal(found.to_numpy(), VALUES[0])


@pytest.mark.parametrize("values", [None, {"kind": "measurement"}, {"kind": "label", "label_layout": "channel"}])
def test_what_is_no_label_image_states_no_labels(tmp_path, values):
    axes = ["c", "z", "y", "x"]
    to_worldarray(MLArray(VALUES, axes=axes, spaces=[WORLD], values=values), tmp_path / "v.zarr")
    assert "image-label" not in json.loads((tmp_path / "v.zarr" / "zarr.json").read_text())["attributes"]["ome"]
