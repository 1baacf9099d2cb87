"""A campaign's turns -> which entries stay and which stay away in the next one, and the dice that are thrown for them.

What a turn found stands in its own record, beside the stages': so it goes back with whoever goes back, and every branch
has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field, ValidationError

from lorewright.retrieval.view import SIDES, EntryHistory
from lorewright.rules.dice import SeededDice
from lorewright.storage.database import Database
from lorewright.storage.kept_rows import entries_json
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.state import WorldState

# Stored results -> what the next turn must know of them: the lines offered, and what the next scene marker says.

# So many turns back the head carries messages.
RECENT_TURNS = 12
# Whoever lets so many in-world minutes pass in one turn has skipped them.
SKIPPED_MINUTES = 60

# Events of a turn that become a marker of the next one.
TIME_SKIPPED, SCENE_CLOSED, NOBODY_ACTED = "time_skipped", "scene_closed", "nobody_acted"

# So many turns that were told and lie beyond those are summarised at once: a small model reads some 3,000 tokens for
# it, once in so many turns; and until then what lies there is found by asking.
SUMMARISE_AFTER = 20


class Marker(Frozen):
    """A boundary in the story, told to whoever tells it: `location_change` {from, to}, `time_skip` {duration} in
    minutes, `scene_open` {at}, `scene_close` {at}, `silence` {who}: those of the cast who could have acted and did
    not."""

    subtype: str
    payload: FrozenMap[str, Any]


def options_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The lines that were offered."""
    return tuple(result["suggested_actions"])


def markers_of(result: Mapping[str, Any]) -> tuple[Marker, ...]:
    """What a turn's result has the next one begin with, in the order in which it happened; moves are one move."""
    return tuple(_markers(result["engine_events"]))


def _markers(events: list[Mapping[str, Any]]) -> Iterator[Marker]:
    moves = [event["details"] for event in events if event["type"] == "scene_changed"]
    # Whoever is where they were has not moved: a scene may open in the place of the one before it.
    if moves and moves[0]["from"] != moves[-1]["to"]:
        yield Marker(subtype="location_change", payload={"from": moves[0]["from"], "to": moves[-1]["to"]})
    for event in events:
        if event["type"] == TIME_SKIPPED:
            yield Marker(subtype="time_skip", payload={"duration": event["details"]["minutes"]})
        elif event["type"] == SCENE_CLOSED:
            yield Marker(subtype="scene_open", payload={"at": event["details"]["at"]})
        elif event["type"] == NOBODY_ACTED:
            yield Marker(subtype="silence", payload={"who": list(event["details"]["who"])})


class EntriesFound(Frozen):
    """What a turn left: its number, counting those in which entries had rules, and when each section that stays or
    stays away was found, by its ID."""

    turn: int = Field(ge=1)
    found: FrozenMap[str, int] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntryDice:
    """The throws of one turn: of the campaign's seed, the state that the turn begins with, its number and the entry."""

    seed: int
    state_hash: str
    turn: int

    def __call__(self, entry_id: str) -> int:
        """The throw of an entry, from 1."""
        dice = SeededDice(self.seed, self.state_hash, f"entries of turn {self.turn}")
        return dice.roll(f"1d{SIDES}", purpose="entry", actor_id=entry_id).total


def entry_history(database: Database, seed: int, turn_id: str, state: WorldState) -> EntryHistory:
    """What the turn that follows another one has to go by; `state` is the one after that."""
    left = _left(entries_json(database, turn_id))
    turn = 1 if left is None else left.turn + 1
    return EntryHistory(turn, {} if left is None else dict(left.found), EntryDice(seed, state.truth_hash(), turn))


def _left(text: str | None) -> EntriesFound | None:
    """What cannot be read is as if nothing had been found."""
    try:
        return None if text is None else EntriesFound.model_validate_json(text)
    except ValidationError:
        return None
