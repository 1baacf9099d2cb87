"""The rows of a v0 campaign as typed values, as they stand: nothing is renamed or mapped. `where` names table and
row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class V0Entity:
    """Somebody or something."""

    where: str
    id: str
    type: str
    name: str
    attrs: Mapping[str, Any]
    tags: tuple[str, ...]
    origin: str
    pack_id: str | None
    pack_entity_id: str | None


@dataclass(frozen=True, slots=True)
class V0Fact:
    """Something established."""

    where: str
    id: str
    subject_id: str
    predicate: str
    object: Any
    visibility: str
    confidence: float
    tags: tuple[str, ...]
    origin: str
    discovered_turn: int | None
    discovery_method: str | None


@dataclass(frozen=True, slots=True)
class V0Scene:
    """The scene at hand; `rest` is what a model was told of it beside place and people."""

    where: str
    id: str
    location_id: str
    present: tuple[str, ...]
    time: Any
    rest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class V0Thread:
    """An open question."""

    where: str
    id: str
    title: str
    status: str
    stakes: Any
    related: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class V0Clock:
    """A clock."""

    where: str
    id: str
    name: str
    value: int
    max: int
    triggers: Any
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class V0Holding:
    """So many of an item with an owner."""

    where: str
    owner_id: str
    item_id: str
    qty: int
    flags: Any


@dataclass(frozen=True, slots=True)
class V0Relationship:
    """What somebody is to somebody."""

    where: str
    a_id: str
    b_id: str
    rel_type: str
    intensity: int
    notes: Any


@dataclass(frozen=True, slots=True)
class V0Event:
    """A turn. `record` is what was given to the passes and what they made, as it was stored."""

    where: str
    id: str
    turn_no: int
    player_input: str
    final_text: str
    context: Any
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class V0Summary:
    """What some turns amounted to."""

    where: str
    id: str
    scope: str
    scope_id: str
    text: str
    turn_no_range: str


@dataclass(frozen=True, slots=True)
class V0Session:
    """A sitting."""

    where: str
    id: str
    started_at: str | None
    ended_at: str | None
    first: int | None
    last: int | None
    lore: Mapping[str, Any]
    summary: str | None
    world_events: tuple[Any, ...]


@dataclass(slots=True)
class V0Campaign:
    """One campaign of a file. `fingerprint` is of all its rows: another one means that something was changed."""

    id: str
    name: str
    created_at: str | None = None
    calibration: Mapping[str, Any] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    genre_rules: Mapping[str, Any] = field(default_factory=dict)
    current_turn: int | None = None
    entities: list[V0Entity] = field(default_factory=list)
    facts: list[V0Fact] = field(default_factory=list)
    scenes: list[V0Scene] = field(default_factory=list)
    threads: list[V0Thread] = field(default_factory=list)
    clocks: list[V0Clock] = field(default_factory=list)
    inventory: list[V0Holding] = field(default_factory=list)
    relationships: list[V0Relationship] = field(default_factory=list)
    events: list[V0Event] = field(default_factory=list)
    summaries: list[V0Summary] = field(default_factory=list)
    sessions: list[V0Session] = field(default_factory=list)
    fingerprint: str = ""
