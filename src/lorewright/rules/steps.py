"""Attempts of several steps -> where they end: a walk by more than one way, a wait for a time of day or for something
to happen. What happens on the way ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.conditions import Nudge
from lorewright.rules.hours import clock_time, minutes_of, next_time, time_of_day, values_by
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import CampaignRules
from lorewright.world.events import (
    Arrived,
    ClockTicked,
    ClockTriggered,
    Departed,
    EngineEvent,
    PathChanged,
    SceneChanged,
)
from lorewright.world.state import OFFSTAGE, WorldState


class Walks:
    """Ends a walk of several steps where something happened on the way, and what was to be done at its end. What
    `nudges` tell ends none."""

    def __init__(self, nudges: Sequence[Nudge] = ()) -> None:
        self._nudging = {nudge.say for nudge in nudges}
        self._ended: str | None = None
        self._missed: set[str] = set()
        self._has_found = False

    def is_over(self, action: Action) -> bool:
        """Tell whether an action is a further step of the walk that was ended, or was to be done where it led,
        or where nothing was found."""
        is_step = self._ended is not None and action.metadata.get("towards") == self._ended
        return (
            is_step
            or action.metadata.get("beyond") in self._missed
            or (self._has_found and "if_none" in action.metadata)
        )

    def passed(self, action: Action, patch: Patch, before: WorldState, events: Sequence[EngineEvent]) -> None:
        """Take note of a step. Clocks alone do not end a walk: many move whenever time passes; what they bring does,
        unless it is only that somebody goes about their own affairs."""
        self._has_found = self._has_found or bool(patch.learned_since(before))
        towards = action.metadata.get("towards")
        outcome = patch.outcomes[-1] if patch.outcomes else None
        happened = outcome is None or outcome.code == "blocked" or bool(outcome.say)
        happened = happened or (outcome is not None and not self._nudging.issuperset(outcome.then))
        happened = happened or bool(patch.learned_since(before)) or patch.state.ended is not None
        happened = happened or any(not isinstance(event, _ORDINARY) for event in events)
        happened = happened or _has_come_to(before.player_id, before, patch.state)
        self._ended = str(towards) if towards is not None and happened else None
        if self._ended not in (None, patch.state.scene.location_id) and outcome is not None and outcome.code == "moved":
            patch.outcomes[-1] = outcome.model_copy(update={"cut_short": True})
        goal = action.location_id if towards is None else self._ended
        if goal is not None and patch.state.scene.location_id != goal and patch.state.player_id == action.actor_id:
            self._missed.add(goal)


# What a step of a walk brings about whatever happens.
_ORDINARY = (ClockTicked, ClockTriggered, SceneChanged, PathChanged, Arrived, Departed)


def _has_come_to(who: str, before: WorldState, after: WorldState) -> bool:
    """Tell whether somebody has come out of nowhere to where a walker is, as those do who look for them."""
    here = after.scene.location_id
    return any(
        before.positions.get(other) == OFFSTAGE and place == here
        for other, place in after.positions.items()
        if other != who
    )


# What names the end of a wait.
_NAMES = frozenset(("until", "minutes", "watchful"))
# The longest wait for something to happen, and the longest at all (minutes).
_PATIENCE, _LONGEST = 60, 480


class Wait:
    """Has the player wait step by step for a time of day that was named, for a number of minutes, or for something to
    happen, in a story whose hours are told; any other attempt is one step. Whatever concerns the player ends the wait.
    """

    def __init__(self, attempt: Attempt, patch: Patch, rules: CampaignRules) -> None:
        self._attempt, self._patch, self._rules = attempt, patch, rules
        self._begun, self._outcomes = patch.state, len(patch.outcomes)
        self._least = rules.ruleset.row(attempt.action.type).minutes if _NAMES & set(attempt.action.metadata) else 0
        self._is_watchful = bool(attempt.action.metadata.get("watchful"))
        self._until = self._end_of(attempt.action) if rules.begins and self._least else None

    def _end_of(self, action: Action) -> int | None:
        now, minutes = self._now(), action.metadata.get("minutes")
        if action.actor_id != self._patch.state.player_id:
            return None
        if hour := action.metadata.get("until"):
            return next_time(now, str(hour))
        if action.metadata.get("watchful"):
            return now + _PATIENCE
        is_several = minutes is not None and (int(minutes) > self._least or bool(self._rules.until))
        return now + int(minutes) if minutes is not None and is_several else None

    def _now(self) -> int:
        return clock_time(self._patch.state, self._rules.begins, self._rules.until)

    def steps(self) -> Iterator[Attempt]:
        """Yield the attempts that are to be played one after the other."""
        if self._until is None:
            yield self._attempt
            return
        while True:
            before = self._patch.state
            self._patch.bounds = values_by(self._until, before, self._rules.begins, self._rules.until)
            yield self._step(self._until - self._now())
            self._patch.bounds = {}
            has_passed = clock_time(before, self._rules.begins, self._rules.until) < self._now()
            is_late = self._now() >= min(self._until, self._start() + _LONGEST)
            if is_late or not has_passed or self._has_happened(before):
                return

    def _start(self) -> int:
        return clock_time(self._begun, self._rules.begins, self._rules.until)

    def _step(self, left: int) -> Attempt:
        """Return the wait of one step: as long as one wait is, and no longer than is left. Where the hours of clocks
        have run ahead of the minutes, those are made up for."""
        action, state = self._attempt.action, self._patch.state
        behind = max(0, self._now() - minutes_of(self._rules.begins) - state.minutes)
        minutes = max(1, min(self._least, left or self._least)) + behind
        metadata = {**action.metadata, "minutes": minutes}
        return self._attempt.model_copy(update={"action": action.model_copy(update={"metadata": metadata})})

    def _has_happened(self, before: WorldState) -> bool:
        """Tell whether anything concerns the player: somebody comes (or leaves, where they wait for something to
        happen), they learn, get, lose or suffer something, something is said, or a clock rises that counts no hours."""
        patch, who = self._patch, before.player_id
        after, outcome = patch.state, patch.outcomes[-1] if patch.outcomes else None
        rises = (
            clock_id not in self._rules.until and clock.value > before.clocks[clock_id].value
            for clock_id, clock in after.clocks.items()
            if clock_id in before.clocks
        )
        return (
            outcome is None
            or outcome.code == "blocked"
            or bool(outcome.then)
            or bool(patch.learned_since(before))
            or after.ended is not None
            or after.scene.location_id != before.scene.location_id
            or bool(set(after.present_npcs()) - set(before.present_npcs()))
            or (self._is_watchful and after.present_npcs() != before.present_npcs())
            or after.held_by(who) != before.held_by(who)
            or after.conditions_of(who) != before.conditions_of(who)
            or after.threads != before.threads
            or any(rises)
        )

    def end(self) -> None:
        """Tell the steps that were played as one outcome, with the time that it is then."""
        if self._until is None:
            return
        made = self._patch.outcomes[self._outcomes :]
        if not made or made[0].code == "blocked":
            return
        last = made[-1] if made[-1].code != "blocked" else made[0]
        whole = made[0].model_copy(
            update={
                "minutes": self._now() - self._start(),
                "item_ids": tuple(item for outcome in made for item in outcome.item_ids),
                "then": tuple(dict.fromkeys(text for outcome in made for text in outcome.then)),
                "say": made[0].say or last.say,
                "reached": time_of_day(self._patch.state, self._rules.begins, self._rules.until),
                "cut_short": self._now() < self._until,
            }
        )
        self._patch.outcomes[self._outcomes :] = [whole]
