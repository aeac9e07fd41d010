"""A wheel and an sdist of a small package, made by hand: right as they are, and named for each thing that is not."""

import base64
import hashlib
import io
import tarfile
import zipfile

import pytest

from distributions import check_metadata, check_sdist, check_wheel, metadata, read_sdist, read_wheel, source_files
from workspace import read_package

PROJECT = """
[project]
name = "maml-tables"
version = "0.1.0"
description = "Tables."
license = "MIT"
requires-python = ">=3.10"
dependencies = ["worldarray-core>=0.1,<0.2", "numpy>=1.26; python_version < '3.12'"]

[project.optional-dependencies]
view = ["rich>=13"]

[project.scripts]
tables = "tables.cli.main:run"
"""
METADATA = """\
Metadata-Version: 2.4
Name: maml-tables
Version: 0.1.0
Summary: Tables.
License-Expression: MIT
Requires-Python: >=3.10
Requires-Dist: numpy>=1.26; python_version < '3.12'
Requires-Dist: worldarray-core<0.2,>=0.1
Provides-Extra: view
Requires-Dist: rich>=13; extra == 'view'

# Tables

See [the rules](https://example.org/rules) and [below](#below).
"""
SOURCES = {
    "tables/__init__.py": "",
    "tables/py.typed": "",
    "tables/cli/main.py": "def run(): pass\n",
    "tables/data/a.json": "{}",
}
INFO = "maml_tables-0.1.0.dist-info"


@pytest.fixture
def folder(tmp_path):
    given = {f"packages/t/src/{name}": text for name, text in SOURCES.items()}
    given |= {f"packages/t/{name}": name for name in ("CHANGELOG.md", "LICENSE", "README.md")}
    given |= {"packages/t/pyproject.toml": PROJECT, "packages/t/src/tables/__pycache__/a.pyc": "byte code"}
    for name, text in given.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "packages/t"


@pytest.fixture
def package(folder):
    return read_package(folder.parents[1], "packages/t")


def record(files):
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*rows, f"{INFO}/RECORD,,"]).encode()


def wheel(changes=None, *, dropped=()):
    """Return the files of a wheel that is right but for `changes`; its RECORD agrees with them."""
    files = {name: text.encode() for name, text in SOURCES.items()}
    files |= {
        f"{INFO}/METADATA": METADATA.encode(),
        f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{INFO}/entry_points.txt": b"[console_scripts]\ntables = tables.cli.main:run\n",
        f"{INFO}/licenses/LICENSE": b"LICENSE",
    }
    files = {name: data for name, data in {**files, **(changes or {})}.items() if name not in dropped}
    return {**files, f"{INFO}/RECORD": record(files)}


def sdist(changes=None, *, dropped=()):
    files = {f"src/{name}": text.encode() for name, text in SOURCES.items()}
    files |= {name: name.encode() for name in ("CHANGELOG.md", "LICENSE", "README.md")}
    files |= {"pyproject.toml": PROJECT.encode(), "PKG-INFO": METADATA.encode(), ".gitignore": b"dist/\n"}
    return {name: data for name, data in {**files, **(changes or {})}.items() if name not in dropped}


COMMITTED = frozenset(sdist()) - {"PKG-INFO", ".gitignore"}


def test_a_right_wheel_and_a_right_sdist_pass(package, folder):
    assert check_wheel(wheel(), package, folder) == []
    assert check_sdist(sdist(), folder, COMMITTED) == []
    assert check_metadata(metadata(wheel()), package, folder) == []


def test_byte_code_is_no_source(folder):
    assert source_files(folder).keys() == SOURCES.keys()


