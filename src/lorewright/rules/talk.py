"""What is said: asked, told, pressed for, promised, held against one. Attempt -> a changed patch, an Answer."""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.rules.actions import Action, Attempt, GroundedItem
from lorewright.rules.answers import Answer
from lorewright.rules.patch import Patch
from lorewright.rules.record import record_op, recorded
from lorewright.world.ops import RevealItem
from lorewright.world.state import How, WorldState


def ask(patch: Patch, attempt: Attempt) -> Answer:
    """The best-ranked new thing is told; where all new ones are kept back one is put off, else the old one counts."""
    asked = attempt.action.target_id
    matched = _held_by(asked, attempt)
    if not matched:
        return Answer("does_not_know")
    new = first_new([item for item in matched if item.role == "knows"], patch.state) or first_new(matched, patch.state)
    if new is None:
        return Answer("told_before", known_item_ids=(matched[0].id,))
    if new.role == "withholds":
        return Answer("deflected")
    reveal(patch, new.id, how="told", others="overheard", but=asked)
    return Answer("told")


def tell(patch: Patch, attempt: Attempt) -> Answer:
    """Whoever is told learns what the player has learned, and so do bystanders; words that match nothing are words."""
    told, state = attempt.action.target_id, patch.state
    item = next((item for item in attempt.grounding.items if state.has_learned(state.player_id, item.id)), None)
    if item is None or told is None:
        return Answer("acted")
    if item.holder_id == told or state.has_learned(told, item.id):
        return Answer("heard_before")
    others = [who for who in state.present_npcs() if who != told and _is_new_to(who, item, state)]
    patch.do(
        RevealItem(item_id=item.id, to=told, how="told"),
        *(RevealItem(item_id=item.id, to=who, how="overheard") for who in others),
    )
    return Answer("heard")


def press(patch: Patch, attempt: Attempt) -> Answer:
    """Won over or frightened, somebody tells what they know of the matter; what is kept back only a rule opens."""
    action = attempt.action
    facts = _on_record(patch, action, "threatened") if action.type == "threaten" else ()
    if action.metadata.get("topic"):
        matched = _held_by(action.target_id, attempt)
        new = first_new([item for item in matched if item.role == "knows"], patch.state)
        if new is not None:
            reveal(patch, new.id, how="told", others="overheard", but=action.target_id)
            return Answer("told", fact_ids=facts)
        if first_new(matched, patch.state) is not None:
            return Answer("deflected", fact_ids=facts)
    return Answer("acted", fact_ids=facts)


def promise(patch: Patch, action: Action) -> Answer:
    """The player's word, in the player's words, stands on the record."""
    return Answer("promised", fact_ids=_on_record(patch, action, "promised"))


def recall(patch: Patch, action: Action) -> Answer:
    """What stands on the record between the two, of the kind that is asked for."""
    me, other = action.actor_id, action.target_id or ""
    by, to = (me, other) if action.metadata.get("by") == "you" else (other, me)
    facts = recorded(patch.state, by=by, to=to, predicate=action.metadata.get("about"))
    return Answer("recalled", fact_ids=facts) if facts else Answer("nothing_recorded")


def first_new(items: Iterable[GroundedItem], state: WorldState) -> GroundedItem | None:
    """The first that the player has not learned."""
    return next((item for item in items if not state.has_learned(state.player_id, item.id)), None)


def reveal(patch: Patch, item_id: str, *, how: How, others: How, but: str | None = None) -> None:
    """The player learns the item, and so does whoever stands by and does not know it, all `but` one."""
    state = patch.state
    by = [who for who in state.present_npcs() if who != but and not state.has_learned(who, item_id)]
    patch.do(
        RevealItem(item_id=item_id, to=state.player_id, how=how),
        *(RevealItem(item_id=item_id, to=who, how=others) for who in by),
    )


def _held_by(who: str | None, attempt: Attempt) -> list[GroundedItem]:
    return [item for item in attempt.grounding.items if item.holder_id == who and item.role != "discoverable"]


def _is_new_to(who: str, item: GroundedItem, state: WorldState) -> bool:
    return item.holder_id != who and not state.has_learned(who, item.id)


def _on_record(patch: Patch, action: Action, predicate: str) -> tuple[str, ...]:
    """Record the player's own words, where there are any and they were not said before."""
    what = str(action.metadata.get("topic", ""))
    if not what or action.target_id is None:
        return ()
    fact_id, op = record_op(patch.state, by=action.actor_id, to=action.target_id, predicate=predicate, what=what)
    if op is not None:
        patch.do(op)
    return (fact_id,)
