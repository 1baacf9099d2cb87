"""Plain effects: an attempt where no rule of the scenario decides -> a changed patch, an Answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lorewright.rules.actions import Action, Attempt, GroundedItem
from lorewright.rules.aiming import aimed
from lorewright.rules.effects import effect_ops, record_op, recorded_facts
from lorewright.rules.patch import OutcomeCode, Patch, ReasonCode
from lorewright.rules.reach import company, door_ops, place_of
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import BandName, CampaignRules, Ruleset
from lorewright.world.apply import apply
from lorewright.world.events import ItemDropped, ItemFound, ItemGiven, ItemTaken
from lorewright.world.ops import ChangeRelation, Move, OpenScene, PassTurn, Recall, RevealItem, StateOp, TransferItem
from lorewright.world.state import How, WorldState

# Knowledge: an item that words point at and a state -> whether a character may tell it.


def knows(who: str, item: GroundedItem, state: WorldState) -> bool:
    """Tell whether a character may tell an item: it was revealed to them, it is among what they know, or it is what
    they withheld until the player learned it.
    """
    if state.has_learned(who, item.id):
        return True
    if item.holder_id != who or who == state.player_id:
        return False
    return item.role == "knows" or (item.role == "withholds" and state.has_learned(state.player_id, item.id))


def why_not_told(attempt: Attempt, state: WorldState) -> ReasonCode | None:
    """Return why one of the cast cannot tell what their words point at: they do not know it, or withhold it.

    Of several items one that they know is enough. The player may say anything: what they have not learned is only
    words.
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


# Answer: what an Outcome says beside actor and action.


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an attempt; `roll` is the index of the dice among the patch's rolls, `minutes` what a check added
    to or took from the cost in time.
    """

    code: OutcomeCode
    known_item_ids: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()
    band: BandName | None = None
    roll: int | None = None
    say: tuple[str, ...] = ()


# Speech: questions, news, pressure, promises, reminders. Attempt -> a changed patch, an Answer. The same holds for
# every speaker: the addressee learns what is told, and bystanders hear it, unless it is whispered. The player can be
# addressee and bystander; the player's own answers are never made up.


def ask(patch: Patch, attempt: Attempt) -> Answer:
    """Tell the best-ranked new item; put the asker off where all new ones are withheld, else repeat a known one.

    A question to the player remains a question.
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
    """Let the addressee and bystanders learn what the teller knows; words that match nothing are only words."""
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
    """Let somebody who was won over or frightened tell what they know of the matter; what is withheld only a rule
    opens.
    """
    action = attempt.action
    facts = _record(patch, action, "threatened") if action.type == "threaten" else ()
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
    """Record somebody's promise, in their own words."""
    return Answer("promised", fact_ids=_record(patch, action, "promised"))


def recall(patch: Patch, attempt: Attempt) -> Answer:
    """Return the facts on record between the two, of the kind that is asked for; for a claim those that bear it out, or
    nothing.
    """
    action = attempt.action
    if action.metadata.get("topic"):
        return _claimed(attempt, patch.state)
    me, other = action.actor_id, action.target_id or ""
    by, to = (me, other) if action.metadata.get("by") == "you" else (other, me)
    facts = recorded_facts(patch.state, by=by, to=to, predicate=action.metadata.get("about"))
    return Answer("recalled", fact_ids=facts) if facts else Answer("nothing_recorded")


def _claimed(attempt: Attempt, state: WorldState) -> Answer:
    grounding, who = attempt.grounding, attempt.action.actor_id
    facts = tuple(
        fact_entity_id
        for fact_entity_id in grounding.fact_ids
        if fact_entity_id in state.facts
        and state.facts[fact_entity_id].is_shown("player", who if state.is_players(who) else None)
    )
    items = [item.id for item in grounding.items if state.has_learned(who, item.id)]
    if facts:
        return Answer("recalled", fact_ids=facts)
    return Answer("told_before", known_item_ids=(items[0],)) if items else Answer("nothing_recorded")


def first_new(items: Iterable[GroundedItem], who: str, state: WorldState) -> GroundedItem | None:
    """Return the first item that somebody has not learned."""
    return next((item for item in items if not state.has_learned(who, item.id)), None)


