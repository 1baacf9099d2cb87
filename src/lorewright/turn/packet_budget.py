"""A packet and a budget -> the packet cut to it. What goes, goes in a fixed order; what the turn stands on stays.

First goes what can be found again by asking (the sitting's lore, then what was looked up), then what was told before
(the oldest telling first), then what the place looks like, then what is known and how people stand to each other.
Scene, entities, threads, clocks, inventory and briefings are never cut: without them a stage would be wrong, not only
brief.
"""

from __future__ import annotations

from collections.abc import Callable
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
    while packet_tokens(packet) > budget_tokens:
        shorter = next((cut for drop in _DROPS if (cut := drop(packet)) is not None), None)
        if shorter is None:
            return packet
        packet = shorter
    return packet


def _from(*path: str, oldest: bool = False) -> Callable[[Packet], Packet | None]:
    """Drops the last entry of a list (or the first, where they stand oldest first); None where there is none left."""

    def drop(packet: Packet) -> Packet | None:
        holder: Any = packet
        for name in path[:-1]:
            holder = holder.get(name) or {}
        entries = holder.get(path[-1])
        if not entries:
            return None
        return _with(packet, path, entries[1:] if oldest else entries[:-1])

    return drop


def _with(packet: Packet, path: tuple[str, ...], value: Any) -> Packet:
    name, *rest = path
    return {**packet, name: _with(packet[name], tuple(rest), value) if rest else value}


_DROPS = (
    _from("lore_context", "session", "chunks"),
    _from("lore_context", "asked"),
    _from("recent_events", oldest=True),
    _from("lore_context", "scene", "atmosphere"),
    _from("facts"),
    _from("relationships"),
)
