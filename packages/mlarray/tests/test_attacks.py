"""Bad arguments give an error that names argument, value, rule and what to do; nothing is taken silently."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import ArgumentError, ArgumentTypeError

NAN = float("nan")


@pytest.fixture
def array() -> MLArray:
    """Three axes of different lengths."""
    return MLArray(np.arange(24, dtype="i2").reshape(2, 3, 4), axes=["z", "y", "x"])


@pytest.fixture
def path(tmp_path: Path, array: MLArray) -> Path:
    """A file of it."""
    array.save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


def test_save_takes_no_metadata_that_it_would_drop(array: MLArray, tmp_path: Path) -> None:
    for said in ({"user": {"a": 1}}, {"spacing": (1, 2, 3)}, {"values": {"unit": "kelvin"}}):
        with pytest.raises(ArgumentTypeError, match=f"save takes no '{next(iter(said))}'; set it before"):
            array.save(tmp_path / "b.mla", **said)
    assert not (tmp_path / "b.mla").exists()
    with pytest.raises(ArgumentTypeError, match="it takes block_size, chunk_size, cparams, patch_size"):
        array.save(tmp_path / "b.mla", overwrite=True)
    array.save(tmp_path / "b.mla", patch_size=2)


def test_compress_takes_no_metadata_that_it_would_drop() -> None:
    array = MLArray(np.zeros((2, 3)), compressed=False)
    with pytest.raises(ArgumentTypeError, match="compress takes no 'spacing'; set it before"):
        array.compress(spacing=(1, 2))
    array.compress(patch_size=2, dparams={"nthreads": 1})


@pytest.mark.parametrize("word", ["no", 0, None, "false"])
def test_words_are_no_flags(path: Path, word: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"/compressed: .* it is True or False"):
        MLArray(np.zeros(3), compressed=word)
    with pytest.raises(ArgumentTypeError, match="/copy_source: "):
        MLArray(np.zeros(3), copy_source=word)
    with pytest.raises(ArgumentTypeError, match="/mmap: "):
        MLArray.open(path, mmap=word)
    with pytest.raises(ArgumentTypeError, match="/strict: "):
        MLArray.open(path, strict=word)
    with pytest.raises(ArgumentTypeError, match="/compressed: "):
        MLArray.load(path, compressed=word)
    MLArray.open(path, mmap=False, strict=True).close()
    MLArray(np.zeros(3), compressed=bool(np.True_))


@pytest.mark.parametrize(
    ("number", "kind"),
    [(0, ArgumentError), (-1, ArgumentError), (257, ArgumentError), (1 << 40, ArgumentError)]
    + [(wrong, ArgumentTypeError) for wrong in (True, 1.0, "2", None, NAN)],
)
def test_threads_are_whole_numbers_from_1_to_256(path: Path, number: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="/nthreads: nthreads is "):
        MLArray.open(path, nthreads=number)
    with pytest.raises(kind, match="/dparams/nthreads: nthreads is "):
        MLArray.open(path, dparams={"nthreads": number})
    MLArray.open(path, nthreads=np.int64(1)).close()


def test_settings_of_decoding_are_a_map(path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="/dparams: dparams is 5; it is a map"):
        MLArray.open(path, dparams=5)
    with pytest.raises(ArgumentTypeError, match="/dparams: "):
        MLArray(np.zeros(3), dparams="x")


def test_a_file_is_not_created_uncompressed(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="/compressed: a file is always compressed"):
        MLArray.create(tmp_path / "c.mla", (2,), "u1", compressed=False)
    with pytest.raises(ArgumentError, match="/dparams/nthreads"):
        MLArray.create(tmp_path / "c.mla", (2,), "u1", dparams={"nthreads": 0})
    assert list(tmp_path.iterdir()) == []


def test_masked_values_are_not_unmasked() -> None:
    masked = np.ma.masked_array([5, 6, 7], [False, True, False])
    with pytest.raises(ArgumentTypeError, match=r"/array: some of the array is masked.*filled"):
        MLArray(masked)
    assert MLArray(masked.filled(0))[:].tolist() == [5, 0, 7]
    assert MLArray(np.ma.masked_array([5, 6], [False, False]))[:].tolist() == [5, 6]


@pytest.mark.parametrize("shape", [(1 << 70, 2), (1 << 62, 1 << 62), (1 << 60,)])
def test_shapes_beyond_63_bits_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    # Of eight bytes each, 2^60 values have 2^63 bytes, one more than 2^63 - 1.
    for make in (MLArray.zeros, lambda s, d: MLArray.create(tmp_path / "c.mla", s, d)):
        with pytest.raises(ArgumentError, match=r"/shape: the shape .* has more than 2\^63 - 1 bytes"):
            make(shape, "f8")
    with pytest.raises(ArgumentError, match="/shape"):
        MLArray.zeros(shape, "f8", compressed=False)
    assert list(tmp_path.iterdir()) == []


def test_more_chunks_than_can_be_listed_are_refused(tmp_path: Path) -> None:
    # 2^40 values in chunks of 16 make 2^36 chunks, and 2^28 can be listed.
    with pytest.raises(ArgumentError, match=r"/shape: .* in chunks of \(16,\) makes 68719476736 of them.*patch_size"):
        MLArray.create(tmp_path / "c.mla", (1 << 40,), "f8", patch_size=16)
    assert list(tmp_path.iterdir()) == []
    assert MLArray.zeros((1 << 30,), "f8", patch_size=1 << 15)[-1] == 0


@pytest.mark.parametrize("compressed", [True, False])
def test_values_that_a_dtype_does_not_hold_fill_no_array(compressed: bool) -> None:
    for value in (NAN, 70000, [1, 2]):
        with pytest.raises(ArgumentError, match="/value: "):
            MLArray.full((2, 2), value, "i2", compressed=compressed)
    with pytest.raises(ArgumentTypeError, match="/value: "):
        MLArray.full((2, 2), "x", "i2", compressed=compressed)
    assert MLArray.full((2,), 3, "i2", compressed=compressed)[:].tolist() == [3, 3]


def test_ranges_have_finite_numbers_as_bounds() -> None:
    for bad in (NAN, float("inf")):
        for arguments in ((bad,), (0, bad), (bad, 5), (0, 5, bad)):
            with pytest.raises(ArgumentError, match="must be finite"):
                MLArray.arange(*arguments)
        with pytest.raises(ArgumentError, match=r"/stop: .* must be finite"):
            MLArray.linspace(0, bad, 3)
    for word in ("a", None, [1, 2], 1j):
        with pytest.raises(ArgumentTypeError, match="it is a number"):
            MLArray.arange(0, 1, word)
        with pytest.raises(ArgumentTypeError, match="/start: "):
            MLArray.linspace(word, 1, 3)
    with pytest.raises(ArgumentError, match="/stop: it makes 4611686018427387904 values"):
        MLArray.arange(1 << 62)
    with pytest.raises(ArgumentError, match="/num: num is -1"):
        MLArray.linspace(0, 1, -1)
    with pytest.raises(ArgumentTypeError, match=r"/num: num is 2.5"):
        MLArray.linspace(0, 1, 2.5)  # type: ignore[arg-type]
    assert MLArray.arange(np.int64(2), np.float32(4))[:].tolist() == [2, 3]
    assert MLArray.linspace(0, 1, np.int64(3))[:].tolist() == [0, 0.5, 1]


def test_a_patch_beyond_63_bits_is_refused(tmp_path: Path, array: MLArray) -> None:
    with pytest.raises(ArgumentError, match=r"/patch_size: patch_size is 1000.*2\^63 - 1"):
        array.save(tmp_path / "b.mla", patch_size=10**30)
    array.save(tmp_path / "b.mla", patch_size=(1 << 63) - 1)
    assert MLArray.load(tmp_path / "b.mla").shape == (2, 3, 4)


def test_patches_go_into_numpy_arrays_that_memory_holds(array: MLArray) -> None:
    with pytest.raises(ArgumentError, match="/out: out must be a numpy array"):
        array.read_patch((0, 0, 0), (1, 1, 2), out=[[[0, 0]]])  # type: ignore[arg-type]
    for size in (1 << 46, 1 << 62, 1 << 70):
        with pytest.raises(ArgumentError, match=r"/size: a patch of .* does not fit into memory"):
            array.read_patch((0, 0, 0), (size, 2, 2))
    assert array.read_patch((1, 2, 3), (1, 1, 1)).tolist() == [[[23]]]  # 1 * 12 + 2 * 4 + 3


@pytest.mark.parametrize("name", ["spacing", "origin", "direction", "matrix"])
@pytest.mark.parametrize("value", [0.5, []])
def test_geometry_without_a_number_per_axis_is_named(name: str, value: Any) -> None:
    with pytest.raises(ArgumentError, match=f"/{name}: {name} is .*; it has a number per axis"):
        MLArray(np.zeros((2, 3)), **{name: value})


def test_a_single_spacing_is_not_spread(array: MLArray) -> None:
    for spacing, rule in ((2, "one number, expected 3"), ([[2, 3, 4]], "lists in lists, expected 3")):
        with pytest.raises(ArgumentError, match=f"/spacing: .*{rule}"):
            array.spacing = spacing
    array.spacing = (2, 3, 4)
    assert array.spacing == [2, 3, 4]


@pytest.mark.parametrize(("space", "kind"), [(5, ArgumentTypeError), ("", ArgumentError), ("index", ArgumentError)])
def test_a_space_has_a_name(space: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="/space: "):
        MLArray(np.zeros((2, 3)), axes=["y", "x"], space=space)
    MLArray(np.zeros((2, 3)), axes=["y", "x"], space="x")


def test_numbers_that_python_does_not_print_are_refused_all_the_same(array: MLArray) -> None:
    # log2(10) is 3.3219281, times 5000 is 16609.6: 10^5000 has 16610 bits.
    with pytest.raises(ArgumentError, match="/user/a: an integer of 16610 bits does not fit into 64 bits"):
        array.meta.user = {"a": 10**5000}
    with pytest.raises(ArgumentTypeError, match=r"/spacing: spacing is .*; it holds numbers alone"):
        array.spacing = (10**5000, 1, 1)
    array.meta.user = {"a": (1 << 64) - 1}
    assert array.meta.user == {"a": (1 << 64) - 1}


class Unprintable:
    """Raises where it is printed."""

    def __repr__(self) -> str:
        """Fail."""
        raise RuntimeError("no")


def test_values_that_cannot_be_printed_are_named_by_their_type(array: MLArray) -> None:
    with pytest.raises(ArgumentTypeError, match="/user/a: <Unprintable> is a Unprintable, which cannot be stored"):
        array.meta.user = {"a": Unprintable()}


def test_names_that_no_file_has_are_refused(array: MLArray, tmp_path: Path) -> None:
    for act in (array.save, MLArray.open):
        with pytest.raises(ArgumentError, match=r"/path: .*\\ud800.* lone surrogate"):
            act(f"{tmp_path}/\ud800.mla")


def test_a_path_of_something_else_says_what_to_do(array: MLArray, tmp_path: Path) -> None:
    (tmp_path / "a.nii").write_bytes(b"")
    with pytest.raises(ArgumentError, match=r"does not end in \.mla; mlarray\.convert reads files of other formats"):
        MLArray.open(tmp_path / "a.nii")
    with pytest.raises(ArgumentError, match=r"does not end in \.mla; name a file in it"):
        MLArray.open(tmp_path)
    with pytest.raises(ArgumentError, match=r"does not end in \.mla; give such a name"):
        array.save(tmp_path / "a.nii")
    assert (tmp_path / "a.nii").read_bytes() == b""


@pytest.mark.parametrize(
    ("key", "rule"),
    [(5, "the key 5 is an integer; keys of a map are text"), (None, "is nil"), (b"a", "is bytes"), ("\ud800", "UTF-8")],
)
def test_keys_that_no_header_holds_are_refused_and_nothing_changed(array: MLArray, key: Any, rule: str) -> None:
    before = array.meta.to_dict()
    for view, at in (
        (array.meta.axes[0], "/axes/0"),
        (array.meta.values, "/values"),
        (array.meta.profiles, "/profiles"),
    ):
        with pytest.raises((ArgumentTypeError, ArgumentError), match=f"^{at}: .*{rule}"):
            view[key] = 1
    with pytest.raises((ArgumentTypeError, ArgumentError), match=rule):
        array.meta.profiles.ml[key] = 1
    assert array.meta.to_dict() == before
    array.meta.axes[0]["org_key"] = 1
    assert array.meta.axes[0]["org_key"] == 1


def test_reading_ahead_takes_whole_numbers_and_keys(path: Path) -> None:
    with MLArray.open(path) as array:
        for workers in ("2", 1.5, True, None, NAN):
            with pytest.raises(ArgumentTypeError, match="workers: workers is "):
                array.prefetch([0], workers=workers)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="workers: workers is 0"):
            array.prefetch([0], workers=0)
        with pytest.raises(ArgumentTypeError, match="/keys: keys is 5; it is a list of keys"):
            array.prefetch(5)  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open is not taken away there")
def test_what_is_open_is_saved_after_its_file_was_taken_away(path: Path, tmp_path: Path) -> None:
    with MLArray.open(path) as array:
        path.unlink()
        array.save(tmp_path / "b.mla")
        array.save(path)
    for name in ("a.mla", "b.mla"):
        assert MLArray.load(tmp_path / name)[1, 2, 3] == 23  # 1 * 12 + 2 * 4 + 3


def test_a_full_disk_is_told_with_the_file(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with MLArray.open(path) as array:
        monkeypatch.setattr(shutil, "copyfileobj", full)
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            array.save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["a.mla"]


def test_a_folder_that_cannot_be_written_to_is_named(
    array: MLArray, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    for act in (lambda: array.save(path), lambda: MLArray.create(path, (2,), "u1")):
        with pytest.raises(PermissionError, match=f"the folder cannot be written to; give another: '{tmp_path}'"):
            act()
    assert MLArray.open(path).shape == (2, 3, 4)


def test_what_blosc2_cannot_begin_is_an_error_of_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("Could not build zeros array")

    monkeypatch.setattr("mlarray.io.create.constant_array", fails)
    with pytest.raises(OSError, match=f"the file cannot be made .*: '{tmp_path / 'a.mla'}'"):
        MLArray.create(tmp_path / "a.mla", (2,), "u1")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_to_is_not_opened_to_change_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=r"the file cannot be written to; open it with mode='r', or 'c'.*a\.mla"):
        MLArray.open(path, "r+")
    for mode in ("r", "c"):
        MLArray.open(path, mode).close()


def test_an_attribute_with_a_typo_is_refused_by_the_name_that_was_meant() -> None:
    array = MLArray(np.zeros((2, 3)))
    with pytest.raises(AttributeError, match="spacing"):
        array.spaceing = (1, 2)
    with pytest.raises(AttributeError, match=r"meta\.user"):
        array.qqq = 1
    array.spacing = (1, 2)
    assert array.spacing == [1, 2]


def test_flags_are_no_indices_and_places_are_finite() -> None:
    array = MLArray(np.zeros((2, 3)), spacing=(1, 2))
    with pytest.raises(ArgumentTypeError, match="True"):
        array.read_patch((0, True), (1, 1))
    for place in ((0, float("inf")), (NAN, 0)):
        with pytest.raises(ValueError, match="finite"):
            array.index_to_space(place)
    assert array.read_patch((0, 1), (1, 1)).shape == (1, 1)
