"""Every page of the site runs.

A page is one script: its blocks of Python in order, in one namespace, in an empty folder, in a process of its own. How
a block is left out, a command is run and a file is laid there is told by ``pages``, whose rules the tests below pin.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent


def load(name):
    """Return a module that lies beside this file."""
    spec = importlib.util.spec_from_file_location(f"docs_tests_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


pages = load("pages")
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if not {"node_modules", "tests"} & set(path.relative_to(DOCS).parts)
)


def run(page, folder, timeout=150):
    """Run a page in a folder; None where nothing on it runs."""
    script = pages.script(page, str(HERE))
    if script is None:
        return None
    for name, text in pages.files(page).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = folder / "_page.py"
    path.write_text(script, encoding="utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-W", "error::UserWarning", path.name]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs(name, tmp_path):
    page = DOCS.joinpath(name).read_text(encoding="utf-8")
    for module in pages.needs(page):
        pytest.importorskip(module)
    done = run(page, tmp_path)
    assert done is None or done.returncode == 0, f"{name}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"


TEXT = """# A page

```python
a = 1
```

Some words.

```python
>>> a + 1
2
```

    ```python
    a += 1
    ```

<!-- not run: it needs a bucket -->
```python
raise SystemExit(3)
```

```toml title="settings.toml"
b = 2
```

<!-- run -->
```sh
# A comment.
cat settings.toml > copy.toml
```

```sh
exit 4
```

```python
from pathlib import Path

assert Path("copy.toml").read_text() == "b = 2\\n"
print("a is", a)
```
"""


def test_blocks_share_their_names_in_order_and_files_and_commands_come_between(tmp_path):
    done = run(TEXT, tmp_path)
    assert (done.returncode, done.stdout) == (0, "a is 2\n"), done.stderr


def test_an_error_names_the_line_of_the_page(tmp_path):
    done = run(TEXT.replace("print(", "print(nothing, "), tmp_path)
    assert done.returncode == 1
    number = TEXT.splitlines().index('print("a is", a)') + 1
    assert f"line {number}, in" in done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (">>> a + 1\n2", ">>> a + 1\n3"),
        ("cat settings.toml", "cat nothing.toml"),
        ("a = 1\n", "a = 1\nimport warnings; warnings.warn('Something', UserWarning)\n"),
    ],
    ids=["doctest", "command", "warning"],
)
def test_what_fails_fails_the_page(old, new, tmp_path):
    assert run(TEXT.replace(old, new, 1), tmp_path).returncode != 0


def test_a_page_without_anything_to_run_is_no_script():
    assert pages.script("# A page\n\n```sh\npip install it\n```\n", "") is None


def test_a_block_that_is_not_closed_is_an_error():
    with pytest.raises(ValueError, match="line 3"):
        pages.blocks("# A page\n\n```python\na = 1\n")


def test_needs_are_all_that_a_page_names():
    assert pages.needs("# A\n<!-- needs: torch, nilearn -->\n<!-- needs: pyarrow -->\n") == [
        "torch",
        "nilearn",
        "pyarrow",
    ]
