"""Random JSON at random places of the documents of stores on disk: what comes out is an answer or our own error."""

import json
import warnings
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import mutated, write_all

import worldarray as wa
from worldarray import info
from worldarray.errors import WorldArrayError

ALLOWED = (ValueError, FileNotFoundError, PermissionError)
"""What bad input gets, as far as it is read from documents or chunks."""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    return folder, write_all(folder)


def attempt(run):
    """Return what `run` returns, None where it raises an error of the package that is one of those allowed."""
    try:
        return run()
    except WorldArrayError as error:
        assert isinstance(error, ALLOWED), repr(error)  # noqa: PT017
        assert str(error)  # noqa: PT017
        return None


def read(vol):
    """Read a first and a last voxel, a small world box, and a voxel through the resampler."""
    if vol is None:
        return
    ndim = vol.ndim
    attempt(lambda: vol.read_index((0,) * ndim, (1,) * ndim))
    attempt(lambda: vol.read_index([n - 1 for n in vol.shape], vol.shape))
    end = [c + 1.5 * s for c, s in zip(vol.corner, vol.voxel_size, strict=True)]
    attempt(lambda: vol.read((vol.corner, end), mask=True, padding="edge"))
    size = [1.5 * s for s in vol.voxel_size]
    attempt(lambda: vol.read((vol.corner, end), voxel_size=size, method="linear"))
    attempt(lambda: (repr(vol), vol.box, vol.target, vol.blocks(), vol.levels, vol.list_chunks()))


def use(folder, rng):
    """Open, describe and read a store in one of the ways people do."""
    paths = [folder, folder / "s0", folder / "s1"]
    path = rng.choice(paths)
    way = rng.randrange(6)
    units = rng.choice(["nanometer", None, {"space": "um", "time": "s"}])
    if way == 0:
        read(attempt(lambda: wa.open(folder, level=0, units=units)))
    elif way == 1:
        read(attempt(lambda: wa.open(path, metadata_conflicts="warn", strict_units=False)))
    elif way == 2:
        pyramid = attempt(lambda: wa.open_pyramid(path, units=units))
        if pyramid is not None:
            attempt(pyramid.placements)
            attempt(pyramid.metas)
            attempt(pyramid.check)
            read(attempt(lambda: pyramid.by_name(pyramid.names[-1])))
    elif way == 3:
        closed = attempt(lambda: wa.metadata(folder / "s0", open=False, units=units))
        opened = attempt(lambda: wa.metadata(folder / "s0", open=True, units=units))
        assert opened is None or same(opened, closed)
        attempt(lambda: wa.metadata(folder, 0, open=True))
    elif way == 4:
        found = attempt(lambda: info.describe_path(str(path), rng.choice([None, "um"])))
        if found is not None:
            json.dumps(found)
            info.table(found)
    else:
        array = attempt(lambda: wa.open_tensorstore(folder / "s0"))
        assert array is None or array.rank >= 0
        attempt(lambda: wa.detect(path, missing_ok=True))
        read(attempt(lambda: wa.open(folder, voxel_size=(50, 10, 5), on_mismatch="resample")))


def same(a, b):
    """Equal, where NaN fill values are."""
    return repr(a) == repr(b)


def run(written, rng):
    folder, documents = written
    name = rng.choice(sorted(documents))
    path = folder / rng.choice(documents[name])
    whole = path.read_text(encoding="utf-8")
    path.write_text(json.dumps(mutated(rng, json.loads(whole))), encoding="utf-8")
    try:
        use(folder / name, rng)
    finally:
        path.write_text(whole, encoding="utf-8")


@pytest.mark.filterwarnings("ignore::worldarray.errors.PlacementWarning")
@settings(max_examples=500, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_only_the_packages_own_errors_come_out_of_a_changed_document(written, rng):
    run(written, rng)


@pytest.mark.filterwarnings("ignore::worldarray.errors.PlacementWarning")
@pytest.mark.parametrize("seed", range(1000, 9000, 500))
def test_nor_out_of_changes_that_are_drawn_evenly(written, seed):
    """A failure is repeated by its seed alone: ``run(written, Random(seed))``."""
    for each in range(seed, seed + 60):
        try:
            run(written, Random(each))
        except Exception as error:
            raise AssertionError(f"seed {each}") from error


def test_the_stores_are_read_before_anything_is_changed(written):
    folder, documents = written
    for name in documents:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vol = wa.open(folder / name, level=0)
        assert vol.read_index((0,) * vol.ndim, vol.shape).any(), name
