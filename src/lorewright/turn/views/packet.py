"""ContextPacket: what a stage is told of the world, in the seed's shape, cut to who reads it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from lorewright.ids import canonical_json
from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import SceneLore, StageViewer, scene_view
from lorewright.tokens import count_tokens
from lorewright.values.annotations import SummarySentence
from lorewright.values.entries import Agenda, facts_shown
from lorewright.values.records import Message
from lorewright.world.schemas import plain
from lorewright.world.state import Clock, WorldState

# A packet and a budget -> the packet cut to it. What goes, goes in a fixed order; what the turn stands on stays.
#
# First goes what can be found again by asking (the sitting's lore, then what was looked up), then what was told before
# (the story so far, the oldest first; then the last tellings, likewise), then what the place looks like, then what
# stands in every scene, then what is known and how people stand to each other.
# Scene, entities, threads, clocks, inventory and briefings are never cut: without them a stage would be wrong, not only
# brief.

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


# State -> the two summaries of the packet: how the scene stands, and how the threads do.


def scene_summary(state: WorldState) -> str:
    """Where the player is, for how long, how often they were there before, and with whom."""
    place = state.name_of(state.scene.location_id)
    minutes = state.minutes - state.scene.opened_minute
    since = f"for {minutes} minutes" if minutes > 1 else "just now"
    before = state.visits.get(state.scene.location_id, 1) - 1
    again = {0: "for the first time", 1: "for the second time"}.get(before, f"having been there {before} times")
    people = [state.name_of(present_npc) for present_npc in state.present_npcs()]
    company = f"With them: {', '.join(people)}." if people else "Nobody is with them."
    return f"{state.name_of(state.player_id)} is at {place}, {since}, {again}. {company}"


def threads_summary(state: WorldState) -> str:
    """Each thread in a line: its title, how it stands, what is at stake."""
    return "\n".join(
        f"{thread.title} ({thread.status}){f': {thread.stakes}' if thread.stakes else ''}"
        for _, thread in sorted(state.threads.items())
    )


# So many of the last narrations are shown; older ones are found through the history corpus.
RECENT_NARRATIONS = 3

# And so much of each: a narration is a page at most, whatever a model made of it.
RECENT_CHARACTERS = 1_500

# A clock so many steps from what it sets off is a threat that one can feel coming.
_NEAR = 2


def build_packet(
    state: WorldState,
    rules: CampaignRules,
    lore: SceneLore,
    recent: Sequence[tuple[int, Message]],
    *,
    viewer: StageViewer,
    asked: Sequence[dict[str, Any]] = (),
    session: Mapping[str, Any] | None = None,
    agendas: Mapping[str, Agenda] | None = None,
    calibration: Mapping[str, Any] | None = None,
    story: Sequence[SummarySentence] = (),
    budget_tokens: int = PACKET_TOKENS,
) -> dict[str, Any]:
    """The packet for one viewer, no longer than a budget allows.

    `recent` are (turn number, message), oldest first, as the viewer may see them; `asked` is what was retrieved for the
    packet, `session` what the sitting began with. `agendas` says what each of the cast is after, by ID: it is
    the planner's alone, as are ties between people. States of people that are manifest are the stages' to see.
    `calibration` is what was agreed on before the first turn, `story` what happened before `recent`, oldest first.

    Entities are those of the scene: who and what is there or carried. Facts are first those of the scene, of where the
    ways lead and of whom the threads are about, then others; the newest first, and not all of them.
    """
    present = state.present()
    things = [*state.held_by(state.scene.location_id), *state.held_by(state.player_id)]
    shown = [state.scene.location_id, *present, *things]
    told = [(turn_no, message) for turn_no, message in recent if message.type == "narration"]
    packet = {
        "scene": {
            "location_id": state.scene.location_id,
            "time": {"minutes": state.minutes},
            "constraints": _ruled(state, rules),
        },
        "present_entities": list(present),
        "entities": [_entity(state, entity_id, viewer) for entity_id in dict.fromkeys(shown)],
        "facts": _facts(state, viewer, {*shown, *_spoken_of(state)}),
        "threads": [_thread(state, thread_id) for thread_id in sorted(state.threads)],
        "clocks": [_clock(state, rules, clock_id) for clock_id in sorted(state.clocks)],
        "inventory": [
            {"owner_id": state.player_id, "item_id": item, "qty": quantity, "flags": {}}
            for item, quantity in state.held_by(state.player_id).items()
        ],
        "relationships": [*_relationships(state, present), *(_ties(state, present) if viewer == "planner" else [])],
        "summary": {
            "scene": scene_summary(state),
            "threads": threads_summary(state),
            **({"story": [{"text": one.text, "turn_nos": list(one.turn_nos)} for one in story]} if story else {}),
        },
        "recent_events": [
            {"turn_no": turn_no, "text": message.content[:RECENT_CHARACTERS]}
            for turn_no, message in told[-RECENT_NARRATIONS:]
        ],
        "npc_agendas": _agendas(state, present, agendas or {}) if viewer == "planner" else {},
        "npc_capabilities": _capabilities(lore) if viewer != "player" else {},
        "investigation_progress": _progress(state, lore, viewer),
        "pending_threats": [
            *(threat for clock in sorted(state.clocks) if (threat := _threat(state.clocks[clock], rules))),
            *_announced(state, rules),
        ],
        "active_situations": [_situation(state, rules, situation) for situation in sorted(state.situations)],
        "failure_streak": dict(sorted(state.streaks.items())),
        "calibration": dict(plain(calibration or {})),
        "lore_context": {
            "scene": scene_view(lore, viewer, learned=state.learned_by(state.player_id)),
            "asked": list(asked),
            "session": dict(session or {}),
        },
    }
    return fit_packet(packet, budget_tokens=budget_tokens)


def _ruled(state: WorldState, rules: CampaignRules) -> dict[str, Any]:
    """The ruleset's scene and in short how it is played; nothing where it shapes no part of the state."""
    if state.ruleset is None:
        return {}
    told = rules.ruleset
    return {
        "ruleset_id": told.id,
        "rulebook_summary": told.rulebook_summary,
        "scene_state": plain(state.ruleset.scene),
    }


