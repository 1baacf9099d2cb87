"""What a model is shown to outline a scenario, and what it may answer with: IDs of the packs, and words about them.

A model chooses and names. Who holds what, which rules there are and how it can end is made by code.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

MAX_PLACES, MAX_PEOPLE = 60, 60
# As much as one reads on a page, so that every part of a scenario's head stays one.
_LINE, _PARAGRAPH, _OPENING = 200, 800, 2_000


class Shaped(BaseModel):
    """Frozen, and every key known."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class RulesetBrief(Shaped):
    """How things are resolved, in short."""

    id: str
    name: str
    summary: str


class PackBrief(Shaped):
    """A pack by its ID and name."""

    id: str
    name: str


class PlaceBrief(Shaped):
    """A place that one may begin in: its open text in a sentence, and the places that ways lead to, by ID."""

    id: str
    name: str
    tags: tuple[str, ...] = ()
    about: str = ""
    ways_to: tuple[str, ...] = ()


class PersonBrief(Shaped):
    """Somebody for the cast, and how many things they could tell or keep back. Of a group (`speaks_for`) the scenario
    makes a member of its own."""

    id: str
    name: str
    tags: tuple[str, ...] = ()
    about: str = ""
    knows: int = 0
    withholds: int = 0
    speaks_for: bool = False


class ScenarioContext(Shaped):
    """What the prompt `scenario_generator` is filled in with. Nothing of it is secret: what comes of it is read by
    players. `stable` is what another brief leaves as it is."""

    stable: ClassVar[tuple[str, ...]] = ("ruleset", "packs", "places", "people")

    ruleset: RulesetBrief
    packs: tuple[PackBrief, ...]
    brief: str = ""
    places: tuple[PlaceBrief, ...]
    people: tuple[PersonBrief, ...]
    cast_wanted: int = Field(ge=2)


Line = Annotated[str, Field(min_length=1, max_length=_LINE, pattern=r"\S")]


class OutlinedThread(Shaped):
    """An open question, and the IDs of whom and what it is about."""

    title: Line
    stakes: str = Field(default="", max_length=_PARAGRAPH)
    about: tuple[str, ...] = Field(default=(), max_length=6)


class OutlinedClock(Shaped):
    """What runs out, by a name of one or two words, and the sentence that is told when it has."""

    name: str = Field(min_length=1, max_length=40, pattern=r"\S")
    when_full: str = Field(default="", max_length=_PARAGRAPH)


class Outline(Shaped):
    """A scenario in its bare bones. `location_id` is where it begins; `cast` are IDs of people, whoever matters most
    first: who has what is wanted, who knows the way to it, who is waiting for it; `goals` are what the cast (and
    `player`) are after, by ID."""

    title: str = Field(min_length=1, max_length=80, pattern=r"\S")
    summary: str = Field(min_length=1, max_length=_PARAGRAPH, pattern=r"\S")
    tone: str = Field(default="", max_length=_LINE)
    stakes: str = Field(default="", max_length=_PARAGRAPH)
    location_id: str
    cast: tuple[str, ...] = Field(min_length=2, max_length=6)
    goals: dict[str, Line] = Field(default_factory=dict, max_length=8)
    threads: tuple[OutlinedThread, ...] = Field(default=(), max_length=3)
    clock: OutlinedClock
    opening: str = Field(min_length=1, max_length=_OPENING, pattern=r"\S")
