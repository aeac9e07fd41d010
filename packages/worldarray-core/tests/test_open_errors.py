"""What a bad argument gets: the class, the code and what the message names, for every public function."""

import os
from pathlib import Path

import numpy as np
import pytest
from stores import coded, pyramid, volume, write_json, zarr3

import worldarray as wa
from worldarray.demo import demo_pyramid
from worldarray.errors import (
    AccessError,
    ArgumentError,
    ArgumentTypeError,
    LevelError,
    PlacementError,
    StoreNotFoundError,
    UnitError,
    WorldArrayError,
)

BY_PATH = {
    "open": wa.open,
    "open_pyramid": wa.open_pyramid,
    "detect": wa.detect,
    "metadata": wa.metadata,
    "metadata of documents": lambda path: wa.metadata(path, open=False),
    "open_tensorstore": wa.open_tensorstore,
}


@pytest.fixture
def path(tmp_path):
    return pyramid(tmp_path / "em.zarr")


@pytest.fixture
def vol(tmp_path):
    return wa.open(volume(tmp_path / "em.zarr"))


def raised(error, code, *says):
    """A matcher of errors: the class, one of the codes, and what the message names."""

    class Raised:
        def __enter__(self):
            self.context = pytest.raises(error)
            self.caught = self.context.__enter__()

        def __exit__(self, *what):
            if self.context.__exit__(*what) is False:
                return False
            assert isinstance(self.caught.value, WorldArrayError)
            assert self.caught.value.code in (code if isinstance(code, tuple) else (code,))
            for text in says:
                assert text in str(self.caught.value)
            return True

    return Raised()


# Paths ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", BY_PATH.values(), ids=BY_PATH)
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (None, ArgumentTypeError),
        (b"", ArgumentTypeError),
        ("", ArgumentError),
        (3, ArgumentTypeError),
        (b"em", ArgumentTypeError),
        ([], ArgumentTypeError),
    ],
    ids=repr,
)
def test_what_is_no_path_is_refused(function, bad, error):
    with pytest.raises(error, match="path"):
        function(bad)


