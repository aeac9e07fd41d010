"""What the tests of the examples share."""

import pytest


@pytest.fixture(autouse=True)
def quiet_tracker(monkeypatch):
    """Python's tracker of semaphores, a process of its own, may speak of one that workers took away before it did."""
    monkeypatch.setenv("PYTHONWARNINGS", "ignore:resource_tracker")
