"""An action and a state -> what stands against it beside place and possession: turns, conditions, facts, needs."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.rules.actions import Action
from lorewright.rules.aiming import aimed_condition
from lorewright.rules.judge import holds
from lorewright.rules.outcomes import ReasonCode
from lorewright.rules.reach import is_npc, place_of
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import WorldState

# Whatever takes time or ends a turn: one may always look about and take stock.
ALL = "*"


def why_not_able(
    action: Action, state: WorldState, ruleset: Ruleset, *, acting: str | None = None
) -> ReasonCode | None:
    """It is somebody else's turn, or whoever acts is in no condition for it. `acting` is whose round it is, as in
    `why_not`."""
    if not _is_ones_turn(action, state, ruleset, acting):
        return "not_your_turn"
    if any(_forbids(ruleset, "conditions", name, action) for name in state.conditions_of(action.actor_id)):
        return "not_capable"
    wanted = ruleset.actions[action.type].at_least
    return "not_capable" if any(_has(action.actor_id, name, state) < least for name, least in wanted.items()) else None


def why_not_now(action: Action, state: WorldState, ruleset: Ruleset) -> ReasonCode | None:
    """What is known speaks against it, a circumstance forbids it, or what the action needs does not hold."""
    if any(_contradicted(action, state, ruleset)):
        return "contradicts_fact"
    if any(_forbids(ruleset, "situations", name, action) for name in state.situations):
        return "not_allowed_now"
    return None if unmet(action, state, ruleset) is None else "not_allowed_now"


def unmet(action: Action, state: WorldState, ruleset: Ruleset) -> str | None:
    """The sentence of the first need of the action that does not hold; None where all do."""
    needs = ruleset.actions[action.type].needs
    who = action.actor_id
    return next((one.say for one in needs if not holds(aimed_condition(one.when, action), state, you=who)), None)


def hindrance(who: str, state: WorldState, ruleset: Ruleset) -> int:
    """What somebody's conditions and the circumstances of the scene add to dice."""
    held = [ruleset.conditions.get(name) for name in state.conditions_of(who)]
    held += [ruleset.situations.get(name) for name in state.situations]
    return sum(one.modifier for one in held if one is not None)


def _is_ones_turn(action: Action, state: WorldState, ruleset: Ruleset, acting: str | None) -> bool:
    """Nobody acts in another's round. Without an order of turns only the player acts in the player's; with one, whoever
    stands in it may do what ends no turn."""
    order = state.turn_order
    if acting is not None and acting != state.player_id:
        if action.actor_id != acting or not is_npc(acting, state) or acting not in state.positions:
            return False
        return order is None or not ruleset.actions[action.type].ends_turn or acting == order.current
    if order is None:
        return action.actor_id == state.player_id
    if ruleset.actions[action.type].ends_turn:
        return action.actor_id == order.current
    return action.actor_id in (state.player_id, *order.actors)


def _forbids(ruleset: Ruleset, kind: str, name: str, action: Action) -> bool:
    held = (ruleset.conditions if kind == "conditions" else ruleset.situations).get(name)
    if held is None:
        return False
    type_ = ruleset.actions[action.type]
    return action.type in held.forbids or (ALL in held.forbids and bool(type_.minutes or type_.ends_turn))


def _has(who: str, name: str, state: WorldState) -> int | float:
    number = state.stat(who, name)
    if number is not None:
        return number
    entity = state.entities.get(who)
    return 0 if entity is None else entity.traits.get(name, 0)


def _contradicted(action: Action, state: WorldState, ruleset: Ruleset) -> Iterator[bool]:
    """Only what is known: what nobody has found out yet is found out by trying."""
    about = {
        "target": action.target_id,
        "item": action.item_id,
        "place": action.location_id or place_of(action, state),
        "actor": action.actor_id,
    }
    for one in ruleset.contradictions:
        subject = about[one.about]
        if action.type not in one.forbids or subject is None:
            continue
        yield any(
            fact.predicate == one.fact
            and fact.visibility == "player"
            and fact.object is not False
            and not fact.is_only_told
            for fact in state.facts_about(subject)
        )
