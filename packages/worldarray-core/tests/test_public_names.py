"""The names that people use: each of the specification's is there, with its parameters, and takes nothing else."""

import ast
import inspect
import sys
from pathlib import Path

import pytest
from stores import pyramid, volume

import worldarray as wa
from worldarray.errors import WritePackageError

OPEN = [
    "path", "level", "voxel_size", "level_mode", "on_mismatch", "padding", "method", "select", "units", "context",
    "retries", "metadata_conflicts", "base_voxel_size", "base_units", "anchor", "transform", "strict_units",
]  # fmt: skip

SIGNATURES = {
    # the specification's order, and what the decisions add
    "open": [*OPEN, "dimension_separator", "field", "mode"],
    "open_pyramid": ["path", "context", "units", "select", "dimension_separator", "mode"],
    "metadata": ["path", "level", "units", "open"],
    "detect": ["path", "missing_ok"],
    "open_tensorstore": ["path", "level", "context", "dimension_separator", "field"],
    "corner_to_centre": ["corner", "voxel_size", "axes"],
    "default_axes": ["ndim"],
    "index_range": ["begin", "end", "voxel_size", "translation"],
    "select_level": ["levels", "voxel_size", "mode"],
    "Retry": ["max_attempts", "timeout", "base_delay"],
    "shared_context": ["cache_bytes"],
    "capped_context": ["cache_bytes", "concurrency", "network"],
    "capped_context_spec": ["cache_bytes", "concurrency", "network"],
    "list_chunk_keys": ["path", "separator", "ndim", "format"],
    "chunk_key": ["index", "format", "separator", "encoding", "chunk_shape", "shape", "origin"],
    "parse_chunk_key": ["key", "format", "separator", "encoding", "chunk_shape", "shape", "origin"],
    "Grid": ["shape", "voxel_size", "translation", "axes", "units", "chunks", "shards"],
    "Grid.from_meta": ["meta", "voxel_size"],
    "Grid.meta": ["dtype"],
    "Grid.index_box": ["box"],
    "Grid.chunks_covering": ["begin", "end", "write"],
    "Grid.blocks": ["block_shape", "context", "box", "clip"],
    "blocks": ["shape", "block_shape", "context", "box", "clip"],
    "Blocks.index_of": ["begin"],
    "Blocks.id_of": ["begin"],
    "Blocks.arrays": ["start", "stop"],
    "level_factors": ["voxel_size", "ratio", "max_levels", "stop_shape", "shape"],
    "read_many": ["reads"],
    "store.join": ["path", "parts"],
    "store.parent": ["path"],
    "store.basename": ["path"],
    "units.abbreviation": ["text"],
    "Box": ["begin", "end"],
    "Box.from_index": ["begin", "end", "voxel_size", "translation"],
    "Box.to_index": ["voxel_size", "translation"],
    "Box.intersect": ["other"],
    "Box.union": ["other"],
    "Box.contains": ["other"],
    "Box.grow": ["before", "after"],
    "Box.shift": ["by"],
    "Box.snap": ["voxel_size", "translation", "mode"],
    "WorldArray.read_index": ["begin", "end", "padding", "mask", "retries", "select", "transform"],
    "WorldArray.read_index_async": ["begin", "end", "padding", "mask", "retries", "select", "transform", "batch"],
    "WorldArray.read": [
        "box", "voxel_size", "padding", "method", "mask", "retries", "strict", "anchor", "transform", "post_transform",
        "select",
    ],
    "WorldArray.read_onto": ["grid", "begin", "end"],
    "WorldArray.index_box": ["box"],
    "WorldArray.chunks_covering": ["begin", "end", "write"],
    "WorldArray.blocks": ["block_shape", "context", "box", "clip"],
    "WorldArray.chunk_key": ["index"],
    "WorldArray.parse_chunk_key": ["key"],
    "WorldArray.list_chunks": [],
    "WorldArray.reopen": ["context", "overrides"],
    "Pyramid.by_name": ["name"],
    "Pyramid.select": ["voxel_size", "mode"],
    "Pyramid.metas": [],
    "Pyramid.level_meta": ["name"],
    "Pyramid.placements": [],
    "Pyramid.voxel_sizes": [],
    "Pyramid.translations": [],
    "Pyramid.check": [],
    "ArrayMeta.in_units": ["space", "time"],
    "ArrayMeta.in_nm": [],
    "ArrayMeta.drop_axis": ["axis"],
    "ArrayMeta.same_grid": ["other"],
}  # fmt: skip

