"""Effects as authors write them (`{clock: heat, by: 1}`): data until the moment when they become ops."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from lorewright.world.frozen import Frozen


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
    | Annotated[EndEffect, Tag("end")],
    Discriminator(_kind),
]
