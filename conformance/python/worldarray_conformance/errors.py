"""What is wrong with a case file, with an answer, or with a question about the suite."""

from __future__ import annotations


class CaseFileError(ValueError):
    """A case file says something that the format does not allow; the message names file, place and rule."""


class NoCasesError(LookupError):
    """An op is in no table, or has no case."""


class Mismatch(AssertionError):  # noqa: N818 - what a failing test shows
    """An answer differs from its case; one difference a line."""
