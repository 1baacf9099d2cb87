"""Aiming: placeholders in a ruleset's effects and conditions -> the people and things of an attempt.

Effects and conditions of a ruleset name nobody: `target` is the target of the attempt, `somebody` anyone else who is
there (the target before others), `$stat` the stat that was rolled for, `$cost` the clock that counts what goes wrong;
`$target` and `$actor`, within a path or a value, are the own names of the target and the actor.

`you` is the actor. What one of the cast tries moves nothing that is the player's own: effects by which the player would
learn, get or lose something are left out, and so is the clock of what goes wrong for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lorewright.ids import local
from lorewright.rules import conditions as c
from lorewright.rules.actions import Action
from lorewright.rules.effects import Effect, EscalateEffect, GiveEffect, LoseEffect, RevealEffect
from lorewright.rules.reach import company, turned_to
from lorewright.world.frozen import Frozen
from lorewright.world.state import Clock, WorldState

# The clock of a state that counts what goes wrong.

# A clock of one of these names, or with this tag, counts what goes wrong.
COST_CLOCKS = ("heat", "trouble", "alarm", "suspicion", "danger", "attention", "noise")
COST_TAG = "cost"
# A clock of this name counts harm done to the actor.
HARM_CLOCK = "harm"


def cost_clock(state: WorldState) -> Clock | None:
    """Return the clock that counts what goes wrong: a tagged one before a named one, then in the order of the names."""
    tagged = [clock for _, clock in sorted(state.clocks.items()) if COST_TAG in clock.tags]
    named = [clock for name in COST_CLOCKS for key, clock in sorted(state.clocks.items()) if local(key) == name]
    return next(iter([*tagged, *named]), None)


def harm_clock(state: WorldState) -> Clock | None:
    """Return the clock that counts harm, or None."""
    return next((clock for key, clock in sorted(state.clocks.items()) if local(key) == HARM_CLOCK), None)


# Placeholders in effects and conditions -> the people and things of an attempt.

YOU = "you"
TARGET, SOMEBODY, THE_STAT, THE_COST = "target", "somebody", "$stat", "$cost"
WITHIN_TARGET, WITHIN_ACTOR = "$target", "$actor"

Meant = Mapping[str, str | None]

# Effects that are about the player by themselves.
_THE_PLAYERS = (RevealEffect, GiveEffect, LoseEffect, EscalateEffect)


def aimed(effects: Iterable[Effect], state: WorldState, action: Action, stat: str | None = None) -> Iterator[Effect]:
    """Yield the effects with their placeholders filled in; an effect on somebody who is not there is left out."""
    is_npcs = action.actor_id != state.player_id
    whole = _meant(action, state, stat)
    within = names_within(action)
    for effect in effects:
        if is_npcs and isinstance(effect, _THE_PLAYERS):
            continue
        given = {name: getattr(effect, name) for name in type(effect).model_fields}
        named = {name: _fill_value(value, whole, within) for name, value in given.items()}
        if not any(_is_nobody(given[name], value) for name, value in named.items()):
            changed = {name: value for name, value in named.items() if value != given[name]}
            yield effect.model_copy(update=changed) if changed else effect


def by_itself(action: Action, state: WorldState) -> Action:
    """Return the action as seen by what happens by itself after it: the player's; after an act of one of the cast upon
    nobody, one upon that character.
    """
    if action.actor_id == state.player_id:
        return action
    upon = turned_to(action, state)
    target = action.actor_id if upon in (None, state.player_id) else upon
    return action.model_copy(update={"actor_id": state.player_id, "target_id": target})


def aimed_condition(condition: c.Condition, action: Action) -> c.Condition:
    """Return a condition with the own names of target and actor filled into its texts."""
    named: c.Condition = _fill_names(condition, names_within(action))
    return named


def names_within(action: Action) -> dict[str, str]:
    """Return the values of `$target` and `$actor`."""
    return {WITHIN_TARGET: local(action.target_id or ""), WITHIN_ACTOR: local(action.actor_id)}


def _meant(action: Action, state: WorldState, stat: str | None) -> Meant:
    here = company(action.actor_id, state)
    upon = turned_to(action, state)
    target = upon if upon in here else None
    cost = cost_clock(state) if action.actor_id == state.player_id else None
    you = {} if action.actor_id == state.player_id else {YOU: action.actor_id}
    return {
        TARGET: target,
        SOMEBODY: target or next(iter(here), None),
        THE_STAT: stat,
        THE_COST: None if cost is None else cost.id,
        **you,
    }


def _fill_names(part: Any, within: Mapping[str, str]) -> Any:
    if isinstance(part, str):
        for name, value in within.items():
            part = part.replace(name, value)
        return part
    if isinstance(part, tuple):
        return tuple(_fill_names(value, within) for value in part)
    if isinstance(part, Frozen):
        fields = {name: getattr(part, name) for name in type(part).model_fields}
        named = {name: _fill_names(value, within) for name, value in fields.items()}
        changed = {name: value for name, value in named.items() if value != fields[name]}
        return part.model_copy(update=changed) if changed else part
    return part


def _fill_value(value: Any, whole: Meant, within: Mapping[str, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_fill_value(item, whole, within) for item in value)
    if isinstance(value, str):
        return whole[value] if value in whole else _fill_names(value, within)
    return value


def _is_nobody(given: Any, named: Any) -> bool:
    """Tell whether a placeholder for somebody now stands for nobody."""
    if isinstance(given, tuple):
        return any(_is_nobody(before, after) for before, after in zip(given, named, strict=True))
    return given is not None and named is None
