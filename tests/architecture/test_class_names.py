"""A public class name means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict

from support.source_trees import SourceModule


def test_no_public_class_name_is_defined_twice(modules: tuple[SourceModule, ...]) -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module.name)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
