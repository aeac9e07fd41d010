"""What writer processes run: importable there by name, as tests are not."""

import json
import os
import signal
import sys

from worldarray.paths import parse_path
from worldarray_write.datasets import GroupLevel
from worldarray_write.groups import GROUP_KEYS
from worldarray_write.io import files, store
from worldarray_write.merge import merged_group


def level(number):
    """Level `number`: voxels of 2^number nm."""
    size = float(2**number)
    return GroupLevel(f"s{number}", (size,), (size / 2,), ("x",), ("nanometer",), ("space",))


def add_levels(path, numbers, format):
    """List several levels in one group, one after another, each once the documents are read anew."""
    where = parse_path(path)
    for number in numbers:
        store.update_documents(
            where, GROUP_KEYS, lambda found, n=number: merged_group(found, level(n), path, format=format)
        )


def append(path, name, count):
    """Add `count` entries to a JSON list that others add to as well, without a pause."""
    where = parse_path(path)

    def change(found, entry):
        return {"list.json": json.dumps([*json.loads(found.get("list.json", b"[]")), entry]).encode()}

    for i in range(count):
        store.update_documents(where, ("list.json",), lambda found, i=i: change(found, f"{name}-{i}"))


def create(path, name):
    """Create a document if there is none; return whether this process did."""
    return store.create_only(parse_path(path), "zarr.json", json.dumps({"by": name}).encode())


def run(environment, task, *arguments):
    """Run one of the tasks above with variables of the environment set."""
    os.environ.update(environment)
    return globals()[task](*arguments)


def killed_before_renaming(path, data):
    """Write a document and be killed, as by the kernel, when all but the renaming is done."""

    def rename(source, target):
        os.kill(os.getpid(), signal.SIGKILL)

    os.rename = rename
    files.replace(path, data, None, timeout=5.0)


def hold_lock(path):
    """Lock a document, say so, and stop until the input ends."""
    with files._locked(path + files.LOCK_SUFFIX, 5.0, files.REAL):
        print("locked", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    if name == "killed":
        killed_before_renaming(arguments[0], arguments[1].encode())
    else:
        hold_lock(arguments[0])
