"""What an action does where no rule of the scenario says otherwise: attempt -> a changed patch, an Answer."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.rules.actions import Action, Attempt, GroundedItem
from lorewright.rules.outcomes import OutcomeCode
from lorewright.rules.patch import Patch
from lorewright.rules.reasons import place_of
from lorewright.rules.rulesets import BandName, CampaignRules
from lorewright.world.ops import ChangeInventory, Move, OpenScene, RevealItem, StateOp
from lorewright.world.state import How, WorldState


@dataclass(frozen=True, slots=True)
class Answer:
    """What an Outcome says beside who did what; `roll` is the place of the dice among the patch's rolls."""

    code: OutcomeCode
    known_item_ids: tuple[str, ...] = ()
    band: BandName | None = None
    roll: int | None = None
    say: tuple[str, ...] = ()


def plain_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """The ops of a possible `go` or `take`; empty for what changes nothing by itself.

    Of a thing that lies there in fewer pieces than one wants, all are taken.
    """
    if action.type == "go" and action.location_id is not None:
        return (
            Move(entity_id=action.actor_id, to=action.location_id),
            OpenScene(location_id=action.location_id),
        )
    if action.type == "take" and action.target_id is not None:
        quantity = _taken(action, state)
        return (
            ChangeInventory(owner_id=place_of(action, state), item_id=action.target_id, delta=-quantity),
            ChangeInventory(owner_id=action.actor_id, item_id=action.target_id, delta=quantity),
        )
    return ()


def act(patch: Patch, attempt: Attempt, rules: CampaignRules) -> Answer:
    """Do what the action's type means; a type that only the ruleset knows changes nothing."""
    match attempt.action.type:
        case "look":
            return Answer("looked")
        case "go":
            patch.do(*plain_ops(attempt.action, patch.state))
            return Answer("moved")
        case "ask":
            return _ask(patch, attempt)
        case "take":
            return _take(patch, attempt.action)
        case "search":
            return _search(patch, attempt, rules)
        case "wait":
            return Answer("waited")
        case _:
            return Answer("acted")


def _taken(action: Action, state: WorldState) -> int:
    lying = state.held_by(place_of(action, state)).get(action.target_id or "", 0)
    return min(int(action.metadata.get("quantity", 1)), lying)


def _take(patch: Patch, action: Action) -> Answer:
    quantity = _taken(action, patch.state)
    patch.do(*plain_ops(action, patch.state))
    patch.tell("item_taken", item=action.target_id, quantity=quantity)
    return Answer("taken")


def _ask(patch: Patch, attempt: Attempt) -> Answer:
    """The best-ranked new thing is told; where all new ones are kept back one is put off, else the old one counts."""
    asked = attempt.action.target_id
    matched = [item for item in attempt.grounding.items if item.holder_id == asked and item.role != "discoverable"]
    if not matched:
        return Answer("does_not_know")
    new = _first_new([item for item in matched if item.role == "knows"], patch.state) or _first_new(
        matched, patch.state
    )
    if new is None:
        return Answer("told_before", known_item_ids=(matched[0].id,))
    if new.role == "withholds":
        return Answer("deflected")
    _reveal(patch, new.id, how="told", others="overheard", but=asked)
    return Answer("told")


def _search(patch: Patch, attempt: Attempt, rules: CampaignRules) -> Answer:
    """One search finds one thing: the best-ranked that is still new."""
    here = patch.state.scene.location_id
    matched = [item for item in attempt.grounding.items if item.holder_id == here and item.role == "discoverable"]
    if not matched:
        return Answer("nothing_found")
    new = _first_new(matched, patch.state)
    if new is None:
        return Answer("found_before", known_item_ids=(matched[0].id,))
    _reveal(patch, new.id, how="found", others="witnessed")
    patch.tell("item_found", item=new.id)
    patch.enact(rules.on_find.get(new.id, ()), how="found")
    return Answer("found")


def _first_new(items: list[GroundedItem], state: WorldState) -> GroundedItem | None:
    return next((item for item in items if not state.has_learned(state.player_id, item.id)), None)


def _reveal(patch: Patch, item_id: str, *, how: How, others: How, but: str | None = None) -> None:
    """The player learns the item, and so does whoever stands by and does not know it, all `but` one."""
    state = patch.state
    by = [who for who in state.present_npcs() if who != but and not state.has_learned(who, item_id)]
    patch.do(
        RevealItem(item_id=item_id, to=state.player_id, how=how),
        *(RevealItem(item_id=item_id, to=who, how=others) for who in by),
    )
