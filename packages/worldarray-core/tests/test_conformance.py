"""The conformance suite, through the functions that users call."""

import importlib.util
import sys
from pathlib import Path

import pytest

import worldarray_conformance as conformance
from worldarray.errors import CODES, WorldArrayError

HERE = Path(__file__).parent
FAMILIES = ("placement", "units", "levels", "geometry", "grid", "keys", "resample", "read")
CAPABILITIES = frozenset({"zarr2", "zarr3", "n5", "precomputed", "sharding", "int64"})
EVERY_OP_IS_RUN = True
"""Whether an op of these families that no table runs, or that has no case, fails."""


def tables():
    """Every op that a module of conformance_ops answers."""
    found = {}
    for path in sorted((HERE / "conformance_ops").glob("[!_]*.py")):
        name = f"worldarray_conformance_ops_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        repeated = found.keys() & module.OPS.keys()
        assert not repeated, f"{path.name} answers {sorted(repeated)} a second time"
        found.update(module.OPS)
    return found


OPS = tables()
CASES = conformance.load()
FAILING = conformance.expected_failures(HERE / "xfail.json", CASES)


def parameters():
    for op in OPS:
        run, skipped = conformance.select(CASES.get(op, []), CAPABILITIES)
        yield from (pytest.param(case, id=case.key) for case in run)
        yield from (pytest.param(case, id=case.key, marks=pytest.mark.skip(why)) for case, why in skipped)


@pytest.mark.parametrize("case", list(parameters()))
def test_case(case):
    found = conformance.run(case, OPS[case.op], (WorldArrayError,))
    if case.key in FAILING:
        assert found, f"{case.key} passes now; take it out of xfail.json"
        pytest.xfail(FAILING[case.key])
    if found and case.status == "provisional":
        pytest.xfail("provisional: " + "; ".join(found))
    assert not found, "\n".join([f"{case.op}: {case.description}", *found])


def test_every_op_is_in_the_closed_table():
    assert OPS.keys() <= set(conformance.ops())


@pytest.mark.parametrize("op", [op for op in conformance.ops() if op.split(".")[0] in FAMILIES])
def test_every_op_is_run_and_has_cases(op):
    if not EVERY_OP_IS_RUN and (op not in OPS or op not in CASES):
        pytest.skip(f"{op} is not run yet")
    assert op in OPS, f"no module of conformance_ops answers {op}"
    assert CASES.get(op), f"no file has a case of {op}"


def test_error_codes_are_those_of_the_suite():
    schema = conformance.data_root() / "schema" / "values.schema.json"
    listed = conformance.parse_json(schema.read_text(), schema.name)["$defs"]["code"]["enum"]
    assert set(listed) >= CODES
