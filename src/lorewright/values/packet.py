"""ContextPacket: the world as a stage is told of it, in the shape of the seeds, cut to its reader.

Every part has a default and ignores keys that it does not know, so that packets of every earlier version can be read. A
key that is there only sometimes is left out where its value is empty or None.
"""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from lorewright.world.frozen import Frozen, FrozenMap

# The fields that stay because the seeds name them, although no stage of ours reads them: a model without a prompt is
# shown the whole packet.
ONLY_OF_THE_SEEDS = (
    "scene.time",
    "scene.constraints.scene_state",
    "facts.confidence",
    "facts.tags",
    "threads.id",
    "threads.related_entity_ids",
    "threads.tags",
    "clocks.tags",
    "inventory.qty",
    "inventory.flags",
    "summary.scene",
    "summary.threads",
    "lore_context.scene.scene_id",
    "lore_context.scene.npc_briefings.withholds",
    "lore_context.scene.discoverable",
    "lore_context.scene.thread_connections",
)


def _is_none(value: Any) -> bool:
    return value is None


def _is_empty(value: Any) -> bool:
    return not value


class PacketPart(Frozen):
    """A part of a packet: keys that it does not know are ignored."""

    model_config = ConfigDict(extra="ignore")


class PacketConstraints(PacketPart):
    """How the ruleset is played, in short, and its part of the scene, as values and in words; empty where it shapes no
    part of the state. `tone` and `stakes` are the scenario's."""

    rulebook_summary: str | None = Field(default=None, exclude_if=_is_none)
    scene_state: FrozenMap[str, Any] | None = Field(default=None, exclude_if=_is_none)
    scene_in_words: tuple[str, ...] = Field(default=(), exclude_if=_is_empty)
    tone: str = Field(default="", exclude_if=_is_empty)
    stakes: str = Field(default="", exclude_if=_is_empty)


class PacketScene(PacketPart):
    """The place, the minute of the story, and what binds the scene."""

    location_id: str = ""
    time: FrozenMap[str, Any] = Field(default_factory=dict)
    constraints: PacketConstraints = Field(default_factory=PacketConstraints)


class PacketAttrs(PacketPart):
    """The conditions and the manifest inner states of an entity."""

    conditions: tuple[str, ...] = Field(default=(), exclude_if=_is_empty)
    states: FrozenMap[str, Any] = Field(default_factory=dict, exclude_if=_is_empty)


class PacketEntity(PacketPart):
    """Somebody or something at the scene."""

    id: str = ""
    type: str = ""
    name: str = ""
    attrs: PacketAttrs = Field(default_factory=PacketAttrs)
    tags: tuple[str, ...] = ()


class PacketFact(PacketPart):
    """An established fact; `visibility` says whether the player knows it."""

    id: str = ""
    subject_id: str = ""
    predicate: str = ""
    object: Any = None
    visibility: str = ""
    confidence: float = 1.0
    tags: tuple[str, ...] = ()


