"""Actions -> attempts: the words of an action become item IDs, so that the rules need read no free text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from lorewright.ids import holder_of
from lorewright.index.generation import Generation
from lorewright.index.words import STOP_WORDS, content_words
from lorewright.packs.models import Item
from lorewright.rules.actions import Action, Attempt, GroundedItem, Grounding
from lorewright.rules.acts import plainly
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import Ruleset
from lorewright.scene_lore.grounding import match_items, search_items
from lorewright.scene_lore.meaning import item_by_meaning
from lorewright.scene_lore.models import SceneItem, SceneLore
from lorewright.world.state import WorldState

# Whoever is won over or frightened may tell what they know of the matter.
_PRESSING = frozenset(("persuade", "threaten"))


def ground(
    actions: Sequence[Action],
    state: WorldState,
    gather: Callable[[WorldState], SceneLore],
    ruleset: Ruleset,
    generations: Sequence[Generation],
) -> list[Attempt]:
    """Each action with what its words point at: by ID only, so that no record of it tells a secret.

    `gather` gives a state's scene lore. An action is grounded where the ones before it plainly lead: after `go street`
    one searches the street.
    """
    attempts: list[Attempt] = []
    for action in actions:
        grounding = _grounding(action, state, gather(state), generations)
        attempts.append(Attempt(action=action, grounding=grounding))
        if why_not(action, state, ruleset) is None:
            state = plainly(action, state, ruleset)
    return attempts


def _grounding(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    if action.type == "search":
        return _searched(action, state, lore, generations)
    if action.type == "ask" or (action.type in _PRESSING and action.metadata.get("topic")):
        return _asked(action, state, lore, generations)
    if action.type == "tell":
        return _told(action, state, generations)
    return Grounding()


def _searched(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    place = state.entities[state.scene.location_id]
    found = search_items(action.words, (place.name, *place.aliases), lore.discoverable, generations)
    items = tuple(GroundedItem(id=item.id, role="discoverable", holder_id=place.id) for item in found.items)
    return Grounding(items=items, topics=found.topics)


def _asked(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    """Whoever is asked about nothing in particular may tell anything that they would tell at all.

    Where no word points at anything, what means the like is asked for, among what may be told.
    """
    briefing = lore.briefing(action.target_id or "")
    if briefing is None:
        return Grounding()
    knows = {item.id for item in briefing.knows}
    learned = state.learned_by(action.actor_id)
    withholds = [item if item.id in learned else _by_name(item) for item in briefing.withholds]
    found = match_items(action.words, (*briefing.knows, *withholds) if action.words else briefing.knows, generations)
    items = found.items
    if not items:
        meant = item_by_meaning(
            action.words, [*briefing.knows, *(one for one in briefing.withholds if one.id in learned)], generations
        )
        items = (meant,) if meant is not None else ()
    return Grounding(
        items=tuple(
            GroundedItem(id=item.id, role="knows" if item.id in knows else "withholds", holder_id=briefing.npc_id)
            for item in items
        ),
        topics=found.topics,
    )


def _told(action: Action, state: WorldState, generations: Sequence[Generation]) -> Grounding:
    """What the player has learned and may pass on; whatever else they say is words."""
    if not action.words:
        return Grounding()
    learned = [
        item
        for item_id in sorted(state.learned_by(action.actor_id))
        if (item := next(filter(None, (one.item(item_id) for one in generations)), None)) is not None
    ]
    found = match_items(
        action.words, [item for item in map(_scene_item, learned) if _is_about(action, item)], generations
    )
    items = tuple(GroundedItem(id=item.id, role=role_of(item.id), holder_id=holder_of(item.id)) for item in found.items)
    return Grounding(items=items, topics=found.topics)


def _is_about(action: Action, item: SceneItem) -> bool:
    """Whether an item has so much of what is said that it can be meant: one telling word is enough where there is no
    other, and no claim about somebody (`that Jin is alive`) is an item for their name alone."""
    said = {word for word in content_words(action.words) if word not in STOP_WORDS}
    has = set(content_words(f"{item.name} {item.trigger or ''} {item.text}"))
    return len(said & has) >= min(2, len(said))


def _scene_item(item: Item) -> SceneItem:
    return SceneItem(
        id=item.id, chunk_id=item.id.partition("#")[0], name=item.name, text=item.text, trigger=item.trigger
    )


def role_of(item_id: str) -> Literal["knows", "withholds", "discoverable"]:
    """The role that an item's ID says: `pack:viktor:knows#pier9`."""
    section = item_id.partition("#")[0].rpartition(":")[2]
    return "withholds" if section == "withholds" else "discoverable" if section == "discoverable" else "knows"


def _by_name(item: SceneItem) -> SceneItem:
    """A secret is met by its name and by whom it is about, not by the words that tell it: no one guesses those."""
    return item.model_copy(update={"text": " ".join(item.topics)})
