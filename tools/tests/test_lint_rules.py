"""The architecture rules that ruff enforces: each refuses what it names and passes what stands beside it."""

import subprocess
import sys

import pytest

from workspace import ROOT

CORE = "packages/worldarray-core/src/worldarray"
IN_FUNCTION = "def f() -> None:\n    import {0}\n\n    {0}.f()\n"
AT_TOP = "import {0}\n\n{0}.f()\n"


def lint(name, code):
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--output-format=concise",
        "--select=TID,S301",
        f"--stdin-filename={name}",
        "-",
    ]
    return subprocess.run(command, cwd=ROOT, input=code, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("name", "code", "rule"),
    [
        (f"{CORE}/array.py", "from .axes import Axis\n\nAxis()\n", "TID252"),
        (f"{CORE}/array.py", AT_TOP.format("tensorstore"), "TID251"),
        (f"{CORE}/array.py", IN_FUNCTION.format("tensorstore"), "TID251"),
        (f"{CORE}/io/arrays.py", AT_TOP.format("tensorstore"), "TID253"),
        ("packages/miao-loader/src/miao/dataset.py", AT_TOP.format("torch"), "TID253"),
        (f"{CORE}/array.py", IN_FUNCTION.format("pickle"), "TID251"),
        (f"{CORE}/io/arrays.py", "import pickle\n\npickle.loads(b'')\n", "S301"),
    ],
)
def test_what_architecture_bans_is_refused(name, code, rule):
    assert rule in lint(name, code)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (f"{CORE}/array.py", "from worldarray.axes import Axis\n\nAxis()\n"),
        (f"{CORE}/io/arrays.py", IN_FUNCTION.format("tensorstore")),
        ("packages/miao-loader/src/miao/dataset.py", IN_FUNCTION.format("torch")),
        ("packages/worldarray-core/tests/test_pickle.py", AT_TOP.format("pickle")),
        ("packages/worldarray-core/tests/test_data.py", AT_TOP.format("tensorstore")),
    ],
)
def test_what_stands_beside_it_passes(name, code):
    assert lint(name, code).strip() == "All checks passed!"
