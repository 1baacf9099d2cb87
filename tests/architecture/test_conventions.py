"""Conventions that a linter does not know."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lorewright import errors

SOURCE = Path(__file__).parents[2] / "src" / "lorewright"
MODULES = sorted(SOURCE.rglob("*.py"))


def all_errors(root: type[errors.LorewrightError] = errors.LorewrightError) -> list[type[errors.LorewrightError]]:
    return [root, *(one for child in root.__subclasses__() for one in all_errors(child))]


def test_every_error_has_a_code_of_its_own_and_stands_in_the_map() -> None:
    codes = [error.code for error in all_errors()]
    assert len(set(codes)) == len(codes)
    assert errors.__doc__ is not None
    assert [error.__name__ for error in all_errors() if error.__name__ not in errors.__doc__] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_says_what_it_is_and_stays_readable(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree) or path.name == "__main__.py"
    assert text.count("\n") <= 500, "a file this long probably holds two nouns"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_what_is_public_is_explained(path: Path) -> None:
    public = [
        node
        for parent in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(parent, (ast.Module, ast.ClassDef)) and not getattr(parent, "name", "").startswith("_")
        for node in parent.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    ]
    assert [node.name for node in public if not ast.get_docstring(node)] == []


# A question about packs does not wait for the game to be imported, nor help for the protocol's library, nor a game
# without a model for what speaks HTTP.
LATE = {
    ("cli/lore_desk.py", "lorewright.bootstrap"),
    ("cli/mcp.py", "lorewright.service.serving"),
    ("index/embedders/openai_remote.py", "lorewright.bounded_http"),
    ("llm/providers/remote.py", "lorewright.bounded_http"),
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_our_own_code_is_imported_at_the_top(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = [node for top in tree.body if not isinstance(top, (ast.Import, ast.ImportFrom)) for node in ast.walk(top)]
    late = [
        node.module
        for node in inner
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lorewright")
    ]
    assert [one for one in late if (path.relative_to(SOURCE).as_posix(), one) not in LATE] == []


def test_sql_stands_where_it_may() -> None:
    allowed = {"storage", "index"}
    strays = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] not in allowed and path.name != "store.py"
        if "import sqlite3" in path.read_text(encoding="utf-8")
    ]
    # Two small tables of the moment, asked by the index's own ranking; and the edge, which tells what the disk says.
    assert strays == [
        "cli/__init__.py",
        "contrib/import_v0/tables.py",
        "retrieval/visible.py",
        "scene_lore/grounding.py",
    ]
