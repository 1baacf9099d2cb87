"""A state and the lore of its scene -> the ContextPacket of a stage, cut to its reader and to a budget."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from lorewright.ids import canonical_json
from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import LorePassage, SceneLore, StageViewer, scene_view
from lorewright.tokens import BY_SCRIPT, count_tokens
from lorewright.turn.views.circumstances import scene_in_words
from lorewright.values.annotations import SummarySentence
from lorewright.values.entries import Agenda, facts_shown
from lorewright.values.packet import ContextPacket
from lorewright.values.records import Message
from lorewright.visibility import FactKind, fact_sight, sees_section
from lorewright.world.schemas import plain
from lorewright.world.state import Clock, WorldState

# A packet and a budget -> the packet cut to it. Entries are dropped in a fixed order: first those that can be found
# again by retrieval (the sitting's lore, then what was looked up, then what was retrieved for the scene), then what was
# told before (the story so far, the oldest first; then the last narrations, likewise), then descriptions of the place,
# then standing lore, then facts and relationships. Scene, entities, threads, clocks, inventory and briefings are never
# cut: without them a stage would be wrong, not only brief.

# The room for the packet in a prompt of 8,000 tokens.
PACKET_TOKENS = 6_000

Packet = dict[str, Any]


def packet_tokens(packet: Packet, *, reading: int = BY_SCRIPT) -> int:
    """Return the length of a packet as it is sent, in tokens as the rules of this version (`reading`) count them."""
    return count_tokens(canonical_json(packet), reading=reading)


def fit_packet(packet: Packet, *, budget_tokens: int, reading: int = BY_SCRIPT) -> Packet:
    """Return the packet without the entries that do not fit: they are dropped one after another, until it fits or
    nothing more may be dropped.

    The given packet is unchanged; the result may be longer than the budget where the parts that must stay are.
    """

    def fits(dropped: int) -> bool:
        return packet_tokens(_with_dropped(packet, dropped), reading=reading) <= budget_tokens

    most = sum(len(_list_at(packet, path)) for path in _CUT_ORDER)
    # Each dropped entry makes it shorter, so that a binary search works: a long game has many facts.
    return packet if fits(0) else _with_dropped(packet, bisect_left(range(most), True, key=fits))


# The lists that may be cut, in the order in which they are: the last entry of a list first, but for lists that have the
# oldest first.
_CUT_ORDER = (
    ("lore_context", "session", "chunks"),
    ("lore_context", "asked"),
    ("lore_context", "scene", "retrieved"),
    ("summary", "story"),
    ("recent_events",),
    ("lore_context", "scene", "atmosphere"),
    ("lore_context", "scene", "standing"),
    ("facts",),
    ("relationships",),
)
_OLDEST_FIRST = (("summary", "story"), ("recent_events",))


def _with_dropped(packet: Packet, number: int) -> Packet:
    """Return the packet with so many entries dropped."""
    for path in _CUT_ORDER:
        entries = _list_at(packet, path)
        dropped = min(number, len(entries))
        if dropped:
            remaining = entries[dropped:] if path in _OLDEST_FIRST else entries[: len(entries) - dropped]
            packet = _with_value(packet, path, remaining)
        number -= dropped
    return packet


def _list_at(packet: Packet, path: tuple[str, ...]) -> Sequence[Any]:
    """Return the list at a path; empty where there is none."""
    found: Any = packet
    for name in path:
        found = found.get(name) or {}
    return found or ()


def _with_value(packet: Packet, path: tuple[str, ...], value: Any) -> Packet:
    name, *rest = path
    return {**packet, name: _with_value(packet[name], tuple(rest), value) if rest else value}


# A state -> the two summaries of the packet: of the scene and of the threads.


def scene_summary(state: WorldState) -> str:
    """Return where the player is, for how long, how often they were there before, and with whom."""
    place = state.name_of(state.scene.location_id)
    minutes = state.minutes - state.scene.opened_minute
    since = f"for {minutes} minutes" if minutes > 1 else "just now"
    before = state.visits.get(state.scene.location_id, 1) - 1
    again = {0: "for the first time", 1: "for the second time"}.get(before, f"having been there {before} times")
    people = [state.name_of(present_npc) for present_npc in state.present_npcs()]
    company = f"With them: {', '.join(people)}." if people else "Nobody is with them."
    return f"{state.name_of(state.player_id)} is at {place}, {since}, {again}. {company}"


def threads_summary(state: WorldState) -> str:
    """Return each thread in a line: its title, its status, its stakes."""
    return "\n".join(
        f"{thread.title} ({thread.status}){f': {thread.stakes}' if thread.stakes else ''}"
        for _, thread in sorted(state.threads.items())
    )


# The packet: what a stage is told of the world, cut to its reader.

# The number of last narrations that are shown; older ones are found through the history corpus.
RECENT_NARRATIONS = 3

# The most characters of each: a narration is a page at most, however long a model made it.
RECENT_CHARACTERS = 1_500

# A clock so many steps from its next effect is a threat.
_NEAR = 2


def build_packet(
    state: WorldState,
    rules: CampaignRules,
    lore: SceneLore,
    recent: Sequence[tuple[int, Message]],
    *,
    viewer: StageViewer,
    asked: Sequence[dict[str, Any]] = (),
    retrieved: Sequence[LorePassage] | None = None,
    session: Mapping[str, Any] | None = None,
    agendas: Mapping[str, Agenda] | None = None,
    calibration: Mapping[str, Any] | None = None,
    story: Sequence[SummarySentence] = (),
    manner: Mapping[str, str] | None = None,
    budget_tokens: int = PACKET_TOKENS,
    reading: int = BY_SCRIPT,
) -> ContextPacket:
    """Return the packet for one viewer, no longer than a budget allows.

    `recent` are (turn number, message), oldest first, as the viewer may see them; `asked` is what was retrieved for the
    player's words, `retrieved` for the scene (None in games that retrieve nothing for it), `session` the lore that the
    sitting began with. `agendas` has the agenda of each of the cast, by ID: it is the planner's alone, as are ties
    between people. Manifest states of people are shown to stages, not to players.
    `calibration` is what was agreed on before the first turn, `story` what happened before `recent`, oldest first;
    `manner` has the scenario's tone and stakes; None gives a packet as it was before it had them, or anything in words.

    Entities are those of the scene: who and what is there or carried. Facts are first those of the scene, of the places
    that the ways lead to and of the subjects of threads, then others; the newest first, and not all of them.
    """
    present = state.present()
    things = [*state.held_by(state.scene.location_id), *state.held_by(state.player_id)]
    shown = [state.scene.location_id, *present, *things]
    narrations = [(turn_no, message) for turn_no, message in recent if message.type == "narration"]
    packet = {
        "scene": {
            "location_id": state.scene.location_id,
            "time": {"minutes": state.minutes},
            "constraints": _constraints(state, rules, manner),
        },
        "present_entities": list(present),
        "entities": [_entity(state, entity_id, viewer) for entity_id in dict.fromkeys(shown)],
        "facts": _facts(state, viewer, {*shown, *_related_ids(state)}),
        "threads": [_thread(state, thread_id) for thread_id in sorted(state.threads)],
        "clocks": [_clock(state, rules, clock_id, manner) for clock_id in sorted(state.clocks)],
        "inventory": [
            {"owner_id": state.player_id, "item_id": item, "qty": quantity, "flags": {}}
            for item, quantity in state.held_by(state.player_id).items()
        ],
        "relationships": [
            *_relationships(state, present),
            *(_ties(state, present) if _is_shown("tie", viewer) else []),
        ],
        "summary": {
            "scene": scene_summary(state),
            "threads": threads_summary(state),
            **({"story": [{"text": told.text} for told in story]} if story else {}),
        },
        "recent_events": [
            {"turn_no": turn_no, "text": message.content[:RECENT_CHARACTERS]}
            for turn_no, message in narrations[-RECENT_NARRATIONS:]
        ],
        "npc_agendas": _agendas(state, present, agendas or {}) if _is_shown("agenda", viewer) else {},
        "npc_capabilities": _capabilities(lore) if sees_section("capabilities", viewer) else {},
        "investigation_progress": _progress(state, lore) if _is_shown("to_find", viewer) else {},
        "pending_threats": [
            *(threat for clock in sorted(state.clocks) if (threat := _threat(state.clocks[clock], rules))),
            *_announced(state, rules),
        ],
        "active_situations": [_situation(rules, situation) for situation in sorted(state.situations)],
        "failure_streak": dict(sorted(state.streaks.items())),
        "calibration": dict(plain(calibration or {})),
        "lore_context": {
            "scene": _scene_lore(state, lore, viewer, retrieved),
            "asked": _passages(asked, manner),
            "session": {"chunks": chunks} if (chunks := _passages((session or {}).get("chunks", ()), manner)) else {},
        },
    }
    return ContextPacket.model_validate(fit_packet(packet, budget_tokens=budget_tokens, reading=reading))


def _is_shown(kind: FactKind, viewer: StageViewer) -> bool:
    return fact_sight(kind, viewer) == "all"


def _constraints(state: WorldState, rules: CampaignRules, manner: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the ruleset's scene and a short summary of how it is played, where the ruleset shapes a part of the state;
    and the manner in which the story is told."""
    found: dict[str, Any] = dict(manner or {})
    if state.ruleset is not None:
        found |= {"rulebook_summary": rules.ruleset.rulebook_summary, "scene_state": plain(state.ruleset.scene)}
        found |= {} if manner is None else {"scene_in_words": list(scene_in_words(state, rules.ruleset))}
    return found


