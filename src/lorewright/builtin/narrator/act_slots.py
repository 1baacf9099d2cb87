"""An act and what it was aimed at -> beats with their facts and slots: who acts, whom it is meant for, with what."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat, Kind, Person, Slot
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.parser.naming import place_name, with_article
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import NarratorInput, NpcAct

_ID_LIKE = re.compile(r"\w:\w|\w_\w|#|/")
# A topic that no name stands behind is said where it stands in a sentence as it is.
_SAYABLE = re.compile(r"(?:the|a|an|this|that|your|his|her|their|its|our|what|where|who|why|when|how|whether)\s[a-z]")


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody's act with the person as a slot; `told` is the input that it is told from."""

    told: NarratorInput
    act: NpcAct
    person: Person

    def beat(
        self,
        kind: Kind,
        group: str,
        facts: dict[str, Fact] | None = None,
        *,
        to: str | None = None,
        **slots: Slot,
    ) -> Beat:
        """A beat about whoever acts; `to` is whom it is meant for, by ID."""
        aimed, other = meant_for(self.told, to)
        return Beat(kind, group, {**aimed, **(facts or {})}, {"who": self.person, "other": other, **slots})


def actor_of(given: NarratorInput, act: NpcAct) -> Actor:
    """Whoever acts, by the name that the act has, else by the one they have here; `somebody` where there is neither."""
    name = plain(act.name)
    if not name or name == act.who or _ID_LIKE.search(name):
        found = views.person(given, act.who)
        return Actor(given, act, Person(act.who, found.name if found else "somebody", act.pronoun))
    return Actor(
        given, act, Person(act.who, with_article(name) if name[0].islower() else place_name(name), act.pronoun)
    )


def meant_for(given: NarratorInput, entity_id: str | None) -> tuple[dict[str, Fact], str]:
    """The fact `to` (`you`, `other`; none where nobody has a name) and the name of another."""
    if entity_id is None:
        return {}, ""
    if entity_id == given.player_id:
        return {"to": "you"}, ""
    if not is_somebody(given, entity_id):
        return {}, ""
    who = views.person(given, entity_id)
    return ({"to": "other"}, who.name) if who else ({}, "")


def is_somebody(given: NarratorInput, entity_id: str | None) -> bool:
    """Whether an ID is the player's or of somebody who is here, has come or gone, or acts."""
    people = {view.id for view in given.scene.people} | {movement.entity_id for movement in given.movements}
    return entity_id is not None and entity_id in people | {act.who for act in given.acts} | {given.player_id}


def thing_of(given: NarratorInput, outcome: Outcome) -> str:
    """What it was aimed at, where that is a thing with a name."""
    return "" if is_somebody(given, outcome.target_id) else views.thing(given, outcome.target_id)


def item_of(given: NarratorInput, outcome: Outcome) -> str:
    """The thing that went along."""
    return "" if outcome.item_id is None else views.thing(given, outcome.item_id)


def place_of(given: NarratorInput, outcome: Outcome) -> str:
    """Where it led, where that has a name."""
    return views.place(given, outcome.location_id) if views.name_of(given, outcome.location_id) else ""


def topic_of(given: NarratorInput, outcome: Outcome) -> str:
    """What was spoken about, as it stands in a sentence; empty where it cannot be said like that."""
    words = " ".join(plain(outcome.words).split()).rstrip(".?!")
    kind, topic = views.topic(given, words)
    if kind == "named":
        return topic
    return words if _SAYABLE.match(words) and views.is_plain(words) else ""


def flags(**named: Slot) -> dict[str, Fact]:
    """A fact for each slot that has something in it."""
    return {name: True for name, value in named.items() if value}
