"""A v0 file -> its campaigns, each with its own rows as typed values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lorewright.contrib.import_v0.tables import V0File, V0Row
from lorewright.contrib.import_v0.values import (
    Faults,
    Reader,
    V0Campaign,
    V0Clock,
    V0Entity,
    V0Event,
    V0Fact,
    V0Holding,
    V0Relationship,
    V0Scene,
    V0Session,
    V0Summary,
    V0Thread,
)
from lorewright.ids import canonical_json, content_hash

_ORIGINS = ("pack", "campaign", "world")


def campaigns_of(file: V0File, faults: Faults, *, fallback_id: str) -> list[V0Campaign]:
    """Return the campaigns of a file in its order; a file of one unnamed campaign is called as its events say, else
    `fallback_id`. Values that cannot be read are noted in `faults`."""
    campaigns = _named(file, faults) if file.several else [_unnamed(file, faults, fallback_id)]
    by_id = {campaign.id: campaign for campaign in campaigns}
    raw: dict[str, list[Any]] = {campaign_id: [] for campaign_id in by_id}
    for table, read, into in _TABLES:
        for row in file.tables.get(table, ()):
            reader = Reader(row, faults)
            owner = _owner(reader, by_id, only=None if file.several else campaigns[0])
            if owner is not None:
                getattr(owner, into).append(read(reader))
                raw[owner.id].append([table, _plain(row)])
    for row in file.tables["summaries"]:
        summary = _summary(Reader(row, faults))
        for owner in _owners_of(summary, campaigns):
            owner.summaries.append(summary)
            raw[owner.id].append(["summaries", _plain(row)])
    for row in file.tables.get("campaigns", ()):
        if (told := row.values.get("id")) in raw:
            # The time of the last visit is no part of the content.
            known = {key: value for key, value in _plain(row).items() if key != "updated_at"}
            raw[str(told)].append(["campaigns", known])
    for campaign in campaigns:
        campaign.fingerprint = content_hash(canonical_json(raw[campaign.id]))
        _check_keys(campaign, faults)
    return campaigns


def _plain(row: V0Row) -> dict[str, Any]:
    # Text for everything: a value that JSON cannot hold was refused already.
    return {column: None if value is None else str(value) for column, value in row.values.items()}


def _named(file: V0File, faults: Faults) -> list[V0Campaign]:
    found: dict[str, V0Campaign] = {}
    for row in file.tables["campaigns"]:
        reader = Reader(row, faults)
        campaign = V0Campaign(
            id=reader.name("id"),
            name=reader.name("name"),
            created_at=reader.time("created_at"),
            calibration=reader.json("calibration_json", dict) or {},
            system=reader.json("system_json", dict) or {},
            genre_rules=reader.json("genre_rules_json", dict) or {},
            current_turn=reader.number("current_turn") if "current_turn" in row.values else None,
        )
        if campaign.id in found:
            reader.wrong("id", f"{campaign.id!r} is another campaign's, too")
        found[campaign.id] = campaign
    if not found:
        faults.add("campaigns", "the file holds no campaign")
    return list(found.values())


def _unnamed(file: V0File, faults: Faults, fallback_id: str) -> V0Campaign:
    rows = [Reader(row, faults) for row in file.tables["events"]]
    ids = list(dict.fromkeys(reader.name("campaign_id") for reader in rows))
    if len(ids) > 1:
        named = ", ".join(map(repr, ids[:5]))
        faults.add("events", f"campaign_id names several campaigns ({named}), and nothing else in the file does")
    campaign_id = ids[0] if ids and ids[0] else fallback_id
    return V0Campaign(id=campaign_id, name=campaign_id)


def _owner(reader: Reader, by_id: Mapping[str, V0Campaign], *, only: V0Campaign | None) -> V0Campaign | None:
    if only is not None:
        return only
    told = reader.row.values.get("campaign_id")
    if not isinstance(told, str) or told not in by_id:
        reader.wrong("campaign_id", "names no campaign of the file")
        return None
    return by_id[told]


def _owners_of(summary: V0Summary, campaigns: Sequence[V0Campaign]) -> list[V0Campaign]:
    """Return the campaigns that a summary belongs to: v0 stores only what it is about. A summary in a file of one
    campaign is that campaign's."""
    if len(campaigns) == 1:
        return list(campaigns)
    return [campaign for campaign in campaigns if summary.scope_id in _parts(campaign)]


def unowned_summaries(file: V0File, campaigns: Sequence[V0Campaign]) -> int:
    """Return how many summaries of a file belong to none of its campaigns."""
    owned = {row.id for campaign in campaigns for row in campaign.summaries}
    return sum(row.values["id"] not in owned for row in file.tables["summaries"])


def _parts(campaign: V0Campaign) -> set[str]:
    threads, scenes = {thread.id for thread in campaign.threads}, {scene.id for scene in campaign.scenes}
    return {campaign.id} | threads | scenes | {session.id for session in campaign.sessions}


def _check_keys(campaign: V0Campaign, faults: Faults) -> None:
    """Note keys that SQLite let in twice (a table made without them), and more than one scene."""
    groups: tuple[Sequence[Any], ...] = (campaign.entities, campaign.facts, campaign.threads, campaign.clocks)
    for group in (*groups, campaign.events, campaign.summaries, campaign.sessions):
        _check_key(group, lambda row: row.id, faults)
    _check_key(campaign.inventory, lambda row: (row.owner_id, row.item_id), faults)
    _check_key(campaign.relationships, lambda row: (row.a_id, row.b_id, row.rel_type), faults)
    if len(campaign.scenes) != 1:
        what = f"the campaign {campaign.id!r} has {len(campaign.scenes)} rows; it must have the one that is at hand"
        faults.add("scene", what)


