"""Patch: a state being worked on -> the ops that were done to it and the events that they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lorewright.rules.effects import Effect, RevealEffect, StateEffect
from lorewright.rules.enact import PREDICATES, Learned, effect_ops
from lorewright.rules.outcomes import EngineEvent, Outcome, Resolution, Roll
from lorewright.world.apply import Refusal, apply
from lorewright.world.ops import AddFact, StateOp
from lorewright.world.pressures import ESCALATION
from lorewright.world.state import WorldState

# Two states -> the events of what lies between: threads, facts, conditions, threats, circumstances, people who went
# further. Only what the player may know of is an event.
#
# An event is `world_affecting` where it would matter beyond the campaign: a thread that got another status, something
# that became established about what a pack tells of.


def happened(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """The events, in a fixed order."""
    if before.threads is not after.threads:
        yield from _threads(before, after)
    if before.facts is not after.facts:
        yield from _facts(before, after)
    if before.characters is not after.characters:
        yield from _conditions(before, after)
    if before.escalation is not after.escalation:
        for who, level, was in _changed(before.escalation, after.escalation):
            yield _event("escalated", entity=who, before=ESCALATION[was], after=ESCALATION[level])
    for kind, field in (("threat", "threats"), ("situation", "situations")):
        was, now = getattr(before, field), getattr(after, field)
        if was is not now:
            yield from (_event(f"{kind}_began", **{kind: one}) for one in sorted(now.keys() - was.keys()))
            yield from (_event(f"{kind}_ended", **{kind: one}) for one in sorted(was.keys() - now.keys()))
    if before.turn_order is not after.turn_order and after.turn_order is not None:
        yield _event("turn_passed", to=after.turn_order.current)


def _threads(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    for thread_id, thread in sorted(after.threads.items()):
        was = before.threads.get(thread_id)
        if was is None:
            continue
        if was.status != thread.status:
            details = {"thread": thread_id, "before": was.status, "after": thread.status}
            yield EngineEvent(type="thread_changed", details=details, scope="world_affecting")
        if was.progress != thread.progress:
            yield _event("progress_made", thread=thread_id, before=was.progress, after=thread.progress)


def _facts(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """What was promised, threatened or is owed has its own place on the record."""
    # Looked through before they are sorted: a long game has thousands, of which a turn touches a few.
    touched = [fact_id for fact_id, fact in after.facts.items() if before.facts.get(fact_id) is not fact]
    for fact_id in sorted(touched):
        was, fact = before.facts.get(fact_id), after.facts[fact_id]
        if fact.visibility != "player" or fact.predicate in PREDICATES or was == fact:
            continue
        subject = after.entities.get(fact.subject_id)
        is_of_a_pack = subject is not None and subject.origin == "pack"
        details = {"fact": fact_id, "subject": fact.subject_id, "predicate": fact.predicate}
        scope = "world_affecting" if is_of_a_pack else "campaign"
        yield EngineEvent.model_validate({"type": "fact_established", "details": details, "scope": scope})


def _conditions(before: WorldState, after: WorldState) -> Iterator[EngineEvent]:
    """Of whoever is there to be seen."""
    for who in after.present():
        was, now = before.conditions_of(who), after.conditions_of(who)
        yield from (_event("condition_gained", entity=who, condition=one) for one in now if one not in was)
        yield from (_event("condition_lost", entity=who, condition=one) for one in was if one not in now)


def _changed(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """(key, value now, value before) of what differs, by key; what is not there is 0."""
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key, 0), after.get(key, 0)
        if was != now:
            yield key, now, was


def _event(kind: str, **details: Any) -> EngineEvent:
    return EngineEvent(type=kind, details=details)


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
