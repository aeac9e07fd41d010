"""Pages as scripts: blocks of Python at their own lines, shell blocks that are marked, files that blocks are named."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w+-]*)\s*(?P<rest>.*)$")
TITLE = re.compile(r'title="(?P<name>[^"]+)"')
SKIP = re.compile(r"<!-- not run: .+ -->")
NEEDS = re.compile(r"<!-- needs: (?P<modules>.+?) -->")
SHELLS = frozenset({"sh", "bash", "shell", "console"})
RUN = "<!-- run -->"

HEAD = (
    "import sys as _sys; _sys.path.insert(0, {steps!r}); from page_steps import doctests as _doctests, shell as _shell"
)
"""The first line of every script; pages begin with a heading, so there is room for it."""


@dataclass
class Block:
    """One fenced block: where it stands, its lines, and what is said of it."""

    line: int
    language: str
    title: str | None
    mark: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The block without its fences."""
        return "\n".join(self.lines) + "\n"


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, without the indent of an admonition or a tab.

    Raises
    ------
    ValueError
        A block is not closed.
    """
    found: list[Block] = []
    open_: tuple[Block, str] | None = None
    before = ""
    for number, line in enumerate(page.splitlines(), start=1):
        match = FENCE.match(line)
        if open_ is not None:
            block, indent = open_
            if match is not None and not match["language"] and match["indent"] == indent:
                found.append(block)
                open_ = None
            else:
                block.lines.append(line.removeprefix(indent))
        elif match is not None:
            title = TITLE.search(match["rest"])
            open_ = Block(number, match["language"], title["name"] if title else None, before), match["indent"]
        if line.strip():
            before = line.strip()
    if open_ is not None:
        raise ValueError(f"the block that begins at line {open_[0].line} is not closed")
    return found


def files(page: str) -> dict[str, str]:
    """Return what the blocks with a title hold, by name."""
    return {block.title: block.text for block in blocks(page) if block.title}


def needs(page: str) -> list[str]:
    """Return the modules without which a page cannot run."""
    return [name.strip() for match in NEEDS.finditer(page) for name in match["modules"].split(",")]


def script(page: str, steps: str) -> str | None:
    """Return a page as one script whose lines are those of the page; None where nothing on it runs."""
    lines = [""] * len(page.splitlines())
    ran = False
    for block in blocks(page):
        if block.title or SKIP.fullmatch(block.mark):
            continue
        if block.language in {"python", "pycon"} and block.text.lstrip().startswith(">>>"):
            lines[block.line] = f"_doctests({block.text!r}, globals(), {block.line})"
        elif block.language == "python":
            lines[block.line : block.line + len(block.lines)] = block.lines
        elif block.language in SHELLS and block.mark == RUN:
            lines[block.line] = f"_shell({block.text!r})"
        else:
            continue
        ran = True
    if not ran:
        return None
    lines[0] = HEAD.format(steps=steps)
    return "\n".join(lines) + "\n"
