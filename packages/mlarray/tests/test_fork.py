"""Forked processes: readers go on, with one thread; writing stays with the process that opened the file."""

import os
import subprocess
import sys
import textwrap

import pytest

from mlarray import MLArray

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

START = """
import os, sys, time
import numpy as np
from mlarray import MLArray
from mlarray.errors import LockedError, ReadOnlyError

V = np.arange(40 * 50 * 60, dtype="i4").reshape(40, 50, 60)
MLArray(V, axes=["z", "y", "x"], user={"who": "parent"}).save("a.mla")

def forked(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    for _ in range(1000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"

def same(array):
    assert np.array_equal(array[...], V)
"""


def run(folder, body):
    """Run lines in a process of their own, so that what is forked is no pytest."""
    program = textwrap.dedent(START) + textwrap.dedent(body)
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


def passes(folder, body):
    done = run(folder, body)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("nthreads", [1, 2])
@pytest.mark.parametrize("mmap", [True, False])
def test_a_child_reads_a_file_that_its_parent_opened(tmp_path, nthreads, mmap):
    passes(
        tmp_path,
        f"""
        m = MLArray.open("a.mla", nthreads={nthreads}, mmap={mmap})
        same(m)
        def work():
            same(m)
            assert m.meta.user["who"] == "parent"
        assert forked(work) == 0
        same(m)
        """,
    )


@pytest.mark.parametrize("nthreads", [1, 2])
def test_a_child_reads_an_array_in_memory(tmp_path, nthreads):
    passes(
        tmp_path,
        f"""
        m = MLArray(V, dparams={{"nthreads": {nthreads}}})
        same(m)
        assert forked(lambda: same(m)) == 0
        same(m)
        """,
    )


def test_a_child_of_a_process_that_used_threads_makes_saves_and_opens(tmp_path):
    passes(
        tmp_path,
        """
        same(MLArray(V, dparams={"nthreads": 2}))
        def work():
            MLArray(V, dparams={"nthreads": 2}).save("b.mla")
            same(MLArray.open("b.mla", nthreads=2))
        assert forked(work) == 0
        same(MLArray.open("b.mla", nthreads=2))
        """,
    )


def test_a_child_keeps_what_was_changed_in_memory_and_changes_only_its_own(tmp_path):
    passes(
        tmp_path,
        """
        for nthreads in (1, 2):
            m = MLArray.open("a.mla", "c", nthreads=nthreads)
            m[0] = 7
            def work():
                assert (m[0] == 7).all()
                m[1] = 8
                assert (m[1] == 8).all()
            assert forked(work) == 0
            assert np.array_equal(m[1], V[1])
        """,
    )


def test_a_child_that_ends_in_the_ordinary_way_does_not_wait_for_threads_of_its_parent(tmp_path):
    passes(
        tmp_path,
        """
        m, n = MLArray.open("a.mla", nthreads=2), MLArray(V, dparams={"nthreads": 2})
        same(m), same(n)
        child = os.fork()
        if child == 0:
            same(m), same(n)
            sys.exit(0)
        for _ in range(1000):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.01)
        else:
            os.kill(child, 9)
        assert done and status == 0
        """,
    )


def test_a_child_reads_a_file_that_its_parent_changes_but_does_not_write_to_it(tmp_path):
    passes(
        tmp_path,
        """
        with MLArray.open("a.mla", "r+", nthreads=2) as m:
            m[0] = V[0]
            def work():
                same(m)
                try:
                    m[0] = 1
                except ReadOnlyError as error:
                    assert "forked from" in str(error)
                else:
                    raise AssertionError("written")
            assert forked(work) == 0
            m[0] = V[0] + 1
        assert MLArray.open("a.mla")[0, 0, 0] == 1
        """,
    )


def test_a_child_that_closes_leaves_file_and_changes_to_its_parent(tmp_path):
    passes(
        tmp_path,
        """
        m = MLArray.open("a.mla", "r+")
        m.meta.user = {"who": "changed"}
        assert forked(m.close) == 0
        assert MLArray.open("a.mla").meta.user["who"] == "parent"
        try:
            MLArray.open("a.mla", "r+")
        except LockedError:
            pass
        else:
            raise AssertionError("the child let go of the lock of its parent")
        m.close()
        assert MLArray.open("a.mla").meta.user["who"] == "changed"
        """,
    )


def test_a_lock_ends_with_the_handle_even_while_a_child_lives(tmp_path):
    passes(
        tmp_path,
        """
        m = MLArray.open("a.mla", "r+")
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        try:
            m.close()
            MLArray.open("a.mla", "r+").close()
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)
        """,
    )


def test_a_child_that_leaves_with_or_ends_does_not_take_a_file_being_created_away(tmp_path):
    passes(
        tmp_path,
        """
        with MLArray.create("w.mla", (4, 5), "i2") as m:
            m[1] = 3
            def leave():
                with m:
                    raise SystemExit(0)
            def work():
                try:
                    leave()
                except SystemExit:
                    pass
            assert forked(work) == 0
            child = os.fork()
            if child == 0:
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
        assert MLArray.open("w.mla")[1].tolist() == [3] * 5
        """,
    )


def test_nothing_warns_in_a_child_about_handles_of_its_parent(tmp_path):
    done = run(
        tmp_path,
        """
        import gc, warnings
        warnings.simplefilter("always")
        m = MLArray.open("a.mla", "r+")
        m.meta.user = {"who": "changed"}
        def work():
            global m
            m = None
            gc.collect()
        assert forked(work) == 0
        m.close()
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
    with MLArray.open(tmp_path / "a.mla") as array:
        assert array.meta.user["who"] == "changed"
