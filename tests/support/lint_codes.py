"""Every finding's code that the source can give, read from its syntax."""

from __future__ import annotations

import ast
from pathlib import Path

PACKS = Path(__file__).parents[2] / "src" / "lorewright" / "packs"
TRIGGERS = PACKS.parent / "turn" / "stages" / "interpret" / "finding.py"

# function -> which of its arguments is the code
_CODE_ARGUMENT = {"error": 1, "warning": 1, "info": 1, "make": 1, "_note": 0, "note": 0, "YamlProblem": 0}


def codes_in_source() -> set[str]:
    """The codes of all findings."""
    found: set[str] = set()
    for path in (*PACKS.rglob("*.py"), TRIGGERS):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                at = _CODE_ARGUMENT.get(name, 99)
                if at < len(node.args):
                    found |= _constants(node.args[at])
            if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "code" for t in node.targets):
                found |= _constants(node.value)
    return {code for code in found if code.replace("-", "").isalnum()}


def _constants(node: ast.expr) -> set[str]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