def reveal(patch: Patch, item_id: str, action: Action, *, how: How, others: How) -> None:
    """Let the actor learn the item, and all bystanders who do not know it, except the person who told it."""
    state = patch.state
    by = [who for who in _hearers(action, state) if not state.has_learned(who, item_id)]
    patch.do(
        RevealItem(item_id=item_id, to=action.actor_id, how=how),
        *(RevealItem(item_id=item_id, to=who, how=others) for who in by),
    )


def _hearers(action: Action, state: WorldState) -> list[str]:
    """Return the bystanders who are not addressed, another persona among them; none where it is whispered."""
    if action.is_whispered:
        return []
    place = state.positions.get(action.actor_id)
    personas = (who for who in state.personas if who != action.actor_id and state.positions.get(who) == place)
    return [who for who in dict.fromkeys((*company(action.actor_id, state), *personas)) if who != action.target_id]


def _held_by(who: str | None, attempt: Attempt) -> list[GroundedItem]:
    return [item for item in attempt.grounding.items if item.holder_id == who and item.role != "discoverable"]


def _known_to_the_player(item: GroundedItem, action: Action, state: WorldState) -> tuple[str, ...]:
    """Return the item if the player has learned it before: telling it again reveals no more."""
    is_known = action.actor_id == state.player_id or state.has_learned(state.player_id, item.id)
    return (item.id,) if is_known else ()


def _is_new_to(who: str, item: GroundedItem, state: WorldState) -> bool:
    return item.holder_id != who and not state.has_learned(who, item.id)


def _record(patch: Patch, action: Action, predicate: str) -> tuple[str, ...]:
    """Record what was said, where there are any words and they were not said before."""
    what = str(action.metadata.get("topic", ""))
    if not what or action.target_id is None:
        return ()
    said = {"by": action.actor_id, "to": action.target_id, "predicate": predicate, "what": what}
    fact_id, op = record_op(patch.state, **said, whispered=action.is_whispered)
    if op is not None:
        patch.do(op)
    return (fact_id,)


# Plain effects: an attempt where no rule of the scenario decides -> a changed patch, an Answer.

__all__ = ["Answer", "act", "plain_ops", "plainly"]

_DOORS: dict[str, OutcomeCode] = {"open": "opened", "close": "closed", "lock": "locked", "unlock": "unlocked"}


def plain_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """Return the ops of a possible action without checks and rules; empty for what changes nothing by itself.

    Where fewer pieces of a thing lie there than are wanted, all are taken. A check or a rule may change the result.
    """
    if action.type in ("go", "sneak") and action.location_id is not None:
        move = Move(entity_id=action.actor_id, to=action.location_id)
        # The scene goes where the player goes; others come and go within it.
        is_players = action.actor_id == state.player_id
        return (move, OpenScene(location_id=action.location_id)) if is_players else (move,)
    if action.type in _DOORS:
        return door_ops(action, state)
    return _hand_over(action, state)


def plainly(action: Action, state: WorldState, ruleset: Ruleset) -> WorldState:
    """Return the state after a possible action without checks and rules, with the ruleset's effects of its type."""
    type_ = ruleset.actions[action.type]
    working = apply(state, plain_ops(action, state)).state
    for effect in aimed(type_.effects.get("success", ()), working, action):
        working = apply(working, effect_ops(effect, working)).state
    order = working.turn_order
    if order is not None and type_.ends_turn and order.current == action.actor_id:
        working = apply(working, (PassTurn(),)).state
    return working