@pytest.mark.parametrize(
    ("files", "word"),
    [
        (wheel(dropped=["tables/py.typed"]), "lacks tables/py.typed"),
        (wheel(dropped=["tables/data/a.json"]), "lacks tables/data/a.json"),
        (wheel({"tests/test_a.py": b""}), "holds tests/test_a.py, which is not under src"),
        (wheel({"tables/data/a.json": b"[]"}), "holds another tables/data/a.json than src"),
        (wheel({f"{INFO}/licenses/LICENSE": b"other"}), "is not the LICENSE"),
        (wheel(dropped=[f"{INFO}/licenses/LICENSE"]), "is not the LICENSE"),
        (wheel({f"{INFO}/WHEEL": b"Tag: cp311-cp311-linux_x86_64\n"}), "tags are cp311-cp311-linux_x86_64"),
        (wheel(dropped=[f"{INFO}/WHEEL"]), f"lacks {INFO}/WHEEL"),
        (wheel(dropped=[f"{INFO}/entry_points.txt"]), "commands are {}"),
        (
            wheel({f"{INFO}/entry_points.txt": b"[console_scripts]\ntables = tables.main:run\n"}),
            "the command tables is tables.main:run, and the wheel has no such module",
        ),
        (
            {**wheel(), f"{INFO}/RECORD": wheel({"tables/__init__.py": b" "})[f"{INFO}/RECORD"]},
            "another hash of tables",
        ),
        ({**wheel(), f"{INFO}/RECORD": record({})}, "RECORD and the files of the wheel differ: tables"),
    ],
)
def test_what_is_wrong_with_a_wheel_is_named(package, folder, files, word):
    assert word in "\n".join(check_wheel(files, package, folder))


@pytest.mark.parametrize(
    ("files", "word"),
    [
        (sdist(dropped=["CHANGELOG.md"]), "CHANGELOG.md is missing"),
        (sdist({"LICENSE": b"other"}), "LICENSE is missing, or not that of the package"),
        (sdist(dropped=["src/tables/cli/main.py"]), "lacks src/tables/cli/main.py"),
        (sdist({"benchmarks/results/a.json": b"{}"}), "benchmarks/results/a.json, which is not in the repository"),
    ],
)
def test_what_is_wrong_with_an_sdist_is_named(folder, files, word):
    assert word in "\n".join(check_sdist(files, folder, COMMITTED))


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("Version: 0.1.0", "Version: 0.1.1", "Version is '0.1.1', pyproject.toml says '0.1.0'"),
        ("Requires-Python: >=3.10", "Requires-Python: >=3.11", "Requires-Python is '>=3.11'"),
        ("worldarray-core<0.2,>=0.1", "worldarray-core>=0.1", "requires worldarray-core >=0.1, pyproject.toml"),
        ("Requires-Dist: rich>=13; extra == 'view'\n", "", "pyproject.toml rich >=13"),
        ("worldarray-core<0.2,>=0.1", "worldarray-core @ file:///somewhere", "from an address"),
        ("Requires-Python", "Classifier: Private :: Do Not Upload\nRequires-Python", "Private"),
        (
            "https://example.org/rules",
            "docs/rules.md",
            "README.md links to docs/rules.md, which an index cannot follow",
        ),
        (METADATA.partition("\n\n")[2], "", "no description"),
    ],
)
def test_metadata_that_disagrees_with_pyproject_is_named(package, folder, old, new, word):
    assert METADATA.count(old) == 1
    found = metadata({f"{INFO}/METADATA": METADATA.replace(old, new).encode()})
    assert word in "\n".join(check_metadata(found, package, folder))


def test_archives_are_read_whole(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("tables/__init__.py", "x = 1\n")
    assert read_wheel(tmp_path / "a.whl") == {"tables/__init__.py": b"x = 1\n"}
    assert read_sdist(tar(tmp_path, "a-0.1.0/src/a.py", b"x = 1\n")) == {"src/a.py": b"x = 1\n"}


def tar(folder, name, data=b"", kind=tarfile.REGTYPE):
    path = folder / "a-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size, member.type, member.linkname = len(data), kind, "elsewhere"
        archive.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a-0.1.0/src/a.py", tarfile.SYMTYPE),
        ("other/src/a.py", tarfile.REGTYPE),
        ("a-0.1.0/../a.py", tarfile.REGTYPE),
    ],
)
def test_links_and_files_outside_the_folder_of_an_sdist_are_refused(tmp_path, name, kind):
    with pytest.raises(ValueError, match=r"which is no plain file in a-0\.1\.0/"):
        read_sdist(tar(tmp_path, name, kind=kind))
