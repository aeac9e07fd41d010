"""Forks: documents leave a process safe to fork, reading data does not, and a child that would be ended is told."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import tensorstore as ts

PRELUDE = """
import os, sys
from worldarray.errors import ForkError
from worldarray.io import runtime
from worldarray.io.arrays import Reader, open_facts
from worldarray.io.contexts import capped_context, shared_context
from worldarray.io.listing import list_chunk_keys
from worldarray.io.retry import Retry
from worldarray.io.sources import source_for
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.paths import parse_path
import json

where = parse_path(sys.argv[1])
facts = parse_zarr2(json.loads(source_for(where).documents(where, (".zarray",))[".zarray"]), ("em",))

def read(where=where, facts=facts):
    opened = open_facts(facts, where)
    box = tuple(slice(0, n) for n in facts.shape)
    return int(Reader(opened, where, facts).read(box, Retry()).sum())

def forked(work):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            print("child", work())
            code = 0
        except ForkError as error:
            print("child refused:", error)
            code = 3
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "em"
    spec = {
        "driver": "zarr",
        "kvstore": {"driver": "file", "path": f"{path}/"},
        "metadata": {"shape": [4, 6], "chunks": [2, 3], "dtype": "<u2", "compressor": None, "fill_value": 0},
    }
    # 0 + 1 + … + 23 = 276
    ts.open(spec, create=True).result()[...] = np.arange(24, dtype="u2").reshape(4, 6)
    return path


def run(store, script):
    code = PRELUDE + textwrap.dedent(script)
    command = [sys.executable, "-c", code, str(store)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_documents_listing_contexts_and_paths_leave_fork_safe(store):
    script = """
    contexts = shared_context(), shared_context(1 << 20), capped_context()
    print(list_chunk_keys(where.text), runtime.used())
    print("exit", forked(read))
    print("exit", forked(lambda: shared_context() is not contexts[0] and read()))
    print("parent", read())
    """
    assert run(store, script) == [
        "[(0, 0), (0, 1), (1, 0), (1, 1)] False",
        "child 276",
        "exit 0",
        "child 276",
        "exit 0",
        "parent 276",
    ]


def test_a_child_of_a_process_that_has_read_is_told_to_spawn(store):
    script = """
    print("parent", read())
    print("exit", forked(read))
    print("parent", read())
    """
    lines = run(store, script)
    assert lines[0] == lines[3] == "parent 276"
    assert lines[1].startswith("child refused: tensorstore: this process (")
    assert "spawn or forkserver" in lines[1]
    assert lines[2] == "exit 3"


@pytest.mark.parametrize(
    "work",
    [
        "source_for(parse_path('memory://em')).documents(parse_path('memory://em'), ('.zarray',))",
        "list_chunk_keys('memory://em')",
        "open_facts(facts, where)",
    ],
)
def test_every_use_of_tensorstore_counts_and_is_guarded(store, work):
    script = f"""
    def use():
        return {work} is None
    use()
    print(runtime.used(), "exit", forked(use))
    """
    lines = run(store, script)
    assert lines[0].startswith("child refused")
    assert lines[1] == "True exit 3"


def test_an_open_array_is_refused_too(store):
    script = """
    opened = open_facts(facts, where)
    box = (slice(0, 1), slice(0, 1))
    print("exit", forked(lambda: Reader(opened, where, facts).read(box, Retry())))
    """
    assert run(store, script)[-1] == "exit 3"


def test_local_documents_are_read_in_any_child(store):
    script = """
    read()
    print("exit", forked(lambda: sorted(source_for(where).documents(where, (".zarray",)))))
    print("exit", forked(lambda: len(list_chunk_keys(where.text))))
    """
    assert run(store, script) == ["child ['.zarray']", "exit 0", "child 4", "exit 0"]


def test_a_grandchild_of_a_process_that_has_read_is_refused(store):
    script = """
    read()
    print("exit", forked(lambda: forked(read)))
    """
    lines = run(store, script)
    assert lines[0].startswith("child refused")
    assert lines[1:] == ["child 3", "exit 0"]
