"""Pyramids: levels named and placed from documents, handles on demand, missing arrays, transforms kept raw."""

import json
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from stores import CZYX, LEVELS, coded, group2, group3, pyramid, write_json, zarr2, zarr3

import worldarray as wa
from worldarray.errors import ArgumentError, LevelError, PlacementError, PlacementWarning, StoreNotFoundError

PLACED = tuple(wa.Level(*level) for level in LEVELS)
SHAPES = ((4, 6, 8), (4, 3, 4), (2, 2, 2))


@pytest.fixture(params=["zarr2", "zarr3"])
def path(tmp_path, request):
    make, group = {"zarr2": (zarr2, group2), "zarr3": (zarr3, group3)}[request.param]
    return pyramid(tmp_path / "em.zarr", make, group, note="kept")


def test_a_pyramid_says_what_its_group_lists(path):
    pyr = wa.open_pyramid(path)
    assert pyr.path == path
    assert pyr.names == ("s0", "s1", "s2")
    assert pyr.placements() == PLACED
    assert pyr.voxel_sizes() == tuple(level.voxel_size for level in PLACED)
    assert pyr.translations() == tuple(level.translation for level in PLACED)
    assert pyr.attrs["note"] == "kept"
    assert pyr.outer_transforms == ()
    assert pyr.check() == ()
    assert all(text in repr(pyr) for text in ("Pyramid", path, "s0", "s2"))


def test_metas_are_the_documents_of_each_level_in_stored_units(path):
    pyr = wa.open_pyramid(path, units="um")
    metas = pyr.metas()
    assert [meta.shape for meta in metas] == list(SHAPES)
    assert [meta.path for meta in metas] == [f"{path}/{name}" for name in pyr.names]
    assert [meta.voxel_size for meta in metas] == [level.voxel_size for level in PLACED]
    assert {meta.units for meta in metas} == {("nanometer",) * 3}
    assert pyr.level_meta("s1") == metas[1] == wa.metadata(path, "s1", open=False) == pyr.by_name("s1").meta
    assert {meta.placed_by for meta in metas} == {"ome"}
    assert pyr.placements()[1].voxel_size == (0.03, 0.016, 0.008)


def test_levels_are_handles_that_read(path):
    pyr = wa.open_pyramid(path, padding=9, method="linear", retries=wa.Retry(2))
    assert [vol.level_name for vol in pyr.levels] == ["s0", "s1", "s2"]
    for index, vol in enumerate(pyr.levels):
        np.testing.assert_array_equal(vol.read(vol.box), coded(*SHAPES[index], base=1000 * index))
        assert (vol.padding, vol.method, vol.retries) == (9, "linear", wa.Retry(2))
        assert vol.levels == pyr.names
        assert vol.level_path == f"{path}/s{index}"
    assert pyr.by_name("s2").read_index((2, 0, 0), (3, 1, 1)) == 9
    with pytest.raises(LevelError, match="s0, s1, s2"):
        pyr.by_name("s3")
    with pytest.raises(LevelError, match="s0, s1, s2"):
        pyr.level_meta("s3")


@pytest.mark.parametrize(
    ("size", "mode", "name"),
    [
        ((30, 16, 8), "exact", "s1"),
        ((40, 20, 10), "floor", "s1"),
        ((50, 28, 14), "nearest", "s2"),
        ((9, 9, 9), "resample", "s0"),
    ],
)
def test_select_is_the_level_that_answers_a_size(path, size, mode, name):
    pyr = wa.open_pyramid(path)
    assert pyr.select(size, mode).level_name == name
    assert pyr.select(size, mode=mode).voxel_size == {n: s for n, s, _ in LEVELS}[name]
    assert wa.select_level(pyr.placements(), size, mode).name == name
    with pytest.raises(LevelError, match=r"s0 \(30, 8, 4\), s1"):
        pyr.select((1, 1, 1), "finer")
    with pytest.raises(ArgumentError, match="'floor'"):
        pyr.select(size, "closest")


