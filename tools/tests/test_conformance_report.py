"""The report of the conformance suite: who runs what, and whether cases vanish."""

import json

import pytest

import worldarray_conformance as conformance
from conformance_report import (
    COUNTS,
    Side,
    capabilities,
    count,
    markdown,
    ops_run,
    problems,
    sides,
    table,
    typescript_ops,
)
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


def test_ops_of_typescript_are_keys_of_its_tables_less_those_that_are_skipped(tmp_path):
    (tmp_path / "units.ts").write_text(
        'export const ops: Ops = {\n  "units.parse": a,\n  "units.same" : b,\n'
        '  "units.convert": ({ value }) => convert(value, "si.metre"),\n};\n'
    )
    (tmp_path / "skipped.ts").write_text('export const skipped = { "units.same": "it has no table" };\n')
    assert typescript_ops(tmp_path) == {"units.parse", "units.convert"}


@pytest.mark.parametrize(
    "text",
    [
        'RUNNER = Runner(\n    families=("maml",),\n    capabilities=frozenset({"yaml", "zarr2"}),\n)\n',
        'export const capabilities = ["yaml", "zarr2"];\n',
        'export const capabilities = [\n  "yaml",\n  "zarr2",\n];\n',
    ],
)
def test_capabilities_are_read_in_either_language(tmp_path, text):
    (tmp_path / "file").write_text(text)
    assert capabilities(tmp_path / "file") == {"yaml", "zarr2"}


def test_a_file_that_is_not_there_or_lists_none_has_no_capabilities(tmp_path):
    (tmp_path / "file").write_text("nothing = 1\n")
    assert capabilities(tmp_path / "file") == capabilities(tmp_path / "other") == frozenset()


def case(op, *, requires=(), status="required"):
    return conformance.Case(op, "a/b", "c", "", {}, None, requires=frozenset(requires), status=status)


def test_a_side_runs_the_required_cases_that_its_capabilities_allow():
    # Of five cases one needs what this side lacks, and one is provisional: three are left.
    few = [case("units.parse")] * 2 + [case("units.parse", requires=["yaml"])]
    cases = {
        "units.parse": [*few, case("units.parse", requires=["parquet"]), case("units.parse", status="provisional")]
    }
    side = Side("core", frozenset({"units.parse"}), frozenset({"yaml"}))
    assert side.runs("units.parse", cases) == 3
    assert side.runs("units.same", cases) == 0


def test_page_has_a_line_per_implementation_and_a_column_for_who_runs_a_family(monkeypatch):
    monkeypatch.setattr(conformance, "ops", lambda: ("units.parse", "units.same", "keys.list"))
    cases = {"units.parse": [case("units.parse")] * 2, "units.same": [case("units.same")], "keys.list": []}
    cases["keys.list"] = [case("keys.list", requires=["yaml"])]
    core = Side("core", frozenset({"units.parse", "units.same"}), frozenset(), failing=1)
    script = Side("TypeScript", frozenset({"units.parse", "keys.list"}), frozenset())
    page = markdown(cases, [core, script])
    assert "The suite has 4 cases of 3 ops in 2 families." in page
    assert "| core | units | 2 | 3 | 1 |\n| TypeScript | units, keys | 2 | 2 | 0 |\n" in page
    assert (
        "## units\n\n| op | cases | core | TypeScript |\n| --- | ---: | ---: | ---: |\n"
        "| `units.parse` | 2 | 2 | 2 |\n| `units.same` | 1 | 1 |  |\n| all | 3 | 3 | 2 |\n"
    ) in page
    assert "## keys\n\n| op | cases | TypeScript |\n| --- | ---: | ---: |\n| `keys.list` | 1 | 0 |\n" in page


def test_packages_run_every_case_of_the_suite_between_them():
    cases = conformance.load()
    found = [side for side in sides(ROOT, cases) if side.name != "TypeScript"]
    for op, number in count(cases).items():
        assert max(side.runs(op, cases) for side in found) == number, op
