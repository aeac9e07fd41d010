"""Real tables: files inside astropy."""

from pathlib import Path

import pytest

astropy = pytest.importorskip("astropy")
DATA = Path(astropy.__file__).parent / "io"


def data(name):
    """Return the path of a file inside astropy, which older ones may not have."""
    if not (DATA / name).exists():
        pytest.skip(f"astropy {astropy.__version__} has no {name}")
    return DATA / name
