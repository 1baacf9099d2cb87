"""Effects as authors write them (`{clock: heat, by: 1}`): data until the moment when they become ops."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from lorewright.world.frozen import Frozen
from lorewright.world.inner import MANIFEST_LEVEL
from lorewright.world.schemas import LARGEST, is_json


class RevealEffect(Frozen):
    """The player learns an item (`viktor/withholds#debt`)."""

    reveal: str


class ClockEffect(Frozen):
    """A clock moves."""

    clock: str
    by: int = 1


class RelationEffect(Frozen):
    """What stands between two people changes; `you` is the player."""

    relation: tuple[str, str]
    trust: int = 0
    tension: int = 0
    closeness: int = 0


class ArriveEffect(Frozen):
    """A character comes to the scene's place."""

    arrive: str


class DepartEffect(Frozen):
    """A character leaves for another place."""

    depart: str
    to: str


class GiveEffect(Frozen):
    """The player gets a thing."""

    give: str


class LoseEffect(Frozen):
    """The player loses a thing that they carry."""

    lose: str


class PutEffect(Frozen):
    """A thing comes to lie in a place."""

    put: str
    at: str


class UnlockEffect(Frozen):
    """A door is unlocked."""

    unlock: str


class ThreadEffect(Frozen):
    """A thread gets another status."""

    thread: str
    status: str


class FactEffect(Frozen):
    """Something becomes established."""

    fact: str = Field(description="The predicate")
    subject: str
    object: Any = None


class Spoken(Frozen):
    """Who said it, to whom, and what; `you` is the player, and `what` completes `to …` or is a thing owed."""

    by: str
    to: str
    what: str = Field(min_length=1, max_length=200)


class PromiseEffect(Frozen):
    """Somebody gives their word; it stands on the record (`promise: {by: viktor, to: you, what: "…"}`)."""

    promise: Spoken


class ThreatEffect(Frozen):
    """Somebody is threatened with something; it stands on the record."""

    threat: Spoken


class OwesEffect(Frozen):
    """Somebody owes somebody something from now on; it stands on the record."""

    owes: Spoken


class PathEffect(Frozen):
    """A path of the ruleset's scene changes, or one of somebody's stat block: `of` is somebody, `you`, or in a ruleset
    `target` (whom it was aimed at) or `somebody` (whoever is there). In a ruleset `$stat` is the stat of the check."""

    op: Literal["set", "increment", "decrement", "append", "remove"]
    path: str
    of: str | None = None
    value: Any = None

    @model_validator(mode="after")
    def _with_a_fitting_value(self) -> Self:
        """What only a turn would find out otherwise: a count that is no number, nothing to set."""
        if self.op in ("increment", "decrement"):
            if self.value is not None and (type(self.value) not in (int, float) or not 0 <= self.value <= LARGEST):
                raise ValueError(f"{self.op} by a number from 0 upward")
        elif self.op != "remove" and self.value is None:
            raise ValueError(f"{self.op} needs a value")
        elif not is_json(self.value):
            raise ValueError("write JSON, with numbers that are finite and not too large")
        return self


class ConditionEffect(Frozen):
    """A character (`you` where nobody is named) comes into a condition, or with `on: false` out of it."""

    condition: str
    of: str = "you"
    on: bool = True


class StateEffect(Frozen):
    """A character's inner state gets a value; below level 6 it is not manifest yet."""

    state: str
    of: str = "you"
    value: Any
    level: int = Field(default=MANIFEST_LEVEL, ge=1, le=10)


class ObserveEffect(Frozen):
    """A character remembers something; the same once more strengthens it."""

    observe: str = Field(min_length=1, max_length=500)
    of: str
    importance: int = Field(default=3, ge=1, le=5)


class TieEffect(Frozen):
    """The first is something to the second from now on (`tie: [viktor, mira], type: employer`)."""

    tie: tuple[str, str]
    type: str
    intensity: int = 0


class AnnounceEffect(Frozen):
    """A threat of the scenario hangs over the scene, and falls due in so many minutes unless it is averted."""

    announce: str
    minutes: int = Field(ge=0)


class AvertEffect(Frozen):
    """A threat is averted."""

    avert: str


class SituationEffect(Frozen):
    """A circumstance begins, for so many minutes or until it ends; with `on: false` it ends."""

    situation: str
    minutes: int | None = Field(default=None, ge=0)
    on: bool = True


class ProgressEffect(Frozen):
    """A thread has been looked into further."""

    progress: str
    by: int = 1


class EscalateEffect(Frozen):
    """Somebody goes a step further against the player, or to a step that is named (`none`: they leave off)."""

    escalate: str
    step: Literal["none", "soft", "hard", "lethal"] | None = None


class PassTurnEffect(Frozen):
    """Whoever acts now has acted."""

    pass_turn: Literal[True]


class TimeEffect(Frozen):
    """Time goes by."""

    minutes: int = Field(ge=0)


class EndEffect(Frozen):
    """An ending is reached."""

    end: str


_KINDS = (
    "reveal",
    "clock",
    "relation",
    "arrive",
    "depart",
    "give",
    "lose",
    "put",
    "unlock",
    "thread",
    "fact",
    "promise",
    "threat",
    "owes",
    "path",
    "end",
    *("condition", "state", "observe", "tie", "announce", "avert", "situation", "progress", "escalate", "pass_turn"),
    "minutes",
)


def _kind(value: object) -> str | None:
    if isinstance(value, dict):
        return next((kind for kind in _KINDS if kind in value), None)
    return next((kind for kind in _KINDS if hasattr(value, kind)), None)


Effect = Annotated[
    Annotated[RevealEffect, Tag("reveal")]
    | Annotated[ClockEffect, Tag("clock")]
    | Annotated[RelationEffect, Tag("relation")]
    | Annotated[ArriveEffect, Tag("arrive")]
    | Annotated[DepartEffect, Tag("depart")]
    | Annotated[GiveEffect, Tag("give")]
    | Annotated[LoseEffect, Tag("lose")]
    | Annotated[PutEffect, Tag("put")]
    | Annotated[UnlockEffect, Tag("unlock")]
    | Annotated[ThreadEffect, Tag("thread")]
    | Annotated[FactEffect, Tag("fact")]
    | Annotated[PromiseEffect, Tag("promise")]
    | Annotated[ThreatEffect, Tag("threat")]
    | Annotated[OwesEffect, Tag("owes")]
    | Annotated[PathEffect, Tag("path")]
    | Annotated[EndEffect, Tag("end")]
    | Annotated[ConditionEffect, Tag("condition")]
    | Annotated[StateEffect, Tag("state")]
    | Annotated[ObserveEffect, Tag("observe")]
    | Annotated[TieEffect, Tag("tie")]
    | Annotated[AnnounceEffect, Tag("announce")]
    | Annotated[AvertEffect, Tag("avert")]
    | Annotated[SituationEffect, Tag("situation")]
    | Annotated[ProgressEffect, Tag("progress")]
    | Annotated[EscalateEffect, Tag("escalate")]
    | Annotated[PassTurnEffect, Tag("pass_turn")]
    | Annotated[TimeEffect, Tag("minutes")],
    Discriminator(_kind),
]
