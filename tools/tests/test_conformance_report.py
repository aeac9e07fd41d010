"""The report of the conformance suite: who runs what, and whether cases vanish."""

import json

import worldarray_conformance as conformance
from conformance_report import COUNTS, count, ops_run, problems, table
from workspace import ROOT, read_workspace


def test_an_op_that_is_run_with_as_many_cases_as_before_is_fine():
    assert problems({"a.b": 3}, {"a.b": 3}, {"core": frozenset({"a.b"})}) == []


def test_an_op_without_cases_need_not_be_run():
    assert problems({"a.b": 0}, {}, {"core": frozenset()}) == []


def test_an_op_that_no_package_runs_is_named():
    assert problems({"a.b": 1}, {}, {"core": frozenset({"a.c"})}) == ["a.b: no package runs its 1 cases"]


def test_fewer_cases_are_named():
    found = problems({"a.b": 1}, {"a.b": 2, "a.c": 1}, {"core": frozenset({"a.b"})})
    assert found == ["a.b: 1 cases, and there were 2", "a.c: it has left the table, and had 1 cases"]


def test_ops_are_found_in_the_tables(tmp_path):
    folder = tmp_path / "tests" / "conformance_ops"
    folder.mkdir(parents=True)
    (folder / "units.py").write_text('OPS = {"units.parse": parse, "units.same": same}\n')
    (folder / "__init__.py").write_text('"nothing.here"\n')
    assert ops_run(tmp_path) == {"units.parse", "units.same"}


def test_report_has_a_line_per_op():
    assert table({"a.b": 3}, {"core": frozenset({"a.b"}), "write": frozenset()}) == "a.b     3  core\nall     3"


def test_every_op_is_run_and_no_case_has_vanished():
    run = {name: ops_run(ROOT / package.folder) for name, package in read_workspace().items()}
    before = json.loads((ROOT / COUNTS).read_text(encoding="utf-8"))
    assert problems(count(conformance.load()), before, run) == []