def _check_key(rows: Sequence[Any], key: Callable[[Any], object], faults: Faults) -> None:
    counts = Counter(map(key, rows))
    for row in rows:
        if counts[key(row)] > 1:
            faults.add(row.where, "its key stands more than once")


def _entity(row: Reader) -> V0Entity:
    return V0Entity(
        where=row.row.where,
        id=row.known_as("id"),
        type=row.name("type"),
        name=row.name("name"),
        attrs=row.json("attrs_json", dict),
        tags=row.tags(),
        origin=_origin(row),
        pack_id=row.name("pack_id") if row.has("pack_id") else None,
        pack_entity_id=row.name("pack_entity_id") if row.has("pack_entity_id") else None,
    )


def _origin(row: Reader) -> str:
    if not row.has("origin"):
        return "campaign"
    told = row.name("origin")
    if told not in _ORIGINS:
        row.wrong("origin", f"{told!r} is none of {', '.join(_ORIGINS)}")
        return "campaign"
    return told


def _fact(row: Reader) -> V0Fact:
    return V0Fact(
        where=row.row.where,
        id=row.name("id"),
        subject_id=row.known_as("subject_id"),
        predicate=row.name("predicate"),
        object=row.json("object_json"),
        visibility=row.name("visibility"),
        confidence=row.share("confidence"),
        tags=row.tags(),
        origin=_origin(row),
        discovered_turn=row.number("discovered_turn") if row.has("discovered_turn") else None,
        discovery_method=row.name("discovery_method") if row.has("discovery_method") else None,
    )


def _scene(row: Reader) -> V0Scene:
    rest = {"constraints": row.json("constraints_json"), "obscured_entities": row.json("obscured_entities_json")}
    rest |= {column: row.text(column) for column in ("visibility_conditions", "noise_level") if row.has(column)}
    return V0Scene(
        where=row.row.where,
        id=row.name("id"),
        location_id=row.known_as("location_id"),
        present=row.ids("present_entity_ids_json"),
        time=row.json("time_json"),
        rest={key: value for key, value in rest.items() if value not in (None, {}, [])},
    )


def _thread(row: Reader) -> V0Thread:
    return V0Thread(
        where=row.row.where,
        id=row.name("id"),
        title=row.name("title"),
        status=row.name("status"),
        stakes=row.json("stakes_json"),
        related=row.ids("related_entity_ids_json"),
        tags=row.tags(),
    )


def _clock(row: Reader) -> V0Clock:
    most = row.number("max", least=1)
    return V0Clock(
        where=row.row.where,
        id=row.name("id"),
        name=row.name("name"),
        value=row.number("value", least=0, most=most),
        max=most,
        triggers=row.json("triggers_json"),
        tags=row.tags(),
    )


def _holding(row: Reader) -> V0Holding:
    return V0Holding(
        where=row.row.where,
        owner_id=row.known_as("owner_id"),
        item_id=row.known_as("item_id"),
        qty=row.number("qty", least=0),
        flags=row.json("flags_json"),
    )


def _relationship(row: Reader) -> V0Relationship:
    rel_type = row.name("rel_type")
    if len(rel_type) > 80:
        row.wrong("rel_type", "is longer than 80 characters")
    return V0Relationship(
        where=row.row.where,
        a_id=row.known_as("a_id"),
        b_id=row.known_as("b_id"),
        rel_type=rel_type,
        intensity=row.number("intensity"),
        notes=row.json("notes_json"),
    )


def _event(row: Reader) -> V0Event:
    context = row.json("context_packet_json", dict, list, raw=True)
    names = ("pass_outputs", "engine_events", "state_diff", "prompt_versions")
    record = {name: row.json(f"{name}_json", dict, list, raw=True) for name in names}
    return V0Event(
        where=row.row.where,
        id=row.name("id"),
        turn_no=row.number("turn_no", least=0),
        player_input=row.text("player_input"),
        final_text=row.text("final_text"),
        context=context,
        record=record,
    )


def _summary(row: Reader) -> V0Summary:
    return V0Summary(
        where=row.row.where,
        id=row.name("id"),
        scope=row.name("scope"),
        scope_id=row.text("scope_id"),
        text=row.text("text"),
        turn_no_range=row.text("turn_no_range"),
    )


def _session(row: Reader) -> V0Session:
    return V0Session(
        where=row.row.where,
        id=row.name("id"),
        started_at=row.time("started_at"),
        ended_at=row.time("ended_at"),
        first=row.number("turn_range_start", least=0) if row.has("turn_range_start") else None,
        last=row.number("turn_range_end", least=0) if row.has("turn_range_end") else None,
        lore=row.json("session_lore_json", dict) or {},
        summary=row.text("summary") if row.has("summary") else None,
        world_events=tuple(row.json("world_events_pending", list) or ()),
    )


_TABLES: tuple[tuple[str, Callable[[Reader], Any], str], ...] = (
    ("entities", _entity, "entities"),
    ("facts", _fact, "facts"),
    ("scene", _scene, "scenes"),
    ("threads", _thread, "threads"),
    ("clocks", _clock, "clocks"),
    ("inventory", _holding, "inventory"),
    ("relationships", _relationship, "relationships"),
    ("events", _event, "events"),
    ("sessions", _session, "sessions"),
)
