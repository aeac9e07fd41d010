"""What holds for this workspace as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pins import merge, render
from workspace import ROOT, dependants, parse_requirement, read_toml, read_workspace

PACKAGES = read_workspace()


def test_every_folder_of_packages_is_a_member():
    folders = {str(path.parent.relative_to(ROOT).as_posix()) for path in ROOT.glob("packages/*/pyproject.toml")}
    assert folders == {package.folder for package in PACKAGES.values()} - {"conformance"}


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_every_package_holds_a_readme_a_changelog_and_the_licence(package):
    folder = ROOT / package.folder
    assert folder.joinpath("README.md").is_file()
    assert folder.joinpath("CHANGELOG.md").is_file()
    assert folder.joinpath("LICENSE").read_text() == ROOT.joinpath("LICENSE").read_text()


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_the_dev_group_holds_what_the_tests_of_every_package_need(package):
    root = read_toml(ROOT / "pyproject.toml")
    declared = root["dependency-groups"]["dev"] + root["project"]["dependencies"]
    assert set(package.test_dependencies) <= {parse_requirement(text) for text in declared}


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_a_package_that_holds_no_code_cannot_be_uploaded_and_needs_nothing(package):
    if package.has_code:
        assert package.version != "0.0.0"
    else:
        assert package.private
        assert package.dependencies == ()


def test_the_conformance_suite_affects_worldarray_core():
    assert "worldarray-core" in dependants(PACKAGES, ["worldarray-conformance"])


def test_torch_is_pinned_before_anything_needs_it():
    pins = read_toml(ROOT / "pyproject.toml")["tool"]["uv"]["constraint-dependencies"]
    assert "torch==2.13.0" in pins
    assert all(re.fullmatch(r"[a-z0-9-]+==[^ +]+( ; .+)?", pin) for pin in pins)


def test_renewed_pins_replace_those_of_their_distribution_and_keep_the_others():
    old = ["numpy==2.2.6", "torch==2.13.0"]
    new = ["numpy==2.4.0 ; python_full_version >= '3.11'", "numpy==2.2.6 ; python_full_version < '3.11'"]
    assert merge(new, old) == [*sorted(new), "torch==2.13.0"]
    assert render(merge([], ["a==1"])) == 'constraint-dependencies = [\n    "a==1",\n]\n'


def test_the_list_of_packages_is_printed_one_a_line():
    command = [sys.executable, str(Path(ROOT, "tools/workspace.py")), "--code"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert names == [package.name for package in PACKAGES.values() if package.has_code]
