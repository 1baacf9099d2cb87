"""PlannerInput -> PlannerOutput: short notes of what is to be told, and how near the clocks have come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.values.records import PlannerInput, PlannerOutput


def plan(given: PlannerInput) -> PlannerOutput:
    """Return one note for each action, from its type, its judgement and the packet's names; then the tension."""
    names = _names(given.packet)
    judged = {result.action_index: result for result in given.results}
    beats = []
    for index, action in enumerate(given.actions):
        result = judged.get(index)
        note = _note(action, names)
        is_blocked = result is not None and not result.success
        beats.append(f"say why not: {note}" if is_blocked else note)
    return PlannerOutput(beats=tuple(beats), tension_move=_tension(given.packet), tension_move_type="clock")


def _note(action: Action, names: Mapping[str, str]) -> str:
    verb = verb_of(action.type)
    target = names.get(action.target_id or "", "it" if verb is None else verb.note_target)
    place = names.get(action.location_id or "", "the next place")
    note = "" if verb is None else verb.note
    return (note or "tell what comes of the attempt").format(target=target, place=place)


def _names(packet: Mapping[str, Any]) -> dict[str, str]:
    """Return display names by ID; values of the packet without the shape of an entity are skipped."""
    return {
        str(entity["id"]): str(entity["name"])
        for entity in _rows(packet.get("entities"))
        if entity.get("id") and entity.get("name")
    }


def _tension(packet: Mapping[str, Any]) -> str:
    """Return `peak` from three quarters of the fullest clock, `rising` from a quarter, else `none`."""
    share = max((_share(clock) for clock in _rows(packet.get("clocks"))), default=0.0)
    return "peak" if share >= 0.75 else "rising" if share >= 0.25 else "none"


def _share(clock: Mapping[str, Any]) -> float:
    value, most = clock.get("value"), clock.get("max")
    if not isinstance(value, int | float) or not isinstance(most, int | float) or most <= 0:
        return 0.0
    return value / most


def _rows(value: object) -> Iterable[Mapping[str, Any]]:
    """Return the mappings of a list, or of the values of a mapping."""
    rows = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [row for row in rows if isinstance(row, Mapping)]
