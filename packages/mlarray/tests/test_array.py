"""MLArray over files and memory: voxels, patches, physical values, saving, closing."""

import os
import stat
import warnings

import numpy as np
import pytest

from mlarray import MLArray, MLArrayError
from mlarray.errors import ArgumentError, ArgumentTypeError, ClosedError, FormatError, LockedError, ReadOnlyError

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)


@pytest.fixture
def path(tmp_path):
    MLArray(VALUES, axes=["z", "y", "x"], user={"who": "me"}).save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


KEYS = [
    (1, 2, 3),
    2,
    ...,
    (slice(None), 1),
    (slice(3, 0, -2), ..., slice(None, None, -1)),
    (None, 1, ..., None),
    ([0, 3], slice(1, 3)),
    (VALUES[:, 0, 0] > 40),
    slice(2, 2),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("compressed", [True, False])
def test_keys_give_what_numpy_gives(key, compressed):
    array = MLArray(VALUES, compressed=compressed)
    found, wanted = array[key], VALUES[key]
    assert np.array_equal(found, wanted)
    assert np.shape(found) == np.shape(wanted)
    assert np.asarray(found).dtype == VALUES.dtype


def test_whole_indices_give_a_scalar(path):
    with MLArray.open(path) as array:
        assert isinstance(array[1, 2, 3], np.int16)
        assert array[-1, -1, -1] == 119


def test_iteration_and_length_are_along_the_first_axis(path):
    with MLArray.open(path) as array:
        assert len(array) == 4
        assert [int(plane[0, 0]) for plane in array] == [0, 30, 60, 90]


def test_len_of_an_array_without_axes_is_a_type_error():
    with pytest.raises(TypeError, match="without axes"):
        len(MLArray(np.float32(2.5)))


def test_numpy_protocol_of_numpy_2(path):
    with MLArray.open(path) as array:
        assert np.array_equal(np.asarray(array), VALUES)
        assert np.asarray(array, dtype="f4").dtype == np.float32
        with pytest.raises(ValueError, match="compressed"):
            array.__array__(copy=False)  # what numpy 2 calls


def test_arithmetic_is_a_plain_type_error(path):
    with MLArray.open(path) as array, pytest.raises(TypeError):
        array + 1


# A patch [start, start + size) -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "size"),
    [
        ((0, 0, 0), (4, 5, 6)),
        ((1, 2, 3), (2, 3, 1)),
        ((-2, 3, 4), (5, 4, 3)),
        ((9, 9, 9), (1, 2, 3)),
        ((0, 0, 0), (0, 1, 2)),
    ],
)
def test_patches_are_those_of_a_padded_array(start, size):
    # 20 voxels of -7 on every side: index i of the array is index i + 20 of the padded one.
    padded = np.pad(VALUES, 20, constant_values=-7)
    wanted = padded[tuple(slice(a + 20, a + 20 + n) for a, n in zip(start, size, strict=True))]
    found = MLArray(VALUES, patch_size=3).read_patch(start, size, pad_value=-7)
    assert np.array_equal(found, wanted)
    assert found.flags.c_contiguous


def test_a_patch_is_padded_with_the_fill_else_zero():
    assert MLArray(VALUES, values={"fill": -3}).read_patch((3, 4, 5), (1, 1, 2)).tolist() == [[[119, -3]]]
    assert MLArray(VALUES).read_patch((3, 4, 5), (1, 1, 2)).tolist() == [[[119, 0]]]


def test_a_patch_goes_into_out(path):
    out = np.full((2, 2, 2), 9, "i2")
    with MLArray.open(path) as array:
        assert array.read_patch((1, 1, 1), (2, 2, 2), out=out) is out
    # 30 z + 6 y + x
    assert out.tolist() == [[[37, 38], [43, 44]], [[67, 68], [73, 74]]]


@pytest.mark.parametrize(
    "out", [np.empty((2, 2, 3), "i2"), np.empty((2, 2, 2), "i4"), np.empty((2, 2, 4), "i2")[..., ::2]], ids=str
)
def test_an_out_that_does_not_fit_is_refused(out):
    with pytest.raises(ArgumentError, match="out"):
        MLArray(VALUES).read_patch((0, 0, 0), (2, 2, 2), out=out)


@pytest.mark.parametrize(
    ("start", "size", "words"),
    [
        ((0, 0), (1, 1), "expected 3"),
        ((0, 0, 0), (1, -1, 1), "-1"),
        ((0.5, 0, 0), (1, 1, 1), "whole"),
        (3, (1, 1, 1), "start"),
    ],
)
def test_a_patch_that_is_none_is_refused(start, size, words):
    with pytest.raises(MLArrayError, match=words):
        MLArray(VALUES).read_patch(start, size)


@pytest.mark.parametrize("value", [70000, 0.5, float("nan"), "x", [1]])
def test_padding_that_the_dtype_does_not_hold_is_refused(value):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=r"pad_value|stored"):
        MLArray(VALUES).read_patch((-1, 0, 0), (1, 1, 1), pad_value=value)


