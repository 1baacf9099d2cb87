"""Outcomes of talk -> leads: what those who were spoken to would tell of if they were asked, and who else would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lorewright.builtin.words.clauses import is_called
from lorewright.index.generation import Generation
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.cache import match_items
from lorewright.scene_lore.gather import gather_person
from lorewright.scene_lore.models import SceneItem, SceneLore
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.values.leads import Lead
from lorewright.world.state import OFFSTAGE, WorldState

# Outcomes after which somebody may point on: they do not know, or were asked for help.
_LEADING = ("does_not_know", "acted")
# The most people whom somebody thinks of, and the most names that they go through and come up with.
_MOST_OTHERS, _MOST_NAMES, _MOST_OWN = 16, 6, 2


def may_point_on(outcome: Outcome) -> bool:
    """Tell whether somebody who was spoken to may point to what else could be asked."""
    verb = verb_of(outcome.type)
    return verb is not None and verb.points_on and outcome.code in _LEADING and outcome.target_id is not None


def leads_of(
    outcomes: Sequence[Outcome],
    lore: SceneLore,
    knows: Acquaintance,
    generations: Sequence[Generation],
    *,
    heard_of: Sequence[str],
    words: str,
) -> Iterator[Lead]:
    """Yield where those whom the player spoke to can point: to what they would tell themselves, what they did not yet
    point to first; then, where they did not know, to others who would.

    Nothing is said of an item but that somebody would tell one, and nobody is named whom the player has not heard of.
    `lore` is the scene's, `generations` are those in force, `heard_of` names that the player has heard, `words` what
    they typed.
    """
    for outcome in filter(may_point_on, outcomes):
        asked = outcome.target_id
        if asked is not None and asked in knows.state.present_npcs():
            yield from islice(_own_leads(outcome, asked, lore, knows.state, generations, heard_of), _MOST_OWN)
            if outcome.code == "does_not_know" and outcome.words:
                yield from _leads_to_others(outcome, asked, knows, generations, words)


def _own_leads(
    outcome: Outcome,
    asked: str,
    lore: SceneLore,
    state: WorldState,
    generations: Sequence[Generation],
    heard_of: Sequence[str],
) -> Iterator[Lead]:
    briefing, learned = lore.briefing(asked), state.learned_by(state.player_id)
    free = [] if briefing is None else [item for item in briefing.knows if item.id not in learned]
    names = {entity.name for entity in state.entities.values()}
    here = [state.name_of(other) for other in state.present_npcs() if other != asked]
    at_hand = list(dict.fromkeys(name for name in (*heard_of, *here) if name in names))[:_MOST_NAMES]
    leads = [Lead(asked=asked, holder=asked, topic=name) for name in at_hand if not is_called(outcome.words, name)]
    for lead in sorted(leads, key=lambda lead: state.recall.get(lead.key, 0)):
        if free and match_items(lead.topic, free, generations).items:
            yield lead


def _leads_to_others(
    outcome: Outcome, asked: str, knows: Acquaintance, generations: Sequence[Generation], words: str
) -> Iterator[Lead]:
    state = knows.state
    learned = state.learned_by(state.player_id)
    others = [
        entity.id
        for entity in state.entities.values()
        if entity.type == "npc"
        and entity.id != asked
        and state.positions.get(entity.id, OFFSTAGE) != OFFSTAGE
        and knows.knows_name_of(entity.id, words)
    ]
    held: dict[str, tuple[SceneItem, str]] = {
        item.id: (item, other)
        for other in sorted(others)[:_MOST_OTHERS]
        for item in gather_person(generations, other).briefing.knows
        if item.id not in learned
    }
    found = match_items(outcome.words, [item for item, _ in held.values()], generations).items
    for holder in dict.fromkeys(held[item.id][1] for item in found):
        yield Lead(asked=asked, holder=holder)
