"""What a page that runs as a script calls for blocks that are no plain Python."""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMENT = "#"


def doctests(text: str, names: dict[str, Any], line: int) -> None:
    """Run examples as a doctest does, in the names of the page.

    Raises
    ------
    SystemExit
        One of them gave something else.
    """
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(text, names, "page", "page", line)
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    if runner.failures:
        raise SystemExit(1)


def shell(text: str) -> None:
    """Run commands one by one, those of the packages by the interpreter that runs the page.

    Raises
    ------
    SystemExit
        A command failed.
    """
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")])}
    bash = shutil.which("bash") or "sh"
    commands = "\n".join(line.removeprefix("$ ") for line in text.splitlines() if not line.startswith(COMMENT))
    done = subprocess.run([bash, "-euc", commands], env=environment, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise SystemExit(f"{commands.strip()!r} ended with {done.returncode}")
