"""Which stat a check calls for, and the numbers that its formula reads. Pure look-ups in a state."""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.rules.actions import Action
from lorewright.rules.formula import Formula
from lorewright.rules.mechanics import Check, ClearlyHigher
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import WorldState

TARGET, SCENE, STAT = "target_", "scene_", "stat"


def stat_for(check: Check, action: Action, state: WorldState, ruleset: Ruleset) -> str | None:
    """The stat that is rolled for: of those that the attempt's trait stands for, else of the check's own, the actor's
    highest. None where the check names none."""
    trait = str(action.metadata.get("trait") or "")
    own = (trait,) if trait in ruleset.stats else ()
    added = ruleset.traits.get(check.add, (check.add,)) if check.add else ()
    named = ruleset.traits.get(trait) or own or check.stats or added
    return highest(named, action.actor_id, state)


def highest(names: Iterable[str], who: str, state: WorldState) -> str | None:
    """The stat that somebody has most of, the first where several are equal; a stat that is not there counts as 0."""
    return max(names, key=lambda name: state.stat(who, name) or 0, default=None)


def louder(rule: ClearlyHigher, stat: str, who: str, state: WorldState, ruleset: Ruleset) -> str | None:
    """Another stat that is clearly higher than the one that was rolled for, or None."""
    other = highest((name for name in ruleset.stats if name != stat), who, state)
    if other is None:
        return None
    ahead = (state.stat(who, other) or 0) - (state.stat(who, stat) or 0)
    return other if ahead >= rule.margin else None


def numbers_for(formula: Formula, stat: str | None, action: Action, state: WorldState) -> dict[str, int | float]:
    """A number for every name of the formula; what is not there counts as 0: a thing has no stats."""
    return {name: _number(name, stat, action, state) for name in formula.names}


def _number(name: str, stat: str | None, action: Action, state: WorldState) -> int | float:
    if name == STAT:
        return 0 if stat is None else state.stat(action.actor_id, stat) or 0
    if name.startswith(TARGET):
        return state.stat(action.target_id or "", name.removeprefix(TARGET)) or 0
    if name.startswith(SCENE):
        value = None if state.ruleset is None else state.ruleset.value(name.removeprefix(SCENE))
        return value if isinstance(value, (int, float)) else 0
    return state.stat(action.actor_id, name) or 0