@pytest.mark.parametrize("given", ["", "/s0", "/s1", "/s2", "/"])
def test_levels_are_placed_though_an_array_is_missing_however_the_pyramid_is_opened(path, given):
    shutil.rmtree(f"{path}/s1")
    pyr = wa.open_pyramid(path + given)
    assert (pyr.names, pyr.path) == (("s0", "s1", "s2"), path)
    assert pyr.placements() == PLACED
    assert pyr.check() == ()
    assert pyr.select((60, 32, 16)).read_index((1, 1, 1), (2, 2, 2)) == 2111
    for function in (pyr.metas, lambda: pyr.levels, lambda: pyr.by_name("s1"), lambda: pyr.select((30, 16, 8))):
        with pytest.raises(StoreNotFoundError, match=r"s1: is listed as a level of .*em.zarr but holds no array"):
            function()


def test_a_size_is_chosen_with_every_array_missing(path):
    for name in ("s0", "s1", "s2"):
        shutil.rmtree(f"{path}/{name}")
    assert wa.open_pyramid(path).placements() == PLACED
    with pytest.raises(StoreNotFoundError, match="s1"):
        wa.open(path, voxel_size=(30, 16, 8))
    with pytest.raises(LevelError, match="no level has voxel size"):
        wa.open(path, voxel_size=(31, 16, 8))


