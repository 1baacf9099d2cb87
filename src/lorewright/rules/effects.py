"""Effects as authors write them (`{clock: heat, by: 1}`): data until the moment when they become ops."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from lorewright.world.frozen import Frozen
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
    | Annotated[EndEffect, Tag("end")],
    Discriminator(_kind),
]
