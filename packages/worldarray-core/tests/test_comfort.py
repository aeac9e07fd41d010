"""What a person meets first: errors that say what is there, units that are seen, and names that are found."""

import json
import re

import numpy as np
import pytest
from stores import coded, group2, group3, placed, pyramid, volume, write_json, zarr2, zarr3

import worldarray as wa
from worldarray import info
from worldarray.cli import main
from worldarray.describing.listing import list_pyramid
from worldarray.documents.source import MappingSource
from worldarray.errors import ArgumentTypeError, LevelError, StoreNotFoundError
from worldarray.paths import parse_path

N5 = {"dimensions": [2, 2], "blockSize": [2, 2], "dataType": "uint8", "compression": {"type": "raw"}}


def ways(path):
    """Whatever looks for a level at a path."""
    return (lambda: wa.open(path), lambda: wa.open_pyramid(path), lambda: info.describe_path(str(path)))


# What a folder holds -------------------------------------------------------------------------------------------------


def test_a_group_without_multiscales_says_what_it_holds(tmp_path):
    write_json(tmp_path / "em.n5" / "attributes.json", {"n5": "2.5.0"})
    write_json(tmp_path / "em.n5" / "setup0" / "s0" / "attributes.json", N5)
    write_json(tmp_path / "em.n5" / "recon" / "attributes.json", N5)
    (tmp_path / "em.n5" / "empty").mkdir()
    (tmp_path / "em.n5" / ".git").mkdir()
    write_json(tmp_path / "em.n5" / ".git" / "config", {})
    (tmp_path / "em.n5" / "readme.txt").write_text("hello")
    for way in ways(tmp_path / "em.n5"):
        with pytest.raises(LevelError, match=r"em\.n5: .*; it holds recon, setup0: name the group"):
            way()


def test_a_folder_without_documents_names_the_folders_that_have_some(tmp_path):
    write_json(tmp_path / "em.n5" / "setup0" / "attributes.json", {})
    write_json(tmp_path / "em.n5" / "recon" / "attributes.json", N5)
    write_json(tmp_path / "em.n5" / "notes" / "readme.json", {})
    for way in (
        *ways(tmp_path / "em.n5"),
        lambda: wa.metadata(tmp_path / "em.n5"),
        lambda: wa.detect(tmp_path / "em.n5"),
    ):
        with pytest.raises(StoreNotFoundError, match=r"em\.n5: .*; it holds recon, setup0; name one of them$"):
            way()
    assert wa.detect(tmp_path / "em.n5", missing_ok=True) is None


def test_a_folder_of_nothing_to_open_names_nothing(tmp_path):
    write_json(tmp_path / "em" / "notes" / "readme.json", {})
    with pytest.raises(StoreNotFoundError, match="name the folder that has one of them") as caught:
        wa.open(tmp_path / "em")
    assert "it holds" not in str(caught.value)
    write_json(tmp_path / "group.zarr" / ".zgroup", {"zarr_format": 2})
    with pytest.raises(LevelError) as empty:
        wa.open(tmp_path / "group.zarr")
    assert "it holds" not in str(empty.value)


def test_at_most_ten_are_named_and_the_rest_counted(tmp_path):
    for number in range(12):
        write_json(tmp_path / "many" / f"a{number:02}" / "attributes.json", {})
    names = ", ".join(f"a{number:02}" for number in range(10))
    with pytest.raises(StoreNotFoundError, match=f"it holds {names} and 2 more; name one"):
        wa.open(tmp_path / "many")


def test_a_store_in_memory_says_so_too():
    source = MappingSource(
        {
            "em/.zgroup": {"zarr_format": 2},
            "em/setup0/x": b"",
            "em/recon/.zgroup": b"",
            "em/.git/x": b"",
            "em/info2": b"",
        }
    )
    assert source.folders(parse_path("em")) == ("recon", "setup0")
    with pytest.raises(LevelError, match="it holds recon, setup0"):
        list_pyramid(source, parse_path("em"))


# Units ---------------------------------------------------------------------------------------------------------------