@pytest.mark.parametrize("function", BY_PATH.values(), ids=BY_PATH)
@pytest.mark.parametrize("name", ["missing", "missing.zarr/s0", "folder", "file.txt", "file.txt/below"])
def test_a_path_where_nothing_stands_is_named(tmp_path, function, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_text("no store")
    with raised(StoreNotFoundError, "not_found", str(tmp_path / name)):
        function(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        function(str(tmp_path / name))


def test_detect_may_find_nothing(tmp_path):
    assert wa.detect(tmp_path / "missing", missing_ok=True) is None
    assert wa.detect(tmp_path, missing_ok=True) is None
    assert wa.detect(tmp_path / "missing", True) is None


@pytest.mark.parametrize("function", BY_PATH.values(), ids=BY_PATH)
def test_a_path_may_be_text_or_any_path_object(tmp_path, function, monkeypatch):
    path = volume(tmp_path / "em.zarr")

    class Place(os.PathLike):
        def __fspath__(self):
            return path

    monkeypatch.chdir(tmp_path)
    for given in (path, Path(path), Place(), f"file://{path}", "em.zarr/s0", "./em.zarr//s0/", Path("em.zarr") / "s0"):
        assert function(given) is not None
    monkeypatch.setenv("HOME", str(tmp_path))
    assert function("~/em.zarr/s0") is not None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_document_that_may_not_be_read_is_a_permission_error(path):
    Path(path, "s0", "zarr.json").chmod(0)
    with pytest.raises(AccessError, match="s0"):
        wa.open(f"{path}/s0")


@pytest.mark.parametrize("function", BY_PATH.values(), ids=BY_PATH)
@pytest.mark.parametrize("text", [b"{", b"\xff\xfe{}", b'{"zarr_format": NaN}', b"[]", b""])
def test_a_document_that_is_no_json_is_named(tmp_path, function, text):
    file = tmp_path / "bad.zarr" / "zarr.json"
    file.parent.mkdir()
    file.write_bytes(text)
    with pytest.raises((PlacementError, StoreNotFoundError)) as caught:
        function(file.parent)
    assert str(file.parent) in str(caught.value)


# Opening --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "code", "says"),
    [
        ({"level_mode": "closest"}, ArgumentError, "wrong_value", ("level_mode", "'closest'", "'floor'")),
        ({"level_mode": None}, ArgumentError, "wrong_value", ("level_mode", "None")),
        ({"level_mode": []}, ArgumentError, "wrong_value", ("level_mode",)),
        ({"on_mismatch": "ignore"}, ArgumentError, "wrong_value", ("on_mismatch", "'relabel'")),
        ({"method": "cubic"}, ArgumentError, "wrong_value", ("method", "'linear'")),
        ({"metadata_conflicts": "ignore"}, ArgumentError, "wrong_value", ("metadata_conflicts", "'warn'")),
        ({"padding": 70000}, ArgumentError, "not_representable", ("70000", "uint16")),
        ({"padding": 1.5}, ArgumentError, "not_representable", ("1.5", "uint16")),
        ({"padding": "nearest"}, ArgumentError, "not_representable", ("'nearest'", "edge")),
        ({"padding": None}, ArgumentError, "not_representable", ("None", "uint16")),
        ({"units": "furlong"}, UnitError, "unknown_unit", ("furlong",)),
        ({"units": "second"}, UnitError, "wrong_value", ("second",)),
        ({"units": {"space": "s"}}, UnitError, "wrong_value", ("space",)),
        ({"units": {"angle": "degree"}}, ArgumentError, "invalid_argument", ("angle",)),
        ({"units": 3}, ArgumentTypeError, "wrong_type", ("units",)),
        ({"units": ["nm"]}, ArgumentTypeError, "wrong_type", ("units",)),
        ({"units": {"space": 3}}, ArgumentTypeError, "wrong_type", ("units",)),
        ({"anchor": (0, 0)}, ArgumentError, "wrong_length", ("anchor",)),
        ({"anchor": float("nan")}, ArgumentError, "not_finite", ("anchor",)),
        ({"anchor": "corner"}, ArgumentTypeError, "wrong_type", ("anchor",)),
        ({"retries": 3}, ArgumentTypeError, "wrong_type", ("retries", "Retry")),
        ({"retries": "always"}, ArgumentTypeError, "wrong_type", ("retries", "Retry")),
        ({"transform": "log"}, ArgumentTypeError, "wrong_type", ("transform", "'log'")),
        ({"dimension_separator": "-"}, ValueError, "wrong_value", ("dimension_separator",)),
        ({"mode": "w"}, ArgumentError, "wrong_value", ("mode", "'w'", "'r+'")),
        ({"mode": "a"}, ArgumentError, "wrong_value", ("mode", "'a'")),
        ({"mode": None}, ArgumentError, "wrong_value", ("mode",)),
        ({"context": "shared"}, ArgumentTypeError, "wrong_type", ("context",)),
        ({"context": {}}, ArgumentTypeError, "wrong_type", ("context",)),
    ],
    ids=repr,
)
def test_a_bad_argument_of_open_is_named_with_what_it_may_be(path, arguments, error, code, says):
    with raised(error, code, *says):
        wa.open(path, 0, **arguments)
    with raised(error, code, *says):
        wa.open(f"{path}/s1", **arguments)
    if not {"level_mode", "on_mismatch", "anchor"} & set(arguments):
        with raised(error, code, *says):
            _ = wa.open_pyramid(path, **arguments).levels


@pytest.mark.parametrize("name", ["levels", "voxelsize", "overwrite", "delete", "fill"])
def test_a_mistyped_argument_is_no_argument(path, name):
    for function in (wa.open, wa.open_pyramid, wa.metadata, wa.open_tensorstore, wa.detect):
        with pytest.raises(TypeError, match=name):
            function(path, **{name: 1})


@pytest.mark.parametrize("function", [wa.open, wa.metadata, wa.open_tensorstore], ids=lambda f: f.__name__)
def test_a_group_needs_a_level_and_the_error_lists_them(path, function):
    with raised(LevelError, ("level_required", "unknown_level"), path, "s0", "s1", "s2"):
        function(path)


# Reading --------------------------------------------------------------------------------------------------------------

READS = {
    "read_index": lambda vol, begin, end, **how: vol.read_index(begin, end, **how),
    "read_index_async": lambda vol, begin, end, **how: vol.read_index_async(begin, end, **how),
    "read_many": lambda vol, begin, end, **how: wa.read_many([wa.IndexRead(vol, begin, end, **how)]),
}
LOW, HIGH = (0, 0, 0), (1, 1, 1)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize(
    ("begin", "end", "error", "code"),
    [
        ((0, 0), (1, 1), ArgumentError, "wrong_length"),
        (LOW, (1, 1, 1, 1), ArgumentError, "wrong_length"),
        ((0, 0, 0.0), HIGH, ArgumentTypeError, "wrong_type"),
        (LOW, (1, 1, 0.9), ArgumentTypeError, "wrong_type"),
        (LOW, np.array([1.0, 1.0, 1.0]), ArgumentTypeError, "wrong_type"),
        (LOW, (1, 1, "1"), ArgumentTypeError, "wrong_type"),
        (LOW, (1, 1, None), ArgumentTypeError, "wrong_type"),
        (0, 1, ArgumentTypeError, "wrong_type"),
        (None, HIGH, ArgumentTypeError, "wrong_type"),
        ("000", "111", ArgumentTypeError, "wrong_type"),
        ((0, 0, 2), (1, 1, 1), ArgumentError, "order"),
    ],
)
def test_bounds_that_are_no_box_of_voxels_are_refused(vol, read, begin, end, error, code):
    with raised(error, code):
        read(vol, begin, end)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("begin", [LOW, (9, 9, 9), (-1, 0, 0)])
def test_a_box_of_more_voxels_than_an_array_holds_is_refused(vol, read, begin):
    with raised(ArgumentError, "out_of_range", "box", "voxels"):
        pending = read(vol, begin, (2**62, 9, 9) if begin == LOW else (2**70, 10, 10))
        pending.result()
    with raised(ArgumentError, "out_of_range", "box", "voxels"):
        vol.read(((0, 0, 0), (1e300, 100, 100)))


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize(
    ("how", "error", "code", "says"),
    [
        ({"padding": -1}, ArgumentError, "not_representable", "uint16"),
        ({"padding": "edges"}, ArgumentError, "not_representable", "edge"),
        ({"select": {"z": 0}}, ArgumentError, "invalid_argument", "spatial"),
        ({"select": {"c": 0}}, ArgumentError, "invalid_argument", "z, y, x"),
        ({"transform": 3}, ArgumentTypeError, "wrong_type", "transform"),
        ({"retries": 3}, ArgumentTypeError, "wrong_type", "Retry"),
    ],
)
def test_arguments_of_index_reads_are_checked(vol, read, how, error, code, says):
    with raised(error, code, says):
        read(vol, LOW, HIGH, **how)


@pytest.mark.parametrize(
    ("how", "error", "code", "says"),
    [
        ({"voxel_size": (8, 8)}, ArgumentError, "wrong_length", "voxel_size"),
        ({"voxel_size": (8, 8, 0)}, ArgumentError, "not_positive", "voxel_size"),
        ({"voxel_size": "8"}, ArgumentTypeError, "wrong_type", "voxel_size"),
        ({"anchor": (1, 2)}, ArgumentError, "wrong_length", "anchor"),
        ({"anchor": (1, 2, float("inf"))}, ArgumentError, "not_finite", "anchor"),
        ({"method": "cubic"}, ArgumentError, "wrong_value", "linear"),
        ({"method": 1}, ArgumentError, "wrong_value", "linear"),
        ({"padding": 65536}, ArgumentError, "not_representable", "uint16"),
        ({"transform": "log"}, ArgumentTypeError, "wrong_type", "transform"),
        ({"post_transform": [abs]}, ArgumentTypeError, "wrong_type", "post_transform"),
        ({"retries": 1.5}, ArgumentTypeError, "wrong_type", "Retry"),
        ({"select": {"t": 0}}, ArgumentError, "invalid_argument", "z, y, x"),
    ],
)
def test_arguments_of_world_reads_are_checked(vol, how, error, code, says):
    with raised(error, code, says):
        vol.read(vol.box, **how)
    if "voxel_size" not in how and "anchor" not in how:
        with raised(error, code, says):
            vol.read_onto(vol, **how)


@pytest.mark.parametrize(
    ("begin", "end", "code"),
    [
        ((0, 0), None, "wrong_length"),
        (None, (1, 1, 1, 1), "wrong_length"),
        ((0, 0, 0.5), None, "wrong_type"),
        ((3, 0, 0), (1, 1, 1), "order"),
    ],
)
def test_a_range_of_another_grid_is_checked(vol, begin, end, code):
    with raised(ValueError, code):
        vol.read_onto(vol, begin, end)


@pytest.mark.parametrize(
    ("name", "value"), [("retries", 3), ("retries", "x"), ("method", "cubic"), ("padding", "x"), ("padding", -1)]
)
def test_settable_defaults_are_checked_when_set(vol, name, value):
    before = getattr(vol, name)
    with pytest.raises(ValueError, match=rf"{name}|{value}"):
        setattr(vol, name, value)
    assert getattr(vol, name) == before


@pytest.mark.parametrize("name", ["shape", "voxel_size", "translation", "corner", "axes", "box", "meta", "ts", "path"])
def test_facts_of_a_handle_cannot_be_set(vol, name):
    with pytest.raises(AttributeError):
        setattr(vol, name, ())
    assert not hasattr(vol, "offset")


@pytest.mark.parametrize(
    "reads",
    [None, 3, [None], [3], [("a", "b")], [("volume", LOW, HIGH)], ["abc"]],
    ids=repr,
)
def test_reads_that_are_none_are_refused(reads):
    with raised(ArgumentTypeError, "wrong_type", "IndexRead"):
        wa.read_many(reads)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda vol: vol.chunks_covering((0, 0), (1, 1)), ArgumentError),
        (lambda vol: vol.chunks_covering(LOW, (1, 1, 0.5)), ArgumentTypeError),
        (lambda vol: vol.chunks_covering((2, 2, 2), HIGH), ArgumentError),
        (lambda vol: vol.chunk_key((0, 0)), ArgumentError),
        (lambda vol: vol.chunk_key((0, 0, 9)), ArgumentError),
        (lambda vol: vol.chunk_key((0, 0, -1)), ArgumentError),
        (lambda vol: vol.chunk_key((0, 0, 0.5)), ArgumentTypeError),
        (lambda vol: vol.parse_chunk_key(3), ArgumentTypeError),
        (lambda vol: vol.blocks((0, 1, 1)), ArgumentError),
        (lambda vol: vol.blocks((1, 1)), ArgumentError),
        (lambda vol: vol.blocks(context=-1), ArgumentError),
        (lambda vol: vol.index_box(((0,), (1,))), ArgumentError),
        (lambda vol: vol.index_box(3), ArgumentTypeError),
        (lambda vol: vol.reopen(context=3), ArgumentTypeError),
        (lambda vol: vol.reopen(units="furlong"), UnitError),
        (lambda vol: vol.reopen(level_mode="x"), ArgumentError),
        (lambda vol: vol.meta.drop_axis("q"), ArgumentError),
        (lambda vol: vol.meta.drop_axis(7), ArgumentError),
        (lambda vol: vol.meta.in_units(space="furlong"), UnitError),
        (lambda vol: vol.meta.in_units(time="nm"), UnitError),
        (lambda vol: wa.list_chunk_keys(vol.path, format="tiff"), ArgumentError),
        (lambda vol: wa.list_chunk_keys(vol.path, separator="-"), ArgumentError),
        (lambda vol: wa.list_chunk_keys(None), ArgumentTypeError),
        (lambda vol: wa.corner_to_centre((0, 0), (1,)), ArgumentError),
        (lambda vol: wa.corner_to_centre(0, 1), ArgumentTypeError),
        (lambda vol: wa.corner_to_centre(("a",), (1,)), ArgumentTypeError),
        (lambda vol: wa.default_axes(-1), ArgumentError),
        (lambda vol: wa.default_axes(1.5), ArgumentTypeError),
        (lambda vol: wa.shared_context(-1), ArgumentError),
        (lambda vol: wa.shared_context("1 MiB"), ArgumentTypeError),
        (lambda vol: wa.capped_context(concurrency=0), ArgumentError),
        (lambda vol: wa.capped_context_spec(concurrency=1.5), ArgumentTypeError),
        (lambda vol: wa.capped_context_spec(cache_bytes=-1), ArgumentError),
        (lambda vol: wa.store.join("", "s0"), ArgumentError),
        (lambda vol: wa.store.join("em", 3), ArgumentTypeError),
        (lambda vol: wa.store.parent(None), ArgumentTypeError),
        (lambda vol: wa.store.basename(3), ArgumentTypeError),
        (lambda vol: wa.units.abbreviation("furlong"), UnitError),
        (lambda vol: wa.select_level(3, (1,)), ArgumentTypeError),
        (lambda vol: wa.Retry(max_attempts=0), ArgumentError),
        (lambda vol: wa.Retry(timeout="1"), ArgumentTypeError),
    ],
)
def test_a_bad_argument_anywhere_is_an_error_of_this_package(vol, call, error):
    with pytest.raises(WorldArrayError) as caught:
        call(vol)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, error)


