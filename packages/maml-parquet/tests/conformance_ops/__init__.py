"""One module per family of the conformance suite: `OPS` maps an op's name to the function that answers it.

A function takes the decoded input and returns the answer, or `Answer(value, notices)`, or raises this package's error.
"""

from worldarray_conformance import Answer

__all__ = ["Answer"]
