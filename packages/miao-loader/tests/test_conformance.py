"""The conformance suite, through the functions that users call."""

from pathlib import Path

import pytest

import worldarray_conformance as conformance
from miao.errors import MiaoError

RUNNER = conformance.Runner(
    Path(__file__).parent,
    families=("loader",),
    capabilities=frozenset({"int64", "yaml", "zarr2", "zarr3", "sharding", "n5", "precomputed"}),
    errors=(MiaoError,),
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