def test_physical_values_are_scale_times_stored_plus_offset():
    array = MLArray(VALUES, values={"scale": 2.5, "offset": -1024})
    # 2.5 * 44 - 1024 = -914
    assert array.physical((1, 2, 2)) == -914.0
    assert array.physical().dtype == np.float64
    assert array[1, 2, 2] == 44


def test_physical_values_of_complex_ones_stay_complex():
    assert MLArray(np.array([1 + 2j], "c8"), values={"scale": 2}).physical().tolist() == [2 + 4j]


# Writing ---------------------------------------------------------------------------------------------


def test_nan_into_integers_is_an_error_and_floats_are_cut_as_numpy_does(path):
    with MLArray.open(path, mode="r+") as array:
        with pytest.raises(ArgumentError, match="NaN"):
            array[0, 0, 0] = float("nan")
        with pytest.raises(ArgumentError, match="70000"):
            array[0, 0, 0] = 70000
        array[0, 0, 0] = 3.7
        assert array[0, 0, 0] == 3


def test_values_spread_over_what_a_key_selects(path):
    with MLArray.open(path, mode="r+") as array:
        array[1:3, :, 2] = np.arange(5)
        with pytest.raises(ArgumentError, match=r"\(7,\)"):
            array[1] = np.arange(7)
    wanted = VALUES.copy()
    wanted[1:3, :, 2] = np.arange(5)
    assert np.array_equal(MLArray.load(path).to_numpy(), wanted)


def test_a_file_open_for_reading_is_not_written_to(path):
    before = path.read_bytes()
    with MLArray.open(path) as array:
        with pytest.raises(ReadOnlyError, match="mode"):
            array[0] = 1
        array.meta.user = {"changed": True}
    assert path.read_bytes() == before


def test_mode_a_and_the_older_keyword_are_taken(path):
    with MLArray.open(path, mode="a") as array:
        assert array.mode == "r+"
        array[0, 0, 0] = 77
    with MLArray.open(path, mmap_mode="r") as array:
        assert array[0, 0, 0] == 77


def test_mode_c_changes_a_copy_in_memory(path):
    before = path.read_bytes()
    with MLArray.open(path, mode="c") as array:
        array[0, 0, 0] = 99
        assert array[0, 0, 0] == 99
    assert path.read_bytes() == before


@pytest.mark.parametrize("mode", ["w", "rb", "", "r+ "])
def test_other_modes_are_refused(path, mode):
    with pytest.raises(ArgumentError, match="mode"):
        MLArray.open(path, mode=mode)


def test_metadata_of_a_file_open_for_changing_is_written_at_close(path):
    with MLArray.open(path, mode="r+") as array:
        array.meta.values.unit = "kelvin"
        array.spacing = (2.5, 0.7, 0.6)
    with MLArray.open(path) as array:
        assert array.meta.values.unit_code == "K"
        assert array.spacing == [2.5, 0.7, 0.6]
        assert array.meta.user["who"] == "me"


def test_a_second_writer_is_refused_until_the_first_closes(path):
    first = MLArray.open(path, mode="r+")
    with pytest.raises(LockedError, match="another handle"):
        MLArray.open(path, mode="r+")
    with MLArray.open(path) as reader, pytest.raises(LockedError):
        reader.save(path)
    first.close()
    MLArray.open(path, mode="r+").close()


# Saving ----------------------------------------------------------------------------------------------


def test_a_file_can_be_saved_onto_itself(path):
    for mode in ("r", "r+", "c"):
        with MLArray.open(path, mode=mode) as array:
            array.meta.user = {"mode": mode}
            array.save(path)
            assert np.array_equal(array.to_numpy(), VALUES)
        assert MLArray.load(path).meta.user["mode"] == mode


