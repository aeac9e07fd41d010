"""The rehearsal of a release, without building anything."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import release_rehearsal
from release_rehearsal import check_names, check_repeat, check_twine, lay_out
from workspace import ROOT, read_workspace

PACKAGE = read_workspace()["maml-parquet"]
STEM = f"maml_parquet-{PACKAGE.version}"


def run(*arguments):
    command = [sys.executable, str(ROOT / "tools/release_rehearsal.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_one_sdist_and_one_wheel_of_the_version_are_built():
    assert check_names(PACKAGE, [Path(f"{STEM}-py3-none-any.whl"), Path(f"{STEM}.tar.gz")]) == []
    assert "the build made nothing" in check_names(PACKAGE, [])[0]
    assert "maml_parquet-9.whl, not maml_parquet-" in check_names(PACKAGE, [Path("maml_parquet-9.whl")])[0]


def test_builds_of_other_bytes_or_files_are_named():
    assert check_repeat({"a": "1", "b": "2"}, {"a": "1", "b": "2"}) == []
    assert check_repeat({"a": "1", "b": "2"}, {"a": "3"}) == [
        "two builds made different bytes of a",
        "two builds made different bytes of b",
    ]


def test_a_release_is_laid_out_with_hashes_contents_and_notes(tmp_path):
    path = tmp_path / f"{STEM}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("maml_parquet/py.typed", "")
        archive.writestr("maml_parquet/__init__.py", "x = 1\n")
    lay_out(PACKAGE, [path], tmp_path / "out")
    assert (tmp_path / "out/dist" / path.name).read_bytes() == path.read_bytes()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (tmp_path / "out/SHA256SUMS").read_text() == f"{digest}  {path.name}\n"
    contents = (tmp_path / "out/CONTENTS.txt").read_text().splitlines()
    assert contents[0].startswith(f"{path.name}: 2 files, ")
    assert [line.split() for line in contents[1:]] == [
        ["6", "maml_parquet/__init__.py"],
        ["0", "maml_parquet/py.typed"],
    ]
    notes = (tmp_path / "out/NOTES.md").read_text()
    assert notes.startswith(f"# maml-parquet {PACKAGE.version}\n\n")
    assert len(notes.splitlines()) > 3


def test_without_twine_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(release_rehearsal.importlib.util, "find_spec", lambda name: None)
    assert "uv run --only-group release" in check_twine([])[0]


def test_what_twine_says_is_told(tmp_path):
    pytest.importorskip("twine")
    path = tmp_path / f"{STEM}-py3-none-any.whl"
    path.write_bytes(b"no archive")
    assert check_twine([path])[0].startswith("twine check: ")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["maml"], "'maml' is no package of this workspace"),
        (["worldarray-conformance"], "Do Not Upload"),
        (["maml-parquet", "--output", "."], "exists; name a folder that does not"),
    ],
)
def test_arguments_that_cannot_be_are_refused_before_anything_is_built(arguments, word):
    done = run(*arguments)
    assert done.returncode == 2
    assert word in done.stderr
