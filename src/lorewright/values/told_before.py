"""Stored results -> what the next turn must know of them: the lines offered, and what the next scene marker says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.world.frozen import Frozen, FrozenMap

# So many turns back the head carries messages.
RECENT_TURNS = 12
# Whoever lets so many in-world minutes pass in one turn has skipped them.
SKIPPED_MINUTES = 60

# Events of a turn that become a marker of the next one.
TIME_SKIPPED, SCENE_CLOSED, NOBODY_ACTED = "time_skipped", "scene_closed", "nobody_acted"

# So many turns that were told and lie beyond those are summarised at once: a small model reads some 3,000 tokens for
# it, once in so many turns; and until then what lies there is found by asking.
SUMMARISE_AFTER = 20


class Marker(Frozen):
    """A boundary in the story, told to whoever tells it: `location_change` {from, to}, `time_skip` {duration} in
    minutes, `scene_open` {at}, `scene_close` {at}, `silence` {who}: those of the cast who could have acted and did
    not."""

    subtype: str
    payload: FrozenMap[str, Any]


def options_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The lines that were offered."""
    return tuple(result["suggested_actions"])


def markers_of(result: Mapping[str, Any]) -> tuple[Marker, ...]:
    """What a turn's result has the next one begin with, in the order in which it happened; moves are one move."""
    return tuple(_markers(result["engine_events"]))


def _markers(events: list[Mapping[str, Any]]) -> Iterator[Marker]:
    moves = [event["details"] for event in events if event["type"] == "scene_changed"]
    # Whoever is where they were has not moved: a scene may open in the place of the one before it.
    if moves and moves[0]["from"] != moves[-1]["to"]:
        yield Marker(subtype="location_change", payload={"from": moves[0]["from"], "to": moves[-1]["to"]})
    for event in events:
        if event["type"] == TIME_SKIPPED:
            yield Marker(subtype="time_skip", payload={"duration": event["details"]["minutes"]})
        elif event["type"] == SCENE_CLOSED:
            yield Marker(subtype="scene_open", payload={"at": event["details"]["at"]})
        elif event["type"] == NOBODY_ACTED:
            yield Marker(subtype="silence", payload={"who": list(event["details"]["who"])})
