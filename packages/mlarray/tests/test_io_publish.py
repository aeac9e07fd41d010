"""Files put in place: whole or not at all, through links, with the permissions that were there; no rest stays."""

import errno
import os
import stat

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import FormatError, LockedError
from mlarray.io import create, locks, publish

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
FLIPPED = VALUES[::-1].copy()


@pytest.fixture
def path(tmp_path):
    MLArray(VALUES, axes=["z", "y", "x"], user={"n": 1}).save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


def names(folder):
    return sorted(found.name for found in folder.iterdir())


def read(path):
    with MLArray.open(path) as array:
        return array.to_numpy()


def filled(path, mode="w"):
    with MLArray.create(path, VALUES.shape, "i2", mode=mode) as array:
        array[...] = FLIPPED


def saved(path):
    MLArray(FLIPPED).save(path)


WRITES = pytest.mark.parametrize("write", [saved, filled])


# Where it is written ------------------------------------------------------------------------------------


@WRITES
def test_a_chain_of_links_is_followed_to_the_file_and_stays(path, tmp_path, write):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "one.mla").symlink_to("../two.mla")
    (tmp_path / "two.mla").symlink_to("a.mla")
    write(tmp_path / "links" / "one.mla")
    assert (tmp_path / "links" / "one.mla").is_symlink()
    assert (tmp_path / "two.mla").is_symlink()
    assert not path.is_symlink()
    assert np.array_equal(read(path), FLIPPED)
    assert names(tmp_path) == ["a.mla", "links", "two.mla"]


@WRITES
def test_a_link_that_leads_nowhere_yet_makes_the_file_there(tmp_path, write):
    (tmp_path / "data").mkdir()
    (tmp_path / "link.mla").symlink_to("data/new.mla")
    write(tmp_path / "link.mla")
    assert (tmp_path / "link.mla").is_symlink()
    assert np.array_equal(read(tmp_path / "data" / "new.mla"), FLIPPED)
    assert names(tmp_path / "data") == ["new.mla"]


@WRITES
def test_a_link_to_a_folder_that_is_not_there_and_one_in_a_circle_are_refused(tmp_path, write):
    (tmp_path / "lost.mla").symlink_to("gone/new.mla")
    (tmp_path / "circle.mla").symlink_to("circle.mla")
    with pytest.raises(FileNotFoundError, match="gone"):
        write(tmp_path / "lost.mla")
    with pytest.raises(OSError, match="circle"):
        write(tmp_path / "circle.mla")
    assert names(tmp_path) == ["circle.mla", "lost.mla"]


@WRITES
def test_a_file_in_a_linked_folder_is_written_there(path, tmp_path, write):
    (tmp_path / "there").symlink_to(tmp_path, target_is_directory=True)
    write(tmp_path / "there" / "a.mla")
    assert np.array_equal(read(path), FLIPPED)


@WRITES
def test_another_name_of_the_same_file_keeps_what_it_had(path, tmp_path, write):
    os.link(path, tmp_path / "other.mla")
    write(path)
    assert np.array_equal(read(path), FLIPPED)
    assert np.array_equal(read(tmp_path / "other.mla"), VALUES)


@WRITES
def test_a_missing_folder_is_named_and_not_made(path, tmp_path, write):
    with pytest.raises(FileNotFoundError, match=r"does not exist; make it first.*nowhere") as caught:
        write(tmp_path / "nowhere" / "deep" / "b.mla")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError, match=r"a\.mla"):
        write(path / "b.mla")  # a file is no folder
    assert names(tmp_path) == ["a.mla"]


@WRITES
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_what_is_no_regular_file_is_not_replaced(tmp_path, write):
    (tmp_path / "folder.mla").mkdir()
    (tmp_path / "folder.mla" / "keep").write_text("x")
    os.mkfifo(tmp_path / "pipe.mla")
    for name in ("folder.mla", "pipe.mla"):
        with pytest.raises(FormatError, match=f"{name}: no regular file"):
            write(tmp_path / name)
    assert names(tmp_path) == ["folder.mla", "pipe.mla"]
    assert (tmp_path / "folder.mla" / "keep").read_text() == "x"


@WRITES
def test_names_as_long_as_a_system_allows_are_written(tmp_path, write):
    # 255 bytes are what a name has at most; "ü" has two of them.
    for name in ("n" * 251 + ".mla", "ü" * 125 + "n.mla"):
        write(tmp_path / name)
        assert np.array_equal(read(tmp_path / name), FLIPPED)
    assert len(names(tmp_path)) == 2


