"""Databases of the predecessor (v0) as tests need them: both of its schemas, and small stories in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

# Table -> its columns with types, the key last where it is of several. `*` marks what only a file of several campaigns
# has.
_TABLES: dict[str, str] = {
    "entities": "id TEXT PRIMARY KEY, *, type TEXT NOT NULL, name TEXT NOT NULL, attrs_json TEXT NOT NULL, "
    "tags TEXT NOT NULL",
    "facts": "id TEXT PRIMARY KEY, *, subject_id TEXT NOT NULL, predicate TEXT NOT NULL, object_json TEXT NOT NULL, "
    "visibility TEXT NOT NULL, confidence REAL NOT NULL, tags TEXT NOT NULL",
    "scene": "id TEXT PRIMARY KEY, *, location_id TEXT NOT NULL, present_entity_ids_json TEXT NOT NULL, "
    "time_json TEXT NOT NULL, constraints_json TEXT NOT NULL",
    "threads": "id TEXT PRIMARY KEY, *, title TEXT NOT NULL, status TEXT NOT NULL, stakes_json TEXT NOT NULL, "
    "related_entity_ids_json TEXT NOT NULL, tags TEXT NOT NULL",
    "clocks": "id TEXT PRIMARY KEY, *, name TEXT NOT NULL, value INTEGER NOT NULL, max INTEGER NOT NULL, "
    "triggers_json TEXT NOT NULL, tags TEXT NOT NULL",
    "inventory": "owner_id TEXT NOT NULL, item_id TEXT NOT NULL, *, qty INTEGER NOT NULL, flags_json TEXT NOT NULL, "
    "PRIMARY KEY (owner_id, item_id)",
    "relationships": "a_id TEXT NOT NULL, b_id TEXT NOT NULL, *, rel_type TEXT NOT NULL, intensity INTEGER NOT NULL, "
    "notes_json TEXT NOT NULL, PRIMARY KEY (a_id, b_id, rel_type)",
    "events": "id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL, turn_no INTEGER NOT NULL, player_input TEXT NOT NULL, "
    "context_packet_json TEXT NOT NULL, pass_outputs_json TEXT NOT NULL, engine_events_json TEXT NOT NULL, "
    "state_diff_json TEXT NOT NULL, final_text TEXT NOT NULL, prompt_versions_json TEXT NOT NULL",
    "summaries": "id TEXT PRIMARY KEY, scope TEXT NOT NULL, scope_id TEXT NOT NULL, text TEXT NOT NULL, "
    "turn_no_range TEXT NOT NULL",
}
_INDEXES = ("events (campaign_id, turn_no)", "facts (subject_id)", "relationships (a_id)", "relationships (b_id)")
_CAMPAIGNS = """CREATE TABLE campaigns (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    calibration_json TEXT NOT NULL DEFAULT '{}', system_json TEXT NOT NULL DEFAULT '{}',
    genre_rules_json TEXT NOT NULL DEFAULT '{}', current_turn INTEGER NOT NULL DEFAULT 0)"""
_OF_SEVERAL = {
    "facts": ("discovered_turn INTEGER", "discovery_method TEXT"),
    "scene": (
        *("visibility_conditions TEXT DEFAULT NULL", "noise_level TEXT DEFAULT NULL"),
        "obscured_entities_json TEXT DEFAULT '[]'",
    ),
}
# What came with packs and sittings.
_V1 = (
    """CREATE TABLE sessions (
        id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL REFERENCES campaigns(id), started_at TEXT NOT NULL,
        ended_at TEXT, turn_range_start INTEGER, turn_range_end INTEGER, session_lore_json TEXT NOT NULL DEFAULT '{}',
        summary TEXT, world_events_pending TEXT NOT NULL DEFAULT '[]')""",
    "CREATE TABLE content_packs (id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL)",
    "CREATE TABLE pack_chunks (id TEXT PRIMARY KEY, pack_id TEXT NOT NULL, chunk_text TEXT NOT NULL)",
    "CREATE TABLE scene_lore (id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL, lore_json TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE pack_chunks_fts USING fts5(chunk_text, content='pack_chunks', content_rowid='rowid')",
    *(f"ALTER TABLE {table} ADD COLUMN origin TEXT NOT NULL DEFAULT 'campaign'" for table in ("entities", "facts")),
    *(f"ALTER TABLE {table} ADD COLUMN pack_id TEXT" for table in ("entities", "facts", "threads", "clocks")),
    "ALTER TABLE entities ADD COLUMN pack_entity_id TEXT",
)


OF_A_CAMPAIGN = tuple(table for table in _TABLES if table != "summaries")


def schema(*, several: bool, v1: bool = False) -> list[str]:
    """The statements that make an empty v0 database."""
    made = [_CAMPAIGNS] if several else []
    for table, columns in _TABLES.items():
        listed = columns.replace("*, ", "campaign_id TEXT NOT NULL REFERENCES campaigns(id), " if several else "")
        more = ", ".join(_OF_SEVERAL.get(table, ())) if several else ""
        if several and "PRIMARY KEY (" in listed:
            listed = listed[:-1] + ", campaign_id)"
        made.append(f"CREATE TABLE {table} ({listed}{', ' + more if more else ''})")
    made += [f"CREATE INDEX idx_{n} ON {what}" for n, what in enumerate(_INDEXES)]
    return [*made, *(_V1 if v1 else ())]


def write(path: Path, statements: Iterable[str], rows: Iterable[tuple[str, dict[str, Any]]]) -> Path:
    """Make a database of statements and rows (table, values by column; lists and objects become JSON)."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
        for table, values in rows:
            insert(connection, table, values)
    return path


