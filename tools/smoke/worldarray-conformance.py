"""A first use of an installed worldarray-conformance."""

import worldarray_conformance

print("worldarray-conformance:", worldarray_conformance.__name__, "imports")
