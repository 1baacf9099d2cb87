"""A campaign's scenario, as it was stored, and its cast -> the agendas of the cast and the player, by ID."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lorewright.campaigns.names import PLAYER_NAMES
from lorewright.ids import local
from lorewright.rules.actions import CastRule
from lorewright.values.agendas import Agenda
from lorewright.world.state import WorldState


def agendas_of(
    scenario: Mapping[str, Any], state: WorldState, cast: Mapping[str, CastRule] = MappingProxyType({})
) -> dict[str, Agenda]:
    """By ID, in the order of IDs; whoever has neither a goal nor a step is in it not at all.

    Scenarios name people with their pack or without it, and a stored one is read as it was written. A goal of somebody
    whom nobody knows (files from before that was an error) is passed over. In `cast` stand the goals that packs give.
    """
    goals, written = scenario.get("goals", {}), scenario.get("cast", {})
    found = {}
    for who in sorted(state.positions):
        names = PLAYER_NAMES if who == state.player_id else (who, local(who))
        goal = next((goals[name] for name in names if name in goals), "")
        goal = goal or (cast[who].goal if who in cast else "")
        steps = next((written[name].get("agenda", ()) for name in names if name in written), ())
        agenda = Agenda(goal, tuple((step["when"]["clock"], step["when"]["min"]) for step in steps))
        if agenda != Agenda():
            found[who] = agenda
    return found
