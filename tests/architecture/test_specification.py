"""The page about the specification says of each clause how it stands, and names no test and no module that there is not."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs" / "specification.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (?P<clause>.+?) \| (?P<verdict>works|differs) \| (?P<how>.+) \| (?P<shown>.+) \|$", re.M)
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_CODE = re.compile(r"`([a-z_]+/[\w/]+\.py)(?:::(\w+))?[\w.]*`")


@cache
def names_in(path: Path) -> frozenset[str]:
    """The classes and functions of a module, those in classes too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def missing(found: list[tuple[str, str]], root: Path) -> list[str]:
    """What is named and is not there."""
    return [
        f"{file}::{name}"
        for file, name in found
        if not (root / file).is_file() or (name and name not in names_in(root / file))
    ]


def test_every_row_has_a_verdict_and_says_how() -> None:
    tables = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count(" | ") >= 3]
    clauses = [line for line in tables if not line.startswith(("| clause |", "| in the specification |"))]
    assert len(_ROW.findall(PAGE)) == len(clauses) > 80


def test_a_clause_stands_once() -> None:
    clauses = [clause for clause, *_ in _ROW.findall(PAGE)]
    assert len(clauses) == len(set(clauses))


def test_every_clause_is_shown_by_a_test_or_a_command() -> None:
    assert [clause for clause, _, _, shown in _ROW.findall(PAGE) if "`" not in shown] == []


def test_every_test_that_is_named_exists() -> None:
    found = _TEST.findall(PAGE)
    assert len(found) > 40
    assert missing(found, PROJECT) == []


def test_every_module_that_is_named_exists() -> None:
    found = [(file, name) for file, name in _CODE.findall(PAGE) if not file.startswith("tests/")]
    assert len(found) > 20
    assert missing(found, PROJECT / "src" / "lorewright") == []


@pytest.mark.parametrize("named", ["tests/rules/test_dice.py::test_nothing_of_the_kind", "tests/none.py::test_any"])
def test_a_name_that_is_not_there_is_noticed(named: str) -> None:
    assert missing([tuple(named.split("::"))], PROJECT) == [named]  # type: ignore[list-item]
