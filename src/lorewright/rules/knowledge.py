"""What somebody knows, as far as they may tell it: an item that words point at and a state -> yes or no."""

from __future__ import annotations

from lorewright.rules.actions import Attempt, GroundedItem
from lorewright.rules.outcomes import ReasonCode
from lorewright.world.state import WorldState


def knows(who: str, item: GroundedItem, state: WorldState) -> bool:
    """Whether somebody may tell an item: it was revealed to them, it stands among what they know, or it is what they
    kept back until the player learned it."""
    if state.has_learned(who, item.id):
        return True
    if item.holder_id != who or who == state.player_id:
        return False
    return item.role == "knows" or (item.role == "withholds" and state.has_learned(state.player_id, item.id))


def why_not_told(attempt: Attempt, state: WorldState) -> ReasonCode | None:
    """Why one of the cast cannot tell what their words point at: they do not know it, or keep it back.

    Of several things one that they know is enough. The player may say anything: what they have not learned is words.
    """
    action, items = attempt.action, attempt.grounding.items
    who = action.actor_id
    if action.type != "tell" or who == state.player_id:
        return None
    named = action.metadata.get("lore_item_id")
    meant = items if named is None else [item for item in items if item.id == named]
    if not meant:
        return None if named is None else "not_known"
    if any(knows(who, item, state) for item in meant):
        return None
    return "kept_back" if any(item.holder_id == who and item.role == "withholds" for item in meant) else "not_known"
