"""A packet and a budget -> the packet cut to it. What goes, goes in a fixed order; what the turn stands on stays.

First goes what can be found again by asking (the sitting's lore, then what was looked up), then what was told before
(the story so far, the oldest first; then the last tellings, likewise), then what the place looks like, then what
stands in every scene, then what is known and how people stand to each other.
Scene, entities, threads, clocks, inventory and briefings are never cut: without them a stage would be wrong, not only
brief.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from lorewright.ids import canonical_json
from lorewright.tokens import count_tokens

# Room for the packet in a prompt of 8,000 tokens.
PACKET_TOKENS = 6_000

Packet = dict[str, Any]


def packet_tokens(packet: Packet) -> int:
    """The length of a packet as it is sent."""
    return count_tokens(canonical_json(packet))


def fit_packet(packet: Packet, *, budget_tokens: int) -> Packet:
    """The packet, without what does not fit: one entry after the other, until it does or nothing more may go.

    The one given is unchanged; the result may be longer than the budget where what must stay is.
    """

    def fits(dropped: int) -> bool:
        return packet_tokens(_without(packet, dropped)) <= budget_tokens

    most = sum(len(_at(packet, path)) for path in _GOES)
    # Each entry that goes makes it shorter, so that not every length has to be counted: a long game has many facts.
    return packet if fits(0) else _without(packet, bisect_left(range(most), True, key=fits))


# What may go, in the order in which it does: the last entry of a list first, but for what stands oldest first.
_GOES = (
    ("lore_context", "session", "chunks"),
    ("lore_context", "asked"),
    ("summary", "story"),
    ("recent_events",),
    ("lore_context", "scene", "atmosphere"),
    ("lore_context", "scene", "standing"),
    ("facts",),
    ("relationships",),
)
_OLDEST_FIRST = (("summary", "story"), ("recent_events",))


def _without(packet: Packet, number: int) -> Packet:
    """The packet after so many entries went."""
    for path in _GOES:
        entries = _at(packet, path)
        gone = min(number, len(entries))
        if gone:
            kept = entries[gone:] if path in _OLDEST_FIRST else entries[: len(entries) - gone]
            packet = _with(packet, path, kept)
        number -= gone
    return packet


def _at(packet: Packet, path: tuple[str, ...]) -> Sequence[Any]:
    """The list at a path; empty where there is none."""
    found: Any = packet
    for name in path:
        found = found.get(name) or {}
    return found or ()


def _with(packet: Packet, path: tuple[str, ...], value: Any) -> Packet:
    name, *rest = path
    return {**packet, name: _with(packet[name], tuple(rest), value) if rest else value}
