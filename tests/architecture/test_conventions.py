"""Conventions that a linter does not know."""

from __future__ import annotations

import ast

from lorewright import errors
from support.source_trees import SourceModule

Modules = tuple[SourceModule, ...]


def all_errors(root: type[errors.LorewrightError] = errors.LorewrightError) -> list[type[errors.LorewrightError]]:
    return [root, *(one for child in root.__subclasses__() for one in all_errors(child))]


def test_every_error_has_a_code_of_its_own_and_stands_in_the_map() -> None:
    codes = [error.code for error in all_errors()]
    assert len(set(codes)) == len(codes)
    assert errors.__doc__ is not None
    assert [error.__name__ for error in all_errors() if error.__name__ not in errors.__doc__] == []


def test_a_module_says_what_it_is_and_stays_readable(modules: Modules) -> None:
    assert [one.name for one in modules if not ast.get_docstring(one.tree)] == []
    assert [one.name for one in modules if one.text.count("\n") > 500] == [], (
        "a file this long probably holds two nouns"
    )


def test_what_is_public_is_explained(modules: Modules) -> None:
    unexplained = [
        f"{module.name}: {node.name}"
        for module in modules
        for parent in module.nodes
        if isinstance(parent, (ast.Module, ast.ClassDef)) and not getattr(parent, "name", "").startswith("_")
        for node in parent.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        if not ast.get_docstring(node)
    ]
    assert unexplained == []


# A question about packs does not wait for the game to be imported, nor help for the protocol's library, nor a game
# without a model for what speaks HTTP.
LATE = {
    ("cli/lore_sources.py", "lorewright.cli.opening"),
    ("cli/indexer.py", "lorewright.service.web.indexing.indexer"),
    ("cli/mcp.py", "lorewright.service.server"),
    ("cli/serve.py", "lorewright.service.web.serving"),
    ("index/embedders/remote.py", "lorewright.bounded_http"),
    ("llm/providers/remote.py", "lorewright.bounded_http"),
}
# Where everything is put together, and where a key becomes its embedder, what is not asked for is not imported.
LATE_MODULES = {"bootstrap.py", "lore_bootstrap.py", "index/embedders/choosing.py"}
# The record of a verb names, for the type checker alone, types of the modules that ask for records.
LATE_MODULES |= {"rules/verbs.py"}


def test_our_own_code_is_imported_at_the_top(modules: Modules) -> None:
    late = [
        (module.name, node.module)
        for module in modules
        for node in module.nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lorewright")
        if node not in module.tree.body
    ]
    assert [one for one in late if one not in LATE and one[0] not in LATE_MODULES] == []


def test_sql_stands_where_it_may(modules: Modules) -> None:
    allowed = {"storage", "index"}
    strays = [
        module.name
        for module in modules
        if module.name.split("/")[0] not in allowed and module.name.split("/")[-1] != "store.py"
        if "import sqlite3" in module.text
    ]
    # Two small tables of the moment, asked by the index's own ranking; and the edge, which tells what the disk says.
    assert strays == [
        "cli/__init__.py",
        "contrib/import_v0/tables.py",
        "retrieval/lanes.py",
        "scene_lore/cache.py",
    ]


def test_events_are_typed(modules: Modules) -> None:
    # Only their own module knows that they have `details` in JSON; every other one makes and reads classes.
    untyped = [
        (module.name, node.lineno)
        for module in modules
        if module.name != "world/events.py"
        for node in module.nodes
        if (isinstance(node, ast.Attribute) and node.attr == "details")
        or (isinstance(node, ast.Constant) and node.value == "details")
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("Event", "EngineEvent", "UnknownEvent")
        )
    ]
    assert untyped == []
