"""The runner for Node: its own tests, and its command line."""

import shutil
import subprocess
from pathlib import Path

import pytest

import worldarray_conformance as conformance

TYPESCRIPT = Path(__file__).parents[2] / "typescript"
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
    pytest.mark.skipif(not TYPESCRIPT.is_dir(), reason="the runner for Node lies in the checkout only"),
]


def node(*arguments):
    return subprocess.run([NODE, *arguments], cwd=TYPESCRIPT, capture_output=True, text=True, check=False, timeout=120)


def test_selftest_passes_under_node():
    done = node("--test", "selftest.test.mjs")
    assert done.returncode == 0, done.stdout[-4000:]


def test_command_line_reports_ops_that_an_implementation_lacks():
    done = node("runner.mjs", "--impl", "selftest-impl.mjs", "--only", "units.parse")
    assert done.returncode == 1
    count = len(conformance.cases("units.parse"))
    assert f"skipped {count} cases: the implementation has no such op: units.parse\n" in done.stdout
    assert f"0 passed, 0 failed, {count} skipped" in done.stdout


def test_command_line_takes_a_family():
    done = node("runner.mjs", "--impl", "selftest-impl.mjs", "--only", "units")
    assert done.returncode == 1
    ops = [op for op in conformance.ops() if op.startswith("units.")]
    count = sum(len(conformance.cases(op)) for op in ops)
    assert done.stdout.count("skipped ") == 1
    assert f"0 passed, 0 failed, {count} skipped" in done.stdout


def test_command_line_fails_on_a_wrong_answer(tmp_path):
    implementation = tmp_path / "impl.mjs"
    implementation.write_text('export const ops = { "units.parse": () => "nothing" };\n')
    done = node("runner.mjs", "--impl", str(implementation), "--only", "units.parse")
    assert done.returncode == 1
    assert "FAILED units/parse/" in done.stdout


def test_command_line_says_how_it_is_called():
    assert node("runner.mjs").returncode == 2
    assert node("runner.mjs", "--impl", "selftest-impl.mjs", "--only", "units.nothing").returncode == 2