def test_paths_are_relative_to_where_the_process_was(path, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    with MLArray.open("a.mla", mode="r+") as array, MLArray.create("new.mla", (2,), "i2") as made:
        made[...] = 7
        monkeypatch.chdir(tmp_path / "sub")
        array.meta.user = {"n": 2}
    assert names(tmp_path) == ["a.mla", "new.mla", "sub"]
    assert MLArray.load(path).meta.user["n"] == 2
    assert MLArray.load(tmp_path / "new.mla")[:].tolist() == [7, 7]


# Permissions --------------------------------------------------------------------------------------------


@WRITES
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o777, 0o444])
def test_what_is_replaced_hands_its_permissions_on(path, write, mode):
    path.chmod(mode)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert np.array_equal(read(path), FLIPPED)


@WRITES
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_that_the_process_gives(tmp_path, write, mask, mode):
    before = os.umask(mask)
    try:
        write(tmp_path / "new.mla")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.mla").stat().st_mode) == mode


def test_permissions_are_those_of_the_file_that_a_link_leads_to(path, tmp_path):
    (tmp_path / "link.mla").symlink_to("a.mla")
    path.chmod(0o640)
    saved(tmp_path / "link.mla")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


# Errors on the way --------------------------------------------------------------------------------------


def _failing(error):
    def fail(*args, **options):
        raise error

    return fail


STEPS = {
    "put in place": (os, "replace"),
    "synced": (os, "fsync"),
    "read again": (publish, "read_header_of"),
}
ERRORS = [OSError(errno.ENOSPC, "no space"), KeyboardInterrupt(), MemoryError()]


@WRITES
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("step", STEPS)
def test_an_error_on_the_way_leaves_the_old_file_and_nothing_else(path, monkeypatch, write, step, error):
    before, inode = path.read_bytes(), path.stat().st_ino
    with monkeypatch.context() as patched:
        patched.setattr(*STEPS[step], _failing(error))
        with pytest.raises(type(error)):
            write(path)
    assert (path.read_bytes(), path.stat().st_ino) == (before, inode)
    assert names(path.parent) == ["a.mla"]
    write(path)
    assert np.array_equal(read(path), FLIPPED)


@WRITES
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_before_there_was_a_file_leaves_none(tmp_path, monkeypatch, write, error):
    for module in (publish, create):
        monkeypatch.setattr(module, "write_keys", _failing(error))
    with pytest.raises(type(error)):
        write(tmp_path / "a.mla")
    assert names(tmp_path) == []


def test_an_error_after_it_was_put_in_place_does_not_take_it_away(path, monkeypatch):
    original, calls = publish.sync, []

    def failing_for_the_folder(name):
        calls.append(name)
        if len(calls) == 2:
            raise OSError(errno.EIO, "the folder cannot be synced")
        original(name)

    monkeypatch.setattr(publish, "sync", failing_for_the_folder)
    with pytest.raises(OSError, match="cannot be synced"):
        saved(path)
    # The file before it is put in place, then the folder.
    assert calls[1:] == [str(path.parent)]
    assert names(path.parent) == ["a.mla"]
    assert np.array_equal(read(path), FLIPPED)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_handle_whose_save_failed_goes_on(path, monkeypatch, mode):
    with MLArray.open(path, mode=mode) as array:
        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", _failing(OSError(errno.ENOSPC, "no space")))
            with pytest.raises(OSError, match="no space"):
                array.save(path)
        assert np.array_equal(array.to_numpy(), VALUES)
        assert names(path.parent) == ["a.mla"]
        array.meta.user = {"n": 3}
        array.save(path)
        assert np.array_equal(array.to_numpy(), VALUES)
    assert MLArray.load(path).meta.user["n"] == 3
    assert locks.free(str(path))


def test_metadata_that_breaks_a_rule_writes_nothing(path):
    before = path.read_bytes()
    with MLArray.open(path) as array:
        array.meta.user = {"n": 2}
        with pytest.raises(ValueError, match="31 bytes"):
            publish.publish(array._store, str(path), {"n" * 32: b""})
    assert path.read_bytes() == before
    assert names(path.parent) == ["a.mla"]


