"""The site: every public name has its place in the reference, every figure is drawn, links lead into the site."""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).resolve().parents[1]
WHOLE_MODULES = {"errors", "augment", "augment_std", "labels"}


def load_hooks():
    spec = importlib.util.spec_from_file_location("docs_hooks", DOCS / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


hooks = load_hooks()


def shown(name):
    """Return the names on a reference page, without the package."""
    text = DOCS.joinpath("reference", f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"^::: {name}\.([\w.]+)$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["worldarray", "worldarray_write", "miao", "mlarray", "maml_parquet"])
def test_the_reference_shows_every_public_name_once(name):
    package = importlib.import_module(name)
    names = shown(name)
    assert len(names) == len(set(names))
    wanted = set(package.__all__)
    for module in ({"units", "store"} if name == "worldarray" else set()) | ({"convert"} & wanted):
        wanted.discard(module)
        members = importlib.import_module(f"{name}.{module}")
        own = getattr(members, "__all__", None) or [
            key for key, value in vars(members).items() if getattr(value, "__module__", "") == members.__name__
        ]
        wanted |= {f"{module}.{key}" for key in own if not key.startswith("_")}
    assert wanted <= set(names), sorted(wanted - set(names))
    for found in names:
        value = package
        for part in found.split("."):
            value = getattr(value, part)


def test_every_figure_of_a_page_is_drawn_and_every_drawing_is_on_a_page():
    pytest.importorskip("matplotlib")
    drawn = hooks.figures()
    text = "".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    assert set(re.findall(r"figures/([\w-]+)\.svg", text)) == set(drawn)


@pytest.mark.parametrize("name", sorted(hooks.figures()))
def test_a_figure_is_the_same_each_time_and_names_no_host(name):
    pytest.importorskip("matplotlib")
    draw = hooks.figures()[name]
    svg = hooks.drawn(draw)
    assert svg == hooks.drawn(draw)
    assert b"<text" not in svg


PLACES = {"packages/mlarray/README.md": "packages/mlarray.md", "docs/README.md": "examples.md"}


@pytest.mark.parametrize(
    ("source", "page", "target", "expected"),
    [
        ("docs/a.md", "a.md", "../packages/mlarray/README.md", "packages/mlarray.md"),
        ("docs/how/a.md", "how/a.md", "../../packages/mlarray/README.md#patches", "../packages/mlarray.md#patches"),
        ("docs/how/a.md", "how/a.md", "../README.md", "../examples.md"),
        ("packages/mlarray/README.md", "packages/mlarray.md", "../../docs/b.md", "../b.md"),
        ("packages/mlarray/README.md", "packages/mlarray.md", "https://example.org/a", "https://example.org/a"),
        ("docs/a.md", "a.md", "b.md", "b.md"),
        ("docs/a.md", "a.md", "#here", "#here"),
        ("docs/a.md", "a.md", "../packages/none.md", "../packages/none.md"),
    ],
)
def test_links_lead_to_pages_of_the_site(source, page, target, expected):
    assert hooks.mapped(f"[it]({target})", source, page, PLACES) == f"[it]({expected})"


def test_links_in_code_stay():
    text = "```\n[it](../LICENSE)\n```"
    assert hooks.mapped(text, "docs/a.md", "a.md", {}) == text


def test_what_is_copied_of_a_block_is_what_is_typed():
    shown = (
        ">>> a = [1,\n...      2]\n>>> a\n[1, 2]\n>>> for i in a:\n...     print(i)\n...\n1\n2\n>>> a < b\nTraceback:\n"
    )
    copied = "a = [1,\n     2]\n\na\nfor i in a:\n    print(i)\n\n\na < b"
    assert hooks.typed(shown) == copied
    shown = (
        '<div class="highlight"><pre><code><span class="gp">&gt;&gt;&gt; </span>a <span>&lt;</span> "b"\nTrue\n</code>'
    )
    content = hooks.on_page_content(shown, None, None, None)
    assert content == shown.replace('highlight"', 'highlight" data-copy="a &lt; &quot;b&quot;"', 1)


def test_an_empty_line_of_an_answer_is_shown_empty():
    page = SimpleNamespace(file=SimpleNamespace(generated_by="test", src_uri="a.md"))
    shown = "```python\n>>> print('1\\n\\n2')\n1\n<BLANKLINE>\n2\n```\n\n```python\na = 1\n```"
    expected = "```pycon\n>>> print('1\\n\\n2')\n1\n\n2\n```\n\n```python\na = 1\n```"
    assert hooks.on_page_markdown(shown, page, None, None) == expected


def test_a_block_without_prompts_is_copied_as_it_is():
    shown = '<div class="highlight"><pre><code>a &gt;&gt; 2\n</code></pre></div>'
    assert hooks.on_page_content(shown, None, None, None) == shown


def test_the_theme_takes_nothing_from_another_host():
    assert re.search(r"^ {2}font: false$", DOCS.parent.joinpath("mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


COMMANDS = {
    "worldarray": ("worldarray.cli", "run", ("info", "demo")),
    "mlarray": ("mlarray.cli.main", "main", ("header", "convert", "validate", "verify", "view")),
    "maml-parquet": ("maml_parquet.cli.main", "main", ("init", "convert", "validate", "header")),
}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_page_of_commands_has_every_option(name):
    module, function, words = COMMANDS[name]
    section = DOCS.joinpath("reference", "commands.md").read_text(encoding="utf-8").split(f"\n## {name}\n")[1]
    section = section.split("\n## ")[0]
    options = re.compile(r"--[a-z][a-z-]+")
    found = set(options.findall(section))
    assert not re.findall(r"[{]", section)
    wanted = set()
    for word in words:
        assert f"`{name} {word}" in section
        code = f"import sys; from {module} import {function}; sys.argv = [{name!r}, {word!r}, '--help']; {function}()"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        wanted |= set(options.findall(done.stdout.split("\nexamples:")[0]))
    assert wanted - {"--help"} <= found
    assert found - {"--version"} <= wanted