DEFAULTS = {
    "open": {
        "level": None, "voxel_size": None, "level_mode": "floor", "on_mismatch": "error", "padding": 0,
        "method": "nearest", "select": None, "units": "nanometer", "context": None, "retries": None,
        "metadata_conflicts": "error", "base_voxel_size": None, "base_units": None, "anchor": None, "transform": None,
        "strict_units": True, "mode": "r",
    },
    "open_pyramid": {"context": None, "units": "nanometer", "select": None},
    "metadata": {"level": None, "units": None, "open": True},
    "detect": {"missing_ok": False},
    "WorldArray.read_index": {"padding": None, "mask": False, "retries": None, "select": None, "transform": None},
    "WorldArray.read": {"voxel_size": None, "padding": None, "method": None, "mask": False, "strict": False},
    "Pyramid.select": {"mode": "floor"},
    "Retry": {"max_attempts": 10, "timeout": None, "base_delay": 1.0},
    "shared_context": {"cache_bytes": 0},
    "capped_context": {"cache_bytes": 0, "concurrency": 1, "network": True},
    "chunk_key": {"separator": None, "encoding": "default"},
    "blocks": {"context": 0, "box": None, "clip": True},
    "level_factors": {"ratio": 1.5, "max_levels": None, "stop_shape": None, "shape": None},
    "Box.grow": {"after": None},
    "Box.snap": {"mode": "grow"},
}  # fmt: skip


def found(name):
    thing = wa
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def parameters(name):
    named = inspect.signature(found(name)).parameters
    return {key: value for key, value in named.items() if key != "self"}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_public_callable_takes_the_parameters_of_the_specification(name):
    have = list(parameters(name))
    assert [key for key in have if key in SIGNATURES[name]] == SIGNATURES[name]


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_those_of_the_specification(name):
    have = {key: value.default for key, value in parameters(name).items()}
    assert {key: have[key] for key in DEFAULTS[name]} == DEFAULTS[name]


def test_nothing_swallows_a_mistyped_argument():
    public = [thing for name in wa.__all__ if callable(thing := getattr(wa, name))]
    methods = [
        method
        for thing in public
        if inspect.isclass(thing)
        for key, method in inspect.getmembers(thing, callable)
        if not key.startswith("_")
    ]
    for thing in (*public, *methods):
        try:
            named = inspect.signature(thing).parameters.values()
        except ValueError:
            continue
        swallowing = [p.name for p in named if p.kind is p.VAR_KEYWORD]
        assert swallowing in ([], ["overrides"]), thing
        if swallowing:
            assert thing is wa.WorldArray.reopen


FACTS = {
    "WorldArray": [
        "ts", "meta", "grid", "shape", "dtype", "axes", "spatial", "level_name", "levels", "remote", "path",
        "level_path", "source_voxel_size", "resampled", "voxel_size", "translation", "corner", "retries", "padding",
        "method", "box",
        "write_shape", "target", "writable", "ndim",
    ],
    "Pyramid": ["names", "levels", "path", "attrs", "outer_transforms"],
    "Block": ["index", "id", "begin", "end", "read_begin", "read_end", "inner"],
    "Grid": ["shape", "voxel_size", "translation", "axes", "units", "chunks", "shards", "box", "corner", "write_shape"],
    "ArrayMeta": [
        "shape", "dtype", "chunk_shape", "axes", "axes_named", "units", "voxel_size", "translation", "format", "path",
        "parent", "attrs", "group_attrs", "placed_by", "fill_value", "shard_shape", "ndim", "spatial", "corner",
        "translation_declared", "outer_transforms", "write_shape",
    ],
    "Node": ["format", "kind", "path", "docs", "scale_key", "attrs", "multiscales"],
    "Box": ["begin", "end", "shape", "centre", "empty"],
    "Level": ["name", "voxel_size", "translation"],
}  # fmt: skip


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    vol = wa.open(volume(folder / "one.zarr"))
    pyr = wa.open_pyramid(pyramid(folder / "many.zarr"))
    return {
        "WorldArray": vol,
        "Pyramid": pyr,
        "Block": vol.blocks()[0],
        "Grid": vol.target,
        "ArrayMeta": vol.meta,
        "Node": wa.detect(vol.path),
        "Box": vol.box,
        "Level": pyr.placements()[0],
    }


