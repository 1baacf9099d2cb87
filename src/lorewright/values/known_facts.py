"""A state's facts -> those that a stage is shown: what is known of the scene, and what else was learned last."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import islice

from lorewright.values.same import Same
from lorewright.world.state import Fact, WorldState

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
