"""The modules of the package as lints read them: each with its text and its syntax tree, parsed once a process."""

from __future__ import annotations

import ast
import gc
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "lorewright"


@dataclass(frozen=True, slots=True)
class SourceModule:
    """A module of the package: its path below it, its text, its tree, and all nodes of that, outer ones first."""

    name: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


@cache
def source_modules() -> tuple[SourceModule, ...]:
    """Return all modules of the package, by path."""
    # The collector would go through half a million nodes again and again, of which none is ever garbage.
    gc.disable()
    try:
        return tuple(map(_read, sorted(SOURCE.rglob("*.py"))))
    finally:
        gc.freeze()
        gc.enable()


def _read(path: Path) -> SourceModule:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    return SourceModule(path.relative_to(SOURCE).as_posix(), text, tree, tuple(ast.walk(tree)))