# The file itself ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [{}, {"patch_size": 2}, {"chunk_size": (2, 5, 6), "block_size": (1, 5, 6)}])
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_save_onto_the_open_file_keeps_the_handle_in_use(path, mode, layout):
    with MLArray.open(path, mode=mode) as array, MLArray.open(path) as other:
        array.meta.user = {"n": 2}
        wanted = VALUES.copy()
        if mode != "r":
            array[1] = wanted[1] = -5
        assert np.array_equal(other.to_numpy()[2:], VALUES[2:])
        array.save(path, **layout)
        assert np.array_equal(array.to_numpy(), wanted)
        assert array.meta.user["n"] == 2
        assert array.mode == mode
        if mode == "r+":
            array[2] = wanted[2] = -6
            array.meta.user = {"n": 4}
    with MLArray.open(path) as array:
        assert np.array_equal(array.to_numpy(), wanted)
        assert array.meta.user["n"] == (4 if mode == "r+" else 2)
    assert names(path.parent) == ["a.mla"]
    assert locks.free(str(path))


def test_the_only_writer_stays_the_only_one_through_its_save(path):
    with MLArray.open(path, mode="r+") as array:
        array.save(path)
        with pytest.raises(LockedError):
            MLArray.open(path, mode="r+")
        array.save(path.with_name("b.mla"))
        MLArray.open(path.with_name("b.mla"), mode="r+").close()
        with pytest.raises(LockedError):
            MLArray.open(path, mode="r+")
    MLArray.open(path, mode="r+").close()


@WRITES
def test_a_file_that_someone_changes_is_not_replaced(path, write):
    with MLArray.open(path, mode="r+") as array:
        with pytest.raises(LockedError, match=r"a\.mla: another handle has the file open for writing; close it first"):
            write(path)
        array[0] = 9
    assert names(path.parent) == ["a.mla"]
    assert read(path)[0, 0, 0] == 9
    write(path)
    assert np.array_equal(read(path), FLIPPED)


def test_a_closed_array_is_not_saved(path):
    before = path.read_bytes()
    array = MLArray.open(path)
    array.close()
    with pytest.raises(RuntimeError, match="closed"):
        array.save(path)
    assert path.read_bytes() == before


# What may be replaced -----------------------------------------------------------------------------------


@WRITES
@pytest.mark.parametrize("raw", [b"", b"text", b"\x9e\xa8b2frame\0" + b"\0" * 80])
def test_whatever_regular_file_stands_there_is_replaced(tmp_path, write, raw):
    (tmp_path / "a.mla").write_bytes(raw)
    write(tmp_path / "a.mla")
    assert np.array_equal(read(tmp_path / "a.mla"), FLIPPED)


def test_a_file_is_replaced_when_the_new_one_is_closed_and_not_before(path):
    before = path.read_bytes()
    with MLArray.create(path, VALUES.shape, "i2") as array:
        array[...] = FLIPPED
        array.flush()
        assert path.read_bytes() == before
        beside = [name for name in names(path.parent) if name != "a.mla"]
        assert len(beside) == 1
        assert beside[0].startswith(f"a.mla.{os.getpid()}.")
        assert beside[0].endswith(".tmp")
    assert np.array_equal(read(path), FLIPPED)
    assert names(path.parent) == ["a.mla"]


@pytest.mark.parametrize("target", ["a.mla", "link.mla"])
def test_mode_x_refuses_what_stands_there_at_once(path, tmp_path, target):
    (tmp_path / "link.mla").symlink_to("a.mla")
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="stands there already; mode='w' would replace it"):
        MLArray.create(tmp_path / target, (2,), "i2", mode="x")
    assert path.read_bytes() == before
    assert names(tmp_path) == ["a.mla", "link.mla"]


@pytest.mark.parametrize("links", [True, False])
def test_mode_x_refuses_what_came_to_stand_there_meanwhile(path, tmp_path, monkeypatch, links):
    before = path.read_bytes()
    if not links:  # a file system on which a file has one name alone
        monkeypatch.setattr(os, "link", _failing(OSError(errno.EPERM, "no links")))
    array = MLArray.create(tmp_path / "new.mla", VALUES.shape, "i2", mode="x")
    path.rename(tmp_path / "new.mla")
    with pytest.raises(FileExistsError):
        array.close()
    assert (tmp_path / "new.mla").read_bytes() == before
    assert names(tmp_path) == ["new.mla"]
    filled(path, mode="x")
    assert np.array_equal(read(path), FLIPPED)
    assert names(tmp_path) == ["a.mla", "new.mla"]


def test_two_that_are_created_at_one_path_do_not_meet(tmp_path):
    first = MLArray.create(tmp_path / "a.mla", (2,), "i2")
    second = MLArray.create(tmp_path / "a.mla", (3,), "i2")
    first[...], second[...] = 1, 2
    second.close()
    assert MLArray.load(tmp_path / "a.mla")[:].tolist() == [2, 2, 2]
    first.close()
    assert MLArray.load(tmp_path / "a.mla")[:].tolist() == [1, 1]
    assert names(tmp_path) == ["a.mla"]