def _hand_over(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """Return the transfer of a `take`, `drop` or `give`."""
    here, actor = place_of(action, state), action.actor_id
    item, giver, receiver = {
        "take": (action.target_id, here, actor),
        "drop": (action.target_id, actor, here),
        "give": (action.item_id, actor, action.target_id),
    }.get(action.type, (None, actor, here))
    if item is None or receiver is None:
        return ()
    quantity = min(int(action.metadata.get("quantity", 1)), state.held_by(giver).get(item, 0))
    return (TransferItem(item_id=item, from_id=giver, to_id=receiver, quantity=quantity),) if quantity else ()


def act(patch: Patch, attempt: Attempt, rules: CampaignRules, *, ruled: bool = False) -> Answer:
    """Do what the action's type means; a type that only the ruleset knows changes nothing.

    `ruled`: a rule of the scenario has decided, so that a gift wins no regard beyond the rule's effects.
    """
    action = attempt.action
    match action.type:
        case "look":
            return Answer("looked")
        case "inventory":
            return Answer("listed")
        case "go":
            patch.do(*plain_ops(action, patch.state))
            return Answer("moved")
        case "sneak":
            patch.do(*plain_ops(action, patch.state))
            return Answer("moved" if action.location_id else "acted")
        case "ask":
            return ask(patch, attempt)
        case "tell":
            return tell(patch, attempt)
        case "persuade" | "threaten":
            return press(patch, attempt)
        case "promise":
            return promise(patch, action)
        case "recall":
            return recall(patch, attempt)
        case "take" | "drop" | "give":
            return _move_thing(patch, action, ruled=ruled)
        case "open" | "close" | "lock" | "unlock":
            patch.do(*door_ops(action, patch.state))
            return Answer(_DOORS[action.type])
        case "use":
            return _use(patch, action, rules)
        case "search":
            return _search(patch, attempt, rules)
        case "wait":
            return Answer("waited")
        case _:
            return Answer("acted")


def _move_thing(patch: Patch, action: Action, *, ruled: bool) -> Answer:
    ops = plain_ops(action, patch.state)
    patch.do(*ops)
    quantity = sum(op.quantity for op in ops if isinstance(op, TransferItem))
    if action.type == "take":
        patch.tell(ItemTaken(item=action.target_id, quantity=quantity))
        return Answer("taken")
    if action.type == "drop":
        patch.tell(ItemDropped(item=action.target_id, quantity=quantity))
        return Answer("dropped")
    patch.tell(ItemGiven(item=action.item_id, to=action.target_id))
    if not ruled:
        _win_by_gift(patch, action)
    return Answer("given")


def _win_by_gift(patch: Patch, action: Action) -> None:
    """Raise trust by one step for a gift, once for each thing and person, so that giving it back and forth gains
    nothing.
    """
    key = f"gift:{action.target_id}:{action.item_id}"
    if action.target_id is not None and key not in patch.state.recall:
        patch.do(Recall(key=key), ChangeRelation(a=action.target_id, b=action.actor_id, trust=1))


def _use(patch: Patch, action: Action, rules: CampaignRules) -> Answer:
    """Turn the lock if a key is used on its door; all other uses are the scenario's to decide."""
    door = patch.state.doors.get(action.target_id or "")
    if door is None or action.item_id is None or door.key_id != action.item_id:
        return Answer("used")
    turned = action.model_copy(update={"type": "unlock" if door.locked else "lock"})
    turns = turned.type in rules.ruleset.actions
    if not turns or why_not(turned, patch.state, rules.ruleset, acting=turned.actor_id) is not None:
        return Answer("used")
    patch.do(*door_ops(turned, patch.state))
    return Answer(_DOORS[turned.type])


def _search(patch: Patch, attempt: Attempt, rules: CampaignRules) -> Answer:
    """Find one item: the best-ranked that is still new.

    What one of the cast finds is known to them alone, and stays there for the player to find.
    """
    action, here = attempt.action, place_of(attempt.action, patch.state)
    matched = [item for item in attempt.grounding.items if item.holder_id == here and item.role == "discoverable"]
    if not matched:
        return Answer("nothing_found")
    new = first_new(matched, action.actor_id, patch.state)
    if action.actor_id != patch.state.player_id:
        if new is not None:
            patch.do(RevealItem(item_id=new.id, to=action.actor_id, how="found"))
        return Answer("acted")
    if new is None:
        return Answer("found_before", known_item_ids=(matched[0].id,))
    reveal(patch, new.id, action, how="found", others="witnessed")
    patch.tell(ItemFound(item=new.id))
    patch.enact(rules.on_find.get(new.id, ()), how="found")
    return Answer("found")
