"""The numbers of v0's turns -> ours, which begin at 1 and have no gap."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from lorewright.contrib.import_v0.notes import Notes
from lorewright.contrib.import_v0.rows import V0Campaign, V0Event


def in_order(campaign: V0Campaign) -> list[V0Event]:
    """The events by turn_no; those of one number in the order in which they were written. The first is turn 1."""
    return sorted(campaign.events, key=lambda one: one.turn_no)


def numbers_told(campaign: V0Campaign) -> list[int]:
    """The turn_no of turns 1, 2, 3 …"""
    return [one.turn_no for one in in_order(campaign)]


def number_of(turn_no: int, told: Sequence[int]) -> int:
    """The turn that a turn_no is here, the last one where several share it; of one that is missing, the turn before
    it (0 where there is none)."""
    return bisect_right(told, turn_no)


def note_numbers(campaign: V0Campaign, notes: Notes) -> None:
    """Say what became of gaps and of numbers that stand more than once."""
    told = numbers_told(campaign)
    if told == list(range(1, len(told) + 1)):
        return
    twice = sorted(number for number, count in Counter(told).items() if count > 1)
    if twice:
        notes.say("events", f"turn_no {_shown(twice)} stands more than once: all are kept, in the order of their rows")
    gaps = [(a + 1, b - 1) for a, b in pairwise(told) if b - a > 1]
    if gaps:
        missing = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in gaps[:5])
        notes.say("events", f"turn_no {missing}{' and more' if len(gaps) > 5 else ''} is missing: the gap is closed")
    notes.say("events", f"turn_no {told[0]} to {told[-1]} are turns 1 to {len(told)} here")


def _shown(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:5])) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")