def test_errors_are_builtins_too():
    from worldarray import errors

    builtins = {
        errors.PlacementError: ValueError,
        errors.ArgumentError: ValueError,
        errors.ArgumentTypeError: (TypeError, ValueError),
        errors.UnitError: ValueError,
        errors.LevelError: ValueError,
        errors.DataError: ValueError,
        errors.StoreNotFoundError: FileNotFoundError,
        errors.AccessError: PermissionError,
        errors.StoreUnavailableError: OSError,
        errors.ForkError: RuntimeError,
        errors.WritePackageError: ImportError,
    }
    for error, base in builtins.items():
        assert issubclass(error, WorldArrayError)
        assert all(issubclass(error, one) for one in (base if isinstance(base, tuple) else (base,)))


def test_a_chunk_that_is_short_names_its_file(tmp_path):
    path = zarr3(tmp_path / "a", coded(2, 3, 4), (1, 3, 4))
    Path(path, "c", "1", "0", "0").write_bytes(b"\0\0\0")
    vol = wa.open(path, units=None)
    assert vol.read_index((0, 0, 0), (1, 1, 1)) == 0
    for read in (
        lambda: vol.read_index(LOW, (2, 3, 4)),
        lambda: vol.read(vol.box),
        lambda: wa.read_many([(vol, LOW, (2, 3, 4))]),
    ):
        with pytest.raises(wa.errors.DataError, match="c/1/0/0"):
            read()