def _scene_lore(
    state: WorldState, lore: SceneLore, viewer: StageViewer, retrieved: Sequence[LorePassage] | None
) -> dict[str, Any]:
    """Return the lore of the scene for a viewer. How much lies undiscovered is told by `investigation_progress`."""
    learned, open_threads = state.learned_by(state.player_id), {thread.id for thread in state.open_threads()}
    # In games of before, what ties a scene to a thread was not shown until it was learned.
    shown_threads = open_threads if retrieved is not None else set()
    tied = (item for item in lore.thread_connections if item.name in shown_threads or item.id in learned)
    shown = scene_view(lore.model_copy(update={"thread_connections": tuple(tied)}), viewer, learned=learned)
    found = (
        {} if retrieved is None else {"retrieved": [passage.model_dump(exclude={"tokens"}) for passage in retrieved]}
    )
    return {**shown, "discoverable": [find for find in shown["discoverable"] if "content" in find], **found}


def _passages(chunks: Sequence[Mapping[str, Any]], manner: Mapping[str, str] | None) -> list[dict[str, Any]]:
    found = [{"chunk_id": chunk["chunk_id"], "text": chunk["text"]} for chunk in chunks]
    if manner is None:
        return found
    titles = (title_of(str(chunk.get("section_path", ""))) for chunk in chunks)
    return [{**passage, "title": title} for passage, title in zip(found, titles, strict=True)]


