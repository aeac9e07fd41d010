"""What the site is made of besides the pages of this folder: figures, pages from elsewhere in the repository, reports.

mkdocs calls the functions whose names begin with ``on_``. Links may be written as they are on disk: one to a file that
the site shows under another name leads to its page, one to a file that it does not show becomes plain text.
"""

from __future__ import annotations

import html
import importlib.util
import io
import logging
import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
PACKAGES: Final = ("worldarray-core", "worldarray-write", "miao-loader", "mlarray", "maml-parquet")
ORDER: Final = ("index", "worldarray", *PACKAGES[:2], "miao", *PACKAGES[2:], "SPECIFICATION")
"""Pages that do not stand in order of name, by their file without suffix."""
WRITTEN_LATER: Final = frozenset({"benchmarks.md"})
"""Pages that a tool writes from measurements: left out of the navigation while they are not there."""
REPORT: Final = "<!-- conformance report -->"
_LINK: Final = re.compile(r"(?P<image>!?)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")
_INDEXED: Final = re.compile(r"(?<=\w)\[(\w)\]\[(\w)\]")
"""An element of a matrix in plain text, which Markdown would take for a link."""
_MARK: Final = re.compile(r"^<!-- (needs: .+|run|not run: .+) -->\n", re.MULTILINE)
"""What a page says to the tests; the title of a page is its first heading only where nothing stands before that."""
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_PROMPTED: Final = re.compile(r"^(\s*```)python(?=[^\n]*\n\s*>>> )", re.MULTILINE)
"""The fence of a block with prompts, in which what is typed and what is answered differ in colour."""
_BLANK: Final = re.compile(r"^ *<BLANKLINE>$", re.MULTILINE)
"""What stands for an empty line in what is answered."""
_SHOWN: Final = re.compile(r'<div class="highlight">(?=<pre>.*?<code>(?P<code>.*?)</code>)', re.DOTALL)


def copies() -> dict[str, str]:
    """Return the pages that stand elsewhere: their place in the repository, and in the site."""
    found = {"README.md": "index.md", "docs/README.md": "examples.md", "CONTRIBUTING.md": "contributing.md"}
    found["SECURITY.md"] = "security.md"
    for name in PACKAGES:
        found[f"packages/{name}/README.md"] = f"packages/{name}.md"
        found[f"packages/{name}/CHANGELOG.md"] = f"changes/{name}.md"
    found["conformance/README.md"] = "conformance/index.md"
    found["conformance/CHANGELOG.md"] = "changes/conformance.md"
    for path in sorted(ROOT.glob("conformance/SPECIFICATION*.md")):
        found[f"conformance/{path.name}"] = f"conformance/{path.name}"
    return {source: page for source, page in found.items() if ROOT.joinpath(source).is_file()}


def mapped(markdown: str, source: str, page: str, places: Mapping[str, str]) -> str:
    """Return a page with its links to files of the repository made links of the site.

    Parameters
    ----------
    markdown
        The page.
    source
        Its place in the repository, such as ``packages/mlarray/README.md``.
    page
        Its place in the site, such as ``packages/mlarray.md``.
    places
        The pages that stand elsewhere: their place in the repository, and in the site.

    Examples
    --------
    >>> places = {"CONTRIBUTING.md": "contributing.md"}
    >>> mapped("See [how](../CONTRIBUTING.md#versions), [it](LICENSE).", "docs/a.md", "a.md", places)
    'See [how](contributing.md#versions), [it](LICENSE).'
    >>> mapped("The [licence](../LICENSE) of it.", "docs/a.md", "a.md", places)
    'The licence of it.'
    """

    def link(match: re.Match[str]) -> str:
        target, hash_, anchor = match["target"].partition("#")
        if not target or re.match(r"[a-z]+:|/", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        at = places.get(path, places.get(f"{path}/README.md"))
        if at is None and path.startswith("docs/"):
            at = path.removeprefix("docs/") if source != f"docs/{page}" else None
        elif at is None and ROOT.joinpath(path).exists():
            return match["text"]
        if at is None:
            return match[0]
        relative = posixpath.relpath(at, posixpath.dirname(page) or ".")
        return f"{match['image']}[{match['text']}]({relative}{hash_}{anchor})"

    lines, inside = [], False
    for line in markdown.splitlines():
        fence = _FENCE.match(line) is not None
        inside ^= fence
        lines.append(line if inside or fence else _LINK.sub(link, _INDEXED.sub(r"\\[\1\\]\\[\2\\]", line)))
    return "\n".join(lines)


def typed(shown: str) -> str:
    r"""Return what is typed of a block with prompts, so that it can be pasted at a prompt or into a script.

    A line that is blank ends each statement of several lines, as it has to at a prompt.

    Examples
    --------
    >>> typed(">>> for i in (1, 2):\n...     print(i)\n1\n2\n>>> i\n2\n")
    'for i in (1, 2):\n    print(i)\n\ni'
    """
    lines: list[str] = []
    open_ = False
    for line in shown.splitlines():
        mark, rest = line[:4].rstrip(), line[4:]
        if mark == ">>>" and open_:
            lines.append("")
        if mark in {">>>", "..."}:
            lines.append(rest)
            open_ = mark == "..."
    return "\n".join(lines)


def examples_page(readme: str) -> str:
    """Return the page of the examples: what README.md of this folder says of them."""
    return "# Examples\n" + readme.partition("## Examples\n")[2]


def figures() -> dict[str, Callable[[], Figure]]:
    """Return what draws each figure, of every module in ``figures/``, by the name of its file without suffix."""
    found: dict[str, Callable[[], Figure]] = {}
    for path in sorted(DOCS.glob("figures/*.py")):
        spec = importlib.util.spec_from_file_location(f"docs_figures_{path.stem}", path)
        if spec is None or spec.loader is None:
            continue
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= module.FIGURES
    return found


def drawn(draw: Callable[[], Figure], kind: str = "svg") -> bytes:
    """Return a figure as a file, the same bytes each time."""
    import matplotlib as mpl  # noqa: PLC0415  (heavy)

    # Letters as outlines: a page needs no font for them.
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "docs", "font.size": 10}):
        figure, file = draw(), io.BytesIO()
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None, dpi=110)
    return file.getvalue()


