"""Patch: a state being worked on -> the ops that were done to it and the events that they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lorewright.rules.effects import Effect, RevealEffect, StateEffect
from lorewright.rules.enact import Learned, effect_ops
from lorewright.rules.happened import happened
from lorewright.rules.outcomes import EngineEvent, Outcome, Resolution, Roll
from lorewright.world.apply import Refusal, apply
from lorewright.world.ops import AddFact, StateOp
from lorewright.world.state import WorldState

# What of an effect is a text, and has no place in an event.
_TEXTS: dict[str, Any] = {"object": True, "promise": {"what"}, "threat": {"what"}, "owes": {"what"}, "observe": True}


class Patch:
    """A working copy. At any moment `apply(start, ops)` gives `state`; the start itself is never touched.

    Facts that are added are dated with the turn, where its number is given. While `audience` is set, it is who may know
    of the events that are added.
    """

    def __init__(self, start: WorldState, *, turn_no: int | None = None) -> None:
        self.state = start
        self._turn_no = turn_no
        self.ops: list[StateOp] = []
        self.events: list[EngineEvent] = []
        self.rolls: list[Roll] = []
        self.outcomes: list[Outcome] = []
        self.audience: tuple[str, ...] | None = None

    def do(self, *ops: StateOp) -> None:
        """Apply what the rules themselves decided.

        Raises:
            RuntimeError: it does not fit, so that a rule of ours is wrong; nothing of it was applied.
        """
        refusal = self._apply(ops)
        if refusal is not None:
            raise RuntimeError(f"{ops[refusal.index]!r} does not fit: {refusal.reason}")

    def enact(self, effects: Iterable[Effect], *, how: Learned) -> None:
        """Apply what an author wrote; an effect that does not fit is skipped, and an event says so."""
        for effect in effects:
            refusal = self._apply(effect_ops(effect, self.state, how=how))
            if refusal is not None:
                hidden = {**_TEXTS, "value": True} if isinstance(effect, StateEffect) else _TEXTS
                written = effect.model_dump(exclude=hidden, exclude_defaults=True)
                self.tell("effect_refused", reason=refusal.reason, effect=written)

    def propose(self, *ops: StateOp) -> Refusal | None:
        """Apply what somebody proposed, all of it or nothing; why it does not fit, or None."""
        return self._apply(ops)

    def tell(self, event: str, **details: Any) -> None:
        """Add an event; details are IDs and numbers, never a text of the lore."""
        self.events.append(EngineEvent(type=event, details=details, audience=self.audience))

    def learned_since(self, before: WorldState) -> tuple[str, ...]:
        """The items that the player knows now and did not then, in the order of their telling."""
        viewer = self.state.player_id
        return tuple(i for i in self.state.reveals.get(viewer, {}) if not before.has_learned(viewer, i))

    def resolution(self) -> Resolution:
        """Everything that was done, as values."""
        return Resolution(
            outcomes=tuple(self.outcomes),
            rolls=tuple(self.rolls),
            ops=tuple(self.ops),
            events=tuple(self.events),
        )

    def _apply(self, ops: tuple[StateOp, ...]) -> Refusal | None:
        ops = tuple(self._dated(op) for op in ops)
        applied = apply(self.state, ops)
        if applied.refusal is None:
            happenings = _happenings(self.state, applied.state)
            if self.audience is not None:
                happenings = (one.model_copy(update={"audience": self.audience}) for one in happenings)
            self.events.extend(happenings)
            self.state = applied.state
            self.ops.extend(ops)
        return applied.refusal

    def _dated(self, op: StateOp) -> StateOp:
        if not isinstance(op, AddFact) or op.fact.discovered_turn is not None:
            return op
        return op.model_copy(update={"fact": op.fact.model_copy(update={"discovered_turn": self._turn_no})})


def already_known(effects: Iterable[Effect], state: WorldState) -> tuple[str, ...]:
    """The items that the effects would reveal and that the player has learned before, each once."""
    items = [effect.reveal for effect in effects if isinstance(effect, RevealEffect)]
    return tuple(dict.fromkeys(item for item in items if state.has_learned(state.player_id, item)))


def _happenings(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """What one can see of a change: clocks, comings and goings, another scene, the end."""
    for clock_id, clock in sorted(after.clocks.items()):
        was = before.clocks[clock_id].value
        if clock.value != was:
            yield EngineEvent(type="clock_ticked", details={"clock": clock_id, "before": was, "after": clock.value})
    yield from _shaped(before, after)
    yield from happened(before, after)
    if after.scene.number != before.scene.number:
        places = {"from": before.scene.location_id, "to": after.scene.location_id}
        yield EngineEvent(type="scene_changed", details=places)
    else:
        yield from _comings_and_goings(before, after)
    if after.ended != before.ended:
        yield EngineEvent(type="campaign_ended", details={"ending": after.ended}, scope="world_affecting")


def _comings_and_goings(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    was, now = set(before.present_npcs()), set(after.present_npcs())
    for who in sorted(was - now):
        yield EngineEvent(type="departure", details={"entity": who})
    for who in sorted(now - was):
        yield EngineEvent(type="arrival", details={"entity": who})


def _shaped(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """What changed in the ruleset's scene and in the player's own stats, by path. Others' stats are theirs."""
    if before.ruleset is None or after.ruleset is None or before.ruleset is after.ruleset:
        return
    own = after.player_id
    parts = [("scene", before.ruleset.scene, after.ruleset.scene)]
    parts += [("stats", before.ruleset.stats.get(own, {}), after.ruleset.stats.get(own, {}))]
    for part, was, now in parts:
        for path in sorted(was.keys() | now.keys()):
            if was.get(path) != now.get(path):
                changed = {"path": f"{part}.{path}", "before": was.get(path), "after": now.get(path)}
                yield EngineEvent(type="path_changed", details=changed)
