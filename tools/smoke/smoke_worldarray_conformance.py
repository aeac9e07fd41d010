"""A first use of an installed worldarray-conformance: the cases travel with it."""

from worldarray_conformance import load


def main() -> None:
    """Count the cases of every op that has some."""
    counts = {op: len(found) for op, found in load().items()}
    assert counts
    print("worldarray-conformance:", sum(counts.values()), "cases of", len(counts), "ops")


if __name__ == "__main__":
    main()
