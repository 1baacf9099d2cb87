"""The pages for developers are true: the files, functions, layers and make targets that they name exist."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "lorewright"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# A path with a folder or the ending of a file, and perhaps a name in that file: no blank, no address, no command.
_PATH = re.compile(r"(?P<path>\.?[\w.-]+(?:/[\w.-]+)*/?)(?:::(?P<name>[\w.-]+))?")
_ENDINGS = (".py", ".md", ".yaml", ".toml", ".json", ".jsonl", ".hbs", ".txt")
# Made by a command, and no part of the checkout.
_MADE = ("indexes/generations/",)


def references(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield (path, name in it or None) of every file and folder that a page names in backticks."""
    for quoted in _QUOTED.findall(_FENCED.sub("", text)):
        found = _PATH.fullmatch(quoted)
        if found and (found["name"] or "/" in found["path"] or found["path"].endswith(_ENDINGS)):
            yield found["path"], found["name"]


def files_of(path: str) -> list[Path]:
    """Return the files and folders that a path of a page means; `NAME` and `N` in it stand for anything. A file's name
    alone (`store.py`) means all files of that name."""
    pattern = re.sub(r"NAME|(?<=_v)N", "*", path).rstrip("/")
    found = [one for root in (ROOT, SOURCE) for one in sorted(root.glob(pattern))]
    return found or ([] if "/" in path else sorted(SOURCE.rglob(pattern)))


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return what a module defines at its top, and `Class.member` of its classes."""

    def defined(nodes: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node.name, node
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
            yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))

    top = list(defined(ast.parse(path.read_text(encoding="utf-8")).body))
    members = (
        f"{name}.{member}" for name, node in top if isinstance(node, ast.ClassDef) for member, _ in defined(node.body)
    )
    return frozenset((*(name for name, _ in top), *members))


def has_name(path: Path, name: str) -> bool:
    """Return whether a file has a name: a module defines it, any other file has it as a key or word."""
    if path.suffix == ".py":
        return name in names_in(path)
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", path.read_text(encoding="utf-8")) is not None


def missing(text: str) -> list[str]:
    """Return the references of a page that lead nowhere."""
    lost = []
    for path, name in references(text):
        found = files_of(path)
        if not found and path not in _MADE:
            lost.append(path)
        elif name is not None and not any(one.is_file() and has_name(one, name) for one in found):
            lost.append(f"{path}::{name}")
    return lost


@pytest.mark.campaign
@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_name_on_a_developers_page_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(list(references(text))) > 40
    assert missing(text) == []


def test_a_file_or_name_that_is_gone_is_noticed() -> None:
    text = (
        "`world/apply.py::apply` `world/gone.py` `world/apply.py::gone` `world/state.py::WorldState.gone` `errors.py`"
    )
    assert missing(text) == ["world/gone.py", "world/apply.py::gone", "world/state.py::WorldState.gone"]


def test_the_layers_of_the_page_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(one["layers"] for one in contracts if one["containers"] == ["lorewright"])
    block = re.search(r"^```text\n(.*?)^```$", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert block[1].splitlines() == layers


def test_every_package_has_its_line_in_the_table() -> None:
    rows = [line.split("|")[1] for line in ARCHITECTURE.splitlines() if line.startswith("| `")]
    described = {name.rstrip("/") for row in rows for name in _QUOTED.findall(row)}
    there = {path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    there |= {path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")}
    assert there - described == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_on_a_page_is_there(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    said = re.findall(r"`(?:[A-Z_]+=\S+ )?make ([a-z-]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert sorted(set(said) - targets) == []


LOG = (ROOT / "thoughts.md").read_text(encoding="utf-8")


def anchor_of(title: str) -> str:
    """Return the anchor that a forge gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_the_log_begins_with_its_contents() -> None:
    titles = re.findall(r"^## (.+)$", LOG, re.MULTILINE)
    listed = re.findall(r"^- \[(.+?)\]\(#(.+?)\)$", LOG.partition("\n## ")[0], re.MULTILINE)
    assert listed == [(title, anchor_of(title)) for title in titles]


def test_every_section_of_the_log_says_what_why_what_was_assumed_and_what_is_unclear() -> None:
    for section in re.split(r"^## ", LOG, flags=re.MULTILINE)[1:]:
        found = re.findall(r"^### (.+)\n\n(?:- )?(\S)", section, re.MULTILINE)
        assert [name for name, _ in found] == ["What", "Why", "Assumed", "Unclear"], section.partition("\n")[0]
