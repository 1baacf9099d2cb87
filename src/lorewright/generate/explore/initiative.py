"""A made cast -> the same with how readily each acts of their own accord, and what they do then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lorewright.generate.explore.survey import Survey
from lorewright.ids import content_hash
from lorewright.packs.schemas import read_npc_initiative
from lorewright.rules.rulesets import TurnProfile
from lorewright.rules.verbs import verb_for

# How readily somebody acts of whom nothing is known.
_CHATTINESS = (0.3, 0.5, 0.7)


def with_initiative(
    survey: Survey,
    cast: Mapping[str, dict[str, Any]],
    *,
    seed: int,
    profile: TurnProfile | None,
    key_of: Callable[[str], str],
) -> dict[str, dict[str, Any]]:
    """Return the cast of a walk, where no file says how readily somebody acts by seed; `key_of` gives the key of a
    note. Where the cast has rounds of its own in the profile, everybody has an act too."""
    notes = {key_of(note.id): note for note in survey.of_type("npc")}
    found = {}
    for key, member in cast.items():
        said = read_npc_initiative(notes[key].entity.attrs)
        is_said = said.baked is not None or said.chattiness is not None
        readily = {} if is_said else {"chattiness": chattiness_by(f"{seed}\nchattiness\n{key}")}
        found[key] = {**member, **readily, **acts_in(profile, member["name"])}
    return found


def chattiness_by(key: str) -> float:
    """Return how readily somebody acts, by a key."""
    return _CHATTINESS[int(content_hash(key)[:12], 16) % len(_CHATTINESS)]


def acts_in(profile: TurnProfile | None, name: str) -> dict[str, Any]:
    """Return what somebody does once of their own accord, where the cast has rounds of its own: they ask the player
    what brings them."""
    verb = verb_for("question")
    if profile in (None, "freeform") or verb is None:
        return {}
    do = {"type": verb.name, "target": "you", "topic": "what brings you here"}
    act = {"id": "asks_what_brings_you", "do": do, "say": f"{name} asks what brings you here.", "once": True}
    return {"acts": [act]}
