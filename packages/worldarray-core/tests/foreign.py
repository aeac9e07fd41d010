"""The stores that other people's writers wrote, with what each writer was told: the manifest, as test parameters."""

import json
import math
import os
from pathlib import Path

import pytest

DEFAULT = Path(__file__).resolve().parents[4] / "shared" / "data" / "stores"
STORES = Path(os.environ.get("WORLDARRAY_FOREIGN_STORES", DEFAULT))
MANIFEST = STORES / "manifest.json"
LISTED = json.loads(MANIFEST.read_text(encoding="utf-8"))["stores"] if MANIFEST.exists() else []
ABSENT = f"no stores at {STORES}; WORLDARRAY_FOREIGN_STORES names another folder"


def levels(kind=None):
    """Every level as (store, level), of one kind of store or of all; one skipped parameter where there is no folder."""
    found = [
        pytest.param(store, level, id=f"{store['id']}-{level['name'].replace('/', '-')}".rstrip("-"))
        for store in LISTED
        for level in store["levels"]
        if kind is None or store["kind"] == kind
    ]
    return found or [pytest.param(None, None, marks=pytest.mark.skip(ABSENT))]


def stores(kind=None):
    """Every store, of one kind or of all; one skipped parameter where there is no folder."""
    found = [pytest.param(store, id=store["id"]) for store in LISTED if kind is None or store["kind"] == kind]
    return found or [pytest.param(None, marks=pytest.mark.skip(ABSENT))]


def close(found, wanted, sizes):
    """Within 1e-6 voxels: writers derive some of what they store from differences of coordinates."""
    pairs = zip(found, wanted, sizes, strict=True)
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6 * s) for a, b, s in pairs)