class PacketThread(PacketPart):
    """A thread of the story; `stakes` has its `text`."""

    id: str = ""
    title: str = ""
    status: str = ""
    stakes: FrozenMap[str, Any] = Field(default_factory=dict)
    related_entity_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class PacketClock(PacketPart):
    """A clock; the keys of `triggers` are the values at which something happens, which is the scenario's secret. The
    player wants a `good` one to fill; `means` is what it counts, in the author's words to the player."""

    id: str = ""
    name: str = ""
    value: int = 0
    max: int = 0
    triggers: FrozenMap[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    good: bool = Field(default=False, exclude_if=_is_empty)
    means: str = Field(default="", exclude_if=_is_empty)


class PacketPossession(PacketPart):
    """A thing that somebody has."""

    owner_id: str = ""
    item_id: str = ""
    qty: int = 0
    flags: FrozenMap[str, Any] = Field(default_factory=dict)


class PacketRelationship(PacketPart):
    """A relation between two who are at the scene, or a tie that is known to the planner alone."""

    a_id: str = ""
    b_id: str = ""
    rel_type: str = ""
    intensity: int = 0
    notes: FrozenMap[str, Any] = Field(default_factory=dict)


class PacketStory(PacketPart):
    """A sentence of the story before the last narrations."""

    text: str = ""


class PacketSummary(PacketPart):
    """The scene and the threads in words, and the story so far, oldest first."""

    scene: str = ""
    threads: str = ""
    story: tuple[PacketStory, ...] = Field(default=(), exclude_if=_is_empty)


class PacketEvent(PacketPart):
    """One of the last narrations."""

    turn_no: int = 0
    text: str = ""


class PacketMark(PacketPart):
    """The value of a clock at which a character acts."""

    clock_id: str = ""
    at: int = 0


class PacketAgenda(PacketPart):
    """The goal of a character, and when it acts next."""

    goal: str | None = Field(default=None, exclude_if=_is_none)
    next: PacketMark | None = Field(default=None, exclude_if=_is_none)


class PacketProgress(PacketPart):
    """The number of items that can still be found at the place; for the planner alone."""

    to_find_here: int | None = Field(default=None, exclude_if=_is_none)


class PacketThreat(PacketPart):
    """A clock that soon has an effect (`at` of `max`), or a threat that hangs over the scene for some minutes more."""

    name: str = ""
    at: int | None = Field(default=None, exclude_if=_is_none)
    max: int | None = Field(default=None, exclude_if=_is_none)
    minutes_left: int | None = Field(default=None, exclude_if=_is_none)


class PacketSituation(PacketPart):
    """A circumstance that holds for a while, in the ruleset's words."""

    summary: str = ""


class PacketBriefing(PacketPart):
    """What a character brings to the scene. `knows` has topics for the planner, else the texts that the player has
    learned; of what it withholds the planner is told the number, others what was learned."""

    disposition: str | None = Field(default=None, exclude_if=_is_none)
    capabilities: str | None = Field(default=None, exclude_if=_is_none)
    motivation: str | None = Field(default=None, exclude_if=_is_none)
    knows: tuple[str, ...] = ()
    withholds: tuple[str, ...] | None = Field(default=None, exclude_if=_is_none)
    withholds_count: int | None = Field(default=None, exclude_if=_is_none)


class PacketFind(PacketPart):
    """An item of the place that the player has found."""

    trigger: str = ""
    content: str = ""


class PacketSection(PacketPart):
    """A section that was retrieved for the scene: for its `place`, its `cast` or an open `thread`."""

    about: str = "place"
    chunk_id: str = ""
    section_path: str = ""
    text: str = ""


class PacketSceneLore(PacketPart):
    """The lore of the scene for one reader, in the shape of the seed's SceneLoreCache; `standing` is the open lore that
    stands in every scene, `retrieved` what was found for the place and the people here when the scene opened."""

    scene_id: str = ""
    atmosphere: tuple[str, ...] = ()
    npc_briefings: FrozenMap[str, PacketBriefing] = Field(default_factory=dict)
    discoverable: tuple[PacketFind, ...] = ()
    thread_connections: FrozenMap[str, str] = Field(default_factory=dict)
    standing: tuple[str, ...] = Field(default=(), exclude_if=_is_empty)
    retrieved: tuple[PacketSection, ...] | None = Field(default=None, exclude_if=_is_none)


class PacketPassage(PacketPart):
    """A retrieved chunk; `title` names whom or what it is about, and the section."""

    chunk_id: str = ""
    text: str = ""
    title: str = Field(default="", exclude_if=_is_empty)


class PacketSessionLore(PacketPart):
    """The lore that the sitting began with, best first."""

    chunks: tuple[PacketPassage, ...] = Field(default=(), exclude_if=_is_empty)


class PacketLore(PacketPart):
    """The lore of the scene, the lore that was looked up for the player's words, and that of the sitting."""

    scene: PacketSceneLore = Field(default_factory=PacketSceneLore)
    asked: tuple[PacketPassage, ...] = ()
    session: PacketSessionLore = Field(default_factory=PacketSessionLore)


class ContextPacket(PacketPart):
    """The world as a stage is told of it. `calibration` is what the players asked for before the first turn: tone,
    lethality, pace, character, lines and veils, and any other keys."""

    scene: PacketScene = Field(default_factory=PacketScene)
    present_entities: tuple[str, ...] = ()
    entities: tuple[PacketEntity, ...] = ()
    facts: tuple[PacketFact, ...] = ()
    threads: tuple[PacketThread, ...] = ()
    clocks: tuple[PacketClock, ...] = ()
    inventory: tuple[PacketPossession, ...] = ()
    relationships: tuple[PacketRelationship, ...] = ()
    summary: PacketSummary = Field(default_factory=PacketSummary)
    recent_events: tuple[PacketEvent, ...] = ()
    npc_agendas: FrozenMap[str, PacketAgenda] = Field(default_factory=dict)
    npc_capabilities: FrozenMap[str, str] = Field(default_factory=dict)
    investigation_progress: PacketProgress = Field(default_factory=PacketProgress)
    pending_threats: tuple[PacketThreat, ...] = ()
    active_situations: tuple[PacketSituation, ...] = ()
    failure_streak: FrozenMap[str, int] = Field(default_factory=dict)
    calibration: FrozenMap[str, Any] = Field(default_factory=dict)
    lore_context: PacketLore = Field(default_factory=PacketLore)
