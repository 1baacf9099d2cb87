"""ContextPacket: what a stage is told of the world, in the seed's shape, cut to who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import SceneLore
from lorewright.scene_lore.views import StageViewer, scene_view
from lorewright.turn.messages import Message
from lorewright.world.state import WorldState

# So many of the last narrations are shown; older ones are found through the history corpus.
RECENT_NARRATIONS = 3

# And so much of each: a narration is a page at most, whatever a model made of it.
_RECENT_CHARACTERS = 1_500


def build_packet(
    state: WorldState,
    rules: CampaignRules,
    lore: SceneLore,
    recent: Sequence[tuple[int, Message]],
    *,
    viewer: StageViewer,
    asked: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The packet for one viewer. `recent` are (turn number, narration), oldest first; `asked` what was retrieved for
    it.

    Facts and entities are those of the scene: who and what is there or carried, and where the ways lead.
    """
    present = state.present()
    things = [*state.held_by(state.scene.location_id), *state.held_by(state.player_id)]
    shown = [state.scene.location_id, *present, *things]
    return {
        "scene": {
            "location_id": state.scene.location_id,
            "time": {"minutes": state.minutes},
            "constraints": {},
        },
        "present_entities": list(present),
        "entities": [_entity(state, entity_id) for entity_id in dict.fromkeys(shown)],
        "facts": _facts(state, viewer),
        "threads": [_thread(state, thread_id) for thread_id in sorted(state.threads)],
        "clocks": [_clock(state, rules, clock_id) for clock_id in sorted(state.clocks)],
        "inventory": [
            {"owner_id": state.player_id, "item_id": item, "qty": quantity, "flags": {}}
            for item, quantity in state.held_by(state.player_id).items()
        ],
        "relationships": _relationships(state, present),
        "summary": {"scene": "", "threads": ""},
        "recent_events": [
            {"turn_no": turn_no, "text": message.content[:_RECENT_CHARACTERS]}
            for turn_no, message in recent[-RECENT_NARRATIONS:]
        ],
        "npc_agendas": {},
        "npc_capabilities": {},
        "investigation_progress": {"learned": len(state.learned_by(state.player_id))},
        "pending_threats": [],
        "active_situations": [],
        "failure_streak": {},
        "calibration": {},
        "lore_context": {
            "scene": scene_view(lore, viewer, learned=state.learned_by(state.player_id)),
            "asked": list(asked),
            "session": {},
        },
    }


def _entity(state: WorldState, entity_id: str) -> dict[str, Any]:
    """Name and tags; a pack's own keys (`attrs`) may tell more than a viewer may know and stay out."""
    entity = state.entities[entity_id]
    return {"id": entity.id, "type": entity.type, "name": entity.name, "attrs": {}, "tags": list(entity.tags)}


def _facts(state: WorldState, viewer: StageViewer) -> list[dict[str, Any]]:
    facts = [state.facts[fact_id] for fact_id in sorted(state.facts)]
    fields = {"id", "subject_id", "predicate", "object", "visibility", "confidence", "tags"}
    return [
        fact.model_dump(mode="json", include=fields)
        for fact in facts
        if fact.visibility == "player" or viewer == "planner"
    ]


def _thread(state: WorldState, thread_id: str) -> dict[str, Any]:
    thread = state.threads[thread_id]
    return {
        "id": thread.id,
        "title": thread.title,
        "status": thread.status,
        "stakes": {"text": thread.stakes},
        "related_entity_ids": list(thread.related_entity_ids),
        "tags": list(thread.tags),
    }


def _clock(state: WorldState, rules: CampaignRules, clock_id: str) -> dict[str, Any]:
    """What a clock's thresholds do is the scenario's secret; that there are some is not."""
    clock = state.clocks[clock_id]
    thresholds: dict[str, dict[str, Any]] = {str(value): {} for value in sorted(rules.clock_effects.get(clock_id, {}))}
    return {
        "id": clock.id,
        "name": clock.name,
        "value": clock.value,
        "max": clock.max,
        "triggers": thresholds,
        "tags": list(clock.tags),
    }


def _relationships(state: WorldState, present: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "a_id": relation.a,
            "b_id": relation.b,
            "rel_type": "scene",
            "intensity": relation.trust,
            "notes": {"tension": relation.tension, "closeness": relation.closeness},
        }
        for key, relation in sorted(state.relations.items())
        if relation.a in present and relation.b in present
    ]
