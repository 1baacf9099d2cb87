"""The small world with a part that a ruleset shapes: a scene with numbers, a list and an object, and two stat blocks."""

from __future__ import annotations

from typing import Any

from lorewright.world.ruleset_state import RulesetState
from lorewright.world.state import WorldState
from support import small_world as w

SCENE = {
    "type": "object",
    "required": ["minutes_left", "notes"],
    "additionalProperties": False,
    "properties": {
        "minutes_left": {"type": "integer", "minimum": 0, "maximum": 7, "title": "Minutes left"},
        "heat": {"type": "number", "maximum": 2.5},
        "pressure": {"type": "string", "maxLength": 8},
        "notes": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "weather": {"type": "object", "additionalProperties": False, "properties": {"wind": {"type": "integer"}}},
    },
}
STATS = {
    "type": "object",
    "required": ["shyness"],
    "additionalProperties": False,
    "properties": {"shyness": {"type": "integer", "minimum": 0, "maximum": 10}, "mood": {"type": "string"}},
}


def shaped(**scene: Any) -> WorldState:
    held = RulesetState(
        stat_schema=STATS,
        scene_schema=SCENE,
        stats={w.JO: {"shyness": 3}, w.VIKTOR: {"shyness": 9}},
        scene={"minutes_left": 7, "notes": ["a"], **scene},
    )
    return w.small_world(ruleset=held)
