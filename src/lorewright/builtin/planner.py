"""PlannerInput -> PlannerOutput: short notes of what is to be told, and how near the clocks have come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorewright.rules.actions import Action
from lorewright.values.packet import PacketClock
from lorewright.values.records import PlannerInput, PlannerOutput

_NOTES: Mapping[str, str] = {
    "look": "show {target}",
    "go": "bring the player to {place}",
    "ask": "let {target} answer",
    "take": "hand over {target}",
    "search": "tell what the search brings",
    "wait": "let time pass",
    "inventory": "list what is carried",
    "sneak": "tell whether it stays unseen",
    "tell": "let {target} take it in",
    "persuade": "let {target} give way, or not",
    "threaten": "let {target} give way, or not",
    "attack": "tell how the fight with {target} goes",
    "promise": "let {target} take the word",
    "recall": "let {target} say what stands between them",
    "drop": "put {target} down",
    "give": "let {target} take the gift",
    "use": "tell what the use of {target} brings",
    "open": "open {target}",
    "close": "close {target}",
    "lock": "lock {target}",
    "unlock": "unlock {target}",
}
_DEFAULTS = {"look": "the place", "ask": "the person asked", "take": "the thing"}


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
    default = _DEFAULTS.get(action.type, "it")
    target = names.get(action.target_id or "", default)
    place = names.get(action.location_id or "", "the next place")
    return _NOTES.get(action.type, "tell what comes of the attempt").format(target=target, place=place)


def _tension(clocks: Sequence[PacketClock]) -> str:
    """Return `peak` from three quarters of the fullest clock, `rising` from a quarter, else `none`."""
    share = max((clock.value / clock.max for clock in clocks if clock.max > 0), default=0.0)
    return "peak" if share >= 0.75 else "rising" if share >= 0.25 else "none"
