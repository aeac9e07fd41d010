"""Cases that say what every implementation of placed arrays must answer, and the comparison of answers with them."""

from __future__ import annotations

from worldarray_conformance.case_files import (
    Case,
    Expected,
    Skipped,
    Tolerance,
    cases,
    data_root,
    expected_failures,
    load,
    load_file,
    ops,
    select,
)
from worldarray_conformance.comparison import Answer, Failed, check, differences, run
from worldarray_conformance.errors import CaseFileError, Mismatch, NoCasesError
from worldarray_conformance.runner import Outcome, Runner
from worldarray_conformance.strict_json import parse as parse_json
from worldarray_conformance.values import ArrayValue, Text, decode, store_bytes

__all__ = [
    "Answer",
    "ArrayValue",
    "Case",
    "CaseFileError",
    "Expected",
    "Failed",
    "Mismatch",
    "NoCasesError",
    "Outcome",
    "Runner",
    "Skipped",
    "Text",
    "Tolerance",
    "cases",
    "check",
    "data_root",
    "decode",
    "differences",
    "expected_failures",
    "load",
    "load_file",
    "ops",
    "parse_json",
    "run",
    "select",
    "store_bytes",
]