def insert(connection: sqlite3.Connection, table: str, values: dict[str, Any]) -> None:
    """Add a row."""
    marks = ", ".join("?" * len(values))
    plain = [json.dumps(one) if isinstance(one, (list, dict)) else one for one in values.values()]
    connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", plain)


def change(path: Path, *statements: str) -> Path:
    """Run statements on a database."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def event(turn_no: int, said: str, told: str, *, campaign_id: str = "old", **more: Any) -> tuple[str, dict[str, Any]]:
    """A turn of v0."""
    return "events", {
        "id": f"{campaign_id}_event_{turn_no}",
        "campaign_id": campaign_id,
        "turn_no": turn_no,
        "player_input": said,
        "context_packet_json": {"present_entities": ["player", "viktor"]},
        "pass_outputs_json": {"interpreter": {"intent": said}},
        "engine_events_json": [{"type": "told", "details": {}, "tags": [], "scope": "campaign"}],
        "state_diff_json": {"clocks": [{"id": "heat", "delta": 1}]},
        "final_text": told,
        "prompt_versions_json": {"narrator": 3},
        **more,
    }


STORY = (
    event(1, "look around", "The bar is loud."),
    event(2, "ask Viktor about the courier", "Viktor says that she went to the pier."),
    event(3, "take the crowbar", "You have the crowbar now."),
)


def rows(
    *, campaign_id: str | None = None, story: Sequence[tuple[str, dict[str, Any]]] = STORY, prefix: str = ""
) -> list[tuple[str, dict[str, Any]]]:
    """A small story in v0's rows: a bar and a pier, Viktor and somebody who is away, a crowbar. With `campaign_id` each
    row names its campaign; `prefix` stands before the IDs that a file has once."""
    p = prefix
    made: list[tuple[str, dict[str, Any]]] = [
        (
            "entities",
            {"id": f"{p}player", "type": "player", "name": "Ada", "attrs_json": {"pronoun": "she"}, "tags": ""},
        ),
        (
            "entities",
            {"id": f"{p}viktor", "type": "npc", "name": "Viktor", "attrs_json": {"age": 50}, "tags": '["fixer"]'},
        ),
        ("entities", {"id": f"{p}mira", "type": "npc", "name": "Mira", "attrs_json": {}, "tags": "hacker, friend"}),
        ("entities", {"id": f"{p}bar", "type": "location", "name": "The Bar", "attrs_json": {}, "tags": ""}),
        ("entities", {"id": f"{p}pier", "type": "location", "name": "The Pier", "attrs_json": {}, "tags": ""}),
        ("entities", {"id": f"{p}crowbar", "type": "tool", "name": "crowbar", "attrs_json": {}, "tags": ""}),
        _fact(f"{p}f1", f"{p}viktor", "saw", {"whom": "the courier"}, "known", 0.9),
        _fact(f"{p}f2", f"{p}mira", "works_for", "Zenith", "hidden", 1.0),
        (
            "scene",
            {
                "id": f"{p}current",
                "location_id": f"{p}bar",
                "present_entity_ids_json": [f"{p}player", f"{p}viktor"],
                "time_json": {"day": 2, "hour": 21, "minute": 30},
                "constraints_json": {"no_weapons": True},
            },
        ),
        (
            "threads",
            {
                "id": f"{p}courier",
                "title": "Where is the courier?",
                "status": "active",
                "stakes_json": {"win": "she lives", "lose": "she does not"},
                "related_entity_ids_json": [f"{p}viktor"],
                "tags": "",
            },
        ),
        (
            "clocks",
            {
                "id": f"{p}heat",
                "name": "Heat",
                "value": 3,
                "max": 6,
                "triggers_json": {"6": "the police"},
                "tags": "cost",
            },
        ),
        ("inventory", {"owner_id": f"{p}player", "item_id": f"{p}crowbar", "qty": 1, "flags_json": {"rusty": True}}),
        (
            "relationships",
            {
                "a_id": f"{p}viktor",
                "b_id": f"{p}player",
                "rel_type": "owes",
                "intensity": 2,
                "notes_json": {"since": 1},
            },
        ),
        (
            "summaries",
            {
                "id": f"{p}s1",
                "scope": "campaign",
                "scope_id": campaign_id or "old",
                "text": "Ada asked for the courier.",
                "turn_no_range": "1-3",
            },
        ),
    ]
    if campaign_id is not None:
        made = [
            (table, values if table == "summaries" else {**values, "campaign_id": campaign_id})
            for table, values in made
        ]
    return [*made, *story]


def _fact(
    fact_id: str, subject: str, predicate: str, told: Any, visibility: str, confidence: float
) -> tuple[str, dict[str, Any]]:
    return "facts", {
        "id": fact_id,
        "subject_id": subject,
        "predicate": predicate,
        "object_json": json.dumps(told),
        "visibility": visibility,
        "confidence": confidence,
        "tags": "",
    }


def one_campaign(path: Path, story: Sequence[tuple[str, dict[str, Any]]] = STORY) -> Path:
    """A file of the schema that knows one unnamed campaign."""
    return write(path, schema(several=False), rows(story=story))


def several_campaigns(path: Path) -> Path:
    """A file of the schema with a table of campaigns: two of them, the second with sittings and a pack's Viktor."""
    named = {"created_at": "2091-03-15T20:30:00", "updated_at": "2091-03-16", "system_json": {"dice": "2d6"}}
    first, second = {"id": "old", "name": "The Old One", **named}, {"id": "next", "name": "The Next", **named}
    made = [("campaigns", {**first, "current_turn": 3}), ("campaigns", {**second, "current_turn": 5})]
    made += rows(campaign_id="old")
    story = [event(n, f"line {n}", f"telling {n}", campaign_id="next") for n in (2, 3, 5)]
    made += rows(campaign_id="next", story=story, prefix="x_")
    pack = {"id": "neo_seattle:jin", "type": "npc", "name": "Jin", "attrs_json": {}, "tags": "", "origin": "pack"}
    made.append(
        ("entities", {**pack, "campaign_id": "next", "pack_id": "neo_seattle", "pack_entity_id": "neo_seattle:jin"})
    )
    sitting = {"campaign_id": "next", "started_at": "2024-01-01T20:00:00+00:00"}
    made += [
        (
            "sessions",
            {
                **sitting,
                "id": "s1",
                "ended_at": "2024-01-01T23:00:00+00:00",
                "turn_range_start": 1,
                "turn_range_end": 3,
                "summary": "It began.",
            },
        ),
        ("sessions", {**sitting, "id": "s2", "turn_range_start": 4}),
        ("content_packs", {"id": "neo_seattle", "name": "Neo-Seattle", "version": "1"}),
    ]
    return write(path, schema(several=True, v1=True), made)
