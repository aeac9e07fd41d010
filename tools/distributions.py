"""What is wrong with the sdist and the wheel of a package: their files and their metadata against its folder."""

from __future__ import annotations

import base64
import hashlib
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any, Final

from workspace import Package, parse_requirement, read_toml

Files = Mapping[str, bytes]
"""The files of an archive, by path; an sdist's without the folder that holds them all."""

_KEPT: Final = ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml")
_MADE: Final = ("PKG-INFO", ".gitignore")
"""What the build adds to an sdist."""
_LINK: Final = re.compile(r"\]\((?!https?://|mailto:|#)([^)\s]+)")


def read_wheel(path: Path) -> dict[str, bytes]:
    """Return the files of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def read_sdist(path: Path) -> dict[str, bytes]:
    """Return the files of an sdist.

    Raises
    ------
    ValueError
        A member is a link, or lies outside the one folder ``<name>-<version>``.
    """
    found = {}
    folder = path.name.removesuffix(".tar.gz")
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            if member.isdir():
                continue
            first, _, rest = member.name.partition("/")
            stream = archive.extractfile(member) if member.isreg() else None
            if stream is None or first != folder or ".." in rest.split("/"):
                raise ValueError(f"{path.name} holds {member.name}, which is no plain file in {folder}/")
            found[rest] = stream.read()
    return found


def source_files(folder: Path) -> dict[str, bytes]:
    """Return the files under ``src`` of a package, by their path in a wheel; byte code left out."""
    source = folder / "src"
    paths = (path for path in sorted(source.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(source).as_posix(): path.read_bytes() for path in paths}


def check_wheel(files: Files, package: Package, folder: Path) -> list[str]:
    """Return what is wrong with the files of a wheel; `folder` is that of the package."""
    info = f"{package.name.replace('-', '_')}-{package.version}.dist-info"
    inside = {name for name in files if name.startswith(f"{info}/")}
    needed = (f"{info}/METADATA", f"{info}/RECORD", f"{info}/WHEEL")
    if lacking := [name for name in needed if name not in inside]:
        return [f"the wheel lacks {', '.join(lacking)}"]
    sources = source_files(folder)
    problems = list(_differences("the wheel", {name: files[name] for name in files if name not in inside}, sources))
    roots = sorted({name.partition("/")[0] for name in sources})
    problems += [f"the wheel lacks {root}/py.typed" for root in roots if f"{root}/py.typed" not in files]
    if files.get(f"{info}/licenses/LICENSE") != (folder / "LICENSE").read_bytes():
        problems.append(f"the wheel's {info}/licenses/LICENSE is not the LICENSE of the package")
    tags = [line.partition(": ")[2] for line in _text(files, f"{info}/WHEEL") if line.startswith("Tag: ")]
    if tags != ["py3-none-any"]:
        problems.append(f"the wheel's tags are {', '.join(tags)}; it holds Python alone: py3-none-any")
    problems += _check_record(files, f"{info}/RECORD")
    return problems + _check_scripts(files, f"{info}/entry_points.txt", read_toml(folder / "pyproject.toml"))


def check_sdist(files: Files, folder: Path, committed: frozenset[str]) -> list[str]:
    """Return what is wrong with the files of an sdist; `committed` are the package's files in the repository."""
    problems = []
    for name in _KEPT:
        if files.get(name) != (folder / name).read_bytes():
            problems.append(f"the sdist's {name} is missing, or not that of the package")
    sources = {f"src/{name}": data for name, data in source_files(folder).items()}
    held = {name: data for name, data in files.items() if name.startswith("src/")}
    problems += _differences("the sdist", held, sources)
    extra = sorted(files.keys() - committed - set(_MADE))
    return problems + [f"the sdist holds {name}, which is not in the repository" for name in extra]