def _agendas(state: WorldState, present: Sequence[str], agendas: Mapping[str, Agenda]) -> dict[str, Any]:
    """What those who are here are after, and when they act next."""
    found = {who: agendas[who].shown(state) for who in present if who in agendas}
    return {who: shown for who, shown in found.items() if shown}


def _capabilities(lore: SceneLore) -> dict[str, str]:
    told = {briefing.npc_id: " ".join(line.text for line in briefing.capabilities) for briefing in lore.briefings}
    return {npc_id: text for npc_id, text in told.items() if text}


def _progress(state: WorldState, lore: SceneLore, viewer: StageViewer) -> dict[str, Any]:
    """What was learned, here and by thread; that there is more to be found here is the planner's to know."""
    learned = state.learned_by(state.player_id)
    here = {item.id for item in lore.items()}
    progress: dict[str, Any] = {
        "learned": len(learned),
        "learned_here": len(here & learned),
        "threads": {thread_id: state.threads[thread_id].status for thread_id in sorted(state.threads)},
    }
    counted = [thread for thread in sorted(state.threads) if state.threads[thread].needed]
    if counted:
        progress["inquiries"] = {
            one: {"progress": state.threads[one].progress, "needed": state.threads[one].needed} for one in counted
        }
    if viewer == "planner":
        progress["to_find_here"] = len({item.id for item in lore.discoverable} - learned)
    return progress


def _threat(clock: Clock, rules: CampaignRules) -> dict[str, Any] | None:
    """A clock that is about to set something off, and how soon. What it sets off is the scenario's secret."""
    ahead = [value for value in sorted(rules.clock_effects.get(clock.id, {})) if value > clock.value]
    if not ahead or ahead[0] - clock.value > _NEAR:
        return None
    return {"clock_id": clock.id, "name": clock.name, "value": clock.value, "at": ahead[0], "max": clock.max}


def _announced(state: WorldState, rules: CampaignRules) -> list[dict[str, Any]]:
    """Threats that hang over the scene, by what players are told of them, the one that falls due first first."""
    due = sorted(state.threats.items(), key=lambda one: (one[1].due, one[0]))
    return [
        {
            "threat_id": one,
            "name": rules.threats[one].title if one in rules.threats else one,
            "minutes_left": max(threat.due - state.minutes, 0),
        }
        for one, threat in due
    ]


def _situation(state: WorldState, rules: CampaignRules, situation_id: str) -> dict[str, Any]:
    held, told = state.situations[situation_id], rules.ruleset.situations.get(situation_id)
    left = None if held.until is None else max(held.until - state.minutes, 0)
    return {"situation_id": situation_id, "summary": told.summary if told else "", "minutes_left": left}


def _entity(state: WorldState, entity_id: str, viewer: StageViewer) -> dict[str, Any]:
    """Name and tags, and what one sees of a person's condition; a pack's own keys (`attrs`) may tell more than a viewer
    may know and stay out."""
    entity = state.entities[entity_id]
    attrs: dict[str, Any] = {}
    if conditions := state.conditions_of(entity_id):
        attrs["conditions"] = list(conditions)
    character = state.characters.get(entity_id)
    if character is not None and viewer != "player":
        manifest = {name: plain(one.value) for name, one in character.states.items() if one.is_manifest}
        attrs |= {"states": manifest} if manifest else {}
    return {"id": entity.id, "type": entity.type, "name": entity.name, "attrs": attrs, "tags": list(entity.tags)}


def _facts(state: WorldState, viewer: StageViewer, about: Collection[str]) -> list[dict[str, Any]]:
    fields = {"id", "subject_id", "predicate", "object", "visibility", "confidence", "tags"}
    shown = facts_shown(state, about, hidden=viewer == "planner")
    return [fact.model_dump(mode="json", include=fields) for fact in shown]


def _spoken_of(state: WorldState) -> Iterator[str]:
    """Where the ways lead, and whom the threads are about."""
    yield from (way.to for way in state.exits.get(state.scene.location_id, ()))
    for thread in state.threads.values():
        yield from thread.related_entity_ids


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


def _ties(state: WorldState, present: Sequence[str]) -> list[dict[str, Any]]:
    """What those who are here are to others; who knows of it is not said."""
    return [
        {"a_id": one.a, "b_id": one.b, "rel_type": one.rel_type, "intensity": one.intensity, "notes": plain(one.notes)}
        for key, one in sorted(state.relationships.items())
        if one.a in present or one.b in present
    ]
