"""What a ruleset or a scenario has of hardships, as data: conditions and circumstances that forbid things, facts that
speak against an act, what a row of failures brings, how far people go, threats that fall due."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lorewright.rules.conditions import Condition, EscalationName
from lorewright.rules.effects import Effect
from lorewright.world.frozen import Frozen, FrozenMap

ESCALATION_STEPS: tuple[EscalationName, ...] = ("soft", "hard", "lethal")


class Hindrance(Frozen):
    """A condition of a character (`bound`) or a circumstance of the scene (`blackout`): the types of action that it
    forbids, and what it adds to dice. `*` forbids all that take time. `say` is told when the player comes into it."""

    summary: str = ""
    say: str = ""
    forbids: tuple[str, ...] = ()
    modifier: int = Field(default=0, ge=-20, le=20)


class Contradiction(Frozen):
    """A known fact of that predicate about a part of an attempt speaks against actions of these types."""

    fact: str
    about: Literal["target", "item", "place", "actor"] = "target"
    forbids: tuple[str, ...] = Field(min_length=1)


class Need(Frozen):
    """What must hold for an action of a type; `say` is told where it does not. `$target` is the target's own name."""

    when: Condition
    say: str = Field(min_length=1, max_length=200)


class Streak(Frozen):
    """What so many failed checks in a row bring, whatever else each of them brought; then the row begins anew."""

    threshold: int = Field(ge=2)
    effects: tuple[Effect, ...] = ()
    say: str = ""


class EscalationStep(Frozen):
    """What somebody does who goes so far; in a ruleset `target` is that somebody."""

    effects: tuple[Effect, ...] = ()
    say: str = ""


Profile = FrozenMap[EscalationName, EscalationStep]


class ThreatRule(Frozen):
    """A threat of a scenario: what players are told hangs over them, what happens when it falls due, and what averts
    it by itself."""

    title: str = Field(min_length=1, max_length=120)
    effects: tuple[Effect, ...] = ()
    say: str = ""
    unless: Condition | None = None
    averted: str = ""


class Inquiry(Frozen):
    """A thread that is looked into: items each of which is a step, and what comes of it when enough are known."""

    clues: tuple[str, ...] = ()
    needed: int = Field(ge=1)
    effects: tuple[Effect, ...] = ()
    say: str = ""