@pytest.mark.parametrize("name", FACTS)
def test_a_record_has_the_facts_of_the_specification(things, name):
    for fact in FACTS[name]:
        getattr(things[name], fact)
    assert not hasattr(things[name], "offset")


def test_tables_of_units_and_the_guard_are_public():
    assert wa.units.TABLE["length"]["nanometer"] == 1e-9
    assert wa.units.TABLE["length"]["µm"] == 1e-6
    assert wa.units.TABLE["time"]["minute"] == 60
    assert wa.store.GUARD_GCE_METADATA is True


def test_all_is_sorted_complete_and_documented():
    assert list(wa.__all__) == sorted(set(wa.__all__))
    top = {name.partition(".")[0] for name in (*SIGNATURES, *FACTS)}
    assert top <= set(wa.__all__)
    for name in wa.__all__:
        assert inspect.getdoc(getattr(wa, name)), name
    star = {}
    exec("from worldarray import *", star)
    assert set(wa.__all__) <= set(star)


def test_public_functions_say_what_they_return_in_their_first_line_and_show_an_example():
    for name in wa.__all__:
        thing = getattr(wa, name)
        if inspect.isfunction(thing):
            doc = inspect.getdoc(thing)
            assert doc.splitlines()[0].endswith("."), name
            assert ">>> " in doc, name


# What worldarray-write adds -------------------------------------------------------------------------------------------


@pytest.fixture
def alone(monkeypatch):
    """This package without worldarray-write, whether or not that is installed."""
    monkeypatch.setitem(sys.modules, "worldarray_write", None)


@pytest.mark.parametrize(
    "name", ["codecs_of", "create", "ensure_group_entry", "level_placement", "level_shape", "ome_multiscales"]
)
def test_a_write_name_says_which_distribution_has_it(alone, name):
    with pytest.raises(WritePackageError, match="pip install worldarray-write") as caught:
        getattr(wa, name)
    assert isinstance(caught.value, ImportError)
    assert name in str(caught.value)
    with pytest.raises(ImportError, match="worldarray-write"):
        exec(f"from worldarray import {name}", {})
    assert name not in wa.__all__


def test_opening_for_writing_says_which_distribution_does_it(alone, tmp_path):
    path = pyramid(tmp_path / "em.zarr")
    for function in (lambda: wa.open(path, 0, mode="r+"), lambda: wa.open_pyramid(path, mode="r+")):
        with pytest.raises(WritePackageError, match="pip install worldarray-write"):
            function()


def test_another_name_is_no_attribute(alone):
    for name in ("overwrite", "open_ds_tensorstore", "ImageDataInterface", "to_ndarray_ts", "delete"):
        with pytest.raises(AttributeError, match=name):
            getattr(wa, name)
        assert name not in dir(wa)


def test_nothing_opens_for_overwriting():
    source = Path(wa.__file__).parent
    for file in source.rglob("*.py"):
        called = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.keyword)]
        assert not [node.arg for node in called if node.arg in ("delete_existing", "overwrite")], file


def test_a_handle_shows_where_and_what_it_is(things):
    text = repr(things["WorldArray"])
    for part in ("WorldArray", "one.zarr/s0", "(4, 5, 6)", "uint16", "(30, 8, 4)"):
        assert part in text

    class Mine(wa.WorldArray):
        """A subclass that a repository keeps for itself."""

        @property
        def offset(self):
            return tuple(map(int, self.corner))

    mine = Mine(things["WorldArray"].opened)
    assert repr(mine).startswith("<Mine ")
    assert mine.offset == (85, 16, 4)
    assert mine.read(mine.box).shape == mine.shape