def test_saving_replaces_what_stands_there_and_keeps_its_permissions(path, tmp_path):
    other = tmp_path / "b.mla"
    MLArray(VALUES * 2).save(other)
    other.chmod(0o640)
    with MLArray.open(path) as array:
        array.save(other)
    assert np.array_equal(MLArray.load(other).to_numpy(), VALUES)
    assert stat.S_IMODE(other.stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mla", "b.mla"]


def test_saving_through_a_link_writes_the_file_it_leads_to(path, tmp_path):
    link = tmp_path / "link.mla"
    link.symlink_to(path)
    MLArray(VALUES + 1).save(link)
    assert link.is_symlink()
    assert np.array_equal(MLArray.load(path).to_numpy(), VALUES + 1)


def test_saving_into_a_missing_folder_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        MLArray(VALUES).save(tmp_path / "nowhere" / "a.mla")


@pytest.mark.parametrize("name", ["a.nii", "mla", "a.mla.gz"])
def test_another_suffix_is_refused(tmp_path, name):
    with pytest.raises(ArgumentError, match=r"\.mla"):
        MLArray(VALUES).save(tmp_path / name)


@pytest.mark.parametrize("name", ["a.MLA", b"b.mla", "ü ö.mla"])
def test_names_in_capitals_bytes_and_unicode_are_fine(tmp_path, name):
    target = os.fsencode(tmp_path / os.fsdecode(name)) if isinstance(name, bytes) else tmp_path / name
    MLArray(VALUES).save(target)
    assert MLArray.load(target).shape == (4, 5, 6)


def test_saving_unchanged_keeps_the_chunks_and_a_patch_size_cuts_anew(path, tmp_path):
    with MLArray.open(path) as array:
        array.save(tmp_path / "same.mla")
        array.save(tmp_path / "cut.mla", patch_size=(1, 5, 6), cparams={"codec": "ZSTD", "clevel": 1})
    same, cut = MLArray.load(tmp_path / "same.mla"), MLArray.load(tmp_path / "cut.mla")
    assert same.meta.storage.to_dict() == MLArray.load(path).meta.storage.to_dict()
    assert cut.meta.storage.patch_size == (1, 5, 6)
    assert cut.meta.storage.compression["codec"] == "ZSTD"
    assert cut.meta.storage.to_cparams().codec.name == "ZSTD"
    assert np.array_equal(cut.to_numpy(), VALUES)


def test_created_files_stand_at_their_path_once_closed(tmp_path):
    with MLArray.create(tmp_path / "c.mla", (4, 5, 6), "i2", fill_value=-1, axes=["z", "y", "x"]) as array:
        array[1] = VALUES[1]
        assert not (tmp_path / "c.mla").exists()
    found = MLArray.load(tmp_path / "c.mla")
    assert found[0, 0, 0] == -1
    assert np.array_equal(found[1], VALUES[1])


def test_an_exception_discards_a_file_that_is_being_created(path):
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="stop"), MLArray.create(path, (2,), "u1"):
        raise RuntimeError("stop")
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["a.mla"]


def test_a_created_file_that_is_forgotten_is_discarded_with_a_warning(path):
    before = path.read_bytes()
    array = MLArray.create(path, (2,), "u1")
    with pytest.warns(ResourceWarning, match="nothing was written"):
        del array
    assert path.read_bytes() == before


def test_metadata_of_a_forgotten_handle_is_written_with_a_warning(path):
    array = MLArray.open(path, mode="r+")
    array.meta.user = {"n": 3}
    with pytest.warns(ResourceWarning, match="written now"):
        del array
    assert MLArray.load(path).meta.user["n"] == 3


def test_mode_x_refuses_what_exists(path):
    with pytest.raises(FileExistsError):
        MLArray.create(path, (2,), "u1", mode="x")
    with MLArray.create(path.with_name("new.mla"), (2,), "u1", mode="x") as array:
        array[:] = 3
    assert MLArray.load(path.with_name("new.mla"))[:].tolist() == [3, 3]


# Closing ---------------------------------------------------------------------------------------------


def test_a_closed_array_refuses_everything_and_closes_again(path):
    array = MLArray.open(path)
    array.close()
    array.close()
    assert array.closed
    assert "closed" in repr(array)
    for use in (
        lambda: array.shape,
        lambda: array[0],
        lambda: array.meta,
        lambda: array.spacing,
        lambda: array.read_patch((0, 0, 0), (1, 1, 1)),
        lambda: array.save(path),
        array.to_numpy,
    ):
        with pytest.raises(ClosedError, match="closed"):
            use()


def test_load_is_apart_from_the_file(path):
    array = MLArray.load(path)
    path.unlink()
    assert np.array_equal(array.to_numpy(), VALUES)
    assert array.filepath is None
    array[0, 0, 0] = 5
    assert array[0, 0, 0] == 5


def test_compress_and_decompress_leave_the_file(path):
    array = MLArray.open(path)
    array.decompress()
    assert array.filepath is None
    assert array.meta.storage.to_dict() == {}
    array[0, 0, 0] = 12
    array.compress(patch_size=2)
    assert array.meta.storage.patch_size == (2, 2, 2)
    assert array[0, 0, 0] == 12
    assert MLArray.load(path)[0, 0, 0] == 0


# Files that are none ---------------------------------------------------------------------------------


def test_a_missing_file_is_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        MLArray.open(tmp_path / "no.mla")


def test_a_folder_and_text_are_no_files(tmp_path):
    (tmp_path / "folder.mla").mkdir()
    (tmp_path / "text.mla").write_text("hello " * 50)
    (tmp_path / "empty.mla").write_bytes(b"")
    for name in ("folder", "text", "empty"):
        with pytest.raises(FormatError, match=name):
            MLArray.open(tmp_path / f"{name}.mla")


def test_a_plain_blosc2_file_has_no_metadata(tmp_path):
    import blosc2

    blosc2.asarray(VALUES, urlpath=str(tmp_path / "a.mla"), mode="w")
    with pytest.raises(FormatError, match="no 'mlarray' metadata"):
        MLArray.open(tmp_path / "a.mla")


def test_bytes_behind_the_frame_are_left_alone(path):
    with path.open("ab") as file:
        file.write(b"x" * 100)
    assert np.array_equal(MLArray.open(path).to_numpy(), VALUES)


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_truncated_file_is_refused(path, cut):
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(FormatError, match="truncated"):
        MLArray.open(path)


def test_nothing_warns_while_nothing_is_wrong(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with MLArray.open(path) as array:
            array.meta.to_dict(source=True, user=True)