def metadata(files: Files) -> Message:
    """Return the metadata of a wheel or an sdist."""
    names = [name for name in files if name == "PKG-INFO" or name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(files[names[0]].decode("utf-8"))


def check_metadata(found: Message, package: Package, folder: Path) -> list[str]:
    """Return where the metadata of a distribution disagrees with pyproject.toml, and what an index cannot show."""
    project = read_toml(folder / "pyproject.toml")["project"]
    wanted = {
        "Name": project["name"],
        "Version": package.version,
        "Requires-Python": project["requires-python"],
        "License-Expression": project["license"],
        "Summary": project["description"],
    }
    problems = [
        f"the metadata's {key} is {found[key]!r}, pyproject.toml says {value!r}"
        for key, value in wanted.items()
        if found[key] != value
    ]
    extras = project.get("optional-dependencies", {})
    declared = [*project.get("dependencies", []), *(need for needs in extras.values() for need in needs)]
    needs, asked = _requirements(found.get_all("Requires-Dist", [])), _requirements(declared)
    if needs != asked:
        problems.append(f"the metadata requires {_listed(needs - asked)}, pyproject.toml {_listed(asked - needs)}")
    if any("@" in need for need in found.get_all("Requires-Dist", [])):
        problems.append("the metadata requires something from an address; name a range")
    if "Private :: Do Not Upload" in found.get_all("Classifier", []):
        problems.append("it is classified 'Private :: Do Not Upload'")
    readme = str(found.get_payload())
    if not readme.strip():
        problems.append("the metadata has no description; README.md belongs there")
    links = dict.fromkeys(_LINK.findall(readme))
    return problems + [f"README.md links to {link}, which an index cannot follow" for link in links]


def _differences(what: str, files: Files, sources: Files) -> Iterator[str]:
    """Yield a line for each file that is missing, too much, or of other bytes."""
    yield from (f"{what} lacks {name}" for name in sorted(sources.keys() - files.keys()))
    yield from (f"{what} holds {name}, which is not under src" for name in sorted(files.keys() - sources.keys()))
    both = sorted(files.keys() & sources.keys())
    yield from (f"{what} holds another {name} than src" for name in both if files[name] != sources[name])


def _check_record(files: Files, record: str) -> list[str]:
    """Return where RECORD and the files of a wheel disagree."""
    rows = dict(line.split(",")[:2] for line in _text(files, record))
    problems = [f"RECORD and the files of the wheel differ: {name}" for name in sorted(rows.keys() ^ files.keys())]
    for name, digest in rows.items():
        if name == record or name not in files:
            continue
        right = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode("ascii")
        if digest != f"sha256={right}":
            problems.append(f"RECORD has another hash of {name}")
    return problems


def _check_scripts(files: Files, name: str, document: Mapping[str, Any]) -> list[str]:
    """Return where the commands of a wheel are not those declared, or lead to no module."""
    declared = document["project"].get("scripts", {})
    parsed = ConfigParser(delimiters=("=",))
    parsed.optionxform = str  # type: ignore[method-assign,assignment]  # names keep their case
    parsed.read_string(files.get(name, b"").decode("utf-8"))
    found = dict(parsed["console_scripts"]) if parsed.has_section("console_scripts") else {}
    problems = [] if found == declared else [f"the wheel's commands are {found}, pyproject.toml says {declared}"]
    for command, target in found.items():
        path = target.partition(":")[0].replace(".", "/")
        if not {f"{path}.py", f"{path}/__init__.py"} & files.keys():
            problems.append(f"the command {command} is {target}, and the wheel has no such module")
    return problems


def _requirements(texts: list[str]) -> frozenset[tuple[str, frozenset[str]]]:
    parsed = [parse_requirement(text) for text in texts]
    return frozenset((need.name, frozenset(need.spec.split(","))) for need in parsed)


def _listed(needs: frozenset[tuple[str, frozenset[str]]]) -> str:
    return "; ".join(f"{name} {','.join(sorted(spec))}" for name, spec in sorted(needs, key=str)) or "nothing more"


def _text(files: Files, name: str) -> list[str]:
    return files[name].decode("utf-8").splitlines()
