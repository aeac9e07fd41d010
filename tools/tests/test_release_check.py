"""A release tag is refused unless tag, version, changelog and sibling ranges agree."""

import pytest

from changelogs import version_key
from release_check import bounds, check
from workspace import read_workspace

TAGS = ["core-v0.1.0", "unrelated"]


def write(root, folder, *, version="0.1.0", needs=(), classifiers=(), changelog=None, extras=()):
    name = folder.rpartition("/")[2]
    (root / folder).mkdir(parents=True, exist_ok=True)
    (root / folder / "pyproject.toml").write_text(
        f'[project]\nname = "{name}"\nversion = "{version}"\nrequires-python = ">=3.10"\n'
        f"dependencies = {list(needs)}\nclassifiers = {list(classifiers)}\n"
        + (f"[project.optional-dependencies]\nmore = {list(extras)}\n" if extras else "")
    )
    text = f"# Changelog\n\n## {version} (2026-01-31)\n\n- Something.\n" if changelog is None else changelog
    (root / folder / "CHANGELOG.md").write_text(text)


@pytest.fixture
def root(tmp_path):
    members = ["packages/core", "packages/write", "packages/cases"]
    (tmp_path / "pyproject.toml").write_text(f"[tool.uv.workspace]\nmembers = {members}\n")
    write(tmp_path, "packages/core")
    write(tmp_path, "packages/write", version="0.3.1", needs=["numpy>=1.24", "core>=0.1,<0.2"])
    write(tmp_path, "packages/cases", classifiers=["Private :: Do Not Upload"])
    return tmp_path


def problems(root, tag, tags=TAGS):
    return check(root, tag, read_workspace(root), tags)


def test_a_tag_that_agrees_with_everything_passes(root):
    assert problems(root, "core-v0.1.0") == []
    assert problems(root, "write-v0.3.1") == []


@pytest.mark.parametrize(
    "tag", ["core-0.1.0", "v0.1.0", "core-v", "core-v0.1", "core-v0.1.0.post1", "core-v0.1.0;x", ""]
)
def test_a_tag_of_another_form_is_refused(root, tag):
    assert "form" in problems(root, tag)[0]


def test_a_tag_of_no_package_is_refused(root):
    assert "no package" in problems(root, "worldcore-v0.1.0")[0]


def test_a_private_package_is_refused(root):
    assert "Do Not Upload" in problems(root, "cases-v0.1.0")[0]


def test_a_tag_of_another_version_is_refused(root):
    found = problems(root, "core-v0.1.1")
    assert "the tag says 0.1.1" in found[0]
    assert "## 0.1.1 (YYYY-MM-DD)" in found[1]


@pytest.mark.parametrize(
    ("changelog", "word"),
    [
        ("# Changelog\n\n## 0.1.0 (unreleased)\n\n- Something.\n", "unreleased"),
        ("# Changelog\n\n## 0.1.0\n\n- Something.\n", "YYYY-MM-DD"),
        ("# Changelog\n\n## 0.1.01 (2026-01-31)\n\n- Something.\n", "no heading"),
        ("# Changelog\n\n## 0.1.0 (2026-01-31)\n\n## 0.0.9 (2026-01-30)\n\n- Something.\n", "empty"),
        ("# Changelog\n\n## 0.1.0 (2026-02-30)\n\n- No such day.\n", "ends in"),
        ("# Changelog\n\n## 0.0.9 (2026-01-30)\n\n- Something.\n", "no heading"),
        ("# Changelog\n\n## 0.2.0 (unreleased)\n\n- A.\n\n## 0.1.0 (2026-01-31)\n\n- B.\n", "first entry"),
    ],
)
def test_a_changelog_without_a_dated_entry_of_the_version_is_refused(root, changelog, word):
    write(root, "packages/core", changelog=changelog)
    assert word in " ".join(problems(root, "core-v0.1.0"))


def test_a_package_without_changelog_is_refused(root):
    (root / "packages/core/CHANGELOG.md").unlink()
    assert problems(root, "core-v0.1.0") == ["packages/core/CHANGELOG.md is missing"]


@pytest.mark.parametrize(
    ("need", "word"),
    [
        ("core", "published range"),
        ("core>=0.1", "published range"),
        ("core==0.1.0", "published range"),
        ("core>=0.2,<0.3", "workspace holds 0.1.0"),
        ("core>=0.0,<0.1", "workspace holds 0.1.0"),
        ("core @ file:///somewhere", "from an address"),
        ("cases>=0.1,<0.2", "never uploaded"),
    ],
)
def test_a_sibling_is_taken_in_a_published_range_that_holds_what_was_tested(root, need, word):
    write(root, "packages/write", version="0.3.1", needs=[need])
    assert word in problems(root, "write-v0.3.1")[0]


def test_a_sibling_of_an_extra_is_taken_in_such_a_range_too(root):
    write(root, "packages/write", version="0.3.1", extras=["rich>=13", "core>=0.1,<0.2"])
    assert problems(root, "write-v0.3.1") == []
    write(root, "packages/write", version="0.3.1", extras=["rich>=13", "core"])
    assert "published range" in problems(root, "write-v0.3.1")[0]


def test_a_sibling_is_released_before_what_needs_it(root):
    found = problems(root, "write-v0.3.1", tags=["core-v0.2.0", "write-v0.3.1"])
    assert found == [
        "packages/write/pyproject.toml takes core>=0.1,<0.2, but no tag core-v… lies in that range; release core first"
    ]


def test_versions_sort_by_number_and_a_stage_comes_before_its_release():
    order = ["0.9.0", "0.10.0a1", "0.10.0a10", "0.10.0b2", "0.10.0rc1", "0.10.0", "0.10.1"]
    mixed = ["0.10.0", "0.10.0a10", "0.10.1", "0.9.0", "0.10.0rc1", "0.10.0b2", "0.10.0a1"]
    assert sorted(mixed, key=version_key) == order


def test_a_stage_of_the_upper_end_lies_outside_a_range():
    lower, upper = bounds(">=0.1,<0.2")
    assert lower <= version_key("0.1.0") < upper
    assert not version_key("0.2.0a1") < upper
    assert not lower <= version_key("0.1.0rc1")


@pytest.mark.parametrize("spec", ["", ">=0.1", "<0.2", "==0.1", ">=0.1,<0.2,!=0.1.3", "<0.1,<0.2", "~=0.1"])
def test_any_other_specifier_is_no_range(spec):
    assert bounds(spec) is None
