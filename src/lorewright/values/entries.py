"""A campaign's turns -> which entries stay and which stay away in the next one, and the dice that are thrown for them.

What a turn found stands in its own record, beside the stages': so it goes back with whoever goes back, and every branch
has its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from pydantic import Field, ValidationError

from lorewright.ids import local
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.view import SIDES, EntryHistory
from lorewright.rules.dice import SeededDice
from lorewright.storage.annotation_rows import entries_json
from lorewright.storage.database import Database
from lorewright.values.same import Same
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.state import Entity, Fact, WorldState

# A state's facts -> those that a stage is shown: what is known of the scene, and what else was learned last.

# What somebody of the cast is after, and at which marks of which clocks they act: for the planner, never a player.


@dataclass(frozen=True, slots=True)
class Agenda:
    """A goal in the author's words (empty where none is written), and the marks (clock, value) at which they act."""

    goal: str = ""
    marks: tuple[tuple[str, int], ...] = ()

    def shown(self, state: WorldState) -> dict[str, Any]:
        """`{goal, next: {clock_id, at}}`, the next step being the one that fewest ticks lead to; what there is none of
        is left out."""
        found: dict[str, Any] = {"goal": goal} if (goal := " ".join(self.goal.split())) else {}
        clocks = state.clocks
        ahead = [
            (at - clocks[one].value, one, at) for one, at in self.marks if one in clocks and at > clocks[one].value
        ]
        if ahead:
            _, clock_id, at = min(ahead)
            found["next"] = {"clock_id": clock_id, "at": at}
        return found


# A state -> what conditions in packs are judged against.


def lore_conditions(state: WorldState) -> LoreConditions:
    """The statuses of the threads, the values of the clocks, every fact but what was only told; the campaign's own
    subjects by bare ID."""
    return LoreConditions(
        threads={thread.id: thread.status for thread in state.threads.values()},
        clocks={clock.id: clock.value for clock in state.clocks.values()},
        facts=_known(Same(state.facts), Same(state.entities)),
    )


# A few games are played side by side, each with some states on hand.
@lru_cache(maxsize=32)
def _known(facts: Same[Mapping[str, Fact]], entities: Same[Mapping[str, Entity]]) -> frozenset[tuple[str, str]]:
    own = {entity.id for entity in entities.value.values() if entity.origin == "campaign"}
    return frozenset(
        (fact.predicate, local(fact.subject_id) if fact.subject_id in own else fact.subject_id)
        for fact in facts.value.values()
        if not fact.is_only_told
    )


# So many facts are shown: a long game knows more than fits.
FACTS_SHOWN = 40


def facts_shown(state: WorldState, about: Collection[str], *, hidden: bool) -> list[Fact]:
    """First the facts about some, then others, the newest first and not all of them; with `hidden` also those that the
    player does not know."""
    concerned = (fact for one in about for fact in state.facts_about(one) if hidden or fact.visibility == "player")
    here = sorted(concerned, key=_newest_first)[:FACTS_SHOWN]
    others = (fact for fact in _sorted(Same(state.facts), hidden) if fact.subject_id not in about)
    return [*here, *islice(others, FACTS_SHOWN - len(here))]


# A few games are played side by side, each with some states on hand.
@lru_cache(maxsize=32)
def _sorted(facts: Same[Mapping[str, Fact]], hidden: bool) -> list[Fact]:
    seen = (fact for fact in facts.value.values() if hidden or fact.visibility == "player")
    return sorted(seen, key=_newest_first)


def _newest_first(fact: Fact) -> tuple[int, str]:
    """What was so from the beginning comes last."""
    return (0 if fact.discovered_turn is None else -fact.discovered_turn - 1, fact.id)


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
