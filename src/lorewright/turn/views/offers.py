"""A state and a ruleset -> lines worth suggesting for what is the ruleset's own: `mark the centre`."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.rules.actions import Action
from lorewright.rules.aiming import WITHIN_TARGET
from lorewright.rules.mechanics import ActionType
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import WorldState


def own_offers(state: WorldState, ruleset: Ruleset, *, limit: int) -> tuple[str, ...]:
    """Lines that work when typed: the first verb of each type that is aimed at something, with what is here and nothing
    stands against. Which of many are offered turns with the in-world time."""
    lines = list(_lines(state, ruleset))
    start = state.minutes % len(lines) if lines else 0
    return tuple((*lines[start:], *lines[:start])[:limit])


def _lines(state: WorldState, ruleset: Ruleset) -> Iterator[str]:
    for kind, type_ in ruleset.actions.items():
        if not type_.verbs or not _is_aimed(type_):
            continue
        for thing in state.held_by(state.scene.location_id):
            action = Action(actor_id=state.player_id, type=kind, target_id=thing)
            if why_not(action, state, ruleset) is None:
                name = state.name_of(thing)
                yield f"{type_.verbs[0]} {name if name.startswith('the ') else f'the {name}'}"


def _is_aimed(type_: ActionType) -> bool:
    """Whether it matters what it is aimed at."""
    return any(WITHIN_TARGET in part.model_dump_json() for part in (*type_.needs, *type_.effects.get("success", ())))
