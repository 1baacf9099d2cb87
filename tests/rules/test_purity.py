"""World and rules are pure: no clock, no chance, no file, no environment, nothing that is otherwise in another process."""

from __future__ import annotations

import ast
import datetime
import os
import random
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any, NoReturn

import pytest

import lorewright
from lorewright.rules.dice import SeededDice
from support import small_world as w

SOURCE = Path(lorewright.__file__).parent
PURE = sorted([*(SOURCE / "world").rglob("*.py"), *(SOURCE / "rules").rglob("*.py")])

# All that world and rules may import. What is not here is a question: can it tell the time, throw dice, read a file, ask
# the environment, or order things otherwise in another process?
ALLOWED = {
    *(
        "__future__",
        "ast",
        "bisect",
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
    ),
    *("json", "math", "operator", "re", "string", "types", "typing", "unicodedata"),
    # The patterns of rulesets are searched by pydantic's engine, which does not backtrack.
    *("jsonschema", "pydantic", "pydantic_core", "simpleeval"),
}
# Plug-ins are files of the package itself: in every process the same.
ALLOWED_OF_OURS = {
    "lorewright.errors",
    "lorewright.ids",
    "lorewright.plugins",
    "lorewright.rules",
    "lorewright.visibility",
    "lorewright.world",
}
# Built in, and yet of the outside, of this process alone, or a way to whatever is forbidden.
FORBIDDEN_CALLS = {
    *("open", "input", "print", "breakpoint", "exec", "eval", "compile", "__import__", "globals", "locals"),
    *("hash", "id"),
}
# What makes a sequence of a set keeps the order in which the set stands, and that is another one in another process.
ORDERING_CALLS = {"list", "tuple", "enumerate", "iter", "next", "zip", "map", "filter", "reversed", "dict"}
# What is made by these does not show in which order it came.
ORDERLESS_CALLS = {"sorted", "any", "all", "sum", "min", "max", "set", "frozenset", "len"}


def problems(source: str) -> list[str]:
    """What a module does that nothing pure does, each with its line."""
    tree = ast.parse(source)
    of_ours = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    found = []
    for node in ast.walk(tree):
        for what in _imported(node):
            found.append(f"{node.lineno}: imports {what}")  # type: ignore[attr-defined]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in of_ours:
            if node.func.id in FORBIDDEN_CALLS:
                found.append(f"{node.lineno}: calls {node.func.id}()")
            if node.func.id in ORDERING_CALLS and any(map(_is_set, node.args)):
                found.append(f"{node.lineno}: puts a set in the order of its hashes")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            found += [f"{node.lineno}: joins a set"] if any(map(_is_set, node.args)) else []
        if isinstance(node, (ast.For, ast.comprehension)) and _is_set(node.iter) and not _only_counts(tree, node):
            found.append(f"{node.iter.lineno}: goes through a set in the order of its hashes")
    return found


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = ["a neighbour by dots"] if node.level else [node.module or ""]
    else:
        return []
    return [name for name in names if name.partition(".")[0] not in ALLOWED and not _is_ours(name)]


def _is_ours(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in ALLOWED_OF_OURS)


def _is_set(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)):
        return _is_set(node.left) or _is_set(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    return isinstance(node, (ast.Set, ast.SetComp))


def _only_counts(tree: ast.AST, loop: ast.AST) -> bool:
    """A comprehension of a set, or one whose order nobody sees: it is sorted, or asked whether any or all."""
    for node in ast.walk(tree):
        if isinstance(node, ast.SetComp) and loop in node.generators:
            return True
        blind = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ORDERLESS_CALLS
        if blind and any(loop in getattr(one, "generators", ()) for one in node.args):  # type: ignore[attr-defined]
            return True
    return False


def test_world_and_rules_know_no_clock_no_chance_no_file_no_environment_and_no_order_of_hashes() -> None:
    found = {module: problems(module.read_text(encoding="utf-8")) for module in PURE}
    assert {module: wrong for module, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    "impure",
    [
        "import random",
        "import os.path",
        "from datetime import datetime",
        "from time import monotonic as now",
        "from secrets import token_hex",
        "from uuid import uuid4",
        "from pathlib import Path",
        "import numpy as np",
        "from lorewright.storage import heads",
        "from . import ops",
        "def late():\n    import random",
        "text = open('x').read()",
        "key = id(state)",
        "key = hash(name)",
        "__import__('random')",
        "for name in {'a', 'b'}: pass",
        "names = list(set(given))",
        "names = [name for name in set(given) - {'a'}]",
        "text = ', '.join({name for name in given})",
    ],
)
def test_whatever_is_not_pure_is_found(impure: str) -> None:
    assert len(problems(impure)) == 1


@pytest.mark.parametrize(
    "pure",
    [
        "import math",
        "from lorewright.world.ops import Move",
        "names = sorted(set(given))",
        "names = sorted(name for name in set(given))",
        "found = any(name in known for name in {'a', 'b'})",
        "from simpleeval import SimpleEval",
    ],
)
def test_what_is_pure_is_left_alone(pure: str) -> None:
    assert problems(pure) == []


@pytest.mark.campaign
def test_another_hash_seed_gives_the_same_bytes() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", _PLAYED],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1
    assert b"rolls" in told.pop()


_PLAYED = """
from support import small_world as w
from lorewright.rules.dice import SeededDice
rule = {"on": {"act": "persuade"}, "check": {"add": "charm"}, "success": [{"reveal": w.DEBT}]}
rules = w.campaign_rules(rule, clock_effects={w.HEAT: {1: [{"arrive": w.CHEN}]}})
turn = [w.attempt("persuade", w.VIKTOR), w.attempt("search", items=[w.LEDGER, w.STAIN]), w.go(w.PIER)]
resolution = w.play(*turn, rules=rules, dice=SeededDice(1, "hash", "action"))
print(resolution.model_dump_json(), w.after(w.small_world(), *resolution.ops).model_dump_json())
"""


def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
    raise AssertionError("the rules asked for the time or for chance")


class NoClock(datetime.datetime):
    """A datetime that does not say what time it is."""

    now = utcnow = today = refuse


def test_a_turn_is_resolved_without_the_time_and_without_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = {"on": {"act": "persuade"}, "check": {"add": "charm"}, "success": [{"reveal": w.DEBT}]}
    rules = w.campaign_rules(rule, clock_effects={w.HEAT: {1: [{"arrive": w.CHEN}]}})
    turn = [w.attempt("persuade", w.VIKTOR), w.attempt("search", items=[w.LEDGER]), w.go(w.PIER)]
    with monkeypatch.context() as poisoned:
        poisoned.setattr(datetime, "datetime", NoClock)
        for module, names in (
            (random, ("random", "Random", "randint", "choice", "getrandbits", "SystemRandom")),
            (time, ("time", "time_ns", "monotonic", "monotonic_ns", "localtime", "gmtime")),
            (uuid, ("uuid1", "uuid4")),
        ):
            for name in names:
                poisoned.setattr(module, name, refuse)
        resolution = w.play(*turn, rules=rules, dice=SeededDice(1, "hash", "action"))
    assert [outcome.code for outcome in resolution.outcomes][1:] == ["found", "moved"]
    assert len(resolution.rolls) == 1