def test_units_are_those_of_the_kept_axes_as_requested(tmp_path):
    axes = (("t", "time", "second"), ("c", "channel", None), ("y", "space", "micrometer"), ("x", "space", "micrometer"))
    path = placed(tmp_path / "em.zarr", coded(2, 2, 2, 2), (1, 1, 3, 4), (0, 0, 0, 0), axes)
    assert wa.open(path).units == ("second", "", "nanometer", "nanometer")
    assert wa.open(path, units="mm").units == ("second", "", "millimeter", "millimeter")
    assert wa.open(path, units=None).units == ("second", "", "micrometer", "micrometer")
    assert wa.open(path, select={"c": 0}).units == ("second", "nanometer", "nanometer")
    assert len(wa.open(path).units) == wa.open(path).ndim


def test_a_handle_shows_its_voxel_size_and_corner_with_their_unit(tmp_path):
    path = volume(tmp_path / "em.zarr")
    shown = "shape=(4, 5, 6) dtype=uint16 voxel_size=(30, 8, 4) nanometer, corner=(85, 16, 4) nanometer>"
    assert repr(wa.open(path)) == f"<WorldArray {path} {shown}"
    assert "voxel_size=(0.03, 0.008, 0.004) micrometer, corner=(0.085," in repr(wa.open(path, units="um"))
    target = wa.open(path, voxel_size=(60, 16, 8), on_mismatch="resample")
    assert "voxel_size=(60, 16, 8) nanometer, corner=(85, 16, 4) nanometer" in repr(target)
    bare = repr(wa.open(zarr3(tmp_path / "bare", coded(2, 3)), units=None))
    assert bare.endswith("voxel_size=(1, 1), corner=(0, 0)>")


def test_units_that_differ_between_axes_are_shown_one_by_one(tmp_path):
    axes = (("y", "space", "micrometer"), ("x", "space", "nanometer"))
    vol = wa.open(placed(tmp_path / "em.zarr", coded(2, 2), (3, 4), (5, 6), axes), units=None)
    assert "voxel_size=(3, 4) (micrometer, nanometer)" in repr(vol)


@pytest.mark.parametrize(
    ("units", "sizes"),
    [
        ("nanometer", r"s0 \(30, 8, 4\), .*s2 \(60, 32, 16\) nanometer"),
        ("um", r"s0 \(0.03, 0.008, 0.004\), .*micrometer"),
    ],
)
def test_errors_that_list_sizes_say_their_unit(tmp_path, units, sizes):
    path = pyramid(tmp_path / "em.zarr")
    unit = {"nanometer": "nanometer", "um": "micrometer"}[units]
    with pytest.raises(LevelError, match=rf"\(1, 1, 1\) {unit}; the levels are {sizes}"):
        wa.open(path, voxel_size=(1, 1, 1), units=units)
    with pytest.raises(LevelError, match=rf"\(1e-05, 1, 1\) {unit} on some axis: {sizes}"):
        wa.open_pyramid(path, units=units).select((1e-5, 1, 1), "finer")
    with pytest.raises(LevelError, match=rf"\(1, 1, 1\) {unit}: {sizes}"):
        wa.open(path, voxel_size=(1, 1, 1), level_mode="exact", on_mismatch="resample", units=units)
    with pytest.raises(LevelError, match=rf"not \(1, 1, 1\) {unit}; give"):
        wa.open(f"{path}/s0", voxel_size=(1, 1, 1), units=units)


def test_sizes_without_a_unit_are_listed_bare(tmp_path):
    path = pyramid(tmp_path / "em.zarr", axes=tuple((name, "space", None) for name in "zyx"))
    with pytest.raises(LevelError, match=r"size \(1, 1, 1\); the levels are s0 \(30, 8, 4\), .*16\)\. Name"):
        wa.open(path, voxel_size=(1, 1, 1), units=None)


# The command ---------------------------------------------------------------------------------------------------------


def test_the_demonstration_speaks_the_units_of_its_table(capsys, tmp_path):
    axes = tuple((name, "space", "millimeter") for name in "zyx")
    path = placed(tmp_path / "mri.zarr", coded(8, 8, 8), (2, 1, 1), (1, 0.5, 0.5), axes)
    assert main(["demo", path]) == 0
    shown = capsys.readouterr().out
    # the middle half of [0, 16), [0, 8), [0, 8) millimetres
    assert "z (millimeter)" in shown
    assert "(4, 2, 2) to (12, 6, 6) millimeter, read at voxel size (4, 2, 2):" in shown
    assert "nanometer" not in shown


