"""The time of day in a story: when it begins, and the hours that its clocks count to."""

from __future__ import annotations

from collections.abc import Mapping

from lorewright.world.state import WorldState

_MINUTES_A_DAY = 24 * 60


def minutes_of(time: str) -> int:
    """Return the minutes since midnight of a time such as `23:30`."""
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)


def minutes_between(begins: str, until: str) -> int:
    """Return the minutes from one time of day to the next time that it is another; a day where they are the same."""
    return (minutes_of(until) - minutes_of(begins)) % _MINUTES_A_DAY or _MINUTES_A_DAY


def time_of_day(state: WorldState, begins: str, until: Mapping[str, str]) -> str:
    """Return the time of day as `23:30`, in a story that begins at one. Where a clock counts `until` an hour, by ID, it
    leads: minutes pass within its step, and no further."""
    now = clock_time(state, begins, until)
    return f"{now // 60 % 24:02}:{now % 60:02}"


def clock_time(state: WorldState, begins: str, until: Mapping[str, str]) -> int:
    """Return the same in minutes since the midnight before the story began."""
    start = minutes_of(begins)
    now = start + state.minutes
    for clock_id, hour in sorted(until.items()):
        clock = state.clocks.get(clock_id)
        if clock is not None:
            span = minutes_between(begins, hour)
            first = start + span * clock.value // clock.max
            last = start + span * min(clock.value + 1, clock.max) // clock.max - 1
            return max(first, min(now, last))
    return now


def values_by(time: int, state: WorldState, begins: str, until: Mapping[str, str]) -> dict[str, int]:
    """Return the value that each clock of `until` has reached at a time, in minutes as `clock_time` counts them."""
    start, values = minutes_of(begins), {}
    for clock_id, hour in until.items():
        clock = state.clocks.get(clock_id)
        if clock is not None:
            span = minutes_between(begins, hour)
            reached = (value for value in range(clock.max + 1) if start + span * value // clock.max <= time)
            values[clock_id] = max(reached, default=0)
    return values


def minutes_ahead(state: WorldState, begins: str, until: Mapping[str, str]) -> int:
    """Return the minutes by which the clocks of `until` have run ahead of the minutes of a story: a step of a clock is
    as long as its part of the hours."""
    by_now, ahead = values_by(minutes_of(begins) + state.minutes, state, begins, until), 0
    for clock_id, due in by_now.items():
        clock, span = state.clocks[clock_id], minutes_between(begins, until[clock_id])
        if clock.value > due:
            steps = span * clock.value // clock.max - span * due // clock.max
            ahead = max(ahead, steps, span * clock.value // clock.max - state.minutes)
    return ahead


def next_time(now: int, hour: str) -> int:
    """Return the minutes since midnight at which it is next the time of day; up to noon it is that of either half of
    the day, as `three o'clock` is said."""
    half = _MINUTES_A_DAY // 2
    wanted = minutes_of(hour)
    return now + (wanted - now) % (_MINUTES_A_DAY if wanted > half else half)
