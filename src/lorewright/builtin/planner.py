"""PlannerInput -> PlannerOutput: short notes of what is to be told, and how near the clocks have come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.values.packet import PacketClock
from lorewright.values.records import PlannerInput, PlannerOutput


def plan(given: PlannerInput) -> PlannerOutput:
    """Return one note for each action, from its type, its judgement and the packet's names; then the tension."""
    names = {entity.id: entity.name for entity in given.packet.entities if entity.name}
    judged = {result.action_index: result for result in given.results}
    beats = []
    for index, action in enumerate(given.actions):
        result = judged.get(index)
        note = _note(action, names)
        is_blocked = result is not None and not result.success
        beats.append(f"say why not: {note}" if is_blocked else note)
    return PlannerOutput(beats=tuple(beats), tension_move=_tension(given.packet.clocks), tension_move_type="clock")


def _note(action: Action, names: Mapping[str, str]) -> str:
    verb = verb_of(action.type)
    target = names.get(action.target_id or "", "it" if verb is None else verb.note_target)
    place = names.get(action.location_id or "", "the next place")
    note = "" if verb is None else verb.note
    return (note or "tell what comes of the attempt").format(target=target, place=place)


def _tension(clocks: Sequence[PacketClock]) -> str:
    """Return `peak` from three quarters of the fullest clock that the player does not want to fill, `rising` from a
    quarter, else `none`."""
    share = max((clock.value / clock.max for clock in clocks if clock.max > 0 and not clock.good), default=0.0)
    return "peak" if share >= 0.75 else "rising" if share >= 0.25 else "none"
