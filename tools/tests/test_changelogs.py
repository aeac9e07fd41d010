"""What a CHANGELOG.md has to look like."""

import pytest

from changelogs import check_changelog, entry
from workspace import ROOT, read_workspace

PACKAGES = read_workspace()
OLD = "## 0.1.0 (2026-01-31)\n\n- First version.\n"


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_every_package_keeps_the_rules(package):
    text = (ROOT / package.folder / "CHANGELOG.md").read_text(encoding="utf-8")
    assert check_changelog(text, package.version) == []


@pytest.mark.parametrize(
    ("version", "top"),
    [
        ("0.1.0", ""),
        ("0.2.0", "## 0.2.0 (unreleased)\n\n- More.\n\n"),
        ("0.2.0", "## 0.2.0 (2026-01-31)\n\n- More, on the same day.\n\n"),
        ("0.2.0", "## 0.2.0 (2026-03-01)\n\n- More.\n\n## 0.2.0rc1 (2026-02-28)\n\n- A stage.\n\n"),
        ("0.10.0", "## 0.10.0 (2026-03-02)\n\n- More.\n\n## 0.9.0 (2026-03-01)\n\n- More.\n\n"),
    ],
)
def test_dated_entries_with_the_newest_first_and_one_unreleased_are_fine(version, top):
    assert check_changelog(f"# Changelog\n\n{top}{OLD}", version) == []


@pytest.mark.parametrize(
    ("version", "top", "word"),
    [
        ("0.2.0", "", "the first entry of CHANGELOG.md is of 0.1.0, and the version is 0.2.0"),
        ("0.2.0", "## 0.2.0\n\n- More.\n\n", "ends in ''"),
        ("0.2.0", "## 0.2.0 (2026-02-30)\n\n- No such day.\n\n", "ends in ' (2026-02-30)'"),
        ("0.2.0", "## 0.2.0 (unreleased)\n\n", "is empty"),
        ("0.2.0", "## 0.2.0 (2026-01-30)\n\n- Older than what is below.\n\n", "2026-01-30 stands above"),
        ("0.0.9", "## 0.0.9 (2026-02-28)\n\n- More.\n\n", "0.0.9 stands above 0.1.0"),
        ("0.1.0", "## 0.1.0 (2026-02-28)\n\n- Twice.\n\n", "0.1.0 stands above 0.1.0"),
        ("0.3.0", "## 0.3.0 (unreleased)\n\n- A.\n\n## 0.2.0 (unreleased)\n\n- B.\n\n", "ends in ' (unreleased)'"),
        ("0.2", "## 0.2 (2026-02-28)\n\n- More.\n\n", "'0.2' in CHANGELOG.md is no version"),
    ],
)
def test_anything_else_is_named(version, top, word):
    assert word in check_changelog(f"# Changelog\n\n{top}{OLD}", version)[0]


def test_a_file_without_entries_is_named():
    assert "no heading '## 0.1.0 (unreleased)'" in check_changelog("# Changelog\n", "0.1.0")[0]


def test_an_entry_ends_where_the_next_begins():
    text = f"# Changelog\n\n## 0.2.0 (unreleased)\n\n- One.\n- Two.\n\n{OLD}"
    assert entry(text, "0.2.0") == (" (unreleased)", "- One.\n- Two.")
    assert entry(text, "0.1.0") == (" (2026-01-31)", "- First version.")
    assert entry(text, "0.3.0") is None
