"""World and rules know no clock and no chance: nothing of the kind is imported or called."""

from __future__ import annotations

import ast
import datetime
import random
import time
import uuid
from pathlib import Path
from typing import Any, NoReturn

import pytest

import lorewright
import worlds as w
from lorewright.rules.dice import SeededDice

SOURCE = Path(lorewright.__file__).parent
MODULES = sorted([*(SOURCE / "world").rglob("*.py"), *(SOURCE / "rules").rglob("*.py")])
FORBIDDEN = {"random", "time", "datetime", "uuid", "secrets", "os", "sqlite3", "asyncio"}


def imported(module: Path) -> set[str]:
    """The top names of everything that a module imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(SOURCE)))
def test_no_module_of_world_or_rules_imports_a_clock_or_chance(module: Path) -> None:
    assert not imported(module) & FORBIDDEN


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