def title_of(section_path: str) -> str:
    """Return the title of a chunk for a prompt: `Viktor > Background` -> `Viktor, Background`."""
    return ", ".join(part.strip() for part in section_path.split(" > ") if part.strip())


def _agendas(state: WorldState, present: Sequence[str], agendas: Mapping[str, Agenda]) -> dict[str, Any]:
    """Return the goals of those who are here, and when they act next, by ID."""
    found = {who: agendas[who].shown(state) for who in present if who in agendas}
    return {who: shown for who, shown in found.items() if shown}


def _capabilities(lore: SceneLore) -> dict[str, str]:
    texts = {briefing.npc_id: " ".join(line.text for line in briefing.capabilities) for briefing in lore.briefings}
    return {npc_id: text for npc_id, text in texts.items() if text}


def _progress(state: WorldState, lore: SceneLore) -> dict[str, Any]:
    """Return how much more can be found here."""
    return {"to_find_here": len({item.id for item in lore.discoverable} - state.learned_by(state.player_id))}


def _threat(clock: Clock, rules: CampaignRules) -> dict[str, Any] | None:
    """Return a clock that will soon have an effect, and how soon; None for any other, one at rest, and one that the
    player wants to fill. The effect itself is the scenario's secret."""
    if not clock.value or clock.id in rules.good_clocks:
        return None
    ahead = [value for value in sorted(rules.clock_effects.get(clock.id, {})) if value > clock.value]
    if not ahead or ahead[0] - clock.value > _NEAR:
        return None
    return {"name": clock.name, "at": ahead[0], "max": clock.max}


