"""Numbers of things, in words."""


def counted(count: int, word: str) -> str:
    """Return how many things there are.

    Examples
    --------
    >>> counted(0, "row"), counted(1, "row"), counted(2, "row")
    ('0 rows', '1 row', '2 rows')
    """
    return f"{count} {word}{'' if count == 1 else 's'}"
