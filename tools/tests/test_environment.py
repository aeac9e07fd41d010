"""What the look at an installed package's environment finds, in environments that are made by hand."""

import subprocess
import venv

import pytest

from workspace import ROOT

SCRIPT = ROOT / "tools/smoke/environment.py"


@pytest.fixture
def environment(tmp_path):
    """Return what puts a distribution into a new environment, and what looks at one there."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = next(path for path in (tmp_path / "venv").glob("*/python*") if path.stem == "python")
    site = next((tmp_path / "venv").rglob("site-packages"))

    def install(name, *needs):
        module = name.replace("-", "_")
        info = site / f"{module}-0.1.0.dist-info"
        info.mkdir()
        (site / module).mkdir()
        (site / module / "__init__.py").write_text("")
        lines = [f"Metadata-Version: 2.4\nName: {name}\nVersion: 0.1.0", *(f"Requires-Dist: {need}" for need in needs)]
        (info / "METADATA").write_text("\n".join(lines) + "\n")
        (info / "RECORD").write_text(f"{module}/__init__.py,,\n{info.name}/METADATA,,\n")

    def look(name):
        command = [str(python), "-I", str(SCRIPT), name, "first", "second-part", "third"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return install, look


def test_siblings_that_are_declared_at_any_distance_are_fine(environment):
    install, look = environment
    install("first", "second-part>=0.1,<0.2; python_version >= '3.8'")
    install("second-part", "third>=0.1,<0.2")
    install("third")
    done = look("first")
    assert done.stderr == ""
    assert done.returncode == 0
    said = done.stdout.splitlines()
    assert said[0] == "first 0.1.0 in an environment of 3 distributions: first, second-part, third"
    assert said[1].startswith("import first: ")
    assert said[1].endswith(" ms")


@pytest.mark.parametrize("need", ["second-part>=0.1,<0.2", "third>=0.1,<0.2; extra == 'more'"])
def test_a_sibling_that_is_not_declared_or_only_by_an_extra_is_named(environment, need):
    install, look = environment
    install("first", need)
    install("second-part")
    install("third")
    done = look("first")
    assert done.returncode == 1
    assert "third is installed, and first does not declare it" in done.stderr