def _announced(state: WorldState, rules: CampaignRules) -> list[dict[str, Any]]:
    """Return the threats that hang over the scene, by the names that players are told, the one that falls due first
    first."""
    due = sorted(state.threats.items(), key=lambda threat: (threat[1].due, threat[0]))
    return [
        {
            "name": rules.threats[threat_id].title if threat_id in rules.threats else threat_id,
            "minutes_left": max(threat.due - state.minutes, 0),
        }
        for threat_id, threat in due
    ]


def _situation(rules: CampaignRules, situation_id: str) -> dict[str, Any]:
    rule = rules.ruleset.situations.get(situation_id)
    return {"summary": rule.summary if rule else ""}


def _entity(state: WorldState, entity_id: str, viewer: StageViewer) -> dict[str, Any]:
    """Return an entity's name and tags, and a person's visible condition; a pack's own keys (`attrs`) may tell more
    than a viewer may know and are omitted."""
    entity = state.entities[entity_id]
    attrs: dict[str, Any] = {}
    if conditions := state.conditions_of(entity_id):
        attrs["conditions"] = list(conditions)
    character = state.characters.get(entity_id)
    if character is not None and _is_shown("inner", viewer):
        manifest = {name: plain(inner.value) for name, inner in character.states.items() if inner.is_manifest}
        attrs |= {"states": manifest} if manifest else {}
    return {"id": entity.id, "type": entity.type, "name": entity.name, "attrs": attrs, "tags": list(entity.tags)}


def _facts(state: WorldState, viewer: StageViewer, about: Collection[str]) -> list[dict[str, Any]]:
    """Return the facts that a stage is shown; for the planner marked as kept from the player where the persona who is
    played does not know of them."""
    fields = {"id", "subject_id", "predicate", "object", "visibility", "confidence", "tags"}
    shown = facts_shown(state, about, reader=viewer, who=state.player_id)
    return [
        fact.model_dump(mode="json", include=fields)
        | ({} if fact.is_shown("player", state.player_id) or fact.visibility != "player" else {"visibility": "gm"})
        for fact in shown
    ]


def _related_ids(state: WorldState) -> Iterator[str]:
    """Yield the places that the ways lead to, and the subjects of the threads, by ID."""
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


def _clock(state: WorldState, rules: CampaignRules, clock_id: str, manner: Mapping[str, str] | None) -> dict[str, Any]:
    """Return a clock with its thresholds; their effects are the scenario's secret, their existence is not."""
    clock = state.clocks[clock_id]
    thresholds: dict[str, dict[str, Any]] = {str(value): {} for value in sorted(rules.clock_effects.get(clock_id, {}))}
    return {
        "id": clock.id,
        "name": clock.name,
        "value": clock.value,
        "max": clock.max,
        "triggers": thresholds,
        "tags": list(clock.tags),
        **({"good": True} if manner is not None and clock_id in rules.good_clocks else {}),
        **({"means": means} if manner is not None and (means := rules.clock_means.get(clock_id)) else {}),
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
    """Return the relationships between those who are here and others; who knows of them is not said."""
    return [
        {"a_id": tie.a, "b_id": tie.b, "rel_type": tie.rel_type, "intensity": tie.intensity, "notes": plain(tie.notes)}
        for key, tie in sorted(state.relationships.items())
        if tie.a in present or tie.b in present
    ]
