"""The conformance suite, through the functions that users call."""

from pathlib import Path

import pytest

import worldarray_conformance as conformance
from worldarray.errors import CODES, WorldArrayError

RUNNER = conformance.Runner(
    Path(__file__).parent,
    families=("placement", "units", "levels", "geometry", "grid", "keys", "resample", "read"),
    capabilities=frozenset({"zarr2", "zarr3", "n5", "precomputed", "sharding", "int64"}),
    errors=(WorldArrayError,),
)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.key, marks=[pytest.mark.skip(why)] if why else []) for case, why in RUNNER.cases()],
)
def test_case(case):
    outcome = RUNNER.outcome(case)
    if outcome.kind == "expected_failure":
        pytest.xfail(outcome.text)
    assert outcome.kind == "passed", outcome.text


def test_every_op_is_in_the_closed_table_is_run_and_has_cases():
    assert RUNNER.missing() == []


def test_error_codes_are_those_of_the_suite():
    schema = conformance.data_root() / "schema" / "values.schema.json"
    listed = conformance.parse_json(schema.read_text(), schema.name)["$defs"]["code"]["enum"]
    assert set(listed) >= CODES
