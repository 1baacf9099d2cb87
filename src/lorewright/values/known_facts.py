"""A state's facts -> those that a stage is shown: what is known of the scene, and what else was learned last."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from lorewright.ids import local
from lorewright.packs.conditions import LoreConditions
from lorewright.values.same import Same
from lorewright.world.state import Entity, Fact, WorldState

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
