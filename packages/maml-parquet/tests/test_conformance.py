"""The conformance suite, through the functions that users call."""

from pathlib import Path

import pytest

import worldarray_conformance as conformance
from maml_parquet.errors import MamlError

RUNNER = conformance.Runner(
    Path(__file__).parent, families=("maml",), capabilities=frozenset({"int64", "yaml"}), errors=(MamlError,)
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