def test_the_demonstration_leaves_nothing_behind(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["demo"]) == 0
    assert str(tmp_path) in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_translation_that_no_document_gives_is_marked(capsys, tmp_path):
    path = group3(tmp_path / "em.zarr", [("s0", (30, 8, 4), None), ("s1", (30, 16, 8), (0, 4, 2))])
    zarr3(tmp_path / "em.zarr" / "s0", coded(2, 4, 4))
    zarr3(tmp_path / "em.zarr" / "s1", coded(2, 2, 2))
    assert main(["info", path]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^s0 .*  0, 0, 0\*  +-15, -4, -2\*  ome$", shown, re.MULTILINE)
    assert re.search(r"^s1 .*  0, 4, 2 +-15, -4, -2  +ome$", shown, re.MULTILINE)
    assert shown.count("\n* assumed: ") == 1
    assert main(["info", path, "--json"]) == 0
    levels = json.loads(capsys.readouterr().out)["levels"]
    assert [level["translation_declared"] for level in levels] == [False, True]


def test_nothing_is_marked_where_every_translation_is_given(capsys, tmp_path):
    assert main(["info", pyramid(tmp_path / "em.zarr")]) == 0
    assert "*" not in capsys.readouterr().out


def test_a_missing_level_beside_an_assumed_one_is_a_row(capsys, tmp_path):
    path = group3(tmp_path / "em.zarr", [("s0", (30, 8, 4), None), ("s1", (30, 16, 8), None)])
    zarr3(tmp_path / "em.zarr" / "s0", coded(2, 4, 4))
    assert main(["info", path]) == 0
    assert "not readable" in capsys.readouterr().out


def test_a_level_that_is_misplaced_is_named_once(tmp_path):
    path = group2(tmp_path / "em.zarr", [("50.0", (4, 4, 4), (2, 2, 2)), ("25.0", (8, 8, 8), (2, 2, 3))])
    zarr2(tmp_path / "em.zarr" / "50.0", coded(2, 2, 2))
    zarr2(tmp_path / "em.zarr" / "25.0", coded(1, 1, 1))
    (found,) = wa.open_pyramid(path).check()
    assert (found.code, found.at) == ("conflict", ("25.0", "translation"))
    assert str(found).startswith("25.0: translation: it and 50.0 do not share a corner: ")
    assert str(found).count("25.0") == 1


# Handles and names ---------------------------------------------------------------------------------------------------


def test_a_handle_that_is_indexed_says_what_to_call(tmp_path):
    vol = wa.open(volume(tmp_path / "em.zarr"))
    for way in (lambda: vol[0], lambda: vol[0:2, 0], lambda: list(vol), lambda: next(iter(vol)), lambda: 3 in vol):
        with pytest.raises(ArgumentTypeError, match=r"read_index\(begin, end\).*read\(box\)") as caught:
            way()
        assert isinstance(caught.value, TypeError)
    with pytest.raises(TypeError, match="write_index"):
        vol[0] = 3
    with pytest.raises(TypeError, match="no numpy array"):
        np.asarray(vol)
    assert vol.read_index((0, 0, 0), (1, 1, 1)).tolist() == [[[0]]]


def test_a_pyramid_opened_to_read_says_how_to_add_a_level(tmp_path):
    pyr = wa.open_pyramid(pyramid(tmp_path / "em.zarr"))
    with pytest.raises(AttributeError, match=r"^Pyramid has no add_level: .* mode='r\+' \(worldarray-write\)"):
        pyr.add_level("s3", 2)
    with pytest.raises(AttributeError, match="'Pyramid' object has no attribute 'add_levels'"):
        _ = pyr.add_levels
    assert not hasattr(pyr, "add_level")


@pytest.mark.parametrize("there", [True, False])
def test_dir_lists_what_can_be_used_and_nothing_else(monkeypatch, there):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if there else None)
    shown = {name for name in dir(wa) if not name.startswith("__")}
    assert shown == {*wa.__all__, *(wa.WRITE_NAMES if there else ())}


def test_help_names_what_worldarray_write_adds():
    assert all(f"`{name}`" in wa.__doc__ for name in wa.WRITE_NAMES)


def test_an_opened_volume_is_in_nanometres_and_its_metadata_in_the_units_of_the_store(tmp_path):
    axes = tuple((name, "space", "micrometer") for name in "zyx")
    path = placed(tmp_path / "em.zarr", coded(2, 2, 2), (3, 2, 1), (0, 0, 0), axes)
    assert wa.open(path).voxel_size == (3000.0, 2000.0, 1000.0)
    assert wa.metadata(path).voxel_size == (3.0, 2.0, 1.0)
