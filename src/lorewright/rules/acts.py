"""Plain effects: an attempt where no rule of the scenario decides -> a changed patch, an Answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lorewright.rules.actions import Action, Attempt, GroundedItem
from lorewright.rules.aiming import aimed
from lorewright.rules.effects import effect_ops, record_op
from lorewright.rules.patch import OutcomeCode, Patch, ReasonCode
from lorewright.rules.reach import company
from lorewright.rules.rulesets import BandName, CampaignRules, Ruleset
from lorewright.rules.verbs import verb_of
from lorewright.world.apply import apply
from lorewright.world.ops import Move, OpenScene, PassTurn, RevealItem, StateOp
from lorewright.world.state import How, WorldState, relation_key

_DAY = 24 * 60

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


def why_not_grounded(attempt: Attempt, state: WorldState) -> ReasonCode | None:
    """Return why an attempt is not possible for what its words were matched to; None where it is."""
    verb = verb_of(attempt.action.type)
    return None if verb is None or verb.grounded is None else verb.grounded(attempt, state)


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


def first_new(items: Iterable[GroundedItem], who: str, state: WorldState) -> GroundedItem | None:
    """Return the first item that somebody has not learned."""
    return next((item for item in items if not state.has_learned(who, item.id)), None)


def reveal(patch: Patch, item_id: str, action: Action, *, how: How, others: How) -> None:
    """Let the actor learn the item, and all bystanders who do not know it, except the person who told it."""
    state = patch.state
    by = [who for who in hearers(action, state) if not state.has_learned(who, item_id)]
    patch.do(
        RevealItem(item_id=item_id, to=action.actor_id, how=how),
        *(RevealItem(item_id=item_id, to=who, how=others) for who in by),
    )


def hearers(action: Action, state: WorldState) -> list[str]:
    """Return the bystanders who are not addressed, another persona among them; none where it is whispered."""
    if action.is_whispered:
        return []
    place = state.positions.get(action.actor_id)
    personas = (who for who in state.personas if who != action.actor_id and state.positions.get(who) == place)
    return [who for who in dict.fromkeys((*company(action.actor_id, state), *personas)) if who != action.target_id]


def held_by(who: str | None, attempt: Attempt) -> list[GroundedItem]:
    """Return what of the attempt's items somebody knows or withholds."""
    return [item for item in attempt.grounding.items if item.holder_id == who and item.role != "discoverable"]


def civil_key(one: str, other: str, state: WorldState) -> str:
    """Return the key by which a civility between two people is noted for a day."""
    return f"civil:{relation_key(one, other)}:{state.minutes // _DAY}"


def put_on_record(patch: Patch, action: Action, predicate: str) -> tuple[str, ...]:
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


def plain_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """Return the ops of a possible action without checks and rules; empty for what changes nothing by itself.

    Where fewer pieces of a thing lie there than are wanted, all are taken. A check or a rule may change the result.
    """
    verb = verb_of(action.type)
    return () if verb is None or verb.ops is None else verb.ops(action, state)


def move_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """Return the ops of going to the action's place; the scene goes where the player goes."""
    if action.location_id is None:
        return ()
    move = Move(entity_id=action.actor_id, to=action.location_id)
    is_players = action.actor_id == state.player_id
    return (move, OpenScene(location_id=action.location_id)) if is_players else (move,)


def plainly(action: Action, state: WorldState, ruleset: Ruleset) -> WorldState:
    """Return the state after a possible action without checks and rules, with the ruleset's effects of its type."""
    type_ = ruleset.row(action.type)
    working = apply(state, plain_ops(action, state)).state
    for effect in aimed(type_.effects.get("success", ()), working, action):
        working = apply(working, effect_ops(effect, working)).state
    order = working.turn_order
    if order is not None and type_.ends_turn and order.current == action.actor_id:
        working = apply(working, (PassTurn(),)).state
    return working


def act(patch: Patch, attempt: Attempt, rules: CampaignRules, *, ruled: bool = False) -> Answer:
    """Do what the action's type means; a type that only the ruleset knows changes nothing.

    `ruled`: a rule of the scenario has decided, so that a gift wins no regard beyond the rule's effects.
    """
    action = attempt.action
    verb = verb_of(action.type)
    if verb is not None and verb.does is not None:
        return verb.does(patch, attempt, rules, ruled)
    patch.do(*plain_ops(action, patch.state))
    return Answer("acted")
