"""What an action does where no rule of the scenario says otherwise: attempt -> a changed patch, an Answer."""

from __future__ import annotations

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.aiming import aimed
from lorewright.rules.answers import Answer
from lorewright.rules.doors import door_ops
from lorewright.rules.enact import effect_ops
from lorewright.rules.outcomes import OutcomeCode
from lorewright.rules.patch import Patch
from lorewright.rules.reach import place_of
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.rules.talk import ask, first_new, press, promise, recall, reveal, tell
from lorewright.world.apply import apply
from lorewright.world.ops import ChangeRelation, Move, OpenScene, PassTurn, Recall, RevealItem, StateOp, TransferItem
from lorewright.world.state import WorldState

__all__ = ["Answer", "act", "plain_ops", "plainly"]

_DOORS: dict[str, OutcomeCode] = {"open": "opened", "close": "closed", "lock": "locked", "unlock": "unlocked"}


def plain_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """The ops of a possible action as it plainly goes; empty for what changes nothing by itself.

    Of a thing that lies there in fewer pieces than one wants, all are taken. A check or a rule may have it otherwise.
    """
    if action.type in ("go", "sneak") and action.location_id is not None:
        move = Move(entity_id=action.actor_id, to=action.location_id)
        # The scene goes where the player goes; whoever else comes or goes is seen to.
        is_players = action.actor_id == state.player_id
        return (move, OpenScene(location_id=action.location_id)) if is_players else (move,)
    if action.type in _DOORS:
        return door_ops(action, state)
    return _hand_over(action, state)


def plainly(action: Action, state: WorldState, ruleset: Ruleset) -> WorldState:
    """The state after a possible action as it plainly goes, with what the ruleset says of its type."""
    type_ = ruleset.actions[action.type]
    working = apply(state, plain_ops(action, state)).state
    for effect in aimed(type_.effects.get("success", ()), working, action):
        working = apply(working, effect_ops(effect, working)).state
    order = working.turn_order
    if order is not None and type_.ends_turn and order.current == action.actor_id:
        working = apply(working, (PassTurn(),)).state
    return working


def _hand_over(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """The transfer of a `take`, `drop` or `give`."""
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

    `ruled`: a rule of the scenario has spoken, so that no regard is won by a gift beside what it says.
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
        patch.tell("item_taken", item=action.target_id, quantity=quantity)
        return Answer("taken")
    if action.type == "drop":
        patch.tell("item_dropped", item=action.target_id, quantity=quantity)
        return Answer("dropped")
    patch.tell("item_given", item=action.item_id, to=action.target_id)
    if not ruled:
        _win_by_gift(patch, action)
    return Answer("given")


def _win_by_gift(patch: Patch, action: Action) -> None:
    """A gift is worth a step of trust, once for each thing and person: nobody is bought by handing it to and fro."""
    key = f"gift:{action.target_id}:{action.item_id}"
    if action.target_id is not None and key not in patch.state.recall:
        patch.do(Recall(key=key), ChangeRelation(a=action.target_id, b=action.actor_id, trust=1))


def _use(patch: Patch, action: Action, rules: CampaignRules) -> Answer:
    """A key on its door turns the lock; what else a thing is good for is the scenario's to say."""
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
    """One search finds one thing: the best-ranked that is still new.

    What one of the cast finds they keep to themselves, and nothing that was there for the player to find is gone by it.
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
    patch.tell("item_found", item=new.id)
    patch.enact(rules.on_find.get(new.id, ()), how="found")
    return Answer("found")