def test_nothing_but_documents_is_read_until_a_voxel_is(path):
    code = f"""
import sys, worldarray as wa
pyr = wa.open_pyramid({path!r})
pyr.placements(), pyr.metas(), pyr.check(), pyr.levels, pyr.select((30, 16, 8)), repr(pyr)
vol = wa.open({path!r}, voxel_size=(60, 20, 12), on_mismatch="resample")
vol.box, vol.target, vol.shape, vol.levels, vol.blocks(), vol.index_box(vol.box), repr(vol), vol.reopen()
vol.read(((9e3,) * 3, (9e3 + 120,) * 3)), wa.detect({path!r}), wa.metadata({path!r}, 0, open=False)
assert "tensorstore" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_a_pyramid_pickles(path):
    pyr = pickle.loads(pickle.dumps(wa.open_pyramid(path, units="um")))
    assert pyr.placements()[2].voxel_size == (0.06, 0.032, 0.016)
    assert pyr.by_name("s1").read_index((0, 0, 0), (1, 1, 1)) == 1000


def test_placements_are_over_spatial_axes_whatever_else_there_is(tmp_path):
    group3(tmp_path / "c.zarr", [("0", (1, 40, 8, 4), (0, 20, 4, 2)), ("1", (1, 40, 16, 8), (0, 20, 8, 4))], CZYX)
    zarr3(tmp_path / "c.zarr" / "0", coded(2, 2, 4, 4))
    zarr3(tmp_path / "c.zarr" / "1", coded(2, 2, 2, 2))
    for select in (None, {"c": 1}):
        pyr = wa.open_pyramid(tmp_path / "c.zarr", select=select)
        assert pyr.placements()[1] == ("1", (40, 16, 8), (20, 8, 4))
        assert pyr.levels[1].axes == (("c", "z", "y", "x") if select is None else ("z", "y", "x"))
        assert pyr.metas()[1].axes == ("c", "z", "y", "x")
    with pytest.raises(ArgumentError, match="c, z, y, x"):
        wa.open_pyramid(tmp_path / "c.zarr", select={"t": 0}).placements()


# Outer transforms and levels that do not lie on each other ------------------------------------------------------------


def test_levels_whose_axes_only_the_arrays_name_are_placed_as_they_are_opened(tmp_path):
    path = tmp_path / "em.zarr"
    sizes = {"s0": (8.0, 4.0), "s1": (16.0, 12.0)}
    for index, name in enumerate(sizes):
        zarr2(path / name, coded(4, 6, 3, base=1000 * index), attributes={"_ARRAY_DIMENSIONS": ["y", "x", "c"]})
    datasets = [
        {"path": name, "coordinateTransformations": [{"type": "scale", "scale": [*size, 1]}]}
        for name, size in sizes.items()
    ]
    write_json(path / ".zgroup", {"zarr_format": 2})
    write_json(path / ".zattrs", {"multiscales": [{"version": "0.4", "datasets": datasets}]})
    pyr = wa.open_pyramid(path, units=None)
    assert pyr.voxel_sizes() == tuple(sizes.values())
    assert [vol.voxel_size for vol in pyr.levels] == list(sizes.values())
    assert wa.open(path, voxel_size=(16, 12), units=None).level_name == "s1"


def test_outer_transforms_are_applied_and_kept_raw(tmp_path):
    # after the dataset's own: scale (2, 3, 5), then a translation of (100, 10, 1)
    outer = [{"type": "scale", "scale": [2, 3, 5]}, {"type": "translation", "translation": [100, 10, 1]}]
    path = pyramid(tmp_path / "em.zarr", outer=outer)
    pyr = wa.open_pyramid(path)
    assert pyr.outer_transforms == tuple(outer)
    assert pyr.placements()[1] == ("s1", (60, 48, 40), (300, 82, 41))
    assert pyr.metas()[1].outer_transforms == tuple(outer)
    assert pyr.metas()[1].translation == (300, 82, 41)
    assert pyr.check() == ()


def test_levels_without_translations_are_read_literally_and_reported(tmp_path):
    path = group2(
        tmp_path / "em.zarr", [("s0", (4, 2, 1), None), ("s1", (8, 4, 2), None), ("s2", (16, 8, 4), (6, 3, 1.5))]
    )
    for name, shape in (("s0", (4, 4, 4)), ("s1", (2, 2, 2)), ("s2", (1, 1, 1))):
        zarr2(tmp_path / "em.zarr" / name, coded(*shape))
    pyr = wa.open_pyramid(path)
    assert pyr.translations() == ((0, 0, 0), (0, 0, 0), (6, 3, 1.5))
    # s1 of a block mean of s0: (8 - 4) / 2, (4 - 2) / 2, (2 - 1) / 2; s2 is one: (16 - 4) / 2, ...
    (found,) = pyr.check()
    assert found.at[0] == "s1"
    assert "(2, 1, 0.5)" in found.message
    assert [vol.corner for vol in pyr.levels] == [(-2, -1, -0.5), (-4, -2, -1), (-2, -1, -0.5)]
    assert [meta.translation_declared for meta in pyr.metas()] == [False, False, True]


# Other dialects -------------------------------------------------------------------------------------------------------


def n5(path, values, **attributes):
    """An N5 array of one raw block; attributes are x first as N5 has them."""
    shape = values.shape[::-1]
    document = {"dimensions": shape, "blockSize": shape, "dataType": values.dtype.name, "compression": {"type": "raw"}}
    write_json(path / "attributes.json", {**document, **attributes})
    header = np.array([0, len(shape)], ">u2").tobytes() + np.array(shape, ">u4").tobytes()
    file = path.joinpath(*("0" for _ in shape))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(header + values.astype(values.dtype.newbyteorder(">")).tobytes())


def test_an_n5_group_of_one_resolution_places_its_levels_by_their_factors(tmp_path):
    path = tmp_path / "em.n5"
    write_json(path / "attributes.json", {"resolution": [4, 8, 40], "units": ["nm", "nm", "nm"]})
    n5(path / "s0", coded(2, 4, 6), downsamplingFactors=[1, 1, 1])
    n5(path / "s1", coded(2, 2, 2), downsamplingFactors=[3, 2, 1])
    for given in (path, path / "s0", path / "s1"):
        pyr = wa.open_pyramid(given)
        # every level's corner at the origin: translations are half a voxel of the level
        assert pyr.placements() == (
            wa.Level("s0", (40, 8, 4), (20, 4, 2)),
            wa.Level("s1", (40, 16, 12), (20, 8, 6)),
        )
        assert pyr.check() == ()
        np.testing.assert_array_equal(pyr.by_name("s1").read(((0, 0, 0), (80, 32, 24))), coded(2, 2, 2))
    assert wa.open(path, voxel_size=(40, 16, 12)).level_name == "s1"
    assert wa.detect(path).kind == "group"


def test_a_group_with_axes_and_scales_of_its_own_is_read_by_its_levels(tmp_path):
    # the deprecated N5 viewer form: axes, units, resolution and scales on the group, x first
    path = tmp_path / "two.n5"
    scales = [[1, 1], [2, 2], [4, 4]]
    write_json(
        path / "attributes.json", {"axes": ["x", "y"], "units": ["nm", "s"], "resolution": [10, 20], "scales": scales}
    )
    for index, shape in enumerate([(5, 5), (3, 3), (2, 2)]):
        n5(path / f"s{index}", coded(*shape))
    pyr = wa.open_pyramid(path, units=None)
    assert pyr.names == ("s0", "s1", "s2")
    assert [meta.axes for meta in pyr.metas()] == [("y", "x")] * 3
    assert pyr.voxel_sizes() == ((20, 10), (40, 20), (80, 40))


def test_a_group_without_a_document_is_its_levels(tmp_path):
    path = tmp_path / "em"
    n5(path / "s0", coded(2, 3, 4), resolution=[4, 8, 40], units=["nm"] * 3)
    n5(path / "s1", coded(1, 2, 2), resolution=[8, 16, 80], units=["nm"] * 3)
    pyr = wa.open_pyramid(path)
    assert pyr.names == ("s0", "s1")
    assert pyr.voxel_sizes() == ((40, 8, 4), (80, 16, 8))
    assert wa.open_pyramid(path / "s1").names == ("s0", "s1")
    assert wa.open(path, "first").level_name == "s0"
    assert wa.open(path / "s0").levels == ("s0", "s1")


def test_an_array_that_no_pyramid_lists_is_a_pyramid_of_itself(tmp_path):
    path = zarr3(tmp_path / "alone", coded(2, 3, 4))
    vol = wa.open(path, units=None)
    assert (vol.levels, vol.level_name) == ((), "alone")
    pyr = wa.open_pyramid(path, units=None)
    assert (pyr.names, len(pyr.levels)) == (("alone",), 1)
    assert pyr.levels[0].reopen().read_index((1, 2, 3), (2, 3, 4)) == 123


def test_dataset_paths_may_have_several_components(tmp_path):
    path = group2(tmp_path / "im.zarr", [("scale0/image", (4, 4, 4), None), ("scale1/image", (8, 8, 8), (2, 2, 2))])
    for index, shape in enumerate([(4, 4, 4), (2, 2, 2)]):
        zarr2(tmp_path / "im.zarr" / f"scale{index}" / "image", coded(*shape, base=1000 * index))
    pyr = wa.open_pyramid(path)
    assert pyr.names == ("scale0/image", "scale1/image")
    vol = wa.open(path, "scale1/image")
    direct = wa.open(f"{path}/scale1/image")
    for handle in (
        vol,
        direct,
        vol.reopen(),
        direct.reopen(),
        pyr.levels[1],
        wa.open_pyramid(direct.path).levels[1].reopen(),
    ):
        assert (handle.level_name, handle.voxel_size, handle.levels) == ("scale1/image", (8, 8, 8), pyr.names)
        assert handle.read_index((1, 1, 1), (2, 2, 2)) == 1111


def test_a_level_listed_twice_counts_once_with_a_warning(tmp_path):
    path = group3(tmp_path / "em.zarr", [("s0", (4, 4, 4), None), ("s0", (8, 8, 8), None)])
    zarr3(tmp_path / "em.zarr" / "s0", coded(2, 2, 2))
    with pytest.warns(PlacementWarning, match="a second time"):
        pyr = wa.open_pyramid(path)
    assert pyr.placements() == (("s0", (4, 4, 4), (0, 0, 0)),)


@pytest.mark.parametrize(
    ("document", "error", "says"),
    [
        ({"multiscales": []}, LevelError, "s0"),
        ({"multiscales": [{"axes": [], "datasets": []}]}, (LevelError, PlacementError), "datasets"),
        ({"multiscales": {}}, PlacementError, "multiscales"),
        ({"plate": {}}, LevelError, "well"),
        ({}, LevelError, "s0"),
    ],
)
def test_a_group_without_levels_says_what_is_missing(tmp_path, document, error, says):
    write_json(tmp_path / "em.zarr" / ".zgroup", {"zarr_format": 2})
    write_json(tmp_path / "em.zarr" / ".zattrs", document)
    for function in (wa.open_pyramid, lambda path: wa.open(path, 0), lambda path: wa.metadata(path, 0)):
        with pytest.raises(error, match=says):
            function(tmp_path / "em.zarr")


def test_conflicts_raise_or_warn_as_asked(tmp_path):
    path = group2(tmp_path / "em.zarr", [("s0", (4, 4, 4), None)])
    zarr2(tmp_path / "em.zarr" / "s0", coded(2, 2, 2), attributes={"voxel_size": [5, 4, 4], "units": ["nm"] * 3})
    for function in (
        lambda **how: wa.open(path, 0, **how),
        lambda **how: wa.open(f"{path}/s0", **how),
        lambda **how: wa.metadata(path, 0, **how),
        lambda **how: wa.open_pyramid(path, **how).by_name("s0"),
    ):
        with pytest.raises(PlacementError, match="voxel_size"):
            function()
        with pytest.warns(PlacementWarning, match="voxel_size"):
            assert function(metadata_conflicts="warn").voxel_size == (4, 4, 4)


def test_a_separator_is_overridden_for_every_level(tmp_path):
    path = group2(tmp_path / "em.zarr", [("s0", (4, 4, 4), None)])
    zarr2(tmp_path / "em.zarr" / "s0", coded(2, 2, 2))
    shutil.move(tmp_path / "em.zarr" / "s0" / "0.0.0", tmp_path / "chunk")
    (tmp_path / "em.zarr" / "s0" / "0" / "0").mkdir(parents=True)
    shutil.move(tmp_path / "chunk", tmp_path / "em.zarr" / "s0" / "0" / "0" / "0")
    with pytest.warns(PlacementWarning, match="dimension_separator='/'"):
        assert wa.open_pyramid(path).levels[0].read_index((1, 1, 1), (2, 2, 2)) == 0
    assert wa.open_pyramid(path, dimension_separator="/").levels[0].read_index((1, 1, 1), (2, 2, 2)) == 111
    assert wa.open(path, 0, dimension_separator="/").list_chunks() == [(0, 0, 0)]


def test_a_pyramid_in_memory_reads_on_its_own_context(tmp_path):
    import tensorstore as ts

    path = pyramid(tmp_path / "em.zarr")
    context = ts.Context()
    kvstore = ts.KvStore.open({"driver": "memory", "path": "em.zarr/"}, context=context).result()
    for file in (tmp_path / "em.zarr").rglob("*"):
        if file.is_file():
            kvstore.write(str(file.relative_to(path)), file.read_bytes()).result()
    pyr = wa.open_pyramid("memory://em.zarr", context=context)
    assert pyr.placements() == PLACED
    for index, vol in enumerate(pyr.levels):
        for handle in (vol, vol.reopen(), wa.open("memory://em.zarr", index, context=context)):
            assert handle.read_index((1, 1, 1), (2, 2, 2)) == 1000 * index + 111
    with pytest.raises(StoreNotFoundError):
        wa.open_pyramid("memory://em.zarr", context=ts.Context())


def test_documents_are_read_once_for_all_levels(path, monkeypatch):
    from worldarray.io.sources import FileSource

    asked = []
    plain = FileSource.documents

    def counting(self, where, keys, **how):
        asked.extend(f"{where.text}/{key}" for key in keys)
        return plain(self, where, keys, **how)

    monkeypatch.setattr(FileSource, "documents", counting)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wa.open_pyramid(path).metas()
    assert len(asked) == len(set(asked))
    assert all(any(document.startswith(f"{path}/s{index}/") for document in asked) for index in range(3))


def test_reading_changes_no_file(path):
    def stored():
        return {file: file.read_bytes() for file in Path(path).rglob("*") if file.is_file()}

    before = stored()
    pyr = wa.open_pyramid(path)
    for vol in pyr.levels:
        vol.read(vol.box)
    assert stored() == before
    assert json.loads(json.dumps(pyr.attrs)) == pyr.attrs
