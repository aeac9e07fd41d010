"""The self-test: every difference is seen, nothing right is refused, every malformed file is."""

import dataclasses

import pytest

import worldarray_conformance as conformance

SELFTEST = conformance.data_root() / "selftest"


class SelftestError(Exception):
    def __init__(self, code, at, message):
        super().__init__(message)
        self.code, self.at = code, at


def identity(given):
    if "error" in given:
        raise SelftestError(**given["error"])
    return conformance.Answer(given.get("answer"), given.get("warnings", ()))


def file(name):
    found = conformance.load_file(SELFTEST / f"{name}.json", SELFTEST)
    return [pytest.param(case, id=case.id) for case in found]


@pytest.mark.parametrize("case", file("pass"))
def test_right_answer_passes(case):
    assert conformance.run(case, identity, (SelftestError,)) == []


@pytest.mark.parametrize("case", file("fail"))
def test_wrong_answer_fails(case):
    assert conformance.run(case, identity, (SelftestError,))


@pytest.mark.parametrize("case", file("fail")[:1])
def test_check_raises_naming_the_case(case):
    with pytest.raises(conformance.Mismatch, match="fail/wrong-number"):
        conformance.check(case, case.input["answer"])


def test_array_of_integers_has_no_sign_of_zero():
    case = file("pass")[0].values[0]
    for dtype, same in (("int32", True), ("float32", False)):
        zeros = conformance.ArrayValue(dtype, (2,), (0, 3))
        found = conformance.ArrayValue(dtype, (2,), (-0.0, 3))
        assert (conformance.differences(dataclasses.replace(case, expect=zeros), found) == []) is same


def test_retired_cases_are_not_loaded():
    assert "retired" not in {param.values[0].id for param in file("pass")}


@pytest.mark.parametrize("path", sorted((SELFTEST / "refused").glob("*.json")), ids=lambda path: path.stem)
def test_malformed_file_is_refused(path):
    with pytest.raises(conformance.CaseFileError, match=path.stem):
        conformance.load_file(path, path.parent)


def test_skipped_cases_say_why():
    cases = [param.values[0] for param in file("pass")]
    run, skipped = conformance.select(cases, frozenset())
    assert [(case.id, reason) for case, reason in skipped] == [("skipped", "needs parquet")]
    assert len(run) == len(cases) - 1
    assert conformance.select(cases, frozenset({"parquet"}))[1] == []
