"""What is said: asked, told, pressed for, promised, held against one. Attempt -> a changed patch, an Answer.

Whoever speaks, the same holds: who is told learns it, and who stands by hears it, unless it is whispered. The player is
one of those who are told and who stand by; nobody but the player says what the player answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.rules.actions import Action, Attempt, GroundedItem
from lorewright.rules.answers import Answer
from lorewright.rules.knowledge import knows
from lorewright.rules.patch import Patch
from lorewright.rules.reach import company
from lorewright.rules.record import record_op, recorded
from lorewright.world.ops import RevealItem
from lorewright.world.state import How, WorldState


def ask(patch: Patch, attempt: Attempt) -> Answer:
    """The best-ranked new thing is told; where all new ones are kept back one is put off, else the old one counts.

    Where the player is asked, it is a question and no more.
    """
    action = attempt.action
    if action.target_id == patch.state.player_id:
        return Answer("acted")
    matched = _held_by(action.target_id, attempt)
    if not matched:
        return Answer("does_not_know")
    who = action.actor_id
    free = [item for item in matched if item.role == "knows"]
    new = first_new(free, who, patch.state) or first_new(matched, who, patch.state)
    if new is None:
        return Answer("told_before", known_item_ids=_known_to_the_player(matched[0], action, patch.state))
    if new.role == "withholds":
        return Answer("deflected")
    reveal(patch, new.id, action, how="told", others="overheard")
    return Answer("told")


def tell(patch: Patch, attempt: Attempt) -> Answer:
    """Whoever is told learns what the teller knows, and so do bystanders; words that match nothing are words."""
    told, who, state = attempt.action.target_id, attempt.action.actor_id, patch.state
    item = next((item for item in attempt.grounding.items if knows(who, item, state)), None)
    if item is None or told is None:
        return Answer("acted")
    if item.holder_id == told or state.has_learned(told, item.id):
        return Answer("heard_before")
    others = [other for other in _hearers(attempt.action, state) if _is_new_to(other, item, state)]
    patch.do(
        RevealItem(item_id=item.id, to=told, how="told"),
        *(RevealItem(item_id=item.id, to=other, how="overheard") for other in others),
    )
    return Answer("heard")


def press(patch: Patch, attempt: Attempt) -> Answer:
    """Won over or frightened, somebody tells what they know of the matter; what is kept back only a rule opens."""
    action = attempt.action
    facts = _on_record(patch, action, "threatened") if action.type == "threaten" else ()
    if action.metadata.get("topic") and action.target_id != patch.state.player_id:
        matched = _held_by(action.target_id, attempt)
        new = first_new([item for item in matched if item.role == "knows"], action.actor_id, patch.state)
        if new is not None:
            reveal(patch, new.id, action, how="told", others="overheard")
            return Answer("told", fact_ids=facts)
        if first_new(matched, action.actor_id, patch.state) is not None:
            return Answer("deflected", fact_ids=facts)
    return Answer("acted", fact_ids=facts)


def promise(patch: Patch, action: Action) -> Answer:
    """Somebody's word, in their own words, stands on the record."""
    return Answer("promised", fact_ids=_on_record(patch, action, "promised"))


def recall(patch: Patch, attempt: Attempt) -> Answer:
    """What stands on the record between the two, of the kind that is asked for; of a claim what was found to bear it
    out, and nothing where nothing was."""
    action = attempt.action
    if action.metadata.get("topic"):
        return _claimed(attempt, patch.state)
    me, other = action.actor_id, action.target_id or ""
    by, to = (me, other) if action.metadata.get("by") == "you" else (other, me)
    facts = recorded(patch.state, by=by, to=to, predicate=action.metadata.get("about"))
    return Answer("recalled", fact_ids=facts) if facts else Answer("nothing_recorded")


def _claimed(attempt: Attempt, state: WorldState) -> Answer:
    grounding, who = attempt.grounding, attempt.action.actor_id
    facts = tuple(one for one in grounding.fact_ids if one in state.facts and state.facts[one].visibility == "player")
    items = [item.id for item in grounding.items if state.has_learned(who, item.id)]
    if facts:
        return Answer("recalled", fact_ids=facts)
    return Answer("told_before", known_item_ids=(items[0],)) if items else Answer("nothing_recorded")


def first_new(items: Iterable[GroundedItem], who: str, state: WorldState) -> GroundedItem | None:
    """The first that somebody has not learned."""
    return next((item for item in items if not state.has_learned(who, item.id)), None)


def reveal(patch: Patch, item_id: str, action: Action, *, how: How, others: How) -> None:
    """Whoever acts learns the item, and so does whoever stands by and does not know it, all but whom it is had from."""
    state = patch.state
    by = [who for who in _hearers(action, state) if not state.has_learned(who, item_id)]
    patch.do(
        RevealItem(item_id=item_id, to=action.actor_id, how=how),
        *(RevealItem(item_id=item_id, to=who, how=others) for who in by),
    )


def _hearers(action: Action, state: WorldState) -> list[str]:
    """Who stands by and is not spoken to; nobody where it is whispered."""
    if action.is_whispered:
        return []
    return [who for who in company(action.actor_id, state) if who != action.target_id]


def _held_by(who: str | None, attempt: Attempt) -> list[GroundedItem]:
    return [item for item in attempt.grounding.items if item.holder_id == who and item.role != "discoverable"]


def _known_to_the_player(item: GroundedItem, action: Action, state: WorldState) -> tuple[str, ...]:
    """What is told again is told to the player as far as it was told before."""
    is_known = action.actor_id == state.player_id or state.has_learned(state.player_id, item.id)
    return (item.id,) if is_known else ()


def _is_new_to(who: str, item: GroundedItem, state: WorldState) -> bool:
    return item.holder_id != who and not state.has_learned(who, item.id)


def _on_record(patch: Patch, action: Action, predicate: str) -> tuple[str, ...]:
    """Record what was said, where there are any words and they were not said before."""
    what = str(action.metadata.get("topic", ""))
    if not what or action.target_id is None:
        return ()
    fact_id, op = record_op(patch.state, by=action.actor_id, to=action.target_id, predicate=predicate, what=what)
    if op is not None:
        patch.do(op)
    return (fact_id,)
