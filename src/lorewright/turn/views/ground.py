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
from lorewright.rules.reach import place_of
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import Ruleset
from lorewright.scene_lore.grounding import match_items, search_items
from lorewright.scene_lore.meaning import item_by_meaning
from lorewright.scene_lore.models import Briefing, SceneItem, SceneLore
from lorewright.world.state import WorldState

# Whoever is won over or frightened may tell what they know of the matter.
_PRESSING = frozenset(("persuade", "threaten"))


def ground(
    actions: Sequence[Action],
    state: WorldState,
    gather: Callable[[WorldState], SceneLore],
    ruleset: Ruleset,
    generations: Sequence[Generation],
    *,
    acting: str | None = None,
) -> list[Attempt]:
    """Each action with what its words point at: by ID only, so that no record of it tells a secret.

    `gather` gives a state's scene lore. An action is grounded where the ones before it plainly lead: after `go street`
    one searches the street. `acting` is whose round it is: one of the cast, and the player where nobody is named.
    """
    attempts: list[Attempt] = []
    for action in actions:
        grounding = _grounding(action, state, gather(state), generations)
        attempts.append(Attempt(action=action, grounding=grounding))
        if why_not(action, state, ruleset, acting=acting) is None:
            state = plainly(action, state, ruleset)
    return attempts


def _grounding(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    if action.type == "search":
        return _searched(action, state, lore, generations)
    if action.type == "ask" or (action.type in _PRESSING and action.metadata.get("topic")):
        return _asked(action, state, lore, generations)
    if action.type == "tell":
        is_players = action.actor_id == state.player_id
        return _told(action, state, generations) if is_players else _told_by_npc(action, state, lore, generations)
    return Grounding()


def _searched(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    place = state.entities[lore.location_id]
    if place_of(action, state) != place.id:
        return Grounding()
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
    return _pointed_at(action, _learned(action, state, generations), None, generations)


def _told_by_npc(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    """What one of the cast knows and may tell; where they know of nothing like it, what they would have to know, which
    the rules refuse. What their words point at in neither is talk."""
    own = lore.briefing(action.actor_id)
    own = Briefing(npc_id=action.actor_id) if own is None else own
    opened = [item for item in own.withholds if state.has_learned(state.player_id, item.id)]
    known = {item.id: item for item in (*own.knows, *opened, *_learned(action, state, generations))}
    named = action.metadata.get("lore_item_id")
    if named is not None:
        item = known.get(str(named)) or lore.item(str(named))
        return Grounding(items=() if item is None else (_grounded(item.id, own),))
    if not action.words:
        return Grounding()
    found = _pointed_at(action, list(known.values()), own, generations)
    if found.items:
        return found
    hidden = [_by_name(item) if item in own.withholds else item for item in lore.items() if item.id not in known]
    return _pointed_at(action, hidden, own, generations)


def _pointed_at(
    action: Action, items: Sequence[SceneItem], own: Briefing | None, generations: Sequence[Generation]
) -> Grounding:
    found = match_items(action.words, [item for item in items if _is_about(action, item)], generations)
    return Grounding(items=tuple(_grounded(item.id, own) for item in found.items), topics=found.topics)


def _learned(action: Action, state: WorldState, generations: Sequence[Generation]) -> list[SceneItem]:
    """What was revealed to whoever acts, as far as a pack still has it."""
    found = (_item(item_id, generations) for item_id in sorted(state.learned_by(action.actor_id)))
    return [item for item in found if item is not None]


def _item(item_id: str, generations: Sequence[Generation]) -> SceneItem | None:
    item = next(filter(None, (one.item(item_id) for one in generations)), None)
    return None if item is None else _scene_item(item)


def _grounded(item_id: str, own: Briefing | None) -> GroundedItem:
    """An item with its role and whose it is: what stands in somebody's briefing is theirs, whatever pack it is from."""
    if own is not None and any(item.id == item_id for item in own.knows):
        return GroundedItem(id=item_id, role="knows", holder_id=own.npc_id)
    if own is not None and any(item.id == item_id for item in own.withholds):
        return GroundedItem(id=item_id, role="withholds", holder_id=own.npc_id)
    return GroundedItem(id=item_id, role=_role(item_id), holder_id=holder_of(item_id))


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


def _role(item_id: str) -> Literal["knows", "withholds", "discoverable"]:
    """The role that an item's ID says: `pack:viktor:knows#pier9`."""
    section = item_id.partition("#")[0].rpartition(":")[2]
    return "withholds" if section == "withholds" else "discoverable" if section == "discoverable" else "knows"


def _by_name(item: SceneItem) -> SceneItem:
    """A secret is met by its name and by whom it is about, not by the words that tell it: no one guesses those."""
    return item.model_copy(update={"text": " ".join(item.topics)})