def conformance_report() -> str:
    """Return the table of the conformance suite, as Markdown.

    Raises
    ------
    RuntimeError
        The report could not be made, or says that something is wrong.
    """
    # A missing case fails the suite already; here the table alone is wanted.
    path = os.pathsep.join([str(ROOT / "conformance" / "python"), str(ROOT / "tools")])
    command = [sys.executable, str(ROOT / "tools" / "conformance_report.py"), "--markdown"]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)  # noqa: S603
    if done.returncode:
        message = f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}"
        raise RuntimeError(message)
    return done.stdout


def filled(nav: Iterable[Any], pages: Iterable[str]) -> list[Any]:
    """Return the navigation with every folder in it, ``{"Why": "why/"}``, as the list of its pages.

    They are in order of name behind those that `ORDER` names.

    Examples
    --------
    >>> pages = ["index.md", "why/b.md", "why/a.md", "why/miao.md"]
    >>> filled([{"Start": "index.md"}, {"Why": "why/"}, {"No": "no/"}], pages)
    [{'Start': 'index.md'}, {'Why': ['why/miao.md', 'why/a.md', 'why/b.md']}]
    """
    found = sorted(pages, key=_place)
    items: list[Any] = []
    for item in nav:
        title, value = next(iter(item.items())) if isinstance(item, dict) else (None, item)
        if isinstance(value, list):
            value = filled(value, found)
        elif value.endswith("/"):
            value = [page for page in found if page.startswith(value)]
        elif value in WRITTEN_LATER and value not in found:
            continue
        if value:
            items.append(value if title is None else {title: value})
    return items


def on_pre_build(config: MkDocsConfig) -> None:  # noqa: ARG001
    """Warn of a page in the browser that has no script: a strict build ends there."""
    if not DOCS.joinpath("explorer", "lib", "explorer.js").is_file():
        logging.getLogger("mkdocs.hooks").warning("docs/explorer has no script yet; compile it with .ci/explorer")


def _place(page: str) -> tuple[int, str]:
    stem = posixpath.splitext(posixpath.basename(page))[0]
    return ORDER.index(stem) if stem in ORDER else len(ORDER), page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the figures and the pages that stand elsewhere; fill the folders of the navigation."""
    from mkdocs.structure.files import File  # noqa: PLC0415  (when mkdocs runs, and no sooner)

    places = copies()
    for source, page in places.items():
        text = ROOT.joinpath(source).read_text(encoding="utf-8")
        if page == "index.md":
            continue
        if page == "examples.md":
            text = examples_page(text)
        files.append(File.generated(config, page, content=mapped(text, source, page, places)))
    for name, draw in figures().items():
        files.append(File.generated(config, f"figures/{name}.svg", content=drawn(draw)))
    config.nav = filled(config.nav or [], [file.src_uri for file in files.documentation_pages()])
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Map the links of a page of this folder, and put in what is made while the site is built."""
    if page.file.generated_by is None:
        markdown = mapped(markdown, f"docs/{page.file.src_uri}", page.file.src_uri, copies())
    markdown = _MARK.sub("", markdown).lstrip()
    if REPORT in markdown:
        markdown = markdown.replace(REPORT, conformance_report())
    return _BLANK.sub("", _PROMPTED.sub(r"\1pycon", markdown))


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Give every block with prompts the text that its button copies: the statements, without prompts and answers."""

    def block(match: re.Match[str]) -> str:
        shown = html.unescape(re.sub(r"<[^>]*>", "", match["code"]))
        if not shown.startswith(">>> "):
            return match[0]
        copied = html.escape(typed(shown)).replace("\n", "&#10;")
        return f'<div class="highlight" data-copy="{copied}">'

    return _SHOWN.sub(block, content)
