"""Conditions as authors write them (`{all: [{has: comm_unit}, {at: pier_9}]}`), judged against a state."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_serializer

from lorewright.world.frozen import Frozen

EscalationName = Literal["soft", "hard", "lethal"]


class Has(Frozen):
    """Somebody (the player where nobody is named) carries the thing."""

    has: str
    of: str = "you"

    @model_serializer
    def _as_written(self) -> dict[str, str]:
        return {"has": self.has} if self.of == "you" else {"has": self.has, "of": self.of}


class At(Frozen):
    """The scene is at the place."""

    at: str


class Present(Frozen):
    """The person is at the scene's place."""

    present: str


class Visited(Frozen):
    """The place has been a scene at least once."""

    visited: str


class ClockIs(Frozen):
    """The clock's value lies between min and max, both included."""

    clock: str
    min: int = 0
    max: int | None = None


class ThreadIs(Frozen):
    """The thread has the status."""

    thread: str
    status: str


class Revealed(Frozen):
    """Somebody (the player where nobody is named) has learned the item."""

    revealed: str
    to: str = "you"

    @model_serializer
    def _as_written(self) -> dict[str, str]:
        return {"revealed": self.revealed} if self.to == "you" else {"revealed": self.revealed, "to": self.to}


class TimeIs(Frozen):
    """At least so many in-world minutes have passed since the start."""

    minutes: int = Field(ge=0)


class PathIs(Frozen):
    """A value of the ruleset's scene, or of somebody's stat block (`of`): a number between min and max, both included,
    or exactly `is`."""

    path: str
    of: str | None = None
    min: float | None = None
    max: float | None = None
    is_: Any = Field(default=None, alias="is")

    @model_serializer
    def _as_written(self) -> dict[str, Any]:
        written = {"path": self.path, "of": self.of, "min": self.min, "max": self.max, "is": self.is_}
        return {key: value for key, value in written.items() if value is not None}


class Company(Frozen):
    """Somebody else is at the scene's place, or nobody is."""

    company: bool


class ConditionIs(Frozen):
    """A character (`you` where nobody is named) is in a condition."""

    condition: str
    of: str = "you"


class StateIs(Frozen):
    """A character has a manifest inner state; with `is`, of exactly that value."""

    state: str
    of: str = "you"
    is_: Any = Field(default=None, alias="is")

    @model_serializer
    def _as_written(self) -> dict[str, Any]:
        written = {"state": self.state, "of": self.of, "is": self.is_}
        return {key: value for key, value in written.items() if value is not None}


class FactIs(Frozen):
    """Something is established of a subject; with `is`, with exactly that object."""

    fact: str
    subject: str
    is_: Any = Field(default=None, alias="is")

    @model_serializer
    def _as_written(self) -> dict[str, Any]:
        written = {"fact": self.fact, "subject": self.subject, "is": self.is_}
        return {key: value for key, value in written.items() if value is not None}


class Announced(Frozen):
    """The threat hangs over the scene."""

    announced: str


class SituationIs(Frozen):
    """The circumstance holds."""

    situation: str


class ProgressIs(Frozen):
    """The thread has been looked into so far at least."""

    progress: str
    min: int = Field(ge=0)


class EscalationIs(Frozen):
    """Somebody has gone so far against the player at least."""

    escalation: str
    min: EscalationName = "soft"


class RelationIs(Frozen):
    """How somebody stands to the player, or `to` somebody else, in trust, tension or closeness: between min and max,
    both included. Two between whom nothing is said stand at 0."""

    regard: str
    to: str = "you"
    in_: Literal["trust", "tension", "closeness"] = Field(default="trust", alias="in")
    min: int | None = None
    max: int | None = None

    @model_serializer
    def _as_written(self) -> dict[str, Any]:
        written = {"regard": self.regard, "to": self.to, "in": self.in_, "min": self.min, "max": self.max}
        return {key: value for key, value in written.items() if value is not None}


class Did(Frozen):
    """Somebody has done one of their acts at least once, by its ID."""

    did: str
    by: str


class Tried(Frozen):
    """Somebody has set about one of their acts at least once, whether or not the rules let it happen."""

    tried: str
    by: str


class TurnIs(Frozen):
    """It is somebody's turn; without an order of turns it is the player's (`you`)."""

    turn: str


class AllOf(Frozen):
    """Every one holds."""

    all: tuple[Condition, ...]


class AnyOf(Frozen):
    """At least one holds."""

    any: tuple[Condition, ...]


class Not(Frozen):
    """It does not hold."""

    not_: Condition = Field(alias="not")

    @model_serializer
    def _as_written(self) -> dict[str, Condition]:
        return {"not": self.not_}


_KINDS = (
    *("has", "at", "present", "visited", "clock", "thread", "revealed", "minutes", "path", "company"),
    *("condition", "state", "fact", "announced", "situation", "progress", "escalation", "turn"),
    *("regard", "did", "tried"),
    *("all", "any", "not"),
)


def _kind(value: Any) -> str | None:
    if isinstance(value, dict):
        return next((kind for kind in _KINDS if kind in value), None)
    return _kind_of(frozenset(getattr(type(value), "model_fields", ())))


@cache
def _kind_of(fields: frozenset[str]) -> str | None:
    return next((kind for kind in _KINDS if ("not_" if kind == "not" else kind) in fields), None)


Condition = Annotated[
    Annotated[Has, Tag("has")]
    | Annotated[At, Tag("at")]
    | Annotated[Present, Tag("present")]
    | Annotated[Visited, Tag("visited")]
    | Annotated[ClockIs, Tag("clock")]
    | Annotated[ThreadIs, Tag("thread")]
    | Annotated[Revealed, Tag("revealed")]
    | Annotated[TimeIs, Tag("minutes")]
    | Annotated[PathIs, Tag("path")]
    | Annotated[Company, Tag("company")]
    | Annotated[ConditionIs, Tag("condition")]
    | Annotated[StateIs, Tag("state")]
    | Annotated[FactIs, Tag("fact")]
    | Annotated[Announced, Tag("announced")]
    | Annotated[SituationIs, Tag("situation")]
    | Annotated[ProgressIs, Tag("progress")]
    | Annotated[EscalationIs, Tag("escalation")]
    | Annotated[TurnIs, Tag("turn")]
    | Annotated[RelationIs, Tag("regard")]
    | Annotated[Did, Tag("did")]
    | Annotated[Tried, Tag("tried")]
    | Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")],
    Discriminator(_kind),
]

AllOf.model_rebuild()
AnyOf.model_rebuild()
Not.model_rebuild()


class Nudge(Frozen):
    """What leads a player on while its condition holds: a `line` that is offered first, a `hint` for those who ask for
    one, and what is told, once, in the turn after which it holds."""

    when: Condition
    say: str = ""
    line: str = ""
    hint: str = ""
