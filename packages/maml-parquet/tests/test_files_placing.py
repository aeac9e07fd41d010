"""Files get their names once all of them are whole: all or none, never over what stands there unasked."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maml_parquet.errors import MamlError
from maml_parquet.files.placing import Drafts, sidecar_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(drafts, *texts):
    for name, text in zip(drafts.names, texts, strict=True):
        name.write_text(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x.parquet", "x.maml"),
        ("a.parquet/x.parquet", "a.parquet/x.maml"),
        ("x.y.parquet", "x.y.maml"),
        ("x.parq", "x.parq.maml"),
        ("x", "x.maml"),
        ("x.maml", "x.maml.maml"),
        (".parquet", ".parquet.maml"),
    ],
)
def test_the_sidecar_stands_beside_its_file(path, expected):
    assert sidecar_path(path) == Path(expected)


def test_nothing_is_under_the_final_names_before_they_are_published(tmp_path):
    drafts = Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"])
    write(drafts, "rows", "text")
    assert all(name.startswith(".") and not name.endswith((".parquet", ".maml")) for name in names(tmp_path))
    drafts.publish()
    assert names(tmp_path) == ["x.maml", "x.parquet"]
    assert (tmp_path / "x.parquet").read_text() == "rows"
    assert (tmp_path / "x.maml").read_text() == "text"


def test_discarded_drafts_leave_nothing(tmp_path):
    drafts = Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"])
    write(drafts, "rows", "text")
    drafts.discard()
    drafts.discard()
    assert names(tmp_path) == []


def test_forgotten_drafts_leave_nothing(tmp_path):
    drafts = Drafts([tmp_path / "x.parquet"])
    assert len(names(tmp_path)) == 1
    del drafts
    assert names(tmp_path) == []


@pytest.mark.parametrize("existing", ["x.parquet", "x.maml"])
def test_what_stands_there_is_an_error_before_anything_is_written(tmp_path, existing):
    (tmp_path / existing).write_text("old")
    with pytest.raises(
        MamlError, match=f"{existing}.* is there already; give another name, or overwrite=True"
    ) as caught:
        Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"])
    assert caught.value.code == "exists"
    assert names(tmp_path) == [existing]
    assert (tmp_path / existing).read_text() == "old"


@pytest.mark.parametrize("late", ["x.parquet", "x.maml"])
def test_what_came_meanwhile_is_not_replaced_and_nothing_else_is_placed(tmp_path, late):
    drafts = Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"])
    write(drafts, "rows", "text")
    (tmp_path / late).write_text("another's")
    with pytest.raises(MamlError, match="is there already"):
        drafts.publish()
    assert names(tmp_path) == [late]
    assert (tmp_path / late).read_text() == "another's"


def test_overwriting_replaces_both_and_keeps_permissions(tmp_path):
    (tmp_path / "x.parquet").write_text("old rows")
    (tmp_path / "x.parquet").chmod(0o640)
    (tmp_path / "x.maml").write_text("old text")
    drafts = Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"], overwrite=True)
    write(drafts, "rows", "text")
    assert (tmp_path / "x.parquet").read_text() == "old rows"
    drafts.publish()
    assert names(tmp_path) == ["x.maml", "x.parquet"]
    assert (tmp_path / "x.parquet").read_text() == "rows"
    assert (tmp_path / "x.maml").read_text() == "text"
    assert (tmp_path / "x.parquet").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("old", [(), ("x.parquet",), ("x.maml",), ("x.maml", "x.parquet")])
@pytest.mark.parametrize("failing", [1, 2])
def test_where_overwriting_fails_the_old_files_stand_as_they_did(tmp_path, monkeypatch, old, failing):
    for name in old:
        (tmp_path / name).write_text(f"old {name}")
    drafts = Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"], overwrite=True)
    write(drafts, "rows", "text")
    real, calls = Path.replace, []

    def replace(self, target):
        if self in drafts.names:
            calls.append(self)
            if len(calls) == failing:
                raise OSError(errno.EIO, "no")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="no"):
        drafts.publish()
    assert names(tmp_path) == sorted(old)
    for name in old:
        assert (tmp_path / name).read_text() == f"old {name}"


@pytest.mark.parametrize("present", [False, True])
def test_without_second_names_of_files_nothing_is_replaced_either(tmp_path, monkeypatch, present):
    def refused(self, target):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    drafts = Drafts([tmp_path / "x.parquet"])
    write(drafts, "rows")
    if present:
        (tmp_path / "x.parquet").write_text("another's")
        with pytest.raises(MamlError, match="is there already"):
            drafts.publish()
    else:
        drafts.publish()
    assert names(tmp_path) == ["x.parquet"]
    assert (tmp_path / "x.parquet").read_text() == ("another's" if present else "rows")


def test_overwriting_works_without_second_names_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", lambda self, target: (_ for _ in ()).throw(OSError(errno.EPERM, "no")))
    for name in ("x.parquet", "x.maml"):
        (tmp_path / name).write_text("old")
    drafts = Drafts([tmp_path / "x.parquet", tmp_path / "x.maml"], overwrite=True)
    write(drafts, "rows", "text")
    drafts.publish()
    assert [(tmp_path / name).read_text() for name in names(tmp_path)] == ["text", "rows"]


def test_a_link_is_followed_and_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "y.parquet").write_text("old")
    (tmp_path / "x.parquet").symlink_to(tmp_path / "far" / "y.parquet")
    with pytest.raises(MamlError, match="is there already"):
        Drafts([tmp_path / "x.parquet"])
    drafts = Drafts([tmp_path / "x.parquet"], overwrite=True)
    write(drafts, "rows")
    drafts.publish()
    assert (tmp_path / "x.parquet").is_symlink()
    assert (tmp_path / "far" / "y.parquet").read_text() == "rows"
    assert names(tmp_path / "far") == ["y.parquet"]


def test_a_link_to_nothing_is_something_that_stands_there(tmp_path):
    (tmp_path / "x.parquet").symlink_to(tmp_path / "gone")
    with pytest.raises(MamlError, match="is there already"):
        Drafts([tmp_path / "x.parquet"])


def test_folders_and_what_is_no_file_are_not_replaced(tmp_path):
    (tmp_path / "x.parquet").mkdir()
    with pytest.raises(IsADirectoryError, match="a folder stands there"):
        Drafts([tmp_path / "x.parquet"], overwrite=True)
    with pytest.raises(FileNotFoundError, match="no such folder; make it first"):
        Drafts([tmp_path / "none" / "x.parquet"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file stands there"):
        Drafts([tmp_path / "pipe"], overwrite=True)
    assert names(tmp_path) == ["pipe", "x.parquet"]


def test_a_name_of_the_longest_length_has_a_draft(tmp_path):
    path = tmp_path / ("é" * 120 + ".parquet")  # 2 * 120 + 8 = 248 bytes
    drafts = Drafts([path])
    write(drafts, "rows")
    drafts.publish()
    assert path.read_text() == "rows"


def test_a_fork_that_ends_leaves_the_drafts_of_its_parent(tmp_path):
    code = (
        "import os, sys\n"
        "from maml_parquet.files.placing import Drafts\n"
        "drafts = Drafts([sys.argv[1]])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "drafts.names[0].write_text('rows')\n"
        "drafts.publish()\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x.parquet")], check=True)
    assert names(tmp_path) == ["x.parquet"]
