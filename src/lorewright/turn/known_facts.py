"""A state's facts -> those that a stage is shown: what is known of the scene, and what else was learned last."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

from lorewright.turn.same import Same
from lorewright.world.state import Fact, WorldState

# So many facts are shown: a long game knows more than fits.
FACTS_SHOWN = 40


def facts_shown(state: WorldState, about: Collection[str], *, hidden: bool) -> list[Fact]:
    """First the facts about some, then others, the newest first and not all of them; with `hidden` also those that the
    player does not know."""
    known = _known(Same(state.facts), hidden)
    here = sorted(chain.from_iterable(known.by_subject.get(one, ()) for one in about), key=_newest_first)[:FACTS_SHOWN]
    others = (fact for fact in known.newest_first if fact.subject_id not in about)
    return [*here, *islice(others, FACTS_SHOWN - len(here))]


@dataclass(frozen=True, slots=True)
class _Known:
    newest_first: list[Fact]
    by_subject: dict[str, list[Fact]]


# A few games are played side by side, each with some states on hand.
@lru_cache(maxsize=32)
def _known(facts: Same[Mapping[str, Fact]], hidden: bool) -> _Known:
    seen = [fact for fact in facts.value.values() if hidden or fact.visibility == "player"]
    by_subject: dict[str, list[Fact]] = {}
    for fact in seen:
        by_subject.setdefault(fact.subject_id, []).append(fact)
    return _Known(sorted(seen, key=_newest_first), by_subject)


def _newest_first(fact: Fact) -> tuple[int, str]:
    """What was so from the beginning comes last."""
    return (0 if fact.discovered_turn is None else -fact.discovered_turn - 1, fact.id)
