"""A campaign's turns -> which entries stay and which stay away in the next turn, and the dice that are thrown for them.

What a turn found stands in its own record, next to the stages', so that it is undone with the turn and every branch has
its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from lorewright.visibility import FactReader
from lorewright.world.events import EVENTS, EngineEvent, NobodyActed, SceneChanged, SceneClosed, TimeSkipped
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.state import Entity, Fact, WorldState

# Agenda: a character's goal, and the clock marks at which they act; for the planner, never a player.


@dataclass(frozen=True, slots=True)
class Agenda:
    """A goal in the author's words (empty where none is written), and the marks (clock, value) at which the character
    acts."""

    goal: str = ""
    marks: tuple[tuple[str, int], ...] = ()

    def shown(self, state: WorldState) -> dict[str, Any]:
        """Return `{goal, next: {clock_id, at}}`, where the next step is the one that is fewest ticks away; a key
        without a value is omitted."""
        found: dict[str, Any] = {"goal": goal} if (goal := " ".join(self.goal.split())) else {}
        clocks = state.clocks
        ahead = [
            (at - clocks[clock_id].value, clock_id, at)
            for clock_id, at in self.marks
            if clock_id in clocks and at > clocks[clock_id].value
        ]
        if ahead:
            _, clock_id, at = min(ahead)
            found["next"] = {"clock_id": clock_id, "at": at}
        return found


# A state -> the conditions' values that packs are judged against.


def lore_conditions(state: WorldState) -> LoreConditions:
    """Return the statuses of the threads, the values of the clocks, and every fact but those that were only told, with
    the campaign's own subjects by bare ID."""
    return LoreConditions(
        threads={thread.id: thread.status for thread in state.threads.values()},
        clocks={clock.id: clock.value for clock in state.clocks.values()},
        facts=_known(Same(state.facts), Same(state.entities)),
    )


# A few games are played in one process, each with some states in use.
@lru_cache(maxsize=32)
def _known(facts: Same[Mapping[str, Fact]], entities: Same[Mapping[str, Entity]]) -> frozenset[tuple[str, str]]:
    own = {entity.id for entity in entities.value.values() if entity.origin == "campaign"}
    return frozenset(
        (fact.predicate, local(fact.subject_id) if fact.subject_id in own else fact.subject_id)
        for fact in facts.value.values()
        if not fact.is_only_told
    )


# Facts of a state, as many as stages are shown.

# The most facts that are shown: a long game knows more than fits.
FACTS_SHOWN = 40


def facts_shown(state: WorldState, about: Collection[str], *, reader: FactReader, who: str | None) -> list[Fact]:
    """Return at most `FACTS_SHOWN` facts that a viewer or stage is shown: first those about the given subjects, then
    others, the newest first; `who` is the persona that the viewer plays or the stage tells the story to."""
    concerned = (fact for subject_id in about for fact in state.facts_about(subject_id) if fact.is_shown(reader, who))
    chosen = sorted(concerned, key=_newest_first)[:FACTS_SHOWN]
    others = (fact for fact in _sorted(Same(state.facts), reader, who) if fact.subject_id not in about)
    return [*chosen, *islice(others, FACTS_SHOWN - len(chosen))]


# A few games are played in one process, each with some states in use.
@lru_cache(maxsize=32)
def _sorted(facts: Same[Mapping[str, Fact]], reader: FactReader, who: str | None) -> list[Fact]:
    seen = (fact for fact in facts.value.values() if fact.is_shown(reader, who))
    return sorted(seen, key=_newest_first)


def _newest_first(fact: Fact) -> tuple[int, str]:
    """Return a sort key that puts the newest fact first and facts from the beginning last."""
    return (0 if fact.discovered_turn is None else -fact.discovered_turn - 1, fact.id)


# Stored results -> what the next turn must know of them: the lines offered, and what the next scene marker says.

# The number of past turns whose messages the head carries.
RECENT_TURNS = 12
# A turn that lets so many in-world minutes pass has skipped them.
SKIPPED_MINUTES = 60

# So many turns that were told and lie beyond those are summarised at once: a small model reads some 3,000 tokens for
# it, once in so many turns; until then those turns are found by retrieval.
SUMMARISE_AFTER = 20


class Marker(Frozen):
    """A boundary in the story, for the narrator: `location_change` {from, to}, `persona_change` {to, at}, `time_skip`
    {duration} in minutes, `scene_open` {at}, `scene_close` {at}, `silence` {who}: those of the cast who could have
    acted and did not."""

    subtype: str
    payload: FrozenMap[str, Any]


def options_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the lines that were offered."""
    return tuple(result["suggested_actions"])


def markers_of(result: Mapping[str, Any]) -> tuple[Marker, ...]:
    """Return the markers that a turn's result has the next turn begin with, in the order of their events; several moves
    make one marker."""
    return tuple(_markers(EVENTS.validate_python(result["engine_events"])))


def _markers(events: Sequence[EngineEvent]) -> Iterator[Marker]:
    moves = [event for event in events if isinstance(event, SceneChanged)]
    # A player who ended where they began has not moved: a scene may open in the place of the one before it.
    if moves and moves[0].from_id != moves[-1].to_id:
        yield location_change(moves[0].from_id, moves[-1].to_id)
    for event in events:
        match event:
            case TimeSkipped():
                yield Marker(subtype="time_skip", payload={"duration": event.minutes})
            case SceneClosed():
                yield Marker(subtype="scene_open", payload={"at": event.at})
            case NobodyActed():
                yield Marker(subtype="silence", payload={"who": list(event.who)})
            case _:
                pass


def location_change(from_id: str, to_id: str) -> Marker:
    """Return the marker of a way from one place to another."""
    return Marker(subtype="location_change", payload={"from": from_id, "to": to_id})


def persona_change(to_id: str, at_id: str) -> Marker:
    """Return the marker of another persona being played from now on, where they are."""
    return Marker(subtype="persona_change", payload={"to": to_id, "at": at_id})


# Which entries stay and which stay away in the next turn, and the dice that are thrown for them.


class EntriesFound(Frozen):
    """The entry history that a turn leaves: its number, counting those in which entries had rules, and when each
    section that stays or stays away was found, by its ID."""

    turn: int = Field(ge=1)
    found: FrozenMap[str, int] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntryDice:
    """The throws of one turn, made from the campaign's seed, the state that the turn begins with, its number and the
    entry."""

    seed: int
    state_hash: str
    turn: int

    def __call__(self, entry_id: str) -> int:
        """Return the throw of an entry, from 1."""
        dice = SeededDice(self.seed, self.state_hash, f"entries of turn {self.turn}")
        return dice.roll(f"1d{SIDES}", purpose="entry", actor_id=entry_id).total


def entry_history(database: Database, seed: int, turn_id: str, state: WorldState) -> EntryHistory:
    """Return the entry history for the turn that follows a turn; `state` is the one after that turn."""
    left = _left(entries_json(database, turn_id))
    turn = 1 if left is None else left.turn + 1
    return EntryHistory(turn, {} if left is None else dict(left.found), EntryDice(seed, state.truth_hash(), turn))


def _left(text: str | None) -> EntriesFound | None:
    """Return the stored entries, or None where there are none or they cannot be read."""
    try:
        return None if text is None else EntriesFound.model_validate_json(text)
    except ValidationError:
        return None