def test_a_foreign_document_beside_the_real_one_stops_nothing(tmp_path):
    path = pyramid(tmp_path / "em.zarr")
    write_json(tmp_path / "em.zarr" / "info", {"name": "of another kind"})
    write_json(tmp_path / "em.zarr" / "attributes.json", {"n": 1})
    assert wa.open(path, 0).read_index(LOW, HIGH) == 0
    assert wa.detect(path).format == "zarr3"


def test_a_handle_is_not_silently_taken_for_a_numpy_array():
    with demo_pyramid() as path:
        vol = wa.open(path, level=0)
        with pytest.raises(TypeError, match="read it"):
            np.asarray(vol)


def test_a_reading_handle_says_how_to_write():
    with demo_pyramid() as path:
        vol = wa.open(path, level=0)
        with pytest.raises(AttributeError, match="mode='r\\+'"):
            vol.write_index((0, 0, 0), (1, 1, 1), 0)
        assert not hasattr(vol, "offset")


def test_a_file_is_not_said_to_be_missing(tmp_path):
    (tmp_path / "em.zip").write_bytes(b"")
    with pytest.raises(FileNotFoundError, match=r"holds no array or group.*em\.zip\|zip:"):
        wa.open(tmp_path / "em.zip")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        wa.open(tmp_path / "other.zip")
