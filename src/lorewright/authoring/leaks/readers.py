"""A stage's record -> with whose eyes the stage read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lorewright.turn.run.casting import STAGES
from lorewright.turn.views.visibility import seen_by
from lorewright.values.messages import Message
from lorewright.world.state import WorldState

# These read; whatever else is on record is the engine, which judges with all of the truth and tells nobody.
READING_STAGES = frozenset(STAGES)
# They are asked before anything has come of the turn.
_BEFORE = frozenset({"interpreter", "planner"})
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Eyes:
    """A viewer as `may_know` takes it, what it has learned, and the IDs that are its own."""

    viewer: str
    learned: frozenset[str]
    own_ids: frozenset[str] = _NOTHING


def eyes_of(
    record: Mapping[str, Any],
    before: WorldState,
    after: WorldState,
    heard: Mapping[str, frozenset[str]],
) -> Eyes:
    """Whose a record of a turn between two states is. What was said where somebody was (`heard`, by who) they know."""
    who = _owner(record)
    if who is not None and who not in (after.player_id, *after.personas):
        return Eyes(f"npc:{who}", after.learned_by(who) | heard.get(who, _NOTHING), frozenset({who}))
    eyes = eyes_of_stage(str(record["stage"]), before, after)
    told = _NOTHING if record["stage"] in _BEFORE else heard.get(after.player_id, _NOTHING)
    return replace(eyes, learned=eyes.learned | told)


def eyes_of_stage(stage: str, before: WorldState, after: WorldState) -> Eyes:
    """Whose a stage of the player's own round is."""
    state = before if stage in _BEFORE else after
    viewer = "planner" if stage == "planner" else "narrator"
    return Eyes(viewer, state.learned_by(state.player_id))


def grow(
    heard: dict[str, frozenset[str]],
    messages: Iterable[Message],
    items_in: Callable[[str], frozenset[str]],
    *,
    but: str,
) -> None:
    """Add the items that were said where somebody was, by who was there; not for the player, who is told of what they
    learn."""
    for message in messages:
        said = items_in(message.content) if message.type == "narration" else _NOTHING
        for who in message.audience if said else ():
            if who != but:
                heard[who] = heard.get(who, _NOTHING) | said


def revealed_in(records: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """The items that somebody came to know in a turn that was never committed, by who."""
    found: dict[str, frozenset[str]] = {}
    for record in records:
        made = record.get("output")
        made = json.loads(made) if isinstance(made, str) else made
        for op in made.get("ops", ()) if isinstance(made, dict) else ():
            if "item_id" in op and isinstance(op.get("to"), str):
                found[op["to"]] = found.get(op["to"], _NOTHING) | {op["item_id"]}
    return found


def shown_to_player(messages: list[Message], state: WorldState) -> list[Message]:
    """The messages that the player may read."""
    return seen_by("player", messages, own_id={state.player_id, *state.personas})


def _owner(record: Mapping[str, Any]) -> str | None:
    """Whose intent or inner life a stage was about."""
    given = record.get("input")
    given = json.loads(given) if isinstance(given, str) else given
    if not isinstance(given, dict):
        return None
    who = given["me"]["id"] if "me" in given else given.get("who")
    return None if who is None else str(who)
